"""Rows that hold the sums of others: by what they are called, or by their place in a hierarchy.

The words here may name data, too, so the numbers must bear them out.
"""

from __future__ import annotations

import math
import re
from collections.abc import Sequence
from typing import TypeGuard

from rag.tabular import TableRow, Value

_SPANS = tuple(
    re.compile(words, re.IGNORECASE)
    for words in (
        r"第?[一二三四1-4]季度?|Q[1-4]|[1-4]Q|[1-9]\d?[-~－至到]\d?\d月份?"
        r"|(?:first|second|third|fourth|[1-4](?:st|nd|rd|th)) quarter",
        r"[上下]半年度?|H[12]|[12]H|(?:first|second) half",
        r"全年度?|(?:19|20)\d\d年度?|full[- ]year|FY ?(?:19|20)?\d\d",
    )
)
"""Quarters, halves, years: each may sum up the shorter ones above it."""
_WHOLE = re.compile(
    r".{0,8}总(?:金额|价|造价|价款|额|数|数量|量|费用|成本|投资|收入|支出|人数|面积|分|成绩|得分|计?工[日时])"
    r"|all(?: \w+){0,2}|overall|everything|together|全部|全体|合共|总共|net|gross|sum of .{1,30}",
    re.IGNORECASE,
)
_LEVELS = tuple(
    map(
        re.compile,
        (
            r"第?[一二三四五六七八九十]+(?:$|[、.．章节部分]+)",
            r"[(（][一二三四五六七八九十]+[)）]",
            r"[IVX]+(?:$|[.、)])",
            r"[A-Z](?:$|[.、)])",
            r"\d{1,2}(?:$|[、.．)](?!\d))",
            r"[(（]\d{1,2}[)）]",
            r"[a-z](?:$|[.、)])",
        ),
    )
)
_CODE = re.compile(r"[A-Za-z]{0,3}\d+(?:[.\-]\d+)*")
_CLOSE = 1e-6
_LEAST = 2
_MOST_TIERS = 4

Numbers = dict[int, float]
"""A row's numbers by column."""


def numbers(row: TableRow) -> Numbers:
    """The numbers of a row, by column from 0."""
    return {at: value for at, value in enumerate(row.values) if is_number(value)}


def is_number(value: Value) -> TypeGuard[int | float]:
    """Whether a cell's value can be reckoned with."""
    return isinstance(value, int | float) and not isinstance(value, bool)


def is_whole(name: str) -> bool:
    """Whether words may name the sum of all that stands above."""
    return bool(_WHOLE.fullmatch(name))


def span(names: Sequence[str]) -> int:
    """How long a time words name: 1 a quarter, 2 a half, 3 a year; 0 where they name none."""
    longest = (at for at, words in enumerate(_SPANS, 1) if any(map(words.fullmatch, names)))
    return next(longest, 0)


def sums_last(
    row: TableRow, above: Sequence[TableRow], *, least: int = _LEAST, first: int = 0
) -> bool:
    """Whether the row's numbers are the sums of the last few rows above.

    Args:
        row: the row in question.
        above: data rows above it, no sums among them.
        least: so many rows at least, and never less than two.
        first: the column that the numbers begin in.
    """
    wanted = {at: value for at, value in numbers(row).items() if at >= first}
    if row.uncalculated or not any(wanted.values()):
        return False
    sums = dict.fromkeys(wanted, 0.0)
    for count, each in enumerate(reversed(above), 1):
        held = numbers(each)
        sums = {at: value + held.get(at, 0.0) for at, value in sums.items()}
        if count >= max(least, _LEAST) and _are_equal(wanted, sums):
            return True
    return False


