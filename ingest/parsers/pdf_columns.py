"""Columns of running text that were drawn row by row, across the page."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Iterator, Sequence
from itertools import chain, groupby, pairwise

from ingest.parsers.columns import rows
from ingest.parsers.paragraphs import Line
from ingest.parsers.values import typed
from rag.terms import is_cjk

_MIN_LINES, _SOME = 5, 3
"""So many lines make a column of running text, or show that there is some in it."""
_FILLED, _HALF = 0.75, 0.5
"""Wrapped lines fill their column; names and values don't."""
_USUAL_CHARS, _SURE_CHARS = 15, 25
"""Letters in a usual line, and in one that is text for sure; Chinese characters count twice."""
_OTHER, _CHINESE = 0.1, 0.5
"""Shares of Chinese characters in a column of another script, and in one of Chinese."""
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
Columned = Callable[[Sequence[Row]], bool]
"""Tells whether a part of the page is in columns."""


def down_columns(lines: Sequence[Line]) -> list[Line]:
    """The lines; columns of running text drawn across the page are told one after the other.

    Args:
        lines: in the order drawn, each with its pieces.
    """
    for columns in _blocks(lines, lambda held: _are_running(held) or _hold_text(held)):
        lines = _put(lines, columns)
    return list(lines)


def by_columns(lines: Sequence[Line]) -> list[list[Line]]:
    """The lines in the same order, parted where one column of running text ends and another begins.

    Args:
        lines: in reading order.
    """
    turn = {
        piece: (at, side)
        for at, columns in enumerate(_blocks(lines, _hold_text))
        for side, column in enumerate(columns)
        for piece in column
    }
    return [list(part) for _, part in groupby(lines, lambda line: turn.get(_pieces(line)[0]))]


def _blocks(lines: Sequence[Line], are_columns: Columned) -> Iterator[list[Row]]:
    """Parts of the page in columns, each column's pieces of lines down the page."""
    told = rows([piece for line in lines for piece in _pieces(line)])
    title = _LARGER * statistics.median(piece.size for row in told for piece in row) if told else 0
    at = 0
    while at < len(told):
        is_title = len(told[at]) == 1 and told[at][0].size > title
        block, columns = ([], []) if is_title else _block(told[at:])
        found = next((each for each in _splits(block, columns) if are_columns(each)), None)
        if found:
            yield found
        at += len(block) if found else 1


def _splits(block: Sequence[Row], columns: Sequence[Column]) -> Iterator[list[Row]]:
    """The block's pieces by column, and at one gutter, whatever others there are."""
    yield [[each for row in block for each in row if _is_in(each, one)] for one in columns]
    for (_, left), _ in pairwise(columns):
        pieces = [each for row in block for each in row]
        yield [[p for p in pieces if p.x1 <= left], [p for p in pieces if p.x1 > left]]


def _pieces(line: Line) -> tuple[Line, ...]:
    return line.pieces or (line,)


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


def _put(lines: Sequence[Line], columns: Sequence[Row]) -> Sequence[Line]:
    """The lines, those of the columns one after the other if they were drawn across."""
    turn = {piece: at for at, column in enumerate(columns) for piece in column}
    held = [line for line in lines if turn.keys() >= set(_pieces(line))]
    drawn = [piece for line in held for piece in _pieces(line)]
    hops = sum(turn[one] != turn[other] for one, other in pairwise(drawn))
    if len(drawn) < len(turn) or hops < _HOPS * len(drawn):
        return lines
    first = lines.index(held[0])
    gone = set(held)
    rest = [line for line in lines[first:] if line not in gone]
    is_in_rows = _are_cells(columns) or _are_translations(columns)
    told = _rows_of(columns) if is_in_rows else [columns]
    return [*lines[:first], *chain(*chain(*told)), *rest]


def _rows_of(columns: Sequence[Row]) -> list[list[Row]]:
    """The columns in rows: from each paragraph that begins beside a line to the next one."""
    level = _LEVEL * columns[0][0].height
    others = [[line.y0 for line in column] for column in columns[1:]]
    starts = [
        y - level
        for y in _starts(columns[0])
        if all(any(abs(y - other) < level for other in each) for each in others)
    ]
    edges = [float("-inf"), *starts, float("inf")]
    return [
        [[line for line in column if above <= line.y0 < below] for column in columns]
        for above, below in pairwise(edges)
    ]


def _is_in(piece: Line, column: Column) -> bool:
    return column[0] <= piece.x0 and piece.x1 <= column[1]


def _are_running(columns: Sequence[Row]) -> bool:
    return len(columns) > 1 and (all(map(_is_running, columns)) or _are_translations(columns))


def _are_translations(columns: Sequence[Row]) -> bool:
    """Whether Chinese stands beside letters of another script, paragraph by paragraph."""
    texts = ["".join(line.text for line in column) for column in columns]
    shares = sorted(sum(map(is_cjk, text)) / max(1, len(text)) for text in texts)
    return (
        shares[0] < _OTHER < _CHINESE < shares[-1]
        and min(map(len, columns)) >= _SOME
        and len(_rows_of(columns)) > 1
    )


def _hold_text(columns: Sequence[Row]) -> bool:
    """Whether one is running text, and each holds some."""

    def is_text(line: Line, width: float) -> bool:
        return line.x1 - line.x0 > _HALF * width and _chars(line) >= _SURE_CHARS

    hold = (sum(is_text(line, _width(each)) for line in each) >= _SOME for each in columns)
    return any(map(_is_running, columns)) and all(hold) and not _are_cells(columns)


def _width(column: Sequence[Line]) -> float:
    return max(line.x1 for line in column) - min(line.x0 for line in column)


def _chars(line: Line) -> int:
    return len(line.text.encode("gb18030"))


def _is_running(column: Sequence[Line]) -> bool:
    """Whether lines are running text: many, long, and each as wide as the column."""
    if len(column) < _MIN_LINES:
        return False
    if statistics.median(line.x1 - line.x0 for line in column) < _FILLED * _width(column):
        return False
    figures = sum(isinstance(typed(line.text), float) for line in column)
    return statistics.median(map(_chars, column)) >= _USUAL_CHARS and figures < _MIN_LINES


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
    usual = statistics.median(gap for gap, _ in gaps) if gaps else 0.0
    return [line.y0 for gap, line in gaps if gap > usual + _APART * line.height]
