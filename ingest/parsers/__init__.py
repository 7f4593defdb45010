"""Reads files: what they say, and where. Vendors are imported only when a file needs them."""

from __future__ import annotations

from pathlib import Path

from ingest.failures import unsupported
from ingest.parsers.sniff import check
from rag.records import Parsed

__all__ = ["SUPPORTED", "parse"]

SUPPORTED = frozenset({".pdf", ".docx", ".xlsx", ".xlsm", ".txt", ".md", ".csv"})


def parse(path: Path) -> Parsed:
    """Read the file at ``path`` by its ending, after a look at its first bytes.

    Raises:
        Unreadable: the file is at fault.
    """
    suffix = path.suffix.lower()
    if suffix not in SUPPORTED:
        raise unsupported(suffix)
    check(path)
    match suffix:
        case ".pdf":
            from ingest.parsers.pdf import parse_pdf

            return parse_pdf(path)
        case ".docx":
            from ingest.parsers.word import parse_docx

            return parse_docx(path)
        case ".xlsx" | ".xlsm":
            from ingest.parsers.excel import parse_xlsx

            return parse_xlsx(path)
        case ".csv":
            from ingest.parsers.text import parse_csv

            return parse_csv(path)
        case _:
            from ingest.parsers.text import parse_text

            return parse_text(path)
