"""Reckons a column of a table over the rows that a question chooses.

A table answers only where it explains the whole question: the column by its name, every other word
by the value of a cell, a date, or the name of the table, its sheet or its file.
"""

# ruff: noqa: E501 (patterns)
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise

from rag.catalog.tables import TableEntry
from rag.tabular import TableRow
from rag.terms import normalise
from rag.whole_set.asked import Rows, operations, without_operation
from rag.whole_set.dates import (
    Said,
    counts_time,
    date_columns,
    may_date,
    month_column,
    said_in,
    year_column,
)
from rag.whole_set.doubts import doubted
from rag.whole_set.grouping import by_group, grouped
from rag.whole_set.reckoning import Line, Reckoning, computed, number_in
from rag.whole_set.saying import (
    NOWHERE,
    Place,
    bare_label,
    is_date,
    is_idle,
    leftover,
    place_of,
    take,
    take_label,
)
from rag.whole_set.things import (
    counted_column,
    is_in_all,
    is_of_people,
    without_people,
    without_side,
)

Fits = Callable[[TableRow], bool]

MOST_ROWS = 200_000
"""A longer table is not gone through while somebody waits."""
_TOTAL = re.compile(
    r"^(?:本[月年季]|季度|年度|月度|全年)?(?:合计|小计|总计|共计|累计)[:：]?$|^(?:grand |sub)?-?\s?totals?[:：]?$"
)
_MORE = r"不低于|不少于|至少|大于等于|超过|大于|高于|多于|\b(?:at least|over|above|more than|greater than|exceeding)\b"
_LESS = r"不超过|不高于|至多|小于等于|低于|小于|少于|\b(?:at most|up to|below|under|less than)\b"
_BOUND = re.compile(
    rf"(?P<how>{_MORE}|{_LESS})\s*[¥$€]?\s*(?P<figure>\d[\d,]*(?:\.\d+)?)"
    r"(?![\d.,a-z]|\s*[%千百亿])\s*(?P<scale>万)?元?"
)
_INCLUSIVE = frozenset((
    "不低于", "不少于", "至少", "大于等于", "不超过", "不高于", "至多", "小于等于", "at least", "at most", "up to",
))  # fmt: skip
_OF_ROWS = frozenset(("count", "distinct", "list"))
"""Operations that need no column of numbers."""
_MONEY = re.compile(r"(?:额|费用?|价|款|成本|支出|收入|工资)$|\b(?:amount|cost|price|fee|total)s?$")
_SCALES = frozenset("万亿千百")


@dataclass(frozen=True, slots=True)
class _Choice:
    """How the rows are chosen, in words, and what the question says besides."""

    rest: str
    fits: tuple[Fits, ...] = ()
    told: tuple[str, ...] = ()
    columns: frozenset[int] = frozenset()
    """Those whose values choose."""
    is_unsure: bool = False

    def also(
        self, rest: str, fits: Fits, told: str, columns: frozenset[int] = frozenset()
    ) -> _Choice:
        both = self.columns | columns
        return _Choice(rest, (*self.fits, fits), (*self.told, told), both, self.is_unsure)


