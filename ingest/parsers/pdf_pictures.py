"""Pictures beside the text of a PDF page: what they say, put between its lines."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field, replace

from ingest.parsers.geometry import Frame, Rectangle
from ingest.parsers.ocr import Picture, Reading, read_picture
from ingest.parsers.paragraphs import Line
from ingest.parsers.pdf_drawn import Drawn
from ingest.parsers.sheets import Sheet

MIN_SHARE = 1 / 6
"""Pictures that cover less of their page are logos, stamps and ornaments."""
MAX_PAGES = 40
"""Pages of a document whose pictures are read beside their text: about two minutes."""
_WHITE = 255
_AROUND_PX = 3
_MIN_LETTERS = 2


@dataclass(slots=True)
class Pictures:
    """Which pictures of a document are read; the ground that every page has, once.

    ``missed`` says that there were more than may be read.
    """

    left: int = MAX_PAGES
    missed: bool = False
    seen: set[tuple[int, ...]] = field(default_factory=set)

    def take(self, drawn: Drawn) -> bool:
        """Whether the page shows pictures that are large, and new."""
        new = drawn.picture_keys - self.seen
        if drawn.picture_share <= MIN_SHARE or not new:
            return False
        self.seen |= new
        self.missed = self.missed or self.left <= 0
        self.left -= 1
        return self.left >= 0


def with_pictures(
    written: Sheet, picture: Picture, pictures: Sequence[Rectangle], shown: Frame
) -> Sheet:
    """The page with the words that its pictures show beside its own.

    Args:
        written: the page by its own text.
        picture: the page as shown.
        pictures: where it shows pictures.
        shown: leads from there to fractions of the page.
    """
    places = [shown.rectangle(*around) for around in pictures]
    texts = [written.shown.rectangle(each.x0, each.y0, each.x1, each.y1) for each in written.lines]
    reading = read_picture(_only(picture, places, texts))
    lines = _placed(reading, written)
    if not lines or not reading.is_legible:
        return written
    above = [at for at, line in enumerate(written.lines) if line.y0 < lines[0].y0]
    at = above[-1] + 1 if above else 0
    told = (*written.lines[:at], *lines, *written.lines[at:])
    return replace(
        written,
        lines=told,
        tables=(*written.tables, *reading.tables),
        has_pictured=True,
        is_unsure=not reading.is_sure,
    )


def _only(picture: Picture, places: list[Rectangle], texts: list[Rectangle]) -> Picture:
    """The page less all that is no picture, and the words written on them."""
    import numpy as np

    kept = np.full_like(picture, _WHITE)
    for place in places:
        spot = _pixels(picture, place, 0)
        kept[spot] = picture[spot]
    for text in texts:
        kept[_pixels(picture, text, _AROUND_PX)] = _WHITE
    return kept


def _pixels(picture: Picture, place: Rectangle, around: int) -> tuple[slice, slice]:
    height, width = picture.shape[:2]
    x0, y0, x1, y1 = place
    return (
        slice(max(round(y0 * height) - around, 0), max(round(y1 * height) + around, 0)),
        slice(max(round(x0 * width) - around, 0), max(round(x1 * width) + around, 0)),
    )


def _placed(reading: Reading, written: Sheet) -> list[Line]:
    """What was read, where the page's own lines lie and as large, so that it heads nothing."""
    forth = reading.shown.then(written.shown.inverse())
    size = statistics.median(line.size for line in written.lines)
    lines: list[Line] = []
    for line in reading.lines:
        if sum(map(str.isalnum, line.text)) < _MIN_LETTERS:
            continue
        x0, y0, x1, y1 = forth.rectangle(line.x0, line.y0, line.x1, line.y1)
        lines.append(replace(line, x0=x0, y0=y0, x1=x1, y1=y1, size=size, pieces=()))
    return lines
