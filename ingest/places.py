"""Where a passage stands, from where its parts stand."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from rag.records import Box, Locator

_CELLS = re.compile(r"^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$")
_SLACK = 0.01
"""Share of the text by which a box may reach over an edge and not count."""


def union(places: Sequence[Locator]) -> Locator:
    """One place for parts of one page or sheet: every box once, one range around all cells."""
    boxes = dict.fromkeys(box for place in places for box in place.boxes)
    page, page_end = _span([number for at in places for number in (at.page, at.page_end)])
    return replace(
        places[-1],
        page=page,
        page_end=page_end,
        boxes=tuple(boxes),
        cells=_around([place.cells for place in places]),
    )


def follows(above: str, below: str) -> bool:
    """Whether a range of cells goes on with the next row in the same columns."""
    one, other = _CELLS.match(above), _CELLS.match(below)
    if not one or not other:
        return True
    same_columns = (one[1], one[3] or one[1]) == (other[1], other[3] or other[1])
    return same_columns and int(other[2]) == int(one[4] or one[2]) + 1


def share(place: Locator, start: float, end: float) -> Locator:
    """The part of ``place`` that holds a stretch of its text, in fractions of its length.

    A box is a line of print, and what it holds of the text goes by its width.
    """
    if len(place.boxes) <= 1 or (start <= 0 and end >= 1):
        return place
    total = sum(box.x1 - box.x0 for box in place.boxes) or 1.0
    kept: list[Box] = []
    so_far = 0.0
    for box in place.boxes:
        begins, so_far = so_far, so_far + (box.x1 - box.x0) / total
        if begins < end - _SLACK and so_far > start + _SLACK:
            kept.append(box)
    if not kept:
        return place
    page, page_end = _span([box.page for box in kept])
    return replace(place, page=page, page_end=page_end, boxes=tuple(kept))


def _span(numbers: Sequence[int | None]) -> tuple[int | None, int | None]:
    """First and last of these pages; no last one where they are the same."""
    pages = [number for number in numbers if number is not None]
    if not pages:
        return None, None
    return min(pages), max(pages) if max(pages) > min(pages) else None


def _around(ranges: Sequence[str | None]) -> str | None:
    corners = [match.groups() for each in ranges if each and (match := _CELLS.match(each))]
    if not corners:
        return next((each for each in ranges if each), None)
    columns = [name for left, _, right, _ in corners for name in (left, right or left)]
    rows = [int(at) for _, top, _, bottom in corners for at in (top, bottom or top)]
    # Columns sort as numbers do once length comes first: Z before AA.
    columns.sort(key=lambda name: (len(name), name))
    return f"{columns[0]}{min(rows)}:{columns[-1]}{max(rows)}"
