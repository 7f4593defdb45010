"""Reckons a column of a table over the rows that a question chooses.

A table answers only where it explains the whole question: the column by its name, every other word
by the value of a cell, a date, or the name of the table, its sheet or its file.
"""

# ruff: noqa: E501 (patterns)
from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from decimal import Decimal
from itertools import pairwise

from rag.catalog.tables import TableEntry
from rag.tabular import TableRow
from rag.terms import normalise
from rag.whole_set.asked import Operation, Rows
from rag.whole_set.numbers import Number, number_of
from rag.whole_set.saying import bare_label, leftover, take

Fits = Callable[[TableRow], bool]

MOST_ROWS = 200_000
"""A longer table is not gone through while somebody waits."""
_TOTAL = re.compile(
    r"^(?:本[月年季]|季度|年度|月度|全年)?(?:合计|小计|总计|共计|累计)[:：]?$|^(?:grand |sub)?-?\s?totals?[:：]?$"
)
_MORE = r"不低于|不少于|至少|大于等于|超过|大于|高于|多于|\b(?:at least|over|above|more than|greater than|exceeding)\b"
_LESS = r"不超过|不高于|至多|小于等于|低于|小于|少于|\b(?:at most|up to|below|under|less than)\b"
_BOUND = re.compile(
    rf"(?P<how>{_MORE}|{_LESS})\s*[¥$€]?\s*(?P<figure>\d[\d,]*(?:\.\d+)?)\s*(?P<scale>万)?元?"
)
_INCLUSIVE = frozenset((
    "不低于", "不少于", "至少", "大于等于", "不超过", "不高于", "至多", "小于等于", "at least", "at most", "up to",
))  # fmt: skip
_DATE = re.compile(
    r"(?P<year>(?:19|20)\d\d)\s*年(?:度)?(?:\s*(?P<month>\d{1,2})\s*月(?:份)?)?"
    r"|\b(?P<name>january|february|march|april|may|june|july|august|september|october|november"
    r"|december)(?:\s+(?P<year_after>(?:19|20)\d\d))?\b|\b(?P<alone>(?:19|20)\d\d)\b"
    r"|(?<!\d)(?P<month_alone>\d{1,2})月份?"
)
_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
_WRITTEN_DATE = re.compile(r"^((?:19|20)\d\d)[-/.年](\d{1,2})(?:[-/.月]|$)")


@dataclass(frozen=True, slots=True)
class Line:
    """A row of a table with its number there, from 0."""

    at: int
    row: TableRow


@dataclass(frozen=True, slots=True)
class Cell:
    """A number that was reckoned with, and where it stands."""

    line: Line
    number: Number


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What a table gives: ``value`` is None where the cells can't be reckoned together.

    ``column`` is the place of the column in the table, None for a count of rows. ``spoilt`` are
    the rows whose cell is no number; ``units`` the units that don't go together; ``totals`` counts
    the rows that add up others, which are left out. ``below`` names a column that chose the rows
    and is blank in the row below one of them: whether that belongs to it nobody can tell.
    """

    table: TableEntry
    operation: Operation
    column: int | None
    value: Decimal | None
    lines: tuple[Line, ...]
    cells: tuple[Cell, ...] = ()
    chosen_by: tuple[str, ...] = ()
    totals: int = 0
    spoilt: tuple[Line, ...] = ()
    units: tuple[str, ...] = ()
    below: str = ""


@dataclass(frozen=True, slots=True)
class _Choice:
    """How the rows are chosen, in words, and what the question says besides."""

    rest: str
    fits: tuple[Fits, ...] = ()
    told: tuple[str, ...] = ()
    columns: frozenset[int] = frozenset()
    """Those whose values choose."""

    def also(
        self, rest: str, fits: Fits, told: str, columns: frozenset[int] = frozenset()
    ) -> _Choice:
        return _Choice(rest, (*self.fits, fits), (*self.told, told), self.columns | columns)


def reckon(
    asked: Rows, table: TableEntry, rows_of: Callable[[int], Iterable[TableRow]]
) -> Reckoning | None:
    """What the table gives for the question; None where it can't explain all of it."""
    if table.row_count > MOST_ROWS:
        return None
    column, rest = _column(asked, table.header)
    if column is None and asked.operation != "count":
        return None
    lines = [Line(at, row) for at, row in enumerate(rows_of(table.table_id))]
    body = [line for line in lines if not _is_total(line.row)]
    rows = [line.row for line in body]
    choice = _bounded(_Choice(rest), column, rows, table.header)
    choice = _valued(choice, column, rows, table.header)
    choice = _dated(choice, rows, table)
    if column is None and not choice.fits and not _speaks_of(table, rest):
        return None
    if leftover(choice.rest, _known(table)):
        return None
    chosen = tuple(line for line in body if all(fit(line.row) for fit in choice.fits))
    return _computed(
        Reckoning(
            table=table,
            operation=asked.operation,
            column=column,
            value=None,
            lines=chosen,
            chosen_by=choice.told,
            totals=len(lines) - len(body),
            below=_blank_below(lines, chosen, choice.columns, table.header),
        )
    )


def _column(asked: Rows, header: Sequence[str]) -> tuple[int | None, str]:
    """The column that the question names, by the longest name; and the question without it."""
    if asked.operation == "count":
        return None, asked.rest
    best: tuple[int, int, str] | None = None
    for at, label in enumerate(header):
        bare = bare_label(label)
        rest = take(bare, asked.rest)
        if rest is not None and (best is None or len(bare) > best[0]):
            best = (len(bare), at, rest)
    return (best[1], best[2]) if best else (None, asked.rest)


