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
    from pypdfium2 import PdfDocument

    from ingest.parsers.paragraphs import Block
    from rag.records import ElementKind

_MAX_DEPTH = 6
_MAX_ENTRIES = 5000
_LARGER = 1.08
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


class Sections:
    """Walks a PDF in reading order and keeps the path of headings.

    The outline is used where the file has one. Elsewhere a heading is what unstructured calls a
    title and what also looks like one (larger or bolder than the text, or numbered 第一章):
    either alone is wrong too often.
    """

    def __init__(self, outline: Outline, blocks: list[Block]) -> None:
        self._outline = list(outline)
        self._has_outline = bool(outline)
        self._path = SectionPath()
        self._due: list[Entry] = []
        blocks = [block for block in blocks if not block.is_row]
        self._usual = _usual_size(blocks)
        self._mostly_bold = sum(block.bold for block in blocks) * 2 > len(blocks)
        sizes = {round(b.size, 0) for b in blocks if b.size > self._usual * _LARGER}
        self._sizes = sorted(sizes, reverse=True)

    @property
    def titles(self) -> tuple[str, ...]:
        return self._path.titles

    def turn_to(self, page: int, texts: list[str]) -> None:
        """Begin a page; entries of the outline that it doesn't print hold from its top."""
        for entry in self._due:
            self._path.enter(entry.level, entry.title)
        self._due = []
        while self._outline and self._outline[0].page < page:
            self._enter(self._outline.pop(0))
        here = [entry for entry in self._outline if entry.page == page]
        self._outline = self._outline[len(here) :]
        printed = {_bare(text) for text in texts}
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
        if len(text) > _MAX_TITLE_CHARS or len(block.lines) > _MAX_TITLE_LINES:
            return 0
        is_askew = any(line.height > ASKEW * line.size for line in block.lines)  # a watermark
        if is_askew or "…" in text or is_page_number(text):  # a line of contents, a footer
            return 0
        numbered = numbered_level(text)
        if numbered and not is_list_level(numbered):
            return numbered + 1
        larger = block.size > self._usual * _LARGER
        stands_out = larger or (block.bold and not self._mostly_bold)
        if not stands_out or kind_of(text) != "title":
            return 0
        if numbered:
            return numbered + 1
        return self._sizes.index(round(block.size, 0)) + 1 if larger else len(self._sizes) + 1

    def _enter(self, entry: Entry) -> None:
        self._path.enter(entry.level, entry.title)


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
