"""PDF: characters and boxes from pdfium, kinds of paragraphs from unstructured, scans by OCR."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt, encrypted
from ingest.parsers.characters import likeness, quality
from ingest.parsers.geometry import fractions
from ingest.parsers.ocr import MAX_SIDE_PX, Picture, Reading, read_picture
from ingest.parsers.pdf_drawn import Drawn, look
from ingest.parsers.pdf_page import Text, carry_on, read_text
from ingest.parsers.pdf_pictures import Pictures, with_pictures
from ingest.parsers.pdf_sections import read_outline
from ingest.parsers.pdf_text import show
from ingest.parsers.sheets import Sheet, to_parsed
from ingest.parsers.tables import PageTable
from rag.ports import Progress, unheard
from rag.records import Parsed, Reason

if TYPE_CHECKING:
    from pypdfium2 import PdfDocument, PdfPage

log = logging.getLogger(__name__)

MIN_QUALITY = 0.8
"""Below this share of readable characters a page's font is taken to be unreadable."""
_MIN_LIKENESS = 0.95
"""Words behind a scan that look less like words are read anew from its picture."""
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
    pictures = Pictures()
    with _opened(path) as document:
        sheets = list(_sheets(document, pictures, progress))
        outline = read_outline(document)
    parsed = to_parsed(sheets, outline)
    return replace(parsed, flags=(*parsed.flags, "truncated")) if pictures.missed else parsed


def read_page(document: PdfDocument, at: int) -> Sheet:
    """Page ``at``, from 0, of an open document by itself."""
    return _read(document, at, None, Pictures())[0]


def _sheets(document: PdfDocument, pictures: Pictures, progress: Progress) -> Iterator[Sheet]:
    cut: PageTable | None = None
    for at in range(len(document)):
        sheet, cut = _read(document, at, cut, pictures)
        yield sheet
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
        document.init_forms()
        yield document
    finally:
        document.close()


def _read(
    document: PdfDocument, at: int, before: PageTable | None, pictures: Pictures
) -> tuple[Sheet, PageTable | None]:
    """A page, and the table that its bottom cuts; ``before`` is that of the page before."""
    import pypdfium2

    label = document.get_page_label(at) or ""
    try:
        page = document[at]
    except pypdfium2.PdfiumError:
        log.warning("page_unreadable page=%d", at + 1)
        return Sheet(at + 1, "unreadable", label, reason=Reason.CORRUPT), None
    try:
        drawn = look(page)
        text, cut = carry_on(read_text(page, drawn), before)
        written = _written(text, at + 1, label)
        if not _needs_ocr(written, drawn, text.is_layer):
            if written.lines and not text.is_layer and pictures.take(drawn):
                shown = show(page).then(fractions(drawn.width, drawn.height))
                written = with_pictures(written, _picture(page), drawn.pictures, shown)
            return written, cut
        seen = better(written, read_picture(_picture(page)))
        is_misread = text.is_layer and seen.status == "ocr"
        return replace(seen, rejected=written.text if is_misread else ""), None
    finally:
        page.close()


def _written(text: Text, number: int, label: str) -> Sheet:
    """The page by its own text."""
    lines = tuple(
        line
        for part in text.parts
        for line in (part.rows() if isinstance(part, PageTable) else (part,))
    )
    return Sheet(
        number,
        "text" if lines else "empty",
        label,
        lines,
        tables=tuple(part for part in text.parts if isinstance(part, PageTable)),
        height=text.height,
        shown=text.shown,
        hidden=text.hidden,
    )


def _needs_ocr(written: Sheet, drawn: Drawn, is_layer: bool) -> bool:
    text = written.text
    if not text:
        return drawn.may_hold_text
    if is_layer and likeness(text) < _MIN_LIKENESS:
        return True
    return quality(text) < MIN_QUALITY or (drawn.is_scan and len(text) < _FEW_CHARS)


def better(written: Sheet, reading: Reading) -> Sheet:
    """The reading of a page that says more, or reads better; neither where both are poor."""
    text, is_garbled = written.text, quality(written.text) < MIN_QUALITY
    seen = replace(
        written,
        status="ocr",
        lines=reading.lines,
        tables=reading.tables,
        height=reading.height,
        shown=reading.shown,
        is_unsure=not reading.is_sure,
    )
    says_more = is_garbled or len(seen.text) > _MUCH_MORE * len(text)
    reads_better = 2 * len(seen.text) > len(text) and likeness(seen.text) > likeness(text)
    if seen.lines and reading.is_legible and (says_more or reads_better):
        return seen
    if is_garbled:
        return replace(
            written, status="unreadable", lines=(), tables=(), reason=Reason.UNREADABLE_FONT
        )
    if not text and not reading.is_legible:
        return replace(written, status="unreadable", reason=Reason.NO_TEXT)
    return written


def _picture(page: PdfPage) -> Picture:
    """The page as a person sees it; giant pages smaller, so that memory stays bounded."""
    longest = max(*page.get_size(), 1)
    scale = min(_DPI / _POINTS_PER_INCH, MAX_SIDE_PX / longest)
    picture: Picture = page.render(scale=scale, rev_byteorder=False).to_numpy()
    return picture[:, :, :3] if picture.ndim == 3 else picture  # noqa: PLR2004
