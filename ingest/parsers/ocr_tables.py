"""Tables in pictures: the rules between cells, seen as long thin strokes."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from ingest.parsers.aligned import with_aligned
from ingest.parsers.columns import reading_order, rows
from ingest.parsers.geometry import Rectangle
from ingest.parsers.grids import Grid, Place, find_grids, to_rules
from ingest.parsers.paragraphs import Line
from ingest.parsers.pdf_columns import down_columns
from ingest.parsers.tables import PageTable, to_table

_PX_PER_POINT = 200 / 72
"""Grids are found in points; pictures come at about 200 dpi."""
_MIN_RULE_SHARE = 1 / 40
_MIN_RULE_PX = 40
_ASKEW = 0.04
_WHITE = 255
_AROUND_PX, _DARKER = 25, 15
"""Ink is darker by so many levels than what is around it within so many pixels."""


def picture_grids(picture: Any, tilt: float) -> list[Grid]:
    """The grids drawn on an upright picture, in its pixels once it is level.

    Args:
        picture: height by width by colours, 8 bits each.
        tilt: by how many radians clockwise its lines run down.
    """
    bars = [
        (x0 / _PX_PER_POINT, y0 / _PX_PER_POINT, x1 / _PX_PER_POINT, y1 / _PX_PER_POINT)
        for x0, y0, x1, y1 in _strokes(picture, tilt)
    ]
    return [
        replace(
            grid,
            xs=tuple(x * _PX_PER_POINT for x in grid.xs),
            ys=tuple(y * _PX_PER_POINT for y in grid.ys),
        )
        for grid in find_grids(to_rules(bars))
    ]


def in_order(lines: Sequence[Line], grids: Sequence[Grid]) -> tuple[list[Line], list[PageTable]]:
    """The lines in reading order, those in the cells of a table as rows; and the tables."""
    cells: dict[int, dict[Place, list[Line]]] = defaultdict(lambda: defaultdict(list))
    outside: list[Line] = []
    for line in lines:
        middle = (line.x0 + line.x1) / 2, (line.y0 + line.y1) / 2
        places = ((at, grid.cell_at(*middle)) for at, grid in enumerate(grids))
        at, place = next(((at, cell) for at, cell in places if cell), (0, None))
        if place:
            cells[at][place].append(line)
        else:
            outside.append(line)
    tables: dict[Line, PageTable] = {}
    for at, held in cells.items():
        sorted_cells = {
            place: [line for row in rows(each) for line in row] for place, each in held.items()
        }
        table = to_table(grids[at], sorted_cells)
        if table:
            tables[_stand_in(grids[at])] = table
        else:
            outside += [line for each in sorted_cells.values() for line in each]
    ordered = down_columns(reading_order([*outside, *tables]))
    parts = with_aligned([tables.get(line, line) for line in ordered])
    told = [
        line for part in parts for line in (part.rows() if isinstance(part, PageTable) else (part,))
    ]
    return told, [part for part in parts if isinstance(part, PageTable)]


def _stand_in(grid: Grid) -> Line:
    """A line as large as the table, to find its turn among the others."""
    return Line("", grid.xs[0], grid.ys[0], grid.xs[-1], grid.ys[-1], 0.0, bold=False, is_row=True)


def _strokes(picture: Any, tilt: float) -> Iterator[Rectangle]:
    """Long thin strokes, across and down, as left, top, right, bottom."""
    import cv2
    import numpy as np

    grey = cv2.cvtColor(picture, cv2.COLOR_BGR2GRAY)
    height, width = grey.shape
    cos, sin = math.cos(-tilt), math.sin(-tilt)
    level = np.array([[cos, -sin, 0.0], [sin, cos, 0.0]])
    grey = cv2.warpAffine(grey, level, (width, height), borderValue=_WHITE)
    ink = cv2.adaptiveThreshold(
        grey, _WHITE, cv2.ADAPTIVE_THRESH_MEAN_C, cv2.THRESH_BINARY_INV, _AROUND_PX, _DARKER
    )
    for is_across, length in ((True, width), (False, height)):
        least = max(_MIN_RULE_PX, round(length * _MIN_RULE_SHARE))
        kernel = np.ones((1, least) if is_across else (least, 1), np.uint8)
        strokes = cv2.morphologyEx(ink, cv2.MORPH_OPEN, kernel)
        strokes = cv2.dilate(strokes, np.ones((3, 3), np.uint8))
        count, _, stats, _ = cv2.connectedComponentsWithStats(strokes)
        for x, y, wide, high, _ in stats[1:count].tolist():
            if min(wide, high) > max(_MIN_RULE_PX / 2, _ASKEW * max(wide, high)):
                continue
            # A stroke a little askew is high, and still one line.
            middle = y + high / 2 if is_across else x + wide / 2
            yield (x, middle, x + wide, middle) if is_across else (middle, y, middle, y + high)
