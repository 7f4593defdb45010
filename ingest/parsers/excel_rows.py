"""The rows of a worksheet as shown, one by one, merged cells filled over their range."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import repeat
from typing import TYPE_CHECKING
from zipfile import ZipFile

from ingest.parsers.displayed import displayed

if TYPE_CHECKING:
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

_MERGE = re.compile(rb'<(?:\w+:)?mergeCell\s[^>]*?ref="([A-Z]+\d+:[A-Z]+\d+)"')
_FORMULA = re.compile(rb"<(?:\w+:)?f[ >/]")
_BLOCK_BYTES = 1 << 20
_OVERLAP_BYTES = 256
_MAX_COLUMNS = 512
"""Wider rows are cut: they are padding, or no table anybody reads."""


@dataclass(frozen=True, slots=True)
class Cell:
    """A cell as shown; ``origin`` is (row, column) of the merged range it shows, or its own."""

    text: str
    is_words: bool
    origin: tuple[int, int]


@dataclass(frozen=True, slots=True)
class Row:
    """A row's cells by column, blank ones left out."""

    number: int
    cells: dict[int, Cell]

    @property
    def is_blank(self) -> bool:
        """Nothing of its own: a cell merged down from above fills no row by itself."""
        return not any(cell.origin[0] == self.number for cell in self.cells.values())


@dataclass(frozen=True, slots=True)
class Range:
    """A merged range, edges included."""

    left: int
    top: int
    right: int
    bottom: int


@dataclass(frozen=True, slots=True)
class Layout:
    """What openpyxl's bounded-memory mode does not say about a sheet."""

    merged: tuple[Range, ...]
    has_formulas: bool


def read_layout(package: ZipFile, part: str) -> Layout:
    """Scan the sheet's XML for merged ranges and formulas without building a tree."""
    from openpyxl.utils.cell import range_boundaries

    references: dict[bytes, None] = {}
    has_formulas = False
    tail = b""
    with package.open(part) as xml:
        while block := xml.read(_BLOCK_BYTES):
            window = tail + block
            references.update(dict.fromkeys(_MERGE.findall(window)))
            has_formulas = has_formulas or bool(_FORMULA.search(window))
            tail = window[-_OVERLAP_BYTES:]
    merged = (Range(*range_boundaries(each.decode())) for each in references)
    return Layout(tuple(sorted(merged, key=lambda each: each.top)), has_formulas)


def read_rows(
    values: ReadOnlyWorksheet, formulas: ReadOnlyWorksheet | None, layout: Layout
) -> Iterator[Row]:
    """Each row with something in it, in order; a formula never calculated shows itself."""
    fill = _Fill(layout.merged)
    written = formulas.iter_rows() if formulas is not None else repeat(())
    for number, (row, texts) in enumerate(zip(values.iter_rows(), written, strict=False), 1):
        cells = _cells(number, row[:_MAX_COLUMNS], texts)
        yield Row(number, fill.over(number, cells))


def is_formula(text: str) -> bool:
    """Whether a cell shows its formula for want of a value."""
    return text.startswith("=") and len(text) > 1


def _cells(number: int, row: Sequence[object], texts: Sequence[object]) -> dict[int, Cell]:
    cells: dict[int, Cell] = {}
    for column, cell in enumerate(row, start=1):
        value = getattr(cell, "value", None)
        if value is None and column <= len(texts):
            value = _formula(getattr(texts[column - 1], "value", None))
        if value is None:
            continue
        text = displayed(value, getattr(cell, "number_format", "") or "")
        if text:
            cells[column] = Cell(text, isinstance(value, str), (number, column))
    return cells


def _formula(value: object) -> str | None:
    text = getattr(value, "text", value)  # an array formula is an object
    return text if isinstance(text, str) and is_formula(text) else None


class _Fill:
    """Spreads the value of each merged range over it, as the rows go by."""

    def __init__(self, merged: Sequence[Range]) -> None:
        self._coming = list(reversed(merged))
        self._open: list[tuple[Range, Cell]] = []

    def over(self, number: int, cells: dict[int, Cell]) -> dict[int, Cell]:
        self._open = [(area, cell) for area, cell in self._open if area.bottom >= number]
        while self._coming and self._coming[-1].top <= number:
            area = self._coming.pop()
            first = cells.get(area.left)
            if area.top == number and first:
                self._open.append((area, first))
        for area, cell in self._open:
            for column in range(area.left, min(area.right, _MAX_COLUMNS) + 1):
                cells[column] = cell
        return dict(sorted(cells.items()))
