"""The order in which a slide's shapes are read: columns of text boxes one after the other."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

_PAIR = 2
_MOST_WIDER = 1.5
"""Columns beside each other are about as wide; names are narrower than what they stand for."""
_FAR = 2
"""What lies so many times further below than the rest is no part of the columns."""
_VALUE = re.compile(r"[-+(（]?[¥￥$€£]?\s?\d")


def in_order(shapes: Any) -> list[Any]:
    """From top to bottom, then from left to right, but columns of text boxes one by one.

    Those without a place keep theirs; without words it does not matter.
    """
    placed = sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))
    telling = [shape for shape in placed if not _is_mute(shape)]
    rows = _clusters(telling, "top", "height")
    found = [shape for run in _runs(rows) for shape in _ordered(run)]
    return [*found, *(shape for shape in placed if _is_mute(shape))]


def _is_mute(shape: Any) -> bool:
    """Whether it is a picture, a line, or a frame without words."""
    if shape.has_text_frame:
        return not shape.text_frame.text.strip()
    return str(shape._element.tag).endswith(("}pic", "}cxnSp"))


def _clusters(shapes: Sequence[Any], start: str, size: str) -> list[list[Any]]:
    """Shapes that overlap along one side together, in order of that side."""
    found: list[list[Any]] = []
    end = 0
    for shape in sorted(shapes, key=lambda each: getattr(each, start) or 0):
        at = getattr(shape, start) or 0
        if found and at < end:
            found[-1].append(shape)
        else:
            found.append([shape])
        end = max(end, at + (getattr(shape, size) or 0))
    return found


def _runs(rows: Sequence[list[Any]]) -> Iterator[list[Any]]:
    """Rows that stand in the same columns together, the others each alone."""
    gaps = [_top(below) - _bottom(above) for above, below in pairwise(rows)]
    usual = statistics.median(gaps) if gaps else 0
    run: list[Any] = []
    for at, row in enumerate(rows):
        is_far = at > 0 and gaps[at - 1] > _FAR * max(usual, _height(rows[at - 1]))
        if run and (is_far or len(_columns([*run, *row])) < _PAIR):
            yield run
            run = []
        run = [*run, *row]
    yield run


def _ordered(shapes: Sequence[Any]) -> list[Any]:
    columns = _columns(shapes)
    if _are_columns(columns):
        return [shape for column in columns for shape in sorted(column, key=lambda s: s.top or 0)]
    return sorted(shapes, key=lambda shape: (shape.top or 0, shape.left or 0))


def _columns(shapes: Sequence[Any]) -> list[list[Any]]:
    return _clusters(shapes, "left", "width")


def _are_columns(columns: Sequence[Sequence[Any]]) -> bool:
    """Whether each column speaks for itself: no names beside values, no texts of several lines."""
    if len(columns) < _PAIR or any(len(column) < _PAIR for column in columns):
        return False
    if any(not shape.has_text_frame for column in columns for shape in column):
        return False
    widths = [max(shape.width for shape in column) for column in columns]
    if max(widths) > _MOST_WIDER * min(widths):
        return False
    first, *others = ([shape.text_frame.text.strip() for shape in each] for each in columns)
    are_names = not any(map(_VALUE.match, first)) and any(
        sum(bool(_VALUE.match(text)) for text in column) * _PAIR > len(column) for column in others
    )
    is_apart = any("\n" not in text for column in (first, *others) for text in column)
    return is_apart and not are_names and not any(text.endswith((":", "：")) for text in first)


def _top(row: Sequence[Any]) -> int:
    return min(shape.top or 0 for shape in row)


def _bottom(row: Sequence[Any]) -> int:
    return max((shape.top or 0) + (shape.height or 0) for shape in row)


def _height(row: Sequence[Any]) -> int:
    return min(shape.height or 0 for shape in row)
