"""Numbers of lines in the margin, as on the paper of courts: they are no part of the sentences."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from ingest.parsers.paragraphs import Line
from ingest.parsers.tables import PageTable

Part = Line | PageTable

_NUMBER = re.compile(r"\d{1,4}")
_LEAST = 8
_STEPS = (1, 5)
"""Every line has its number, or each fifth one."""
_SAME_PT = 3.0
_GOES_ON = 0.2
"""Of the numbered lines so many begin in the middle of a sentence; items of a list do not."""
_EDGES: tuple[Callable[[Line], float], ...] = (lambda line: line.x0, lambda line: line.x1)


class _Numbered(NamedTuple):
    """Part ``at`` of a page, and the piece of it that is a number."""

    at: int
    piece: Line


def without_numbers(parts: Sequence[Part]) -> list[Part]:
    """The parts less the numbers that count the lines down the margin, if any do."""
    counting = {each.at: each.piece for each in _counting(list(_candidates(parts)))}
    bare = {at: _less(part) for at in counting if isinstance(part := parts[at], Line)}
    if not counting or not _run_on([line for line in bare.values() if line]):
        return list(parts)
    edge = max(piece.x1 for piece in counting.values())
    others = [part for at, part in enumerate(parts) if at not in counting]
    if any(isinstance(part, Line) and part.x0 < edge for part in others):
        return list(parts)
    told = (bare.get(at, part) for at, part in enumerate(parts))
    return [part for part in told if part]


def _candidates(parts: Sequence[Part]) -> Iterator[_Numbered]:
    for at, part in enumerate(parts):
        if isinstance(part, Line):
            piece = part.pieces[0] if part.pieces else part
            if _NUMBER.fullmatch(piece.text):
                yield _Numbered(at, piece)


def _counting(found: list[_Numbered]) -> list[_Numbered]:
    """Those that stand below each other and count; none where they don't."""
    columns: list[list[_Numbered]] = [
        [each for each in found if abs(edge(each.piece) - edge(first.piece)) < _SAME_PT]
        for edge in _EDGES
        for first in found
    ]
    longest = max(columns, key=len, default=[])
    column = sorted(longest, key=lambda each: each.piece.y0)
    steps = {int(b.piece.text) - int(a.piece.text) for a, b in pairwise(column)}
    counts = len(column) >= _LEAST and len(steps) == 1 and steps <= set(_STEPS)
    return column if counts else []


def _less(line: Line) -> Line | None:
    """The line without its number; None where it has nothing else."""
    if len(line.pieces) < 2:  # noqa: PLR2004
        return None
    number, first, *more = line.pieces
    text = line.text.removeprefix(number.text).lstrip()
    pieces = (first, *more) if more else ()
    return replace(line, text=text, x0=first.x0, pieces=pieces)


def _run_on(lines: Sequence[Line]) -> bool:
    return sum(line.text[0].islower() for line in lines) >= max(2, _GOES_ON * len(lines))
