"""PDF: characters and boxes from pdfium, kinds of paragraphs from unstructured, scans by OCR."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt, encrypted
from ingest.parsers.characters import quality
from ingest.parsers.geometry import fractions
from ingest.parsers.ocr import MAX_SIDE_PX, Picture, Reading, read_picture
from ingest.parsers.pdf_drawn import Drawn, look
from ingest.parsers.pdf_sections import read_outline
from ingest.parsers.pdf_text import is_tiny, read_lines, show, text_turn, upright
from ingest.parsers.sheets import Sheet, to_parsed
from rag.ports import Progress, unheard
from rag.records import Parsed, Reason

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

log = logging.getLogger(__name__)

MIN_QUALITY = 0.8
"""Below this share of readable characters a page's font is taken to be unreadable."""
_FEW_CHARS = 250
"""A scan with less text on it, a stamp or a page number, has more to say in its picture."""
_MUCH_MORE = 1.5
_DPI = 200
_POINTS_PER_INCH = 72


def parse_pdf(path: Path, *, progress: Progress = unheard) -> Parsed:
    """Read a PDF page by page; ``progress`` is told after each.

    Raises:
        Unreadable: it needs a password, is damaged, or holds no text at all.
    """
    with _opened(path) as document:
        sheets = list(_sheets(document, progress))
        outline = read_outline(document)
    return to_parsed(sheets, outline)


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
        return Sheet(at + 1, "unreadable", label, reason=Reason.CORRUPT)
    try:
        return _read_page(page, at + 1, label)
    finally:
        page.close()


def _read_page(page: PdfPage, number: int, label: str) -> Sheet:
    written = _written(page, number, label)
    if not _needs_ocr(written, look(page)):
        return written
    return better(written, read_picture(_picture(page)))


def _needs_ocr(written: Sheet, drawn: Drawn) -> bool:
    text = written.text
    if not text:
        return drawn.may_hold_text
    return quality(text) < MIN_QUALITY or (drawn.is_scan and len(text) < _FEW_CHARS)


def _written(page: PdfPage, number: int, label: str) -> Sheet:
    """The page by its own text."""
    width, height = page.get_size()
    width, height = width or 1, height or 1
    text_page = page.get_textpage()
    try:
        frame = show(page)
        turn = text_turn(text_page, frame)
        frame, back = upright(frame, turn, width, height)
        read = [line for _, line in read_lines(text_page, frame, lambda _char: None)]
    finally:
        text_page.close()
    lines = tuple(line for line in read if not is_tiny(line))
    return Sheet(
        number,
        "text" if lines else "empty",
        label,
        lines,
        height=width if turn % 180 else height,
        shown=back.then(fractions(width, height)),
        has_hidden=len(lines) < len(read),
    )


def better(written: Sheet, reading: Reading) -> Sheet:
    """The one of two readings of a page that says more; neither where both are poor."""
    text = written.text
    is_garbled = quality(text) < MIN_QUALITY
    seen = replace(
        written, status="ocr", lines=reading.lines, height=reading.height, shown=reading.shown
    )
    if (
        seen.lines
        and reading.is_legible
        and (is_garbled or len(seen.text) > _MUCH_MORE * len(text))
    ):
        return seen
    if is_garbled:
        return replace(written, status="unreadable", lines=(), reason=Reason.UNREADABLE_FONT)
    if not text and not reading.is_legible:
        return replace(written, status="unreadable", reason=Reason.NO_TEXT)
    return written


def _picture(page: PdfPage) -> Picture:
    """The page as a person sees it; giant pages smaller, so that memory stays bounded."""
    longest = max(*page.get_size(), 1)
    scale = min(_DPI / _POINTS_PER_INCH, MAX_SIDE_PX / longest)
    picture: Picture = page.render(scale=scale, rev_byteorder=False).to_numpy()
    return picture[:, :, :3] if picture.ndim == 3 else picture  # noqa: PLR2004
