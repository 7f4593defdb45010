"""What is drawn on a PDF page beside its text, and which of its text can't be seen for it."""

from __future__ import annotations

import ctypes
from collections.abc import Iterator
from dataclasses import dataclass, field
from enum import Enum, auto
from functools import partial
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ingest.parsers.geometry import Frame, Rectangle
from ingest.parsers.pdf_fields import read_covers

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_MAX_DEPTH = 4
_MAX_SEGMENTS = 20_000
_MAX_COMPARED = 5_000_000
"""Maps and drawings have thousands of shapes and labels; comparing them all takes too long."""
_PICTURE_SHARE = 0.02
"""An image over a fiftieth of the page may hold text; smaller ones are logos and rules."""
_SCAN_SHARE = 0.4
_RASTER = 100
"""Points across and down the page, at which it is seen whether a picture covers it."""
_DRAWN_PATHS = 40
"""Letters drawn as curves need many paths; a frame or a rule needs few."""
_ASLANT = 0.15
"""Slope of letters, over which they run aslant; scanners turn a page by less."""
_STRAIGHT_PT = 1.0
_THIN_PT = 4.0
_MIN_EDGE_PT = 4.0
_PALE = 200
_WHITE = 250
_FAINT_ALPHA = 13
_INVISIBLE_MODES = frozenset({3, 7})
"""Text that is drawn with neither fill nor stroke, or only clips."""


class Doubt(Enum):
    """Why a piece of text may not be seen."""

    INVISIBLE = auto()
    """Drawn without ink: the words behind a scan, or words for machines only."""
    PALE = auto()
    """As light as paper: seen on a dark ground."""
    COVERED = auto()
    """Something filled was drawn over it later."""
    UNDER_PICTURE = auto()
    OUTSIDE = auto()
    """Beyond the edge of the page: lines too long for it, mostly."""


@dataclass(frozen=True, slots=True)
class Written:
    """A piece of text as drawn; ``identity`` is what pdfium knows it by."""

    identity: int
    around: Rectangle
    doubt: Doubt | None


@dataclass(slots=True)
class Drawn:
    """Places are in the page's own points, as left, bottom, right, top.

    ``bars`` are rules, and the edges of rectangles; ``picture_share`` is that of the page which
    its pictures cover together: scanners cut a page into strips.
    """

    width: float
    height: float
    picture_share: float = 0.0
    paths: int = 0
    bars: list[Rectangle] = field(default_factory=list)
    pictures: list[Rectangle] = field(default_factory=list)
    picture_keys: set[tuple[int, ...]] = field(default_factory=set)
    """What tells one picture at its place from another."""
    pieces: list[Written] = field(default_factory=list)
    partly: dict[int, list[Rectangle]] = field(default_factory=dict)
    """What was drawn later over a part of a piece of text, by its identity."""

    aslant: set[int] = field(default_factory=set)
    """Pieces of text neither level nor upright: words stamped over the page, labels of a chart."""

    @property
    def may_hold_text(self) -> bool:
        """Whether something could be text that was scanned or drawn."""
        return self.picture_share > _PICTURE_SHARE or self.paths > _DRAWN_PATHS

    @property
    def is_scan(self) -> bool:
        """Whether the page is mostly a picture."""
        return self.picture_share > _SCAN_SHARE

    @property
    def doubtful(self) -> list[Written]:
        """The pieces of text that may not be seen."""
        return [piece for piece in self.pieces if piece.doubt]


def look(page: PdfPage) -> Drawn:
    """What is drawn on the page."""
    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    drawn = Drawn(width or 1, height or 1)
    left, bottom, right, top = page.get_bbox()
    sheet = (left, bottom, right, top)
    segments = 0
    for kind, raw, frame in _objects(page):
        if kind == pdfium.FPDF_PAGEOBJ_TEXT:
            drawn.pieces.append(piece := _piece(raw, frame, sheet))
            if _is_aslant(_matrix(raw).then(frame)):
                drawn.aslant.add(piece.identity)
        elif kind == pdfium.FPDF_PAGEOBJ_IMAGE:
            around = _bounds(raw, frame)
            drawn.pictures.append(around)
            size = pdfium.FPDFImageObj_GetImageDataRaw(raw, None, 0)
            drawn.picture_keys.add((*map(round, around), size))
            if not pdfium.FPDFPageObj_HasTransparency(raw):
                _cover(drawn, around, Doubt.UNDER_PICTURE)
        elif kind == pdfium.FPDF_PAGEOBJ_PATH:
            drawn.paths += 1
            segments += pdfium.FPDFPath_CountSegments(raw)
            if segments <= _MAX_SEGMENTS:
                _draw(drawn, raw, frame)
    for around in read_covers(page):
        _cover(drawn, around, Doubt.COVERED)
    drawn.picture_share = _covered_share(drawn.pictures, sheet)
    return drawn


