"""One page of a PDF by its own text: what is seen of it, tables as rows, in reading order."""

from __future__ import annotations

import ctypes
import functools
from collections import defaultdict
from collections.abc import Callable, Hashable
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from ingest.parsers.aligned import with_aligned, with_rest
from ingest.parsers.characters import needs_blank
from ingest.parsers.columns import reading_order
from ingest.parsers.framed import read_frame
from ingest.parsers.geometry import Frame, Rectangle, fractions
from ingest.parsers.grids import Grid, Place, find_grids, to_rules
from ingest.parsers.paragraphs import Line
from ingest.parsers.pdf_drawn import Doubt, Drawn
from ingest.parsers.pdf_fields import read_filled, read_notes, with_filled
from ingest.parsers.pdf_numbered import without_numbers
from ingest.parsers.pdf_order import down, in_place
from ingest.parsers.pdf_text import Char, Region, is_tiny, read_lines, show, text_turn, upright
from ingest.parsers.raised import after_number
from ingest.parsers.tables import PageTable, continued

if TYPE_CHECKING:
    from pypdfium2 import PdfPage, PdfTextPage

_HIDDEN, _CUT, _ASLANT = "hidden", "cut", "aslant"
_BEHIND = (Doubt.INVISIBLE, Doubt.UNDER_PICTURE)
"""On a scan these are the words that someone else's recognition put behind it."""
_CONTRAST = 20
_COVERED = 0.5
"""A character of which so much lies below a box."""
Blacked = Callable[[int, Rectangle], bool]
"""Whether the character in a box, of the piece of text so identified, is covered."""
_INKED_SHARE = 0.02
_MIN_SIDE_PX = 2
_EDGE = 0.12
_AT_TOP, _AT_BOTTOM = 0.3, 0.75
_FULL = 0.85
"""Shares of the page's height: a table over a page break starts and ends beyond these; it may end
higher where its next row had gone further down than the last."""
_BESIDE, _BLANK, _TOUCHING = 0.4, 0.12, 0.4
"""Shares of a line's height: so much stands beside; so far apart is a blank, or another line."""
_NOTE_PT = 1.0
_SMALL, _RAISED = 0.9, 0.1


@dataclass(frozen=True, slots=True)
class Text:
    """The text of a page, in a frame in which it stands upright; ``shown`` leads to fractions.

    ``parts`` are lines and tables in reading order; ``hidden`` are words that nobody
    can see; ``is_layer`` where it lies behind a scan.
    """

    parts: tuple[Line | PageTable, ...]
    height: float
    shown: Frame
    hidden: str
    is_layer: bool


def read_text(page: PdfPage, drawn: Drawn) -> Text:
    """What the page says to those who see it."""
    width, height = drawn.width, drawn.height
    shown = show(page)
    picture = _grey(page) if drawn.doubtful or drawn.partly else None
    unseen = _unseen(picture, shown, drawn)
    text_page = page.get_textpage()
    try:
        turn = text_turn(text_page, shown)
        frame, back = upright(shown, turn, width, height)
        rules = to_rules(frame.rectangle(*bar) for bar in drawn.bars)
        grids = find_grids(rules)
        blacked = (
            functools.partial(_is_blacked, picture, shown, drawn.partly) if drawn.partly else None
        )
        region = _region(text_page, frame, grids, unseen, blacked)
        filled = [_filled(frame, *each) for each in read_filled(page)]
        parts, beside, hidden = _parts(text_page, frame, grids, region, filled)
    finally:
        text_page.close()
    upright_height = width if turn % 180 else height
    runs_along = frame.along_x[0] > 0  # otherwise pdfium takes the last line for the first
    parts = without_numbers(parts)
    ordered = in_place(parts, upright_height) if runs_along else _down_the_page(parts)
    told = with_filled(with_aligned(ordered, rules.across), beside)
    return Text(
        (*told, *(_note(frame, *each) for each in read_notes(page))),
        height=upright_height,
        shown=back.then(fractions(width, height)),
        hidden=hidden,
        is_layer=drawn.is_scan and any(piece.doubt in _BEHIND for piece in drawn.pieces),
    )


