"""Where on a drawn page the words of a quote stand, letter by letter, within some boxes.

Letters and digits alone are compared: blanks, hyphens and marks are what reading changes most.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.characters import clean
from ingest.parsers.geometry import Rectangle, fractions
from ingest.parsers.pdf_text import read_chars, show
from rag.excerpt import Marks
from rag.records import Box

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_SLACK = 0.003
"""Share of the page by which a letter's middle may lie outside of its line's box."""
_CELL = " | "
_LABEL = ": "
_CELLS_FOUND = 0.75
"""Of the cells of a row so many must be found: the words of its header stand elsewhere."""
_SURE_LETTERS = 10
"""So many in a row, and only once on the page, are the words meant."""
_GAP = 0.02
"""Letters farther apart than this share of the page's width are marked each for themselves."""


@dataclass(frozen=True, slots=True)
class _Letters:
    """What is written within the boxes, and where each letter of it stands."""

    text: str
    places: tuple[Rectangle, ...]


def quote_boxes(page: PdfPage, marks: Marks) -> tuple[Box, ...]:
    """Boxes of just the words quoted, a line of print each; none where they aren't there.

    Args:
        page: as pdfium opened it.
        marks: what to look for, and the boxes to look in, in reading order.
    """
    number, wanted = marks.boxes[0].page, _bare(marks.quote)
    everything = _letters_of(page)
    letters = _within(everything, marks.boxes)
    found = _find(letters.text, wanted, marks.near)
    if not found and len(wanted) >= _SURE_LETTERS and everything.text.count(wanted) == 1:
        # A part of a long paragraph has boxes by its length alone: a line may be lacking.
        letters, found = everything, _find(everything.text, wanted, 0.0)
    found = found or _cells(letters.text, marks)
    places = [letters.places[at] for start, end in found for at in range(start, end)]
    return tuple(Box(number, *_rounded(line)) for line in _lines(places))


def _letters_of(page: PdfPage) -> _Letters:
    """All letters of the page, as pdfium reads them."""
    frame = show(page).then(fractions(*page.get_size()))
    letters = [
        (letter, frame.rectangle(*char.box))
        for char in read_chars(page.get_textpage())
        if char.box
        for letter in _bare(chr(char.code))
    ]
    return _letters(letters)


def _within(everything: _Letters, boxes: Sequence[Box]) -> _Letters:
    """The letters within each box in turn; one within several belongs to the nearest middle."""
    by_box: list[list[tuple[str, Rectangle]]] = [[] for _ in boxes]
    for letter, place in zip(everything.text, everything.places, strict=True):
        down = (place[1] + place[3]) / 2
        around = [at for at, box in enumerate(boxes) if _holds(box, place)]
        if around:
            nearest = min(around, key=lambda at: abs((boxes[at].y0 + boxes[at].y1) / 2 - down))
            by_box[nearest].append((letter, place))
    return _letters([each for box in by_box for each in box])


def _letters(found: Sequence[tuple[str, Rectangle]]) -> _Letters:
    return _Letters("".join(letter for letter, _ in found), tuple(place for _, place in found))


def _holds(box: Box, place: Rectangle) -> bool:
    across, down = (place[0] + place[2]) / 2, (place[1] + place[3]) / 2
    return (
        box.x0 - _SLACK <= across <= box.x1 + _SLACK and box.y0 - _SLACK <= down <= box.y1 + _SLACK
    )


def _find(text: str, wanted: str, near: float) -> list[tuple[int, int]]:
    """Where the words stand, of several places the one nearest to where they are expected."""
    starts = list(_starts(text, wanted))
    if not starts:
        return []
    start = min(starts, key=lambda at: abs(at - near * len(text)))
    return [(start, start + len(wanted))]


def _starts(text: str, wanted: str) -> Iterator[int]:
    at = text.find(wanted) if wanted else -1
    while at >= 0:
        yield at
        at = text.find(wanted, at + 1)


def _cells(text: str, marks: Marks) -> list[tuple[int, int]]:
    """A table's rows cell by cell: what stands on the page has no labels before it."""
    cells = [cell for line in marks.quote.split("\n") for cell in line.split(_CELL)]
    found: list[tuple[int, int]] = []
    after = 0
    for cell in cells:
        near = after / max(len(text), 1) if found else marks.near
        spans = _find(text, _bare(cell), near) or _find(
            text, _bare(cell.partition(_LABEL)[2]), near
        )
        found += spans
        after = spans[-1][1] if spans else after
    is_sure = sum(end - start for start, end in found) >= _SURE_LETTERS or len(cells) > 1
    return found if is_sure and len(found) >= _CELLS_FOUND * len(cells) else []


def _bare(words: str) -> str:
    """Letters and digits alone, each in its plainest form."""
    plain = unicodedata.normalize("NFKC", clean(words)).casefold()
    return "".join(filter(str.isalnum, plain))


def _lines(places: Sequence[Rectangle]) -> list[Rectangle]:
    """Neighbouring letters of one line of print as one rectangle."""
    lines: list[Rectangle] = []
    for left, top, right, bottom in places:
        if lines:
            x0, y0, x1, y1 = lines[-1]
            beside = min(bottom, y1) - max(top, y0) > (bottom - top) / 2
            if beside and -_GAP <= left - x1 <= _GAP:
                lines[-1] = (min(x0, left), min(y0, top), max(x1, right), max(y1, bottom))
                continue
        lines.append((left, top, right, bottom))
    return lines


def _rounded(place: Rectangle) -> tuple[float, float, float, float]:
    x0, y0, x1, y1 = (round(min(max(value, 0.0), 1.0), 4) for value in place)
    return x0, y0, x1, y1