def _objects(page: PdfPage) -> Iterator[tuple[int, Any, Frame]]:
    """Everything drawn, in the order it is drawn, with its frame on the page."""
    import pypdfium2.raw as pdfium

    def within(count: int, get: Any, frame: Frame, depth: int) -> Iterator[tuple[int, Any, Frame]]:
        for at in range(count):
            raw = get(at)
            kind = pdfium.FPDFPageObj_GetType(raw)
            if kind == pdfium.FPDF_PAGEOBJ_FORM and depth < _MAX_DEPTH:
                parts = pdfium.FPDFFormObj_CountObjects(raw)
                inside = _matrix(raw).then(frame)
                yield from within(
                    parts,
                    lambda n, form=raw: pdfium.FPDFFormObj_GetObject(form, n),
                    inside,
                    depth + 1,
                )
            else:
                yield kind, raw, frame

    count = pdfium.FPDFPage_CountObjects(page.raw)
    yield from within(count, partial(pdfium.FPDFPage_GetObject, page.raw), Frame(), 1)


def _piece(raw: Any, frame: Frame, sheet: Rectangle) -> Written:
    import pypdfium2.raw as pdfium

    around = _bounds(raw, frame)
    red, green, blue, alpha = _fill(raw)
    doubt = None
    if pdfium.FPDFTextObj_GetTextRenderMode(raw) in _INVISIBLE_MODES or alpha < _FAINT_ALPHA:
        doubt = Doubt.INVISIBLE
    elif _is_outside(around, sheet):
        doubt = Doubt.OUTSIDE
    elif min(red, green, blue) >= _PALE or _is_optional(raw):
        doubt = Doubt.PALE
    return Written(ctypes.cast(raw, ctypes.c_void_p).value or 0, around, doubt)


def _is_aslant(frame: Frame) -> bool:
    across, up = map(abs, frame.along_x)
    return min(across, up) > _ASLANT * max(across, up)


def _is_optional(raw: Any) -> bool:
    """Whether it belongs to a layer that a reader can switch off."""
    import pypdfium2.raw as pdfium

    name = ctypes.create_string_buffer(16)
    size = ctypes.c_ulong()
    for at in range(pdfium.FPDFPageObj_CountMarks(raw)):
        mark = pdfium.FPDFPageObj_GetMark(raw, at)
        letters = ctypes.cast(name, ctypes.POINTER(ctypes.c_ushort))
        fits = pdfium.FPDFPageObjMark_GetName(mark, letters, len(name), ctypes.byref(size))
        if fits and name.raw[: size.value].decode("utf-16-le", "replace").rstrip("\0") == "OC":
            return True
    return False


def _draw(drawn: Drawn, raw: Any, frame: Frame) -> None:
    """Take a path's straight edges for rules, and what it hides."""
    import pypdfium2.raw as pdfium

    filled, stroked = ctypes.c_int(), ctypes.c_int()
    pdfium.FPDFPath_GetDrawMode(raw, ctypes.byref(filled), ctypes.byref(stroked))
    red, green, blue, alpha = _fill(raw)
    if filled.value and alpha > 255 - _FAINT_ALPHA:
        _cover(drawn, _bounds(raw, frame), Doubt.COVERED)
    is_paper = min(red, green, blue) >= _WHITE or alpha < _FAINT_ALPHA
    if not stroked.value and (not filled.value or is_paper):
        return
    for points in _outlines(raw, _matrix(raw).then(frame)):
        xs, ys = zip(*points, strict=True)
        around = (min(xs), min(ys), max(xs), max(ys))
        is_thin = min(around[2] - around[0], around[3] - around[1]) <= _THIN_PT
        if is_thin and not stroked.value:
            drawn.bars += [around] if _longest(around) >= _MIN_EDGE_PT else []
        else:
            drawn.bars += _edges(points)


def _edges(points: list[tuple[float, float]]) -> Iterator[Rectangle]:
    for (x0, y0), (x1, y1) in pairwise(points):
        edge = (min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1))
        is_straight = min(edge[2] - edge[0], edge[3] - edge[1]) <= _STRAIGHT_PT
        if is_straight and _longest(edge) >= _MIN_EDGE_PT:
            yield edge