def carry_on(text: Text, before: PageTable | None) -> tuple[Text, PageTable | None]:
    """The page, a table at its top headed as ``before``; and the table that its bottom cuts.

    Args:
        text: the page.
        before: the table that the page before ended with.
    """
    parts = list(text.parts)
    first = next((part for part in parts if not _is_edge(part, text)), None)
    if before and isinstance(first, PageTable) and first.grid.ys[0] < _AT_TOP * text.height:
        parts[parts.index(first)] = continued(before, first)
    elif before and any(before.labels):
        parts = with_rest(parts, before, _AT_TOP * text.height)
    last = next((part for part in reversed(parts) if not _is_edge(part, text)), None)
    if not isinstance(last, PageTable) or not _reaches_bottom(last.grid, text.height):
        last = None
    return replace(text, parts=tuple(parts)), last


def _reaches_bottom(grid: Grid, height: float) -> bool:
    """Whether the table may end because the page does."""
    tallest = max(below - above for above, below in pairwise(grid.ys))
    return grid.ys[-1] > _AT_BOTTOM * height or grid.ys[-1] + tallest > _FULL * height


def _is_edge(part: Line | PageTable, text: Text) -> bool:
    """Whether it stands where running headers and footers do."""
    if isinstance(part, PageTable):
        return False
    return not _EDGE * text.height < part.y0 < (1 - _EDGE) * text.height


def _filled(frame: Frame, text: str, around: Rectangle) -> Line:
    left, top, right, bottom = frame.rectangle(*around)
    return Line(text, left, top, right, bottom, bottom - top, bold=False)


def _note(frame: Frame, text: str, around: Rectangle) -> Line:
    """A note, by its size no part of what stands before it."""
    return replace(_filled(frame, text, around), size=_NOTE_PT)


def _unseen(picture: Any, shown: Frame, drawn: Drawn) -> dict[int, str]:
    """What nobody can see: hidden by somebody, or cut by the page's edge; and what runs aslant."""
    unseen = {identity: f"{_ASLANT} {identity}" for identity in drawn.aslant}
    for piece in drawn.doubtful:
        if piece.doubt is Doubt.OUTSIDE:
            unseen[piece.identity] = _CUT
        elif piece.doubt in _BEHIND:
            if not drawn.is_scan:
                unseen[piece.identity] = _HIDDEN
        elif not _has_ink(picture, shown, piece.around):
            unseen[piece.identity] = _HIDDEN
    return unseen


def _grey(page: PdfPage) -> Any:
    """The page as shown, a pixel a point, in levels of grey."""
    return page.render(scale=1, grayscale=True).to_numpy()


def _has_ink(picture: Any, shown: Frame, around: Rectangle) -> bool:
    import numpy as np

    x0, y0, x1, y1 = (round(edge) for edge in shown.rectangle(*around))
    spot = picture[max(y0, 0) : max(y1, y0 + _MIN_SIDE_PX), max(x0, 0) : max(x1, x0 + _MIN_SIDE_PX)]
    if spot.size == 0:
        return False
    differs = np.abs(spot.astype(int) - int(np.median(spot))) > _CONTRAST
    return bool(differs.mean() > _INKED_SHARE)


def _is_blacked(
    picture: Any, shown: Frame, partly: dict[int, list[Rectangle]], piece: int, box: Rectangle
) -> bool:
    """Whether a character of a piece of text lies below a box that shows nothing of it."""
    for cover in partly.get(piece, ()):
        left, bottom = max(box[0], cover[0] + 1), max(box[1], cover[1] + 1)
        right, top = min(box[2], cover[2] - 1), min(box[3], cover[3] - 1)
        common = max(right - left, 0) * max(top - bottom, 0)
        if common <= _COVERED * (box[2] - box[0]) * (box[3] - box[1]):
            continue
        if not _has_ink(picture, shown, (left, bottom, right, top)):
            return True
    return False


def _region(
    text_page: PdfTextPage,
    frame: Frame,
    grids: list[Grid],
    unseen: dict[int, str],
    blacked: Blacked | None,
) -> Region:
    """Tells unseen characters, and the table cell that others stand in."""
    import pypdfium2.raw as pdfium

    def region(char: Char) -> Hashable:
        if unseen or blacked:
            piece = pdfium.FPDFText_GetTextObject(text_page.raw, char.at)
            identity = ctypes.cast(piece, ctypes.c_void_p).value or 0
            if identity in unseen:
                return unseen[identity]
            if blacked and char.box and blacked(identity, char.box):
                return _HIDDEN
        if grids and char.box:
            return _cell(grids, frame, char.box)
        return None

    return region