def reckon(
    asked: Rows, table: TableEntry, rows_of: Callable[[int], Iterable[TableRow]]
) -> Reckoning | None:
    """What the table gives for the question; None where it can't explain all of it."""
    counts = asked.operation in _OF_ROWS
    labelled = any(take_label(bare_label(label), asked.said) for label in table.header)
    may_tell = counts or labelled or asked.operation == "sum"
    if table.row_count > MOST_ROWS or not may_tell:
        return None
    lines = [Line(at, row) for at, row in enumerate(rows_of(table.table_id))]
    body = [line for line in lines if not _is_total(line.row)]
    rows = [line.row for line in body]
    place = _place(table)
    named = _without_names(asked, place, table.header, rows)
    column, rest = _column(named, table.header, rows)
    if column is None and not counts:
        return None
    by = grouped(rest, table.header, asked.operation) if asked.operation != "list" else None
    choice = _chosen(_Choice(by.rest if by else rest), column, rows, table)
    if asked.operation == "list":
        choice = _listed(choice, table.header)
    chosen = tuple(line for line in body if all(fit(line.row) for fit in choice.fits))
    is_named = _speaks_of(table, asked.said)
    is_meant = bool(choice.fits or by) or is_named
    if choice.is_unsure or (counts and not is_meant) or _unexplained(choice, chosen, place):
        return None
    if not choice.fits and (asked.operation == "list" or not (counts or labelled)):
        return (
            None  # 运费一共多少 has 运费 for a value; a table as a whole its passages tell better
        )
    if column is not None and any(take(bare_label(each), choice.rest) for each in table.header):
        return None  # it names another column, too, though a sheet may be called so
    operation = "count" if column is None and asked.operation != "list" else asked.operation
    told = Reckoning(
        table=table,
        operation=operation,
        column=column,
        value=None,
        lines=chosen,
        chosen_by=choice.told,
        totals=len(lines) - len(body),
        below=_blank_below(lines, chosen, choice.columns, table.header),
        is_named=is_named,
    )
    done = by_group(told, by) if by else computed(told)
    return done and doubted(done, body, [line for line in lines if _is_total(line.row)])


def _chosen(
    choice: _Choice, column: int | None, rows: Sequence[TableRow], table: TableEntry
) -> _Choice:
    choice = _bounded(choice, column, rows, table)
    choice = _valued(choice, column, rows, table.header)
    return _dated(choice, rows, table.header)


def _unexplained(choice: _Choice, chosen: Sequence[Line], place: Place) -> str:
    """The words that explain nothing; not what all that was chosen are called (森林公园)."""
    left = leftover(choice.rest, place)
    if not left or not choice.fits:
        return left
    shown = [line.row.shown for line in chosen]
    words = leftover(choice.rest, NOWHERE).split()
    return "" if all(is_in_all(shown, word) for word in words) else left


def _without_names(
    asked: Rows, place: Place, header: Sequence[str], rows: Sequence[TableRow]
) -> Rows:
    """The question without names of the table that no column and no cell has a part in."""
    names = [name for name in place.names if take(name, asked.said) is not None]
    if not names:
        return asked  # a long table is gone through for nothing else
    said = {bare_label(label) for label in header}
    said |= {_plain(shown) for row in rows for shown in row.shown}
    taken = asked
    for name in names:
        if not any(name in each for each in said):
            taken = replace(
                taken, rest=take(name, taken.rest) or taken.rest,
                said=take(name, taken.said) or taken.said,
            )  # fmt: skip
    return taken


def _column(asked: Rows, header: Sequence[str], rows: Sequence[TableRow]) -> tuple[int | None, str]:
    """The column that the question names, by the longest name; and the question without it."""
    if asked.operation in {"count", "list"}:
        return None, asked.rest
    if asked.operation == "distinct":
        return counted_column(asked.rest, header)
    best: tuple[int, int, str | None] | None = None
    for at, label in enumerate(header):
        bare = bare_label(label)
        rest = _without_label(asked, bare, header)
        if rest is None or counts_time(bare) or not any(number_in(row, at) for row in rows):
            continue
        if best is None or len(bare) > best[0]:
            best = (len(bare), at, rest or None)
    if best is None and asked.operation == "sum":
        return _column_of_money(header, rows), asked.rest
    if best is None or best[2] is None:
        return None, asked.rest
    alike = [label for label in header if bare_label(label) == bare_label(header[best[1]])]
    return (best[1], best[2]) if len(alike) == 1 else (None, asked.rest)


def _column_of_money(header: Sequence[str], rows: Sequence[TableRow]) -> int | None:
    """The only column of amounts: what 运费一共多少 adds up where 运费 is a value."""
    found = [
        at
        for at, label in enumerate(header)
        if _MONEY.search(bare_label(label)) and any(number_in(row, at) for row in rows)
    ]
    return found[0] if len(found) == 1 else None


