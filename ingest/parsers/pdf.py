"""PDF: characters and boxes from pdfium, kinds of paragraphs from unstructured."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import UNREADABLE_FONT, Unreadable, corrupt, encrypted, no_text, pages_failure
from ingest.parsers.characters import quality
from ingest.parsers.furniture import without_furniture
from ingest.parsers.hyphens import with_hyphens, words
from ingest.parsers.pdf_sections import Outline, Sections, read_outline
from ingest.parsers.pdf_text import Block, Line, is_hidden, read_lines, to_blocks
from rag.ports import Progress, unheard
from rag.records import Box, Element, Failure, Locator, Page, PageStatus, Parsed, Reason

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

log = logging.getLogger(__name__)

MIN_QUALITY = 0.8
"""Below this share of readable characters a page's font is taken to be unreadable."""
_PICTURE_SHARE = 0.02
"""An image over a fiftieth of the page may hold text; smaller ones are logos and rules."""
_DRAWN_PATHS = 40
"""Letters drawn as curves need many paths; a frame or a rule needs few."""


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was read off one page."""

    number: int
    label: str
    width: float
    height: float
    lines: tuple[Line, ...]
    status: PageStatus
    reason: Reason | None = None
    has_hidden: bool = False


def parse_pdf(path: Path, *, progress: Progress = unheard) -> Parsed:
    """Read a PDF page by page; ``progress`` is told after each.

    Raises:
        Unreadable: it needs a password, is damaged, or holds no text at all.
    """
    with _opened(path) as document:
        sheets = without_furniture(list(_sheets(document, progress)))
        outline = read_outline(document)
    if not any(sheet.lines for sheet in sheets):
        raise _nothing_read(sheets)
    return Parsed(
        elements=tuple(_elements(sheets, outline)),
        pages=tuple(_page(sheet) for sheet in sheets),
        flags=("hidden_text",) if any(sheet.has_hidden for sheet in sheets) else (),
        failure=_failure(sheets),
    )


def _sheets(document: PdfDocument, progress: Progress) -> Iterator[Sheet]:
    for at in range(len(document)):
        yield _read(document, at)
        progress(at + 1, len(document))


@contextmanager
def _opened(path: Path) -> Iterator[PdfDocument]:
    import pypdfium2
    import pypdfium2.raw as pdfium

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        needs_password = getattr(error, "err_code", None) == pdfium.FPDF_ERR_PASSWORD
        raise encrypted() if needs_password else corrupt() from error
    try:
        if len(document) == 0:
            raise corrupt("The file has no pages.")
        yield document
    finally:
        document.close()


def _read(document: PdfDocument, at: int) -> Sheet:
    import pypdfium2

    label = document.get_page_label(at) or ""
    try:
        page = document[at]
    except pypdfium2.PdfiumError:
        log.warning("page_unreadable page=%d", at + 1)
        return Sheet(at + 1, label, 1, 1, (), "unreadable", Reason.CORRUPT)
    try:
        width, height = page.get_size()
        read = read_lines(page)
        lines = tuple(line for line in read if not is_hidden(line))
        status, reason = _judge(page, lines)
        shown = lines if status == "text" else ()
        hidden = len(lines) < len(read)
        return Sheet(at + 1, label, width or 1, height or 1, shown, status, reason, hidden)
    finally:
        page.close()


def _judge(page: PdfPage, lines: tuple[Line, ...]) -> tuple[PageStatus, Reason | None]:
    if not lines:
        return ("unreadable", Reason.NO_TEXT) if _has_pictures(page) else ("empty", None)
    if quality("".join(line.text for line in lines)) < MIN_QUALITY:
        return "unreadable", Reason.UNREADABLE_FONT
    return "text", None


def _has_pictures(page: PdfPage) -> bool:
    """Whether something on the page could be text that was scanned or drawn."""
    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    paths = 0
    for drawn in page.get_objects(max_depth=4):
        if drawn.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = drawn.get_bounds()
            if (right - left) * (top - bottom) > _PICTURE_SHARE * width * height:
                return True
        paths += drawn.type == pdfium.FPDF_PAGEOBJ_PATH
    return paths > _DRAWN_PATHS


def _elements(sheets: list[Sheet], outline: Outline) -> Iterator[Element]:
    known = words(line for sheet in sheets for line in sheet.lines)
    pages = [(sheet, to_blocks(list(with_hyphens(sheet.lines, known)))) for sheet in sheets]
    sections = Sections(outline, [block for _, blocks in pages for block in blocks])
    for sheet, blocks in pages:
        sections.turn_to(sheet.number, [block.text for block in blocks])
        for block in blocks:
            yield _element(sheet, block, sections)


def _element(sheet: Sheet, block: Block, sections: Sections) -> Element:
    kind, level = sections.place(block)
    return Element(
        kind=kind,
        text=block.text,
        level=level,
        locator=Locator(
            page=sheet.number,
            page_label=sheet.label or None,
            page_source="file",
            section=sections.titles,
            boxes=tuple(_box(sheet, line) for line in block.lines),
        ),
    )


def _box(sheet: Sheet, line: Line) -> Box:
    def share(value: float, whole: float) -> float:
        return round(min(max(value / whole, 0.0), 1.0), 4)

    return Box(
        page=sheet.number,
        x0=share(line.x0, sheet.width),
        y0=share(line.y0, sheet.height),
        x1=share(line.x1, sheet.width),
        y1=share(line.y1, sheet.height),
    )


def _page(sheet: Sheet) -> Page:
    chars = sum(len(line.text) for line in sheet.lines)
    return Page(sheet.number, sheet.label or str(sheet.number), sheet.status, chars)


def _nothing_read(sheets: list[Sheet]) -> Unreadable:
    reasons = {sheet.reason for sheet in sheets}
    if Reason.UNREADABLE_FONT in reasons:
        return Unreadable(UNREADABLE_FONT)
    return corrupt() if Reason.CORRUPT in reasons else no_text()


def _failure(sheets: list[Sheet]) -> Failure | None:
    """Why some pages were not read; the reason most of them share."""
    unread = [sheet for sheet in sheets if sheet.status == "unreadable"]
    if not unread:
        return None
    reasons = [sheet.reason or Reason.NO_TEXT for sheet in unread]
    return pages_failure(max(reasons, key=reasons.count), [sheet.number for sheet in unread])
