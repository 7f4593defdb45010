"""Where a passage stands, from where its parts stand."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from rag.cells import around, cell_range
from rag.records import Box, Locator

_NEAR_ROWS = 3
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
        cells=around([place.cells for place in places]),
    )


def follows(above: str, below: str) -> bool:
    """Whether a range of cells goes on in the same columns, two blank rows apart at most."""
    one, other = cell_range(above), cell_range(below)
    if not one or not other:
        return True
    same_columns = (one.left, one.right) == (other.left, other.right)
    return same_columns and 0 < other.top - one.bottom <= _NEAR_ROWS


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
