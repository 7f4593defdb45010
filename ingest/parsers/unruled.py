"""Cells without rules between them: words that stand in columns below what heads them.

Everything goes by places, since cells are drawn in any order and wrap over several lines.
"""

from __future__ import annotations

import statistics
from bisect import bisect
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import pairwise

from ingest.parsers.columns import rows
from ingest.parsers.grids import Grid, Place
from ingest.parsers.paragraphs import Line, join
from ingest.parsers.tables import is_figure, is_label, to_value

_MAX_GAP = 3.0
"""Rows of one table are not further apart than three times their height."""
_MAX_WRAPPED_CHARS = 80
_MAX_HEADS = 3
_LOST_ROWS = 3
"""So many rows of a page, a running header, may stand before those that go on with a table."""
_OVER = 2.0
"""Pieces of a later page may reach beyond the table by so many times their height."""
_APART = 0.25
"""Share of a line's height by which rows are further apart than the lines of one cell."""
_NEAR = 0.5
_TOUCH = 0.15
"""Share of a line's height by which pieces of neighbouring columns may overlap."""

Span = tuple[float, float]
Row = list[Line]
"""Pieces that stand beside each other, from the left."""


@dataclass(frozen=True, slots=True)
class Standing:
    """Rows that stand in columns: a header of so many of them, and those below it."""

    columns: tuple[Span, ...]
    rows: tuple[Row, ...]
    heads: int

    @property
    def pieces(self) -> list[Line]:
        return [piece for row in self.rows for piece in row]

    @property
    def body(self) -> tuple[Row, ...]:
        return self.rows[self.heads :]


def visual_rows(lines: Sequence[Line]) -> list[Row]:
    """The pieces of lines, row by row down the page."""
    return rows([piece for line in lines for piece in (line.pieces or (line,))])


def stand_below(told: Sequence[Row], start: int) -> Standing | None:
    """The rows that stand below row ``start``, which heads their columns."""
    head = told[start]
    if len(head) < 2 or not all(is_label(piece.text) for piece in head):  # noqa: PLR2004
        return None
    columns: list[Span] = [(piece.x0, piece.x1) for piece in head]
    columns, body = _followed(columns, told[start:])
    body = _less_tail(body)
    columns, is_headed = _settled(columns, head, body)
    if not is_headed or len(body) < 2 or _is_header(body[0], head):  # noqa: PLR2004
        return None
    above = _heads_above(told[:start], columns, head)
    return Standing(tuple(columns), (*above, head, *body), len(above) + 1)


def go_on(told: Sequence[Row], edges: Sequence[float], top: float) -> Standing | None:
    """The rows that stand in columns known from the page before, beginning above ``top``.

    Args:
        told: the rows of a page.
        edges: where the columns end, from the left.
        top: how far down the first row of several pieces may stand.
    """
    near = (at for at, row in enumerate(told[: _LOST_ROWS + 1]) if row[0].y0 <= top)
    start = next((at for at in near if len(told[at]) > 1 and _fits(told[at], edges)), None)
    if start is None:
        return None
    end = start + 1
    while end < len(told) and _fits(told[end], edges) and not _is_far(told[end - 1], told[end]):
        end += 1
    if start and _fits(told[start - 1], edges):  # the first line of a cell that wraps
        start -= _gap(told[start - 1], told[start]) < _NEAR * told[start][0].height
    rows = _less_tail(list(told[start:end]))
    return Standing(tuple(_extents(rows, edges)), tuple(rows), 0)


def _fits(row: Row, edges: Sequence[float]) -> bool:
    """Whether the pieces stand in the columns, each in its own."""
    places = [_column(piece, edges) for piece in row]
    return None not in places and len(set(places)) == len(places)


def _column(piece: Line, edges: Sequence[float]) -> int | None:
    """The column that a piece stands in; None where it reaches over the middle of two."""
    found = bisect(edges[1:-1], (piece.x0 + piece.x1) / 2)
    if max(edges[0] - piece.x0, piece.x1 - edges[-1]) > _OVER * piece.height:
        return None
    inner = edges[found] < piece.x0 + piece.height, piece.x1 - piece.height < edges[found + 1]
    return found if all(inner) and len(piece.text) <= _MAX_WRAPPED_CHARS else None


