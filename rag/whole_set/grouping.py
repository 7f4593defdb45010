"""Reckons a column for each value of another: the total of every department, the best customer."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.terms import normalise
from rag.whole_set.asked import Operation
from rag.whole_set.dates import counts_time
from rag.whole_set.reckoning import Line, Reckoning, computed
from rag.whole_set.things import names_of

_EACH = r"(?:[各每]一?[个家位名种类]?|按照?)(?:不同的?)?{label}(?:分别|分组|分类|分|统计|汇总)?的?"
_EACH_EN = r"\b(?:by|per|(?:for|of|in) each|(?:for|of|in) every|each|every) {label}(?:s|es)?\b"
_WHICH = r"(?:哪一?[个家位名种类]?{label}|\bwhich {label}\b)的?"
_APART = re.compile(r"分别|各自|各(?=[是为有])|\b(?:respectively|separately)\b")
_LEAST = 2


@dataclass(frozen=True, slots=True)
class Grouped:
    """The column whose values make the groups, and the question without the words for it.

    ``is_which``: the question asks for one of the groups, that of the highest or lowest total.
    """

    column: int
    rest: str
    is_which: bool


def grouped(rest: str, header: Sequence[str], operation: Operation) -> Grouped | None:
    """How the question wants the rows apart; None where it doesn't say so."""
    ways = [(False, _EACH), (False, _EACH_EN)]
    ways += [(True, _WHICH)] if operation in {"max", "min"} else []
    found = [
        (len(name), at, match, is_which)
        for at, label in enumerate(header)
        for name in names_of(label)
        if len(name) >= _LEAST and not counts_time(name)
        for is_which, way in ways
        if (match := re.search(way.format(label=re.escape(name)), rest))
    ]
    if not found:
        return None
    _, at, match, is_which = max(found, key=lambda each: each[0])
    left = _APART.sub(" ", f"{rest[: match.start()]} {rest[match.end() :]}")
    return Grouped(at, left, is_which)


def by_group(told: Reckoning, by: Grouped) -> Reckoning | None:
    """The same for each group; None where a row says no group, or one can't be reckoned.

    A question for the group that has the most is answered by the groups' totals. Where each group
    is a single row, that is what the rows themselves say.
    """
    groups = _apart(told.lines, by.column)
    if groups is None or not groups:
        return None
    if by.is_which and all(len(lines) == 1 for lines in groups.values()):
        return computed(told)
    operation: Operation = "sum" if by.is_which else told.operation
    reckoned: list[Reckoning] = []
    for group, lines in groups.items():
        each = computed(replace(told, operation=operation, lines=tuple(lines), group=group))
        if each is None or each.value is None:
            return None
        reckoned.append(each)
    lowest_first = told.operation == "min"
    reckoned.sort(key=lambda each: each.value or 0, reverse=not lowest_first)
    units = {cell.number.unit for each in reckoned for cell in each.cells}
    if by.is_which and len(units) > 1:
        return None
    cells = sorted(
        (cell for each in reckoned for cell in each.cells), key=lambda cell: cell.line.at
    )
    value = reckoned[0].value
    return replace(
        told, value=value, cells=tuple(cells), groups=tuple(reckoned), grouped_by=by.column,
        is_which=by.is_which,
    )  # fmt: skip


def _apart(lines: Sequence[Line], column: int) -> dict[str, list[Line]] | None:
    """The rows of each value, as it is first written; None where one is blank."""
    groups: dict[str, list[Line]] = {}
    written: dict[str, str] = {}
    for line in lines:
        shown = " ".join(line.row.shown[column].split())
        if not shown:
            return None
        groups.setdefault(written.setdefault(normalise(shown), shown), []).append(line)
    return groups