def _bounded(
    choice: _Choice, column: int | None, rows: Sequence[TableRow], header: Sequence[str]
) -> _Choice:
    """Rows whose number lies beyond a bound: 超过1000元, at least 500."""
    found = _BOUND.search(choice.rest)
    if found is None:
        return choice
    rest = _BOUND.sub(" ", choice.rest, count=1)
    named = next(
        (at for at, label in enumerate(header) if take(bare_label(label), rest) is not None), column
    )
    if named is None or not any(_number(row, named) for row in rows):
        return choice
    bound = Decimal(found["figure"].replace(",", "")) * (10_000 if found["scale"] else 1)
    more, equal = bool(re.fullmatch(_MORE, found["how"])), found["how"] in _INCLUSIVE

    def fits(row: TableRow) -> bool:
        number = _number(row, named)
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
                holders.setdefault(" ".join(normalise(shown).split()), set()).add(at)
    for value in sorted(holders, key=len, reverse=True):
        rest = take(value, choice.rest)
        if rest is None or any(value == bare_label(label) for label in header):
            continue
        at = min(holders[value])
        rest = take(bare_label(header[at]), rest) or rest
        columns = frozenset(holders[value])
        choice = choice.also(rest, _holds(value, columns), f"{header[at]} “{value}”", columns)
    return choice


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


def _holds(value: str, columns: frozenset[int]) -> Fits:
    return lambda row: any(" ".join(normalise(row.shown[at]).split()) == value for at in columns)


def _dated(choice: _Choice, rows: Sequence[TableRow], table: TableEntry) -> _Choice:
    """Rows of the year or month that the question says, where one column alone holds dates."""
    found = _DATE.search(choice.rest)
    if found is None:
        return choice
    columns = [at for at in range(len(table.header)) if _holds_dates(rows, at)]
    said = [at for at in columns if take(bare_label(table.header[at]), choice.rest) is not None]
    if len(said or columns) != 1:
        return choice
    at = (said or columns)[0]
    year = int(found["year"] or found["year_after"] or found["alone"] or 0)
    month = int(found["month"] or found["month_alone"] or 0)
    if found["name"]:
        month = _MONTHS.index(found["name"]) + 1

    def fits(row: TableRow) -> bool:
        when = _date(row, at)
        return when is not None and year in {0, when[0]} and month in {0, when[1]}

    rest = _DATE.sub(" ", choice.rest, count=1)
    rest = take(bare_label(table.header[at]), rest) or rest
    return choice.also(rest, fits, f"{table.header[at]} {found.group().strip()}")


def _holds_dates(rows: Sequence[TableRow], at: int) -> bool:
    held = [row for row in rows if row.shown[at]]
    return bool(held) and all(_date(row, at) for row in held)


def _date(row: TableRow, at: int) -> tuple[int, int] | None:
    value = row.values[at]
    if isinstance(value, datetime):
        return value.year, value.month
    found = _WRITTEN_DATE.match(row.shown[at].strip()) if isinstance(value, str) else None
    return (int(found.group(1)), int(found.group(2))) if found else None


def _computed(told: Reckoning) -> Reckoning | None:
    column = told.column
    if column is None:
        return replace(told, value=Decimal(len(told.lines)))
    cells = [Cell(ln, number) for ln in told.lines if (number := _number(ln.row, column))]
    spoilt = tuple(line for line in told.lines if _is_spoilt(line.row, column))
    if not cells or len(spoilt) > len(cells):
        return None  # no column of numbers
    units = {cell.number.unit for cell in cells}
    mixed = () if _go_together(units) else tuple(sorted(units))
    values = [cell.number.value for cell in cells]
    value = None if spoilt or mixed else _value(told.operation, values)
    if told.operation in {"max", "min"} and value is not None:
        cells = [cell for cell in cells if cell.number.value == value]
    return replace(told, value=value, cells=tuple(cells), spoilt=spoilt, units=mixed)


def _is_spoilt(row: TableRow, column: int) -> bool:
    """Whether the cell says something that is no number; a merged number's repeat is none."""
    if column in row.uncalculated:
        return True
    says = row.values[column] is not None and bool(row.shown[column].strip())
    return says and _number(row, column) is None


def _value(operation: Operation, values: Sequence[Decimal]) -> Decimal:
    if operation == "max":
        return max(values)
    if operation == "min":
        return min(values)
    total = sum(values, Decimal(0))
    return total / len(values) if operation == "mean" else total


def _go_together(units: set[str]) -> bool:
    """Whether figures of these units may be added: of one, or with and without the same ¥ or $."""
    return len(units - {""}) <= 1 and ("" not in units or not (units - {"", "¥", "$", "€", "£"}))


def _number(row: TableRow, at: int) -> Number | None:
    return number_of(row.values[at], row.shown[at])


def _is_total(row: TableRow) -> bool:
    """Whether the row adds up others: marked so where it was read, or called so (合计)."""
    called = next((text for text in row.shown if text.strip()), "")
    return "total" in row.marks or bool(_TOTAL.match("".join(normalise(called).split())))


def _speaks_of(table: TableEntry, rest: str) -> bool:
    """Whether the question names the table, its sheet or its file."""
    names = [
        table.title,
        table.locator.sheet or "",
        table.path.rpartition("/")[2].rpartition(".")[0],
    ]
    return any(take(" ".join(normalise(name).split()), rest) is not None for name in names if name)


def _known(table: TableEntry) -> str:
    """What may be said about the table without choosing anything."""
    labels = " ".join(bare_label(label) for label in table.header)
    place = " ".join((table.title, table.locator.sheet or "", *table.locator.section, table.path))
    return f"{normalise(place)} {labels}".replace("/", " ").replace("_", " ").replace(".", " ")
