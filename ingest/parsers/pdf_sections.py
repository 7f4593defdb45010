"""Which paragraphs of a PDF are headings, and under which ones a paragraph stands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.characters import clean
from ingest.parsers.furniture import is_page_number
from ingest.parsers.headings import SectionPath, is_list_level, numbered_level
from ingest.parsers.kinds import kind_of
from ingest.parsers.pdf_order import ASKEW

if TYPE_CHECKING:
    from collections.abc import Mapping

    from pypdfium2 import PdfDocument

    from ingest.parsers.paragraphs import Block
    from rag.records import ElementKind

_MAX_DEPTH = 6
_MAX_ENTRIES = 5000
_LARGER = 1.08
_LARGER_READ = 1.25
"""The box of a recognised line grows with the letters that happen to be in it."""
_MAX_TITLE_CHARS = 80
_MAX_TITLE_LINES = 3
# Numbers before a heading are printed, and often not in the outline.
_LEAD = re.compile(r"^(?:\d{1,3}|[A-Z](?=\.\d))(?:\.\d+)*\.?|^第\d+[章节]")


@dataclass(frozen=True, slots=True)
class Entry:
    """A line of the PDF's own table of contents; ``page`` counts from 1."""

    level: int
    title: str
    page: int


Outline = tuple[Entry, ...]


def read_outline(document: PdfDocument) -> Outline:
    """The bookmarks that lead to a page, in order."""
    entries: list[Entry] = []
    for bookmark in document.get_toc(max_depth=_MAX_DEPTH):
        target = bookmark.get_dest()
        index = target.get_index() if target else None
        title = " ".join(clean(bookmark.get_title() or "").split())
        if index is not None and title:
            entries.append(Entry(bookmark.level + 1, title, index + 1))
        if len(entries) == _MAX_ENTRIES:
            break
    return tuple(entries)


def without_misread(outline: Outline, misread: Mapping[int, tuple[str, str]]) -> Outline:
    """The outline less what was made of words behind a scan, which its picture does not show.

    Args:
        outline: of the whole file.
        misread: those words, and those that the picture shows, by page.
    """
    return tuple(
        each for each in outline if not _is_misread(each.title, *misread.get(each.page, ("", "")))
    )


def _is_misread(title: str, behind: str, shown: str) -> bool:
    bare = _bare(title)
    return bare in _bare(behind) and bare not in _bare(shown)


class Sections:
    """Walks a PDF in reading order and keeps the path of headings.

    The outline is used where the file has one. Elsewhere a heading is what unstructured calls a
    title and what also looks like one (larger or bolder than the text, or numbered 第一章):
    either alone is wrong too often. The letters of a recognised line are as large as its picture
    happens to show them, so they are compared on their own page, and such a heading ends with it.
    """

    def __init__(self, outline: Outline, blocks: list[Block]) -> None:
        self._outline = list(outline)
        self._has_outline = bool(outline)
        self._path = SectionPath()
        self._lasting = SectionPath()
        """Without the headings that end with their page."""
        self._due: list[Entry] = []
        self._printed = _Sizes([block for block in blocks if not block.recognised], _LARGER)
        self._read = _Sizes([], _LARGER_READ)
        self._is_read = False
        """Whether most of the page is recognised: else it is pictures beside the text."""
        told = [block for block in blocks if not block.is_row and not block.recognised]
        self._mostly_bold = sum(block.bold for block in told) * 2 > len(told)

    @property
    def titles(self) -> tuple[str, ...]:
        return self._path.titles

    def turn_to(self, page: int, blocks: list[Block]) -> None:
        """Begin a page; entries of the outline that it doesn't print hold from its top."""
        for entry in self._due:
            self._enter(entry)
        self._due = []
        self._path = self._lasting.copy()
        lines = [block for block in blocks if not block.is_row]
        recognised = [block for block in lines if block.recognised]
        self._read = _Sizes(recognised, _LARGER_READ)
        self._is_read = 2 * sum(len(b.text) for b in recognised) > sum(len(b.text) for b in lines)
        while self._outline and self._outline[0].page < page:
            self._enter(self._outline.pop(0))
        here = [entry for entry in self._outline if entry.page == page]
        self._outline = self._outline[len(here) :]
        printed = {_bare(block.text) for block in blocks}
        for entry in here:
            if _bare(entry.title) in printed:
                self._due.append(entry)
            else:
                self._enter(entry)

    def place(self, block: Block) -> tuple[ElementKind, int]:
        """The block's kind, and its level where it is a heading."""
        if block.is_row:
            return "table", 0
        text = block.text
        if self._has_outline:
            return self._by_outline(text)
        level = self._level(block, text)
        if level:
            self._path.enter(level, text)
            if not block.recognised or numbered_level(text):
                self._lasting.enter(level, text)
            return "title", level
        kind = kind_of(text)
        return ("text" if kind == "title" else kind), 0

    def _by_outline(self, text: str) -> tuple[ElementKind, int]:
        bare = _bare(text)
        for at, entry in enumerate(self._due):
            if _bare(entry.title) == bare:
                for passed in self._due[: at + 1]:
                    self._enter(passed)
                self._due = self._due[at + 1 :]
                return "title", entry.level
        kind = kind_of(text)
        return ("text" if kind == "title" else kind), 0

    def _level(self, block: Block, text: str) -> int:
        if not _can_head(block, text):
            return 0
        numbered = numbered_level(text)
        if numbered and not is_list_level(numbered):
            return numbered + 1
        sizes = self._read if block.recognised else self._printed
        larger = sizes.rank(block) > 0
        stands_out = larger or (block.bold and not self._mostly_bold)
        is_pictured = block.recognised and not self._is_read
        if is_pictured or not stands_out or kind_of(text) != "title":
            return 0
        if numbered:
            return numbered + 1
        return sizes.rank(block) if larger else sizes.ranks + 1

    def _enter(self, entry: Entry) -> None:
        for path in (self._path, self._lasting):
            path.enter(entry.level, entry.title)


class _Sizes:
    """The sizes of letters that stand out of those most of the blocks are in."""

    def __init__(self, blocks: list[Block], larger: float) -> None:
        blocks = [block for block in blocks if not block.is_row]
        self._least = _usual_size(blocks) * larger
        sizes = {round(block.size) for block in blocks if block.size > self._least}
        self._sizes = sorted(sizes, reverse=True)

    @property
    def ranks(self) -> int:
        return len(self._sizes)

    def rank(self, block: Block) -> int:
        """1 for the largest; 0 for what does not stand out."""
        return self._sizes.index(round(block.size)) + 1 if block.size > self._least else 0


def _can_head(block: Block, text: str) -> bool:
    if len(text) > _MAX_TITLE_CHARS or len(block.lines) > _MAX_TITLE_LINES:
        return False
    is_askew = any(line.height > ASKEW * line.size for line in block.lines)  # a watermark
    return not (is_askew or "…" in text or is_page_number(text))  # a line of contents, a footer


def _bare(title: str) -> str:
    """A heading without numbers, blanks and case, to compare print with outline."""
    tight = "".join(title.split())
    return (_LEAD.sub("", tight) or tight).casefold()


def _usual_size(blocks: list[Block]) -> float:
    """The font size of most letters of the document."""
    sizes = sorted((block.size, len(block.text)) for block in blocks)
    half = sum(chars for _, chars in sizes) / 2
    so_far = 0
    for size, chars in sizes:
        so_far += chars
        if so_far >= half:
            return size
    return 0.0