def _without_label(asked: Rows, label: str, header: Sequence[str]) -> str | None:
    """The question without a column's name; empty where the name alone said the operation.

    The sum of every group is asked for by the name alone, too: 各客户的价税合计.
    """
    if not operations(label):
        return take_label(label, asked.rest)
    rest = take_label(label, asked.said)  # 总金额合计, of a column 总金额
    if rest is None:
        return None
    asks = operations(rest) or (asked.operation == "sum" and grouped(rest, header, "sum"))
    return without_operation(rest, asked.operation) if asks else ""


def _bounded(
    choice: _Choice, column: int | None, rows: Sequence[TableRow], table: TableEntry
) -> _Choice:
    """Rows whose number lies beyond a bound: 超过1000元, at least 500."""
    found = _BOUND.search(choice.rest)
    if found is None:
        return choice
    header = table.header
    rest = _BOUND.sub(" ", choice.rest, count=1)
    named = next(
        (at for at, label in enumerate(header) if take(bare_label(label), rest) is not None), column
    )
    if named is None or not any(number_in(row, named) for row in rows):
        return choice
    unit = (table.units[named] if table.units else "") or table.unit
    if set(unit) & _SCALES or any(_is_share(row, named) for row in rows):
        return choice  # a bound of 5 could be 5 or 50000
    bound = Decimal(found["figure"].replace(",", "")) * (10_000 if found["scale"] else 1)
    more, equal = bool(re.fullmatch(_MORE, found["how"])), found["how"] in _INCLUSIVE

    def fits(row: TableRow) -> bool:
        number = number_in(row, named)
        if number is None:
            return False
        beyond = number.value > bound if more else number.value < bound
        return beyond or (equal and number.value == bound)

    rest = take(bare_label(header[named]), rest) or rest
    return choice.also(rest, fits, f"{header[named]} {found.group().strip()}")


def _valued(
    choice: _Choice, column: int | None, rows: Sequence[TableRow], header: Sequence[str]
) -> _Choice:
    """Rows in which a cell has the value that the question says."""
    holders: dict[str, set[int]] = {}
    for row in rows:
        for at, shown in enumerate(row.shown):
            if at != column and isinstance(row.values[at], str):
                holders.setdefault(_plain(shown), set()).add(at)
    labels = {bare_label(label) for label in header}
    for value in sorted(holders, key=len, reverse=True):
        rest = None if value in labels or is_idle(value) else take(value, choice.rest)
        if rest is None:
            continue
        among = sorted(holders[value])
        named = [at for at in among if take(bare_label(header[at]), rest) is not None]
        if len(named or among) > 1:
            return replace(choice, is_unsure=True)  # 北京 where it goes from, or where it goes to
        at = (named or among)[0]
        rest = take(value, without_side(value, bare_label(header[at]), choice.rest)) or rest
        rest = take(bare_label(header[at]), rest) or rest
        holds = _holds(value, at)
        choice = choice.also(rest, holds, f"{header[at]} “{value}”", frozenset((at,)))
    return choice


def _listed(choice: _Choice, header: Sequence[str]) -> _Choice:
    """Without what a question for whole rows may say besides: people, and names of columns."""
    rest = choice.rest
    if any(is_of_people(label) for label in header):
        rest = without_people(rest)
    for label in header:
        rest = take_label(bare_label(label), rest) or rest
    return replace(choice, rest=rest)


def _blank_below(
    lines: Sequence[Line], chosen: Sequence[Line], columns: Iterable[int], header: Sequence[str]
) -> str:
    """The name of a column that is blank right below a chosen row, but for sums."""
    chosen_at = {line.at for line in chosen}
    for at in sorted(columns):
        for line, after in pairwise(lines):
            is_blank = line.row.shown[at].strip() and not after.row.shown[at].strip()
            if line.at in chosen_at and is_blank and not _is_total(after.row):
                return header[at]
    return ""


