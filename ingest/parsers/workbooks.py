"""A spreadsheet by what it holds: business systems call web pages and text files .xls."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from pathlib import Path

from ingest.failures import corrupt, encrypted, unsupported
from ingest.parsers.encodings import decode
from ingest.parsers.excel import parse_sheets
from ingest.parsers.grid import Budget, Sheet
from ingest.parsers.sniff import ENCRYPTED_PACKAGE, OLE, ZIP, check_ooxml
from rag.ports import Progress, unheard
from rag.records import Parsed

_OLD_MARKS = (b"\x09\x00\x04\x00", b"\x09\x02\x06\x00", b"\x09\x04\x06\x00", b"\x09\x08")
"""How workbooks from before Excel 97 begin: they are no OLE folders yet."""
_OLD_STREAM = "Workbook".encode("utf-16-le")
_HEAD_BYTES = 1 << 16
_XML_2003 = "urn:schemas-microsoft-com:office:spreadsheet"


def parse_workbook(path: Path, *, progress: Progress = unheard) -> Parsed:
    """Read a spreadsheet, values as displayed.

    Raises:
        Unreadable: it is damaged, protected by a password, of another kind, or holds nothing.
    """
    budget = Budget()
    return parse_sheets(_sheets(path, budget, progress), budget)


def is_workbook(path: Path) -> bool:
    """Whether a file is a workbook as Excel writes them: WPS calls its own .et."""
    with path.open("rb") as file:
        head = file.read(len(OLE))
    if head.startswith(OLE):
        return _OLD_STREAM in path.read_bytes()
    if not head.startswith(ZIP) or not zipfile.is_zipfile(path):
        return False
    with zipfile.ZipFile(path) as package:
        return "xl/workbook.xml" in package.namelist()


def _sheets(path: Path, budget: Budget, progress: Progress) -> Iterator[Sheet]:
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if head.startswith(ZIP):
        from ingest.parsers import excel_xlsx

        check_ooxml(path, head, "xl/")
        return excel_xlsx.sheets(path, budget, progress)
    if head.startswith((OLE, *_OLD_MARKS)):
        from ingest.parsers import excel_xls

        # The OLE directory may lie anywhere in the file.
        if head.startswith(OLE) and ENCRYPTED_PACKAGE in path.read_bytes():
            raise encrypted()
        return excel_xls.sheets(path, budget, progress)
    return _text_sheets(path, budget, progress)


def _text_sheets(path: Path, budget: Budget, progress: Progress) -> Iterator[Sheet]:
    from ingest.parsers.excel_foreign import page_sheet, xml_sheets
    from ingest.parsers.separated import sheet_of

    data = path.read_bytes()
    text = decode(data)
    start = text[:_HEAD_BYTES].lower()
    if _XML_2003 in start:
        yield from xml_sheets(data, budget)
    elif start.startswith("mime-version"):
        raise unsupported(".mht")
    elif "<table" in start or "<html" in start:
        yield page_sheet(text, path.stem, budget)
    else:
        sheet = sheet_of(text, path.stem, budget, progress)
        if all(len(row.cells) < 2 for row in sheet.rows):  # noqa: PLR2004 (just text)
            raise corrupt(f"The file is no {path.suffix.lower()} workbook, whatever its name says.")
        yield sheet