def parents(rows: Sequence[TableRow]) -> set[int]:
    """Rows that hold the sums of those below them, which go into more detail.

    Account 1002 is the sum of 100201 and 100202; 一 is the sum of 1 and 2.
    """
    names = [_name(row) for row in rows]
    levels = [_level(name) for name in names]
    coded = {at for at, row in enumerate(rows) if _holds(row, rows, _by_code(names, at))}
    below = {at: _by_level(levels, at) for at in range(len(rows))}
    found = {at for at, children in below.items() if _holds(rows[at], rows, children)}
    sure = {levels[at] for at in found if len(below[at]) >= _LEAST}
    return coded | {at for at in found if levels[at] in sure}


def tiers(rows: Sequence[TableRow], total: TableRow) -> list[int]:
    """Rows that hold the sums of those right below them, where all rows stand in such groups.

    Then together they make a multiple of the total: twice with one tier of groups.

    Args:
        rows: the table's data.
        total: the sum of all of it, at its end.
    """
    whole = {at: value for at, value in numbers(total).items() if value}
    held = list(map(numbers, rows))
    sums = {at: math.fsum(each.get(at, 0.0) for each in held) for at in whole}
    for depth in range(_LEAST, _MOST_TIERS + 1):
        columns = [at for at in whole if _is_close(sums[at], depth * whole[at])]
        if columns and len(rows) > _LEAST:
            return _groups([[each.get(at, 0.0) for at in columns] for each in held], depth)
    return []


def _groups(rows: Sequence[Sequence[float]], depth: int) -> list[int]:
    """The rows that begin a group, all the way down; none where some row stands in none."""
    found: list[int] = []

    def end(at: int, tier: int) -> int:
        """Where the group that begins there ends; 0 where none does."""
        if tier == 1:
            return at + 1
        found.append(at)
        below, held = at + 1, [0.0] * len(rows[at])
        while below < len(rows):
            after = end(below, tier - 1)
            if not after:
                return 0
            held = [a + b for a, b in zip(held, rows[below], strict=True)]
            below = after
            if all(map(_is_close, held, rows[at])):
                return below
        return 0

    at = 0
    while at < len(rows):
        at = end(at, depth)
        if not at:
            return []
    return found


def _holds(row: TableRow, rows: Sequence[TableRow], children: Sequence[int]) -> bool:
    """Whether the row's numbers, those of its first column apart, are the sums of its children."""
    wanted = {column: value for column, value in numbers(row).items() if column}
    if not children or row.uncalculated or not any(wanted.values()):
        return False
    held = [numbers(rows[at]) for at in children]
    sums = {column: math.fsum(each.get(column, 0.0) for each in held) for column in wanted}
    return _are_equal(wanted, sums)


def _name(row: TableRow) -> str:
    return next((text.strip() for text in row.shown if text.strip()), "")


def _by_code(names: Sequence[str], at: int) -> list[int]:
    """The rows right below whose codes begin with that of row ``at``, less those below them."""
    code = names[at]
    children: list[int] = []
    if not _CODE.fullmatch(code):
        return children
    for below in range(at + 1, len(names)):
        if len(names[below]) <= len(code) or not names[below].startswith(code):
            break
        if not children or not names[below].startswith(names[children[-1]]):
            children.append(below)
    return children


def _level(name: str) -> int | None:
    return next((at for at, level in enumerate(_LEVELS) if level.match(name)), None)


def _by_level(levels: Sequence[int | None], at: int) -> list[int]:
    """The rows below until the next of the same level, of the first level that comes."""
    level, below = levels[at], levels[at + 1 : at + 2]
    if level is None or below in ([], [None], [level]):
        return []
    children: list[int] = []
    for row in range(at + 1, len(levels)):
        if levels[row] is None or levels[row] == level:
            break
        if levels[row] == below[0]:
            children.append(row)
    return children


def _are_equal(wanted: Numbers, sums: Numbers) -> bool:
    return all(_is_close(value, sums[at]) for at, value in wanted.items())


def _is_close(value: float, other: float) -> bool:
    return math.isclose(value, other, rel_tol=_CLOSE, abs_tol=_CLOSE)
