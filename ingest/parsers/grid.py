"""A sheet as a grid: rows of cells with what they show, merged cells filled over their range."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple

from rag.cells import column_name
from rag.tabular import Value

MAX_COLUMNS = 16_384
"""Excel's own limit."""
MAX_ROWS = 200_000
"""Rows of one workbook that are read; more would not fit a laptop's index."""
MAX_PICTURES = 20
"""Pictures of one workbook whose writing is read: about a minute."""
MAX_CELLS = 3_000_000
"""Cells of one workbook that are read: about a gigabyte of memory."""


class Cell(NamedTuple):
    """A cell as shown, and its value; ``origin`` (row, column) tells a merged one's first cell.

    The value is None where a formula was never calculated: its text is the formula. ``indent`` is
    by how many characters, or steps of its format, the text is set in.
    """

    text: str
    value: Value
    origin: tuple[int, int] | None = None
    indent: int = 0

    @property
    def is_words(self) -> bool:
        """Words, and not a number, a date, or a dash that stands for one."""
        return isinstance(self.value, str) and any(letter.isalnum() for letter in self.text)


class Row(NamedTuple):
    """A row's cells by column, blank ones left out."""

    number: int
    cells: dict[int, Cell]
    hidden: bool = False
    bold: bool = False
    """All of it is."""


def distinct(row: Row) -> dict[int, Cell]:
    """The cells by column, a merged one once."""
    seen: set[tuple[int, int]] = set()
    kept: dict[int, Cell] = {}
    for column, cell in row.cells.items():
        if cell.origin is None or cell.origin not in seen:
            kept[column] = cell
            if cell.origin:
                seen.add(cell.origin)
    return kept


class Range(NamedTuple):
    """A range of cells, edges included."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def label(self) -> str:
        return cells_label(self.left, self.top, self.right, self.bottom)


@dataclass(frozen=True, slots=True)
class Area:
    """A range that the workbook itself calls a table, or gives a name."""

    name: str
    range: Range
    is_table: bool = True
    has_header: bool = True


class Note(NamedTuple):
    """What somebody wrote beside a cell, by its row and column."""

    cell: tuple[int, int]
    text: str


@dataclass(slots=True)
class Budget:
    """How much of a workbook may still be read."""

    rows: int = MAX_ROWS
    cells: int = MAX_CELLS
    pictures: int = MAX_PICTURES

    def take(self, cells: int) -> bool:
        """Whether one more row of so many cells is read."""
        if self.rows <= 0 or self.cells < cells:
            self.rows = self.cells = 0
            return False
        self.rows -= 1
        self.cells -= cells
        return True

    @property
    def is_spent(self) -> bool:
        return self.rows <= 0 or self.cells <= 0


@dataclass(slots=True)
class Sheet:
    """A worksheet: rows with something in them, in order.

    ``cut_after`` is the last row read where a limit cut the sheet; ``cut_columns`` says that
    columns were left out.
    """

    name: str
    rows: list[Row] = field(default_factory=list)
    hidden: bool = False
    hidden_columns: frozenset[int] = frozenset()
    areas: tuple[Area, ...] = ()
    notes: tuple[Note, ...] = ()
    drawn: tuple[Note, ...] = ()
    """Words of text boxes, charts and pictures, by the cell they begin in."""
    marks: frozenset[str] = frozenset()
    """Flags of what was drawn."""
    uncalculated: bool = False
    cut_after: int | None = None
    cut_columns: bool = False

    def fill(self, merged: Iterable[Range], budget: Budget) -> None:
        """Spread the value of each merged range over it; the first of overlapping ones wins."""
        numbers = [row.number for row in self.rows]
        widest = max((max(row.cells) for row in self.rows), default=0)
        for area in merged:
            first = bisect_left(numbers, area.top)
            last = bisect_right(numbers, area.bottom)
            if first == last or self.rows[first].number != area.top:
                continue
            cell = self.rows[first].cells.get(area.left)
            right = min(area.right, widest)
            budget.cells -= (last - first) * (right - area.left + 1)
            if cell is None or cell.origin or budget.cells <= 0:
                continue
            cell = cell._replace(origin=(area.top, area.left))
            for row in self.rows[first:last]:
                for column in range(area.left, right + 1):
                    if row.number > area.top or column > area.left:
                        row.cells.setdefault(column, cell)
            self.rows[first].cells[area.left] = cell


def cells_label(left: int, top: int, right: int, bottom: int) -> str:
    """A range as people write it: ``A2:C9``."""
    return f"{column_name(left)}{top}:{column_name(right)}{bottom}"
