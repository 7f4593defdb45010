"""Reading order of lines that come in none: columns one after the other, rows from the left."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from itertools import groupby, pairwise

from ingest.parsers.paragraphs import Line

_MIN_LINES = 3
"""So many lines make a column."""
_FILLED = 0.6
"""Lines of a column fill it; cells of a table don't."""
_MIN_SHARE = 0.2
_SAME_ROW = 0.5


def reading_order(lines: Sequence[Line]) -> list[Line]:
    """The lines as a person reads them."""
    gutter = _gutter(lines)
    if gutter is None:
        return [line for band in _bands(lines) for line in _in_band(band)]
    left = [line for line in lines if line.x1 <= gutter]
    return reading_order(left) + reading_order([line for line in lines if line.x0 >= gutter])


def rows(lines: Sequence[Line]) -> list[list[Line]]:
    """Lines that stand beside each other, from the left, row by row."""
    found: list[list[Line]] = []
    for line in sorted(lines, key=lambda each: (each.y0 + each.y1) / 2):
        middle = (line.y0 + line.y1) / 2
        first = found[-1][0] if found else None
        if first and abs((first.y0 + first.y1) / 2 - middle) < _SAME_ROW * min(
            first.height, line.height
        ):
            found[-1].append(line)
        else:
            found.append([line])
    return [sorted(row, key=lambda each: each.x0) for row in found]


def _gutter(lines: Sequence[Line]) -> float | None:
    """Where white space parts two columns of running text, from top to bottom."""
    if len(lines) < 2 * _MIN_LINES:
        return None
    ordered = sorted(lines, key=lambda line: line.x0)
    reach = ordered[0].x1
    for before, after in pairwise(range(len(ordered))):
        reach = max(reach, ordered[before].x1)
        if ordered[after].x0 > reach:
            middle = (reach + ordered[after].x0) / 2
            if _are_columns(ordered[:after], ordered[after:]):
                return middle
    return None


def _are_columns(left: Sequence[Line], right: Sequence[Line]) -> bool:
    whole = max(line.x1 for line in right) - min(line.x0 for line in left)
    return all(_is_column(side, whole) for side in (left, right))


def _is_column(side: Sequence[Line], whole: float) -> bool:
    if len(side) < _MIN_LINES:
        return False
    width = max(line.x1 for line in side) - min(line.x0 for line in side)
    usual = statistics.median(line.x1 - line.x0 for line in side)
    return width >= _MIN_SHARE * whole and usual >= _FILLED * width


def _in_band(band: list[list[Line]]) -> list[Line]:
    lines = [line for row in band for line in row]
    return lines if _gutter(lines) is None else reading_order(lines)


def _bands(lines: Sequence[Line]) -> list[list[list[Line]]]:
    """Rows gathered where a line runs over the middle (a title, a footer), and where none does."""
    if not lines:
        return []
    middle = (min(line.x0 for line in lines) + max(line.x1 for line in lines)) / 2
    crossing = groupby(rows(lines), lambda row: any(each.x0 < middle < each.x1 for each in row))
    return [list(band) for _, band in crossing]
