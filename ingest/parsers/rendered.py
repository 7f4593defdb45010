"""Where the words of a document stand in its rendering: pages and boxes, found in reading order.

Only letters and digits are compared, so that blanks, bullets and punctuation don't matter. What
is not found gets no box: a wrong highlight is worse than none.
"""

from __future__ import annotations

import bisect
import functools
import itertools
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.office import OfficeFailed
from rag.records import Box, Page

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfTextPage

_WINDOW = 8000
"""Letters looked through for what comes next: about four pages."""
_NEAR = 500
_SHORT = 4
_HEAD = 12
_TELLING = 24
"""So many letters in a row that stand once in a document are the ones meant."""
_MIN_SHARE = 0.6
_SAME_LINE = 0.5

Range = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Sheet:
    """A page of the rendering: where its letters start among all, and which characters they are."""

    start: int
    at: Sequence[int]


class Rendering:
    """The letters of a PDF that LibreOffice made, and how far they were matched so far.

    Raises:
        OfficeFailed: it is damaged.
    """

    def __init__(self, path: Path) -> None:
        import pypdfium2

        try:
            self.document: PdfDocument = pypdfium2.PdfDocument(path)
        except pypdfium2.PdfiumError as error:
            path.unlink(missing_ok=True)  # cut off by a full disk; it is made anew
            raise OfficeFailed(timed_out=False) from error
        self._sheets: list[_Sheet] = []
        letters: list[str] = []
        for page in self.document:
            found = list(_letters(page.get_textpage()))
            self._sheets.append(_Sheet(len(letters), [at for at, _ in found]))
            letters += [letter for _, letter in found]
        self._text = "".join(letters)
        self._starts = [sheet.start for sheet in self._sheets]
        self._cursor = 0
        self._open: tuple[int, PdfTextPage, float, float] | None = None

    @property
    def pages(self) -> int:
        return len(self._sheets)

    @property
    def page(self) -> int:
        """The page reached so far, from 1."""
        return self._page_of(max(self._cursor - 1, 0)) + 1

    def ledger(self) -> Iterator[Page]:
        """The pages, with how many letters each has."""
        for number, sheet in enumerate(self._sheets, start=1):
            letters = len(sheet.at)
            yield Page(number, str(number), "text" if letters else "empty", letters)

    def place(self, words: str, *, aside: bool = False) -> list[Range]:
        """Where ``words`` stand from here on; nothing where they are not found.

        Args:
            words: a stretch that is printed in one piece, page breaks aside.
            aside: they stand elsewhere on the page, and reading goes on from here.
        """
        needle = _normal(words)
        if not needle:
            return []
        start = max(self._cursor - _WINDOW // 2, 0) if aside else self._cursor
        found = self._runs(needle, start) or self._anywhere(needle)
        if found and not aside:
            self._cursor = found[-1][1]
        return found

    def place_on(self, page: int, pieces: Sequence[str]) -> list[list[Range]]:
        """Where each of the pieces of a shape stands on ``page``.

        They are looked for in a row, then one by one; one that stands in several places is in none.
        """
        needles = [_normal(words) for words in pieces]
        at = self._once_on(page, "".join(needles))
        if at is None:
            alone = [(self._once_on(page, needle), len(needle)) for needle in needles]
            return [[] if at is None else [(at, at + length)] for at, length in alone]
        ends = [at, *(at + length for length in itertools.accumulate(map(len, needles)))]
        return [[run] if run[0] < run[1] else [] for run in itertools.pairwise(ends)]

    def _once_on(self, page: int, needle: str) -> int | None:
        sheet = self._sheets[page - 1]
        end = sheet.start + len(sheet.at)
        at = self._text.find(needle, sheet.start, end) if needle else -1
        return None if at < 0 or self._text.find(needle, at + 1, end) >= 0 else at

    def boxes(self, ranges: Sequence[Range]) -> tuple[Box, ...]:
        """A box for each line of each range, in order."""
        return tuple(
            box
            for start, end in ranges
            for number in range(self._page_of(start), self._page_of(end - 1) + 1)
            for box in self._boxes_on(number, start, end)
        )

    def close(self) -> None:
        self._open = None
        self.document.close()

    def _opened(self, number: int) -> tuple[PdfTextPage, float, float]:
        """The text of a page and its size; the last one stays open, since reading goes on there."""
        if self._open is None or self._open[0] != number:
            page = self.document[number]
            self._open = (number, page.get_textpage(), *page.get_size())
        return self._open[1:]

    def _runs(self, needle: str, start: int) -> list[Range]:
        """The needle whole, or in pieces with a page's foot and head between them."""
        window = _NEAR if len(needle) < _SHORT else _WINDOW + len(needle)
        at = self._text.find(needle, start, start + window)
        if at >= 0:
            return [(at, at + len(needle))]
        head = needle[:_HEAD]
        at = self._text.find(head, start, start + window)
        if at < 0 or len(head) < _HEAD:
            return []
        length = self._agree(needle, at)
        rest = needle[length:]
        if len(rest) >= _SHORT:
            following = self._text.find(rest, at + length, at + length + _NEAR + len(rest))
            if following >= 0:
                return [(at, at + length), (following, following + len(rest))]
        return [(at, at + length)] if length >= _MIN_SHARE * len(needle) else []

    def _agree(self, needle: str, at: int) -> int:
        """How many letters from ``at`` on are those of the needle."""
        length = 0
        for ours, theirs in zip(needle, self._text[at : at + len(needle)], strict=False):
            if ours != theirs:
                break
            length += 1
        return length

    def _anywhere(self, needle: str) -> list[Range]:
        """Words long enough to stand in one place only, wherever that is."""
        if len(needle) < _TELLING:
            return []
        at = self._text.find(needle)
        if at < 0 or self._text.find(needle, at + 1) >= 0:
            return []
        return [(at, at + len(needle))]

    def _page_of(self, letter: int) -> int:
        return max(bisect.bisect_right(self._starts, letter) - 1, 0)

    def _boxes_on(self, number: int, start: int, end: int) -> Iterator[Box]:
        sheet = self._sheets[number]
        first, last = max(start - sheet.start, 0), min(end - sheet.start, len(sheet.at))
        if first >= last:
            return
        text_page, width, height = self._opened(number)
        index = sheet.at[first]
        count = text_page.count_rects(index, sheet.at[last - 1] - index + 1)
        rects = [text_page.get_rect(at) for at in range(count)]
        for left, bottom, right, top in _lines(rects):
            yield Box(
                number + 1, left / width, 1 - top / height, right / width, 1 - bottom / height
            )


def _letters(text_page: PdfTextPage) -> Iterator[tuple[int, str]]:
    """Letters and digits of a page, each with the number of its character."""
    import pypdfium2.raw as pdfium

    handle = text_page.raw
    for at in range(text_page.count_chars()):
        code = pdfium.FPDFText_GetUnicode(handle, at)
        for letter in _letter(code):
            yield at, letter


@functools.lru_cache(maxsize=1 << 14)
def _letter(code: int) -> str:
    return _normal(chr(code))


def _normal(words: str) -> str:
    return "".join(filter(str.isalnum, unicodedata.normalize("NFKC", words)))


def _lines(
    rects: Sequence[tuple[float, float, float, float]],
) -> list[tuple[float, float, float, float]]:
    """Neighbouring rectangles of one line of print as one."""
    lines: list[tuple[float, float, float, float]] = []
    for rect in rects:
        if lines and _is_same_line(lines[-1], rect):
            a = lines[-1]
            lines[-1] = (
                min(a[0], rect[0]), min(a[1], rect[1]), max(a[2], rect[2]), max(a[3], rect[3]),
            )  # fmt: skip
        else:
            lines.append(rect)
    return lines


def _is_same_line(
    a: tuple[float, float, float, float], b: tuple[float, float, float, float]
) -> bool:
    overlap = min(a[3], b[3]) - max(a[1], b[1])
    return overlap > _SAME_LINE * min(a[3] - a[1], b[3] - b[1])