def _holds(value: str, at: int) -> Fits:
    return lambda row: _plain(row.shown[at]) == value


def _plain(shown: str) -> str:
    return " ".join(normalise(shown).split())


def _is_share(row: TableRow, at: int) -> bool:
    number = number_in(row, at)
    return number is not None and number.unit == "%"


def _dated(choice: _Choice, rows: Sequence[TableRow], header: Sequence[str]) -> _Choice:
    """Rows of the year or months that the question says; unsure where it isn't plain which."""
    said = said_in(choice.rest)
    if said is None:
        return choice
    columns = date_columns(rows, header)
    named = [of for of in columns if _take_date_label(header[of.at], choice.rest) is not None]
    if len(named or columns) > 1:
        return replace(choice, is_unsure=True)
    if not columns:
        numbered = _numbered(choice, said, rows, header)
        left = said_in(numbered.rest)
        hides = left is not None and any(may_date(label, left) for label in header)
        return replace(numbered, is_unsure=choice.is_unsure or hides)
    dates = (named or columns)[0]
    if said.months and not dates.tells_months:
        return replace(choice, is_unsure=True)
    at = dates.at
    held = {when for row in rows if (when := dates.date_of(row)) is not None and said.fits(when)}
    rest = f"{choice.rest[: said.start]} {choice.rest[said.end :]}"
    rest = _take_date_label(header[at], rest) or rest
    chosen = choice.also(
        rest, lambda row: said.fits(dates.date_of(row)), f"{header[at]} {said.text}"
    )
    # 2月 of several years.
    return replace(chosen, is_unsure=not said.year and len({year for year, _ in held}) > 1)


def _take_date_label(label: str, rest: str) -> str | None:
    """``rest`` without the name of a column of dates: 入职日期, or 入职 alone."""
    bare = bare_label(label)
    return take(bare, rest) or take(re.sub(r"(?:日期|时间|日| date)$", "", bare), rest)


def _numbered(
    choice: _Choice, said: Said, rows: Sequence[TableRow], header: Sequence[str]
) -> _Choice:
    """Rows by columns of years and of months; what they don't hold stays said."""
    in_year, in_month = year_column(rows, header), month_column(rows, header)
    rest = choice.rest
    if said.year and in_year is not None:
        rest = re.sub(rf"{said.year}\s*年?(?:度|的)?", " ", rest, count=1)
        held = _is_one_of(in_year, frozenset((said.year,)))
        choice = choice.also(rest, held, f"{header[in_year]} {said.year}")
    if said.months and in_month is not None:
        by_number = "|".join(str(month) for month in said.months)
        left = re.sub(rf"(?<!\d)0?(?:{by_number})\s*月份?", " ", rest, count=1)
        if left == rest:  # a quarter, or a month by name
            left = rest.replace(said.text, f" {said.year or ''} ")
        held = _is_one_of(in_month, said.months)
        choice = choice.also(left, held, f"{header[in_month]} {said.text}")
    return choice


def _is_one_of(column: int, numbers: frozenset[int]) -> Fits:
    return lambda row: row.values[column] in numbers


def _is_total(row: TableRow) -> bool:
    """Whether the row adds up others: marked so where it was read, or called so (合计)."""
    called = next((text for text in row.shown if text.strip()), "")
    return "total" in row.marks or bool(_TOTAL.match("".join(normalise(called).split())))


def _speaks_of(table: TableEntry, said: str) -> bool:
    """Whether the question names the table, its sheet or its file."""
    stem = table.path.rpartition("/")[2].rpartition(".")[0]
    names = [table.title, table.locator.sheet or "", stem]
    words = [name for name in place_of(names).names if not is_date(name)]
    whole = [_plain(name) for name in names if name.strip()]
    return any(take(name, said) is not None for name in (*whole, *words))


def _place(table: TableEntry) -> Place:
    path = table.path.rpartition(".")[0] or table.path
    return place_of((table.title, table.locator.sheet or "", *table.locator.section, path))
