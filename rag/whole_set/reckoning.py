"""What comes out of a column's cells: sums, means, extremes, how many different values."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from typing import Literal

from rag.catalog.tables import TableEntry
from rag.tabular import TableRow
from rag.terms import normalise
from rag.whole_set.asked import Operation
from rag.whole_set.numbers import Number, number_of
from rag.whole_set.saying import bare_label

_CURRENCIES = re.compile(r"币种|币别|货币(?:单位)?|(?:currency|ccy)(?: code)?")
_MEASURES = re.compile(r"(?:计量)?单位|unit(?: of measure)?|uom")
_QUANTITIES = re.compile(r"数量|重量|体积|quantity|qty|weight|volume")


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
class Doubt:
    """What speaks against adding up.

    ``line`` is the row that tells: one that is taken away, reckoned from others, or the opposite of
    others, or the total that says otherwise than ``added``, what the rows come to. ``parts`` are
    the sums of each value of the column ``at``, which says what came in and what went out.
    ``lines`` is a statement each line of which is another thing.
    """

    kind: Literal["taken", "reckoned", "opposed", "directed", "carried", "lines", "total"]
    line: Line
    added: Decimal | None = None
    at: int = 0
    parts: tuple[tuple[str, Decimal], ...] = ()


@dataclass(frozen=True, slots=True)
class Reckoning:
    """What a table gives: ``value`` is None where the cells can't be reckoned together.

    ``column`` is the place of the column in the table, None for a count of rows. ``spoilt`` are
    the rows whose cell is no number; ``units`` the units that don't go together; ``totals`` counts
    the rows that add up others, which are left out. ``below`` names a column that chose the rows
    and is blank in the row below one of them: whether that belongs to it nobody can tell.
    ``different`` are the values that a count of different ones found. ``is_named``: the question
    names the table. ``groups`` are the same for the rows of each value of the column
    ``grouped_by``, the first of them the one asked for where ``is_which``; ``group`` is that value.
    ``doubt`` says why its numbers should not be reckoned together.
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
    different: tuple[str, ...] = ()
    is_named: bool = False
    groups: tuple[Reckoning, ...] = ()
    grouped_by: int | None = None
    group: str = ""
    is_which: bool = False
    doubt: Doubt | None = None


def computed(told: Reckoning) -> Reckoning | None:
    """The same with its value and the cells it rests on; None where the column holds no numbers."""
    column = told.column
    if column is None:
        return replace(told, value=Decimal(len(told.lines)))
    if told.operation == "distinct":
        return _different(told, column)
    within = _unit_column(told.table.header, column)
    cells = [
        Cell(ln, _in_unit(number, ln.row, within))
        for ln in told.lines
        if (number := number_in(ln.row, column))
    ]
    spoilt = tuple(line for line in told.lines if _is_spoilt(line.row, column))
    if not cells or len(spoilt) > len(cells):
        return None  # no column of numbers
    units = {cell.number.unit for cell in cells}
    if told.operation == "sum" and units == {"%"}:
        return None  # shares of different things add up to nothing
    mixed = () if _go_together(units) else tuple(sorted(units))
    values = [cell.number.value for cell in cells]
    value = None if spoilt or mixed else _value(told.operation, values)
    if told.operation in {"max", "min"} and value is not None:
        cells = [cell for cell in cells if cell.number.value == value]
    return replace(told, value=value, cells=tuple(cells), spoilt=spoilt, units=mixed)


def number_in(row: TableRow, at: int) -> Number | None:
    """The number that a row holds in a column."""
    return number_of(row.values[at], row.shown[at])


def _different(told: Reckoning, column: int) -> Reckoning | None:
    shown = [line.row.shown[column].strip() for line in told.lines]
    found: dict[str, str] = {}
    for each in filter(None, shown):
        found.setdefault(" ".join(normalise(each).split()), each)
    return replace(told, value=Decimal(len(found)), different=tuple(found.values()))


def _unit_column(header: Sequence[str], column: int) -> int | None:
    """The column that says what another's numbers are in: a currency, or what is counted."""
    labels = [bare_label(label) for label in header]
    of_quantities = bool(_QUANTITIES.search(labels[column]))
    for at, label in enumerate(labels):
        if _CURRENCIES.fullmatch(label) and not of_quantities:
            return at
        if of_quantities and _MEASURES.fullmatch(label):
            return at
    return None


def _in_unit(number: Number, row: TableRow, within: int | None) -> Number:
    if within is None or number.unit:
        return number
    return replace(number, unit=row.shown[within].strip())


def _is_spoilt(row: TableRow, column: int) -> bool:
    """Whether the cell says something that is no number; a merged number's repeat is none."""
    if column in row.uncalculated:
        return True
    says = row.values[column] is not None and bool(row.shown[column].strip())
    return says and number_in(row, column) is None


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