def _extents(told: Sequence[Row], edges: Sequence[float]) -> Iterator[Span]:
    """How far each column reaches."""
    pieces = [piece for row in told for piece in row]
    for at, ends in enumerate(pairwise(edges)):
        held = [piece for piece in pieces if _column(piece, edges) == at]
        if held:
            yield min(piece.x0 for piece in held), max(piece.x1 for piece in held)
        else:
            yield ends


def place_of(columns: Sequence[Span], piece: Line) -> int | None:
    """The one column that a piece stands in; None where it stands in none, or over several."""
    slack = _TOUCH * piece.height
    found = [
        at
        for at, (left, right) in enumerate(columns)
        if piece.x0 < right - slack and piece.x1 > left + slack
    ]
    return found[0] if len(found) == 1 else None


def to_grid(standing: Standing) -> tuple[Grid, dict[Place, list[Line]]] | None:
    """The table's grid and cells, wrapped lines together; None where one stands over several."""
    told = [[row] for row in standing.rows[: standing.heads]] + _logical(standing)
    cells: dict[Place, list[Line]] = {}
    for at, lines in enumerate(told):
        for piece in (piece for row in lines for piece in row):
            column = place_of(standing.columns, piece)
            if column is None:
                return None
            cells.setdefault((at, column), []).append(piece)
    tops = [min(piece.y0 for row in lines for piece in row) for lines in told]
    ends = [max(piece.y1 for row in lines for piece in row) for lines in told]
    inner = [(one[1] + other[0]) / 2 for one, other in pairwise(standing.columns)]
    ys = (tops[0], *((end + top) / 2 for end, top in zip(ends, tops[1:], strict=False)), ends[-1])
    xs = (standing.columns[0][0], *inner, standing.columns[-1][1])
    owner = {(r, c): (r, c) for r in range(len(told)) for c in range(len(standing.columns))}
    return Grid(xs, ys, owner | _shared(cells, standing)), cells


def figures(standing: Standing) -> list[int]:
    """The columns that hold figures, most of them."""
    held: dict[int, list[str]] = {}
    for row in standing.body:
        for piece in row:
            column = place_of(standing.columns, piece)
            if column is not None:
                held.setdefault(column, []).append(piece.text)
    return [at for at, texts in sorted(held.items()) if _count(texts)]


def _count(texts: Sequence[str]) -> bool:
    return sum(isinstance(to_value(text), float) for text in texts) >= 0.6 * len(texts)


def _followed(columns: list[Span], told: Sequence[Row]) -> tuple[list[Span], list[Row]]:
    """The rows below the first one that stand in the columns, which grow with them."""
    body: list[Row] = []
    for above, row in pairwise(told):
        grown = _with(columns, row)
        if grown is None or _is_far(above, row):
            break
        columns = grown
        body.append(row)
    return columns, body


def _is_far(above: Row, row: Row) -> bool:
    return _gap(above, row) > (_MAX_GAP - 1) * max(piece.height for piece in row)


def _with(columns: list[Span], row: Row) -> list[Span] | None:
    """The columns, grown by a row's pieces or more than before; None where it stands across."""
    grown = list(columns)
    for piece in row:
        slack = _TOUCH * piece.height
        over = [c for c in grown if piece.x0 < c[1] - slack and piece.x1 > c[0] + slack]
        if len(over) > 1 or len(piece.text) > _MAX_WRAPPED_CHARS:
            return None
        grown = [column for column in grown if column not in over]
        ends = [piece.x0, piece.x1, *(end for column in over for end in column)]
        grown.append((min(ends), max(ends)))
    columns = sorted(grown)
    return columns if all(one[1] < other[0] + 1 for one, other in pairwise(columns)) else None


def _less_tail(body: list[Row]) -> list[Row]:
    """The rows less single pieces at the end: a note below the table, not a cell that wraps."""
    while len(body) > 1 and len(body[-1]) == 1:
        above = max(piece.y1 for piece in body[-2])
        if body[-1][0].y0 - above < _usual_gap(body[:-1]):
            break
        body = body[:-1]
    return body


def _usual_gap(body: Sequence[Row]) -> float:
    """The usual white space between one row and the next; half a line for a single one."""
    gaps = [
        min(piece.y0 for piece in below) - max(piece.y1 for piece in above)
        for above, below in pairwise(body)
    ]
    return statistics.median(gaps) * 0.9 if gaps else body[0][0].height / 2


