"""Text recognition: what a picture of a page says, and where. The models come in the package."""

from __future__ import annotations

import functools
import math
import os
import statistics
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from ingest.parsers.characters import clean, with_wide_marks
from ingest.parsers.geometry import Frame, fractions, tilted, turned
from ingest.parsers.ocr_tables import in_order, picture_grids
from ingest.parsers.paragraphs import Line
from ingest.parsers.tables import PageTable

if TYPE_CHECKING:
    from numpy import ndarray

Picture: TypeAlias = "ndarray[Any, Any]"
"""Height by width by blue, green, red; 8 bits each."""

MAX_SIDE_PX = 2400
"""A4 at 200 dpi; small print of larger pages is lost, the memory of a laptop is not."""
_FIND_SIDE_PX = 1280
"""Lines are found on a smaller picture: as well, faster, and single lines more surely."""
_SURE = 0.85
"""Mean confidence from which the picture is taken to be the right way up."""
_MIN_CONFIDENCE = 0.5
_SURE_OF_FIGURES = 0.96
"""Mean confidence in a page's lines with figures. Measured: where all are right 0.969 to 0.995 (12
scanned pages, 190 lines); where blur or noise make nearly every number wrong 0.65 to 0.88. A single
wrong digit may hide at 0.97."""
_MIN_FIGURES = 8
_MIN_READ_SHARE = 0.5
_INK, _LIGHT = 50, 150
"""Levels of grey: ink is darker than its paper by so much, and paper lighter than that."""
_SOME_INK, _MUCH_INK = 0.004, 0.3
_TALL = 1.5
_FEW_SPOTS = 3
_TURN_OF_SIDEWAYS = 270
"""RapidOCR itself turns tall boxes so; where that reads well, the page is to be turned so."""
_SIZE_STEP = 1.25
_FONT_SHARE = 0.8
_MAX_TILT = math.radians(10)


@dataclass(frozen=True, slots=True)
class Reading:
    """What was made of a picture.

    ``lines`` are in pixels of the picture set upright, ``height`` high; ``shown`` leads back to
    fractions of the picture. ``is_legible`` is False where there is writing and most of it could
    not be read, ``is_sure`` where its figures may well be others.
    """

    lines: tuple[Line, ...]
    tables: tuple[PageTable, ...]
    height: float
    shown: Frame
    is_legible: bool
    is_sure: bool = True


@dataclass(frozen=True, slots=True)
class _Spot:
    """A stretch of writing; corners clockwise from the top left, in pixels."""

    text: str
    score: float
    corners: tuple[tuple[float, float], ...]

    @property
    def is_tall(self) -> bool:
        xs, ys = zip(*self.corners, strict=True)
        return bool(max(ys) - min(ys) > _TALL * (max(xs) - min(xs)))

    @property
    def angle(self) -> float:
        (x0, y0), (x1, y1) = self.corners[:2]
        return math.atan2(y1 - y0, x1 - x0)


_is_wanted: ContextVar[bool] = ContextVar("ocr", default=True)


@contextmanager
def recognising(*, wanted: bool) -> Iterator[None]:
    """Whether pictures are read while the block runs; the writing on others is left unread."""
    token = _is_wanted.set(wanted)
    try:
        yield
    finally:
        _is_wanted.reset(token)


def read_picture(picture: Picture) -> Reading:
    """Read a picture, whichever way up it is."""
    if not _is_wanted.get():
        high, wide = picture.shape[:2]
        return Reading((), (), float(high), fractions(wide, high), is_legible=False)
    turn, spots = _read_upright(picture)
    height, width = picture.shape[:2]
    back = turned(-turn, *_size_after(turn, width, height))
    tilt = _tilt(spots)
    level = tilted(-tilt)
    legible = [spot for spot in spots if spot.score >= _MIN_CONFIDENCE and spot.text.strip()]
    lines = _evened([_line(spot, level) for spot in legible])
    told, tables = in_order(lines, picture_grids(_turn(picture, turn), tilt) if lines else [])
    return Reading(
        lines=tuple(told),
        tables=tuple(tables),
        height=float(_size_after(turn, width, height)[1]),
        shown=tilted(tilt).then(back).then(fractions(width, height)),
        is_legible=_is_legible(spots, legible) if spots else not _looks_written(picture),
        is_sure=_is_sure(legible),
    )


def _is_sure(spots: list[_Spot]) -> bool:
    """Whether the lines with figures were read with the confidence of those that are right."""
    told = [spot for spot in spots if any(map(str.isdecimal, spot.text))]
    figures = sum(letter.isdecimal() for spot in told for letter in spot.text)
    return figures < _MIN_FIGURES or _confidence(told) >= _SURE_OF_FIGURES