def _outlines(raw: Any, frame: Frame) -> Iterator[list[tuple[float, float]]]:
    """The straight runs of a path, closed where the path closes them."""
    import pypdfium2.raw as pdfium

    points: list[tuple[float, float]] = []
    x, y = ctypes.c_float(), ctypes.c_float()
    for at in range(pdfium.FPDFPath_CountSegments(raw)):
        segment = pdfium.FPDFPath_GetPathSegment(raw, at)
        pdfium.FPDFPathSegment_GetPoint(segment, ctypes.byref(x), ctypes.byref(y))
        here = frame.point(x.value, y.value)
        if pdfium.FPDFPathSegment_GetType(segment) == pdfium.FPDF_SEGMENT_LINETO and points:
            points.append(here)
        else:
            if len(points) > 1:
                yield points
            points = [here]
        if pdfium.FPDFPathSegment_GetClose(segment):
            points.append(points[0])
    if len(points) > 1:
        yield points


def _cover(drawn: Drawn, around: Rectangle, doubt: Doubt) -> None:
    """What was written before within ``around`` may be hidden by it."""
    is_rule = min(around[2] - around[0], around[3] - around[1]) <= _THIN_PT
    if is_rule or len(drawn.pieces) * drawn.paths > _MAX_COMPARED:
        return
    for at, piece in enumerate(drawn.pieces):
        if piece.doubt is not None:
            continue
        if _holds(around, piece.around):
            drawn.pieces[at] = Written(piece.identity, piece.around, doubt)
        elif doubt is Doubt.COVERED and not _is_outside(around, piece.around):
            drawn.partly.setdefault(piece.identity, []).append(around)


def _holds(outer: Rectangle, inner: Rectangle) -> bool:
    return (
        outer[0] - 1 <= inner[0]
        and outer[1] - 1 <= inner[1]
        and outer[2] + 1 >= inner[2]
        and outer[3] + 1 >= inner[3]
    )


def _is_outside(around: Rectangle, sheet: Rectangle) -> bool:
    return (
        around[2] < sheet[0] or around[0] > sheet[2] or around[3] < sheet[1] or around[1] > sheet[3]
    )


def _bounds(raw: Any, frame: Frame) -> Rectangle:
    import pypdfium2.raw as pdfium

    left, bottom, right, top = (ctypes.c_float() for _ in range(4))
    edges = (ctypes.byref(edge) for edge in (left, bottom, right, top))
    if not pdfium.FPDFPageObj_GetBounds(raw, *edges):
        return 0.0, 0.0, 0.0, 0.0
    return frame.rectangle(left.value, bottom.value, right.value, top.value)


def _matrix(raw: Any) -> Frame:
    import pypdfium2.raw as pdfium

    matrix = pdfium.FS_MATRIX()
    pdfium.FPDFPageObj_GetMatrix(raw, ctypes.byref(matrix))
    return Frame((matrix.e, matrix.f), (matrix.a, matrix.b), (matrix.c, matrix.d))


def _fill(raw: Any) -> tuple[int, int, int, int]:
    """Red, green, blue and alpha; black where pdfium can't say."""
    import pypdfium2.raw as pdfium

    parts = [ctypes.c_uint() for _ in range(4)]
    if not pdfium.FPDFPageObj_GetFillColor(raw, *map(ctypes.byref, parts)):
        return 0, 0, 0, 255
    red, green, blue, alpha = (part.value for part in parts)
    return red, green, blue, alpha


def _covered_share(pictures: list[Rectangle], sheet: Rectangle) -> float:
    """The share of the sheet that the pictures cover, what two of them cover counted once."""
    import numpy as np

    left, bottom, right, top = sheet
    across = left + (np.arange(_RASTER) + 0.5) / _RASTER * (right - left)
    up = bottom + (np.arange(_RASTER) + 0.5) / _RASTER * (top - bottom)
    covered = np.zeros((_RASTER, _RASTER), bool)
    for x0, y0, x1, y1 in pictures:
        x = slice(*np.searchsorted(across, (x0, x1)))
        y = slice(*np.searchsorted(up, (y0, y1)))
        covered[y, x] = True
    return float(covered.mean())


def _longest(around: Rectangle) -> float:
    return max(around[2] - around[0], around[3] - around[1])
