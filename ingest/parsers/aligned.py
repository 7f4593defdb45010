"""Tables without rules: rows of short pieces that stand in columns below a header."""

from __future__ import annotations

from bisect import bisect
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise, takewhile

from ingest.parsers.grids import Grid
from ingest.parsers.paragraphs import Line
from ingest.parsers.tables import PageTable, to_table, to_value

_MIN_ROWS = 3
_MIN_COLUMNS = 3
_MAX_PIECE_CHARS = 40
_MAX_GAP = 3.0
"""Rows of one table are not further apart than three times their height."""
_FIGURES = 0.6
"""A column of figures tells a table from words that happen to be aligned."""
_HEADED = 0.8
_LOST_LINES = 3
_FILLED = 0.6
"""A row that fills fewer columns may be something else that stands there by chance."""
_OVER = 2.0
"""Pieces of a later page may reach beyond the table by so many times their height."""


def with_aligned(parts: Sequence[Line | PageTable]) -> list[Line | PageTable]:
    """The parts of a page, runs of lines that are a table put together as one."""
    found: list[Line | PageTable] = []
    run: list[Line] = []
    for part in parts:
        if isinstance(part, Line):
            run.append(part)
        else:
            found += [*_tables(run), part]
            run = []
    return [*found, *_tables(run)]


def with_rest(
    parts: Sequence[Line | PageTable], before: PageTable, top: float
) -> list[Line | PageTable]:
    """The parts of a page, the lines above ``top`` that go on with ``before`` as a table.

    They are rows without a header of their own, and each piece stands in a column of ``before``.
    """
    lines = list(takewhile(lambda part: isinstance(part, Line), parts))
    told = [line for line in lines if isinstance(line, Line)]
    starts = (at for at, line in enumerate(told) if line.y0 <= top and _fits(line, before))
    first = next(starts, None)
    if first is None or first > _LOST_LINES:
        return list(parts)
    end = first + 1
    while end < len(told) and _fits(told[end], before) and _goes_on(told[end - 1], told[end]):
        end += 1
    table = _rest(told[first:end], before)
    return [*parts[:first], table, *parts[end:]] if table else list(parts)


def _fits(line: Line, table: PageTable) -> bool:
    """Whether the pieces of a line stand in columns of the table, each in its own."""
    places = [_place(piece, table) for piece in line.pieces]
    return len(places) > 1 and None not in places and len(set(places)) == len(places)


def _place(piece: Line, table: PageTable) -> int | None:
    """The column that a piece stands in; None where it reaches over the middle of two."""
    edges = table.grid.xs
    found = bisect(edges[1:-1], (piece.x0 + piece.x1) / 2)
    wide = edges[0] - piece.x0, piece.x1 - edges[-1]
    if max(wide) > _OVER * piece.height or len(piece.text) > _MAX_PIECE_CHARS:
        return None
    inner = edges[found] < piece.x0 + piece.height, piece.x1 - piece.height < edges[found + 1]
    return found if all(inner) else None


def _rest(lines: Sequence[Line], before: PageTable) -> PageTable | None:
    xs = before.grid.xs
    columns = [(left, right) for left, right in pairwise(xs)]
    if len(columns) < _MIN_COLUMNS or len(lines[0].pieces) < _FILLED * len(columns):
        return None
    grid = replace(_grid(lines, columns), xs=xs)
    cells = {
        (row, _place(piece, before) or 0): [piece]
        for row, line in enumerate(lines)
        for piece in line.pieces
    }
    texts = tuple(
        tuple(cells[row, at][0].text if (row, at) in cells else "" for at in range(len(columns)))
        for row in range(len(lines))
    )
    figures = any(isinstance(to_value(text), float) for row in texts for text in row)
    if not figures:
        return None
    return replace(before, grid=grid, texts=texts, first=0, goes_on=True)


def _tables(lines: Sequence[Line]) -> Iterator[Line | PageTable]:
    at = 0
    for start, end in _stretches(lines):
        table = _table(lines[start:end]) if start >= at else None
        if table:
            yield from lines[at:start]
            yield table
            at = end
    yield from lines[at:]


def _stretches(lines: Sequence[Line]) -> Iterator[tuple[int, int]]:
    """Runs of lines that are in pieces, each below the other; then the same less its top."""
    start = 0
    for end in range(1, len(lines) + 1):
        if end == len(lines) or not _goes_on(lines[end - 1], lines[end]):
            for first in range(start, min(start + _LOST_LINES, end)):
                if end - first >= _MIN_ROWS:
                    yield first, end
            start = end


def _goes_on(above: Line, line: Line) -> bool:
    if len(above.pieces) < 2 or len(line.pieces) < 2:  # noqa: PLR2004
        return False
    return 0 < line.y0 - above.y0 < _MAX_GAP * max(above.height, line.height)


def _table(lines: Sequence[Line]) -> PageTable | None:
    columns = _columns([piece for line in lines for piece in line.pieces])
    if len(columns) < _MIN_COLUMNS or len(lines[0].pieces) < _HEADED * len(columns):
        return None
    if any(len(piece.text) > _MAX_PIECE_CHARS for line in lines for piece in line.pieces):
        return None
    grid = _grid(lines, columns)
    cells = {
        (row, _column(columns, piece)): [piece]
        for row, line in enumerate(lines)
        for piece in line.pieces
    }
    if not _has_figures(cells, len(columns)):
        return None
    table = to_table(grid, cells)
    return table if table and any(table.labels) else None


def _columns(pieces: Sequence[Line]) -> list[tuple[float, float]]:
    """Stretches across that pieces stand in, parted by white space over all rows."""
    columns: list[tuple[float, float]] = []
    for piece in sorted(pieces, key=lambda each: each.x0):
        if columns and piece.x0 <= columns[-1][1]:
            columns[-1] = (columns[-1][0], max(columns[-1][1], piece.x1))
        else:
            columns.append((piece.x0, piece.x1))
    return columns


def _column(columns: Sequence[tuple[float, float]], piece: Line) -> int:
    return next(at for at, (left, right) in enumerate(columns) if left <= piece.x0 <= right)


def _grid(lines: Sequence[Line], columns: Sequence[tuple[float, float]]) -> Grid:
    inner = [(one[1] + other[0]) / 2 for one, other in pairwise(columns)]
    between = [(above.y1 + below.y0) / 2 for above, below in pairwise(lines)]
    return Grid(
        (columns[0][0], *inner, columns[-1][1]),
        (lines[0].y0, *between, lines[-1].y1),
        {(r, c): (r, c) for r in range(len(lines)) for c in range(len(columns))},
    )


def _has_figures(cells: dict[tuple[int, int], list[Line]], columns: int) -> bool:
    for column in range(columns):
        body = [pieces[0].text for (row, at), pieces in cells.items() if row and at == column]
        figures = sum(isinstance(to_value(text), float) for text in body)
        if body and figures >= _FIGURES * len(body):
            return True
    return False