def _looks_written(picture: Picture) -> bool:
    """Whether there is some ink on light paper: neither a blank page nor a photograph."""
    import numpy as np

    grey = np.atleast_3d(picture)[::2, ::2].mean(axis=2)
    paper = np.percentile(grey, 90)
    ink = float((grey < paper - _INK).mean())
    return bool(paper > _LIGHT) and _SOME_INK < ink < _MUCH_INK


def _is_legible(spots: list[_Spot], legible: list[_Spot]) -> bool:
    """A few smudges are no writing; a page of them is."""
    if len(spots) <= _FEW_SPOTS:
        return True
    read = sum(len(spot.text) for spot in legible)
    return read >= _MIN_READ_SHARE * sum(max(len(spot.text), 1) for spot in spots)


def _read_upright(picture: Picture) -> tuple[int, list[_Spot]]:
    """The turn clockwise after which most was read, and what was."""
    spots = _spots(picture)
    tall = sum(len(spot.text) for spot in spots if spot.is_tall)
    sideways = tall * 2 > sum(len(spot.text) for spot in spots)
    if not spots or (_confidence(spots) >= _SURE and not sideways):
        return 0, spots
    best = (0, spots) if not sideways else (0, [])
    turns: tuple[int, ...] = (180,)
    if sideways:
        first = _TURN_OF_SIDEWAYS if _confidence(spots) >= _SURE else 360 - _TURN_OF_SIDEWAYS
        turns = (first, 360 - first)
    for turn in turns:
        again = _spots(_turn(picture, turn))
        if _weight(again) > _weight(best[1]):
            best = (turn, again)
        if _confidence(again) >= _SURE:
            break
    return best


def _turn(picture: Picture, turn: int) -> Picture:
    import numpy as np

    return np.ascontiguousarray(np.rot90(picture, -turn // 90))


def _size_after(turn: int, width: float, height: float) -> tuple[float, float]:
    return (width, height) if turn % 180 == 0 else (height, width)


def _spots(picture: Picture) -> list[_Spot]:
    found = _engine()(picture)
    if found.boxes is None or found.txts is None:
        return []
    return [
        _Spot(
            with_wide_marks(clean(text)),
            float(score),
            tuple((float(x), float(y)) for x, y in corners),
        )
        for text, score, corners in zip(found.txts, found.scores, found.boxes, strict=True)
    ]


@functools.cache
def _engine() -> Any:
    """RapidOCR with the models of its wheel, one core left to the person and the answers."""
    from rapidocr import RapidOCR

    threads = max(1, (os.cpu_count() or 2) // 2)
    return RapidOCR(
        params={
            "Global.log_level": "critical",
            "Global.max_side_len": MAX_SIDE_PX,
            "Det.limit_type": "max",
            "Det.limit_side_len": _FIND_SIDE_PX,
            "Global.text_score": 0.0,  # what is too unsure is told apart here
            "Global.use_cls": False,  # pages are turned as a whole
            "EngineConfig.onnxruntime.intra_op_num_threads": threads,
            "EngineConfig.onnxruntime.inter_op_num_threads": 1,
        }
    )


def _confidence(spots: list[_Spot]) -> float:
    letters = sum(len(spot.text) for spot in spots)
    return _weight(spots) / letters if letters else 0.0


def _weight(spots: list[_Spot]) -> float:
    return sum(spot.score * len(spot.text) for spot in spots)


def _tilt(spots: list[_Spot]) -> float:
    """By how many radians clockwise the lines run down; long lines say it best."""
    wide = sorted(spots, key=lambda spot: len(spot.text))[-9:]
    tilt = statistics.median(spot.angle for spot in wide) if wide else 0.0
    return tilt if abs(tilt) < _MAX_TILT else 0.0


def _line(spot: _Spot, level: Frame) -> Line:
    points = [level.point(*corner) for corner in spot.corners]
    (x0, y0), (x1, y1) = (
        tuple(pick(axis) for axis in zip(*points, strict=True)) for pick in (min, max)
    )
    size = (y1 - y0) * _FONT_SHARE
    return Line(spot.text.strip(), x0, y0, x1, y1, size, bold=False, recognised=True)


def _evened(lines: list[Line]) -> list[Line]:
    """Font sizes in steps: a box grows with the letters that happen to be in it."""
    if not lines:
        return lines
    usual = statistics.median(line.size for line in lines)

    def step(size: float) -> float:
        return usual * _SIZE_STEP ** round(math.log(max(size, 1.0) / usual, _SIZE_STEP))

    return [replace(line, size=step(line.size)) for line in lines]
