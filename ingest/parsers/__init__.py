"""Reads files: what they say, and where. Vendors are imported only when a file needs them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import Unreadable, ocr_is_off, unsupported
from ingest.parsers.encodings import LOST
from ingest.parsers.images import IMAGES
from ingest.parsers.instructing import speaks_to_model
from ingest.parsers.legacy import NEWER
from ingest.parsers.lengths import of_sane_length
from ingest.parsers.ocr import recognising
from ingest.parsers.sniff import check
from ingest.parsers.table_marks import told
from rag.ports import Progress, unheard
from rag.records import Element, Parsed

if TYPE_CHECKING:
    from ingest.office import Office

__all__ = ["SUPPORTED", "parse"]

SUPPORTED = frozenset(
    {
        *(".pdf", ".docx", ".docm", ".dotx", ".dotm", ".pptx", ".pptm", ".txt", ".md"),
        *(".html", ".htm", ".xhtml", ".eml", ".mht", ".mhtml", ".epub"),
        *(".xlsx", ".xlsm", ".xltx", ".xltm", ".xls", ".xlt", ".csv", ".tsv"),
        *IMAGES,
        *NEWER,
    }
)
"""Endings of what is read; those in `NEWER` only where LibreOffice is installed."""
_TEXTS = frozenset({".txt", ".md", ".html", ".htm", ".xhtml", ".eml", ".csv", ".tsv", ".xls"})


def parse(
    path: Path,
    *,
    progress: Progress = unheard,
    office: Office | None = None,
    ocr: bool = True,
) -> Parsed:
    """Read the file at ``path`` by its ending, after a look at its first bytes.

    Args:
        path: the file.
        progress: told of pages done, never fewer than before; the last time of all of them.
        office: LibreOffice, where it is installed and wanted.
        ocr: whether text recognition reads scans and pictures.

    Raises:
        Unreadable: the file is at fault.
    """
    suffix = path.suffix.lower()
    if suffix not in SUPPORTED:
        raise unsupported(suffix)
    read = _read if ocr else _without_ocr
    parsed = read(path, check(path), progress, office)
    progress(len(parsed.pages), len(parsed.pages))
    elements = tuple(of_sane_length(parsed.elements))
    more = ["injection"] if _speaks(elements) else []
    more += ["lost_characters"] if suffix in _TEXTS and _lost(elements) else []
    flags = dict.fromkeys((*parsed.flags, *more))
    tables = tuple(map(told, parsed.tables))
    return replace(parsed, elements=elements, flags=tuple(flags), tables=tables)


def _without_ocr(path: Path, suffix: str, progress: Progress, office: Office | None) -> Parsed:
    """What the file says by its own text; pages without any are named, and why."""
    try:
        with recognising(wanted=False):
            parsed = _read(path, suffix, progress, office)
    except Unreadable as error:
        raise Unreadable(ocr_is_off(error.failure)) from error
    return replace(parsed, failure=ocr_is_off(parsed.failure) if parsed.failure else None)


def _lost(elements: Iterable[Element]) -> bool:
    return any(LOST in each.text for each in elements)


def _speaks(elements: Iterable[Element]) -> bool:
    return any(speaks_to_model(each.text) for each in elements)


def _read(  # noqa: C901, PLR0911 (a kind, a return)
    path: Path, suffix: str, progress: Progress, office: Office | None
) -> Parsed:
    """By the parser of its kind; those that take long over a page tell of each one."""
    match suffix:
        case ".pdf":
            from ingest.parsers.pdf import parse_pdf

            return parse_pdf(path, progress=progress)
        case ".docx" | ".docm" | ".dotx" | ".dotm":
            from ingest.parsers.word import parse_docx

            return parse_docx(path, office, progress=progress)
        case ".pptx" | ".pptm":
            from ingest.parsers.slides import parse_pptx

            return parse_pptx(path, office, progress=progress)
        case ".xlsx" | ".xlsm" | ".xltx" | ".xltm" | ".xls" | ".xlt":
            from ingest.parsers.workbooks import parse_workbook

            return parse_workbook(path, progress=progress)
        case image if image in IMAGES:
            from ingest.parsers.images import parse_image

            return parse_image(path, progress=progress)
        case ".csv" | ".tsv":
            from ingest.parsers.separated import parse_separated

            return parse_separated(path, progress=progress)
        case ".html" | ".htm" | ".xhtml":
            from ingest.parsers.web import parse_html

            return parse_html(path)
        case ".eml" | ".mht" | ".mhtml":
            from ingest.parsers.mail import parse_mail

            return parse_mail(path)
        case ".epub":
            from ingest.parsers.epub import parse_epub

            return parse_epub(path)
        case _ if suffix in NEWER:
            from ingest.parsers.legacy import parse_legacy

            return parse_legacy(path, suffix, office, progress)
        case _:
            from ingest.parsers.text import parse_text

            return parse_text(path)
