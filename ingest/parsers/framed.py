"""Frames whose rows no rule parts: an invoice with lines between its columns, or with none."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from ingest.parsers.aligned import with_aligned
from ingest.parsers.columns import rows
from ingest.parsers.grids import Grid, Place
from ingest.parsers.paragraphs import Line
from ingest.parsers.tables import PageTable, is_figure, to_table

_WIDE = 0.66
"""Share of a frame's width: so wide a cell may hold a table of its own."""
_LEVEL = 0.5
_PAIR = 2
_LEAST_LINES = 3

Cells = Mapping[Place, Sequence[Line]]


def read_frame(grid: Grid, cells: Cells) -> list[Line | PageTable]:
    """What stands in a frame: a table, the tables in its cells, or lines."""
    inner = {place: _inner(grid, place, lines) for place, lines in cells.items()}
    held = {place: lines for place, lines in cells.items() if not inner[place]}
    table = to_table(*_by_lines(grid, held)) if held else None
    parts: list[Line | PageTable] = [line for lines in held.values() for line in lines]
    if table:
        parts = [table]
    return [*parts, *(part for each in inner.values() for part in each)]


def _inner(grid: Grid, place: Place, lines: Sequence[Line]) -> list[Line | PageTable]:
    """The lines of a wide cell with a table among them; nothing where there is none."""
    wide = [at for (row, at), owner in grid.owner.items() if owner == place and row == place[0]]
    width = grid.xs[max(wide) + 1] - grid.xs[min(wide)] if wide else 0.0
    if len(lines) < _LEAST_LINES or width < _WIDE * (grid.xs[-1] - grid.xs[0]):
        return []
    found = with_aligned(lines)
    return found if any(isinstance(part, PageTable) for part in found) else []


def _by_lines(grid: Grid, cells: Cells) -> tuple[Grid, dict[Place, list[Line]]]:
    """The grid, rows that hold several lines of figures side by side parted between them."""
    starts = {row: _starts(grid, cells, row) for row in range(grid.rows)}
    first: dict[int, int] = {}
    ys: list[float] = []
    for row, tops in starts.items():
        first[row] = len(ys)
        ys += [grid.ys[row], *tops[1:]]
    owner: dict[Place, Place] = {}
    for (row, column), (top, left) in grid.owner.items():
        for part in range(max(1, len(starts[row]))):
            own = first[row] + part if top == row else first[top]
            owner[first[row] + part, column] = own, left
    moved: dict[Place, list[Line]] = {}
    for (row, column), lines in cells.items():
        tops = starts[row] if _is_own(grid, row, column) else []
        for line in lines:
            part = sum((line.y0 + line.y1) / 2 > top for top in tops[1:])
            moved.setdefault((first[row] + part, column), []).append(line)
    return replace(grid, ys=(*ys, grid.ys[-1]), owner=owner), moved


def _is_own(grid: Grid, row: int, column: int) -> bool:
    """Whether a cell does not reach below its row."""
    return grid.owner.get((row + 1, column)) != (row, column)


def _starts(grid: Grid, cells: Cells, row: int) -> list[float]:
    """Where the rows within a row begin; none of them where it is one.

    Figures stand below each other in some column, and beside each one something in the first.
    """
    own = {at: rows(lines) for (r, at), lines in cells.items() if r == row and _is_own(grid, r, at)}
    counting = [
        told
        for told in own.values()
        if len(told) >= _PAIR and all(is_figure(line.text) for each in told for line in each)
    ]
    if not counting or len(own) < _PAIR:
        return []
    anchors = [each[0] for each in max(counting, key=len)]
    beside = [told for told in own.values() if all(_has(told, anchor) for anchor in anchors)]
    if len(beside) < _PAIR or own[min(own)] not in beside:
        return []
    middles = [(line.y0 + line.y1) / 2 - line.height * _LEVEL for line in anchors]
    return middles if all(below > above for above, below in pairwise(middles)) else []


def _has(told: Sequence[Sequence[Line]], anchor: Line) -> bool:
    """Whether a line stands at the height of another."""
    middle = (anchor.y0 + anchor.y1) / 2
    return any(
        abs((line.y0 + line.y1) / 2 - middle) < _LEVEL * anchor.height
        for each in told
        for line in each
    )