def _cell(grids: list[Grid], frame: Frame, box: Rectangle) -> tuple[int, Place] | None:
    """The cell that holds the middle of a box, and its grid."""
    left, bottom, right, top = box
    x, y = frame.point((left + right) / 2, (bottom + top) / 2)
    places = ((at, grid.cell_at(x, y)) for at, grid in enumerate(grids))
    return next(((at, cell) for at, cell in places if cell is not None), None)


def _parts(
    text_page: PdfTextPage,
    frame: Frame,
    grids: list[Grid],
    region: Region,
    filled: list[Line],
) -> tuple[list[Line | PageTable], list[Line], str]:
    """What stands on the page as drawn, what is filled in beside it, and what is hidden."""
    found: list[Line | int] = []
    cells: dict[int, dict[Place, list[Line]]] = defaultdict(lambda: defaultdict(list))
    framed: dict[int, list[Line]] = defaultdict(list)
    hidden: list[str] = []
    aslant: dict[str, list[Line]] = defaultdict(list)
    for where, line in read_lines(text_page, frame, region):
        if where == _HIDDEN or is_tiny(line):
            hidden.append(line.text)
        elif where == _CUT:
            continue
        elif isinstance(where, str):
            aslant[where].append(line)
        elif isinstance(where, tuple):
            at, cell = where
            if at not in cells:
                found.append(at)
            cells[at][cell].append(line)
            framed[at].append(line)
        elif found and isinstance(before := found[-1], Line) and _touches(before, line):
            found[-1] = _joined(before, line)
        else:
            found.append(line)
    beside = [line for line in filled if not _is_put(line, grids, cells, framed)]
    parts: list[Line | PageTable] = [functools.reduce(_one, lines) for lines in aslant.values()]
    for each in found:
        if isinstance(each, Line):
            parts.append(each)
        else:
            held = {at: down(lines) for at, lines in cells[each].items()}
            read = read_frame(grids[each], held)
            is_table = any(isinstance(part, PageTable) for part in read)
            parts += read if is_table else framed[each]
    return parts, beside, "\n".join(hidden)


def _is_put(
    line: Line,
    grids: list[Grid],
    cells: dict[int, dict[Place, list[Line]]],
    framed: dict[int, list[Line]],
) -> bool:
    """Put what is filled in into its cell, if it stands in a table."""
    place = _cell(grids, Frame(), (line.x0, line.y0, line.x1, line.y1))
    if place is None or place[0] not in cells:
        return False
    at, cell = place
    cells[at][cell].append(line)
    framed[at].append(line)
    return True


def _touches(before: Line, line: Line) -> bool:
    """Whether the line goes straight on: pdfium ends lines at a raised or lowered letter."""
    low = min(before.height, line.height)
    beside = min(before.y1, line.y1) - max(before.y0, line.y0) > _BESIDE * low
    return beside and -low < line.x0 - before.x1 < _TOUCHING * low


def _joined(before: Line, line: Line) -> Line:
    ahead, behind = before.pieces or (before,), line.pieces or (line,)
    middle = _one(ahead[-1], behind[0])
    pieces = (*ahead[:-1], middle, *behind[1:])
    return replace(_one(before, line), pieces=pieces if len(pieces) > 1 else ())


def _one(before: Line, line: Line) -> Line:
    is_apart = line.x0 - before.x1 > _BLANK * min(before.height, line.height)
    blank = " " if is_apart and needs_blank(before.text[-1], line.text[0]) else ""
    longer = before if len(before.text) >= len(line.text) else line
    is_raised = line.height < _SMALL * before.height and line.y1 < before.y1 - _RAISED * line.height
    words = after_number(before.text, line.text) if is_raised else line.text
    return Line(
        before.text + blank + words,
        min(before.x0, line.x0),
        min(before.y0, line.y0),
        max(before.x1, line.x1),
        max(before.y1, line.y1),
        longer.size,
        longer.bold,
        recognised=longer.recognised,
    )


def _down_the_page(parts: list[Line | PageTable]) -> list[Line | PageTable]:
    lines = [part for part in parts if isinstance(part, Line)]
    if len(lines) == len(parts):
        return list(reading_order(lines))
    return sorted(parts, key=lambda part: part.y0 if isinstance(part, Line) else part.grid.ys[0])
