"""Columns of running text that were drawn row by row, across the page."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import pairwise

from ingest.parsers.columns import rows
from ingest.parsers.paragraphs import Line
from ingest.parsers.values import typed

_MIN_LINES = 5
"""So many lines make a column of running text."""
_FILLED = 0.75
"""Wrapped lines fill their column; names and values don't."""
_USUAL_CHARS = 15
"""Letters in a usual line; Chinese characters count twice."""
_HOPS = 0.3
"""Share of the lines that were drawn after one of another column."""
_GUTTER = 0.5
_LEVEL = 0.3
"""Shares of a line's height: white space between columns, and what stands at one height."""
_APART = 0.35
"""Of a line's height: so much more white space than usual ends a cell or a paragraph."""
_SHARED = 0.6
"""Where so many of these ends stand beside each other, the columns are cells of one table."""
_LARGER = 1.15

Row = list[Line]
Column = tuple[float, float]


def down_columns(lines: Sequence[Line]) -> list[Line]:
    """The lines; columns of running text drawn across the page are told one after the other.

    Args:
        lines: in the order drawn, each with its pieces.
    """
    told = rows([piece for line in lines for piece in (line.pieces or (line,))])
    title = _LARGER * statistics.median(piece.size for row in told for piece in row) if told else 0
    at = 0
    while at < len(told):
        is_title = len(told[at]) == 1 and told[at][0].size > title
        block, columns = ([], []) if is_title else _block(told[at:])
        put = _put(lines, block, columns) if len(columns) > 1 else None
        lines, at = (put, at + len(block)) if put else (lines, at + 1)
    return list(lines)


def _block(told: Sequence[Row]) -> tuple[list[Row], list[Column]]:
    """The rows from the first on that leave a gutter between columns, and those columns."""
    block: list[Row] = []
    columns: list[Column] = []
    for row in told:
        grown = _grown(columns, row)
        if any(piece.is_row for piece in row) or (len(grown) == 1 and len(block) > 1):
            break
        block.append(row)
        columns = grown
    return block, columns


def _grown(columns: Sequence[Column], row: Row) -> list[Column]:
    """The columns, wider by what stands in a row; those without white space between them as one."""
    near = _GUTTER * min(piece.height for piece in row)
    grown: list[Column] = []
    for left, right in sorted([*columns, *((piece.x0, piece.x1) for piece in row)]):
        if grown and left - grown[-1][1] < near:
            grown[-1] = (grown[-1][0], max(grown[-1][1], right))
        else:
            grown.append((left, right))
    return grown


def _put(
    lines: Sequence[Line], block: Sequence[Row], columns: Sequence[Column]
) -> list[Line] | None:
    """The lines, those of the block by column; None where it isn't running text drawn across."""
    pieces = {piece for row in block for piece in row}
    held = [line for line in lines if pieces.issuperset(line.pieces or (line,))]
    drawn = [piece for line in held for piece in (line.pieces or (line,))]
    by_column = [[each for row in block for each in row if _is_in(each, one)] for one in columns]
    if len(drawn) < len(pieces) or not all(map(_is_running, by_column)):
        return None
    turn = {piece: at for at, column in enumerate(by_column) for piece in column}
    hops = sum(turn[one] != turn[other] for one, other in pairwise(drawn))
    if hops < _HOPS * len(drawn) or _are_cells(by_column):
        return None
    first = lines.index(held[0])
    gone = set(held)
    rest = [line for line in lines[first:] if line not in gone]
    return [*lines[:first], *(piece for column in by_column for piece in column), *rest]


def _is_in(piece: Line, column: Column) -> bool:
    return column[0] <= piece.x0 and piece.x1 <= column[1]


def _is_running(column: Sequence[Line]) -> bool:
    """Whether lines are running text: many, long, and each as wide as the column."""
    if len(column) < _MIN_LINES:
        return False
    width = max(line.x1 for line in column) - min(line.x0 for line in column)
    if statistics.median(line.x1 - line.x0 for line in column) < _FILLED * width:
        return False
    figures = sum(isinstance(typed(line.text), float) for line in column)
    usual = statistics.median(len(line.text.encode("gb18030")) for line in column)
    return usual >= _USUAL_CHARS and figures < _MIN_LINES


def _are_cells(by_column: Sequence[Sequence[Line]]) -> bool:
    """Whether the columns' lines end in rows at the same heights, as cells that wrap do."""
    starts = [_starts(column) for column in by_column]
    fewest = min(starts, key=len)
    level = _LEVEL * by_column[0][0].height
    shared = sum(all(any(abs(one - y) < level for one in each) for each in starts) for y in fewest)
    return len(fewest) > 1 and shared >= _SHARED * len(fewest)


def _starts(column: Sequence[Line]) -> list[float]:
    """Where lines begin that are further below the last than usual."""
    gaps = [(below.y0 - above.y1, below) for above, below in pairwise(column)]
    usual = statistics.median(gap for gap, _ in gaps)
    return [line.y0 for gap, line in gaps if gap > usual + _APART * line.height]
