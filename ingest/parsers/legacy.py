"""Old Office files and OpenDocument: LibreOffice makes new ones of them, which are read as such."""

from __future__ import annotations

import zipfile
from pathlib import Path
from typing import TYPE_CHECKING

from ingest import failures
from ingest.office import OfficeFailed
from ingest.parsers.sniff import OLE, ZIP
from ingest.parsers.workbooks import is_workbook, parse_workbook
from rag.ports import Progress

if TYPE_CHECKING:
    from ingest.office import Office
    from rag.records import Parsed

_HEAD_BYTES = 512
NEWER = {
    **dict.fromkeys((".doc", ".dot", ".odt", ".ott", ".rtf", ".wps", ".wpt"), ".docx"),
    **dict.fromkeys((".ppt", ".pps", ".pot", ".odp", ".otp", ".dps", ".ppsx", ".potx"), ".pptx"),
    **dict.fromkeys((".ods", ".ots", ".et", ".ett"), ".xlsx"),
}
"""Which kind each is made, by ending."""


def parse_legacy(path: Path, suffix: str, office: Office | None, progress: Progress) -> Parsed:
    """Read a file of a kind in `NEWER`; ``suffix`` is that of the kind, whatever its name says.

    Raises:
        Unreadable: it is damaged, encrypted, or LibreOffice is not there.
    """
    check_password(path)
    if _is_markup(path):
        from ingest.parsers.web import parse_html

        return parse_html(path)
    if NEWER[suffix] == ".xlsx" and is_workbook(path):
        return parse_workbook(path, progress=progress)
    if office is None:
        raise failures.needs_office(suffix)
    try:
        with office.converted(path, NEWER[suffix]) as made:
            return _read(made, path, office, progress)
    except OfficeFailed as error:
        raise (failures.timeout(office.timeout_s) if error.timed_out else _damaged()) from error


def check_password(path: Path) -> None:
    """Raise where a password is needed: LibreOffice would only say that it failed.

    Raises:
        Unreadable: one is.
    """
    with path.open("rb") as file:
        head = file.read(len(OLE))
    if head.startswith(OLE) and _is_encrypted_ole(path):
        raise failures.encrypted()
    if head.startswith(ZIP) and _is_encrypted_odf(path):
        raise failures.encrypted()


def _read(made: Path, original: Path, office: Office, progress: Progress) -> Parsed:
    match made.suffix:
        case ".docx":
            from ingest.parsers.word import parse_docx

            return parse_docx(made, office, original=original, progress=progress)
        case ".pptx":
            from ingest.parsers.slides import parse_pptx

            return parse_pptx(made, office, original=original, progress=progress)
        case _:
            return parse_workbook(made)


def _is_markup(path: Path) -> bool:
    """Many programs export web pages under the name of a Word file."""
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES).lstrip(b"\xef\xbb\xbf \t\r\n").lower()
    return head.startswith((b"<html", b"<!doctype html"))


def _is_encrypted_ole(path: Path) -> bool:
    import msoffcrypto
    from msoffcrypto.exceptions import FileFormatError

    with path.open("rb") as file:
        try:
            return bool(msoffcrypto.OfficeFile(file).is_encrypted())
        except (FileFormatError, OSError, ValueError, KeyError, IndexError, AttributeError):
            return False  # too old or too broken for it; LibreOffice shall try


def _is_encrypted_odf(path: Path) -> bool:
    try:
        with zipfile.ZipFile(path) as package:
            return b"encryption-data" in package.read("META-INF/manifest.xml")
    except (zipfile.BadZipFile, KeyError, OSError, NotImplementedError, RuntimeError, EOFError):
        return False


def _damaged() -> failures.Unreadable:
    return failures.corrupt("LibreOffice can't open the file; it is damaged or of another kind.")