def _settled(columns: list[Span], head: Row, body: Sequence[Row]) -> tuple[list[Span], bool]:
    """The columns, a header joined to the figures beside it; and whether each has a header.

    Only the first may have none, as where rows bear names.
    """
    settled: list[tuple[Span, bool, bool]] = []
    for span in columns:
        headed = any(_within(piece, span) for piece in head)
        filled = any(_within(piece, span) for row in body for piece in row)
        before = settled[-1] if settled else None
        if before and headed != filled and before[1:] == (filled, headed):
            settled[-1] = ((before[0][0], span[1]), True, True)
        else:
            settled.append((span, headed, filled))
    return [span for span, _, _ in settled], all(headed for _, headed, _ in settled[1:])


def _within(piece: Line, span: Span) -> bool:
    return span[0] <= piece.x0 and piece.x1 <= span[1]


def _is_header(row: Row, head: Row) -> bool:
    """Whether it rather is what heads the columns."""
    return len(row) > len(head) and all(is_label(piece.text) for piece in row)


def _heads_above(told: Sequence[Row], columns: Sequence[Span], head: Row) -> list[Row]:
    """Rows above a header that group its columns: years over quarters."""
    above: list[Row] = []
    for row in reversed(told[-(_MAX_HEADS - 1) :]):
        below = (above[0] if above else head)[0]
        is_near = 0 <= below.y0 - max(piece.y1 for piece in row) < below.height
        names = all(is_label(piece.text) for piece in row)
        fits = all(columns[0][0] <= piece.x0 and piece.x1 <= columns[-1][1] + 1 for piece in row)
        if not (is_near and names and fits and 1 < len(row) < len(columns)):
            break
        if any(place_of(columns, piece) is None for piece in row):
            break
        above.insert(0, row)
    return above


def _shared(cells: dict[Place, list[Line]], standing: Standing) -> dict[Place, Place]:
    """Cells of a header's upper rows that stand for several columns.

    Where columns have equal names (sales, cost, sales, cost), what stands above the first of them
    holds up to the next one.
    """
    last = standing.heads - 1
    width = len(standing.columns)
    names = [join(tuple(cells.get((last, at), ()))) for at in range(width)]
    if len(set(names)) == len(names):
        return {}
    shared: dict[Place, Place] = {}
    for row in range(last):
        owner = None
        for column in range(width):
            owner = (row, column) if (row, column) in cells else owner
            if owner and owner[1] != column:
                shared[row, column] = owner
    return shared


def _logical(standing: Standing) -> list[list[Row]]:
    """The body's rows, those together that are one: a cell wraps, and its neighbours stand beside.

    Rows are further apart than the lines of one cell, or each begins with all its figures. Where
    neither tells, each row stands for itself.
    """
    body = list(standing.body)
    counting = set(figures(standing)) or {0}

    def is_full(row: Row) -> bool:
        places = {place_of(standing.columns, piece) for piece in row}
        return bool(counting & places) or any(is_figure(piece.text) for piece in row)

    def wraps(group: list[Row]) -> bool:
        """Whether it is one row with its figures, and lines in cells of several lines."""
        places = Counter(place_of(standing.columns, piece) for row in group for piece in row)
        more = [place_of(standing.columns, p) for row in group if not is_full(row) for p in row]
        return sum(map(is_full, group)) == 1 and all(places[at] > 1 for at in more)

    alone = [[row] for row in body]
    if all(map(is_full, body)):
        return alone
    gaps = sorted(_gap(above, below) for above, below in pairwise(body))
    for near, far in pairwise(gaps):
        if far - near > _APART * body[0][0].height:
            groups = _parted(body, partial(_is_apart, far))
            return groups if all(map(wraps, groups)) else alone
    groups = _parted(body, lambda _, below: is_full(below))
    return groups if all(map(wraps, groups)) else alone


def _is_apart(limit: float, above: Row, below: Row) -> bool:
    return _gap(above, below) >= limit


def _gap(above: Row, below: Row) -> float:
    return round(min(piece.y0 for piece in below) - max(piece.y1 for piece in above), 1)


def _parted(body: Sequence[Row], begins: Callable[[Row, Row], bool]) -> list[list[Row]]:
    groups: list[list[Row]] = []
    for above, row in zip([None, *body], body, strict=False):
        if above is None or begins(above, row):
            groups.append([row])
        else:
            groups[-1].append(row)
    return groups
