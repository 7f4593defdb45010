"""Lines of a page that were drawn in another order than a person reads them."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingest.parsers.characters import needs_blank
from ingest.parsers.columns import reading_order, rows
from ingest.parsers.paragraphs import Line
from ingest.parsers.pdf_columns import down_columns
from ingest.parsers.tables import PageTable, to_value

Part = Line | PageTable

_EDGE = 0.12
"""Shares of a page's height: running headers and footers are drawn first or last as they like."""
_UP, _OVER, _SAME_ROW = 0.5, 0.3, 0.5
_LARGER, _NEAR = 1.05, 1.5
_MOST = 0.6
_MIN_LINES = 3
_MAX_RUNS = 100
"""More of them are the labels of a drawing, which has no order."""
ASKEW = 2.5
"""A line so many times as high as its letters runs aslant, over others: a watermark."""


def in_place(parts: Sequence[Part], height: float) -> list[Part]:
    """The parts as drawn, or by columns and places where the order drawn runs against them.

    Args:
        parts: of a page whose lines run from left to right.
        height: of the page.
    """
    lines = [
        part if isinstance(part, Line) else _stand_in(at, part) for at, part in enumerate(parts)
    ]
    tables = {line: part for line, part in zip(lines, parts, strict=True) if line is not part}
    straight = [line for line in lines if not _is_askew(line)]
    told = _with_rows(down_columns(straight))
    told = reading_order(told) if _is_backwards(told) else _headed(_ordered(told, height))
    if told == straight:
        return list(parts)
    aside = [line for line in lines if _is_askew(line)]
    return [tables.get(line, line) for line in (*aside, *told)]


def _is_backwards(lines: Sequence[Line]) -> bool:
    """Whether the last line comes first, as pdfium tells some pages that are shown turned."""
    above = sum(_is_above(line, before) for before, line in pairwise(lines))
    return above >= _MIN_LINES and above > _MOST * (len(lines) - 1)


def _is_askew(line: Line) -> bool:
    return not line.is_row and line.height > ASKEW * line.size


def down(lines: Sequence[Line]) -> Sequence[Line]:
    """The lines of a table's cell from top to bottom, where they were drawn otherwise."""
    by_row = rows(lines)
    if len(by_row) < len(lines) or len(list(_runs(lines))) == 1:
        return lines
    return [line for row in by_row for line in row]


def _stand_in(at: int, table: PageTable) -> Line:
    """A line as large as the table, which is part ``at``, to find its turn among the others."""
    xs, ys = table.grid.xs, table.grid.ys
    return Line(str(at), xs[0], ys[0], xs[-1], ys[-1], 0.0, bold=False, is_row=True)


def _ordered(lines: Sequence[Line], height: float) -> list[Line]:
    """The lines; a stretch that lies above what was drawn before it is put there."""
    told: list[list[Line]] = []
    runs = list(_runs(lines))
    if len(runs) > _MAX_RUNS:
        return list(lines)
    for run in runs:
        here = run
        while told and _is_late(told[-1], here, height):
            placed = reading_order([*told[-1], *here])
            at = placed.index(here[0])
            if placed[at : at + len(here)] != here:
                break  # they stand beside each other; nobody knows how they are read
            told.pop()
            here = placed
        told.append(here)
    return [line for run in told for line in run]


def _headed(lines: list[Line]) -> list[Line]:
    """The lines; a heading that was drawn after what stands right below it is put above that."""
    told = list(lines)
    for at, head in enumerate(lines):
        if not at or head.is_row or (lines[at + 1 :] and _heads(head, lines[at + 1])):
            continue
        below = next((line for line in lines[:at] if _heads(head, line)), None)
        before = lines[lines.index(below) - 1] if below and below is not lines[0] else None
        if below and (before is None or not _overlap(before, below) or _is_above(below, before)):
            told.remove(head)
            told.insert(told.index(below), head)
    return told


def _heads(head: Line, below: Line) -> bool:
    """Whether a line is set apart from the next one, which stands right below it."""
    is_larger = head.size > _LARGER * below.size or (head.bold and not below.bold)
    is_near = -_UP * head.height < below.y0 - head.y1 < _NEAR * head.height
    return is_larger and is_near and abs(head.x0 - below.x0) < head.height


def _is_late(before: Sequence[Line], run: Sequence[Line], height: float) -> bool:
    """Whether the run lies above what was drawn before it, and does not begin a column."""
    if any(all(_is_edge(line, height) for line in each) for each in (before, run)):
        return False
    last, first = before[-1], run[0]
    return _is_above(first, last) and (_overlap(last, first) > 0 or first.x0 < last.x0)


def _is_edge(line: Line, height: float) -> bool:
    return not line.is_row and not _EDGE * height < line.y0 < (1 - _EDGE) * height


def _is_above(line: Line, before: Line) -> bool:
    return line.y1 < before.y0 + _UP * min(line.height, before.height)


def _with_rows(lines: Sequence[Line]) -> list[Line]:
    """The lines; names and values, or columns of figures, drawn apart are put beside each other."""
    runs: list[list[Line]] = []
    for run in reversed(list(_runs(lines))):
        if runs and _are_rows(run, runs[-1]):
            runs[-1] = [line for row in rows([*run, *runs[-1]]) for line in _row(row)]
        else:
            runs.append(run)
    return [line for run in reversed(runs) for line in run]


def _runs(lines: Sequence[Line]) -> Iterator[list[Line]]:
    """The lines as drawn, parted where the next lies above."""
    run: list[Line] = []
    for line in lines:
        if run and _is_above(line, run[-1]):
            yield run
            run = []
        run.append(line)
    if run:
        yield run


def _overlap(one: Line, other: Line) -> float:
    across = min(one.x1, other.x1) - max(one.x0, other.x0)
    return max(0.0, across - _OVER * min(one.height, other.height))


def _are_rows(left: Sequence[Line], right: Sequence[Line]) -> bool:
    """Whether names and values, or columns of a table, were drawn one column after the other."""
    beside = [
        (one, other)
        for other in right
        if (one := next((each for each in left if _is_same_row(each, other)), None))
    ]
    if len(beside) < max(2, _MOST * min(len(left), len(right))):
        return False
    names = sum(one.text.endswith((":", "：")) for one, _ in beside)
    figures = sum(_ends_in_figure(other) for _, other in beside)
    return max(names, figures) >= _MOST * len(beside)


def _ends_in_figure(line: Line) -> bool:
    last = (line.pieces or (line,))[-1]
    return not line.is_row and isinstance(to_value(last.text), float)


def _is_same_row(one: Line, other: Line) -> bool:
    low = min(one.height, other.height)
    return abs(one.y0 + one.y1 - other.y0 - other.y1) / 2 < _SAME_ROW * low


def _row(lines: Sequence[Line]) -> Sequence[Line]:
    """What stands on one row as one line in pieces, tables apart."""
    return lines if any(line.is_row for line in lines) else [functools.reduce(_one, lines)]


def _one(before: Line, line: Line) -> Line:
    blank = " " if needs_blank(before.text[-1], line.text[0]) else ""
    return Line(
        before.text + blank + line.text,
        before.x0,
        min(before.y0, line.y0),
        line.x1,
        max(before.y1, line.y1),
        before.size,
        before.bold and line.bold,
        pieces=(*(before.pieces or (before,)), *(line.pieces or (line,))),
        recognised=before.recognised,
    )
