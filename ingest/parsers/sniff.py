"""A look at a file before a library gets it: is it what its name says, and of sane size?"""

from __future__ import annotations

import zipfile
from pathlib import Path

from ingest.failures import corrupt, encrypted, too_large, unsupported

OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
ZIP = b"PK\x03\x04"
_OOXML = {
    ".docx": "word/",
    ".docm": "word/",
    ".dotx": "word/",
    ".dotm": "word/",
    ".pptx": "ppt/",
    ".pptm": "ppt/",
}
_NEWER = {".doc": ".docx", ".dot": ".docx", ".ppt": ".pptx", ".pps": ".pptx"}
# "EncryptedPackage" in UTF-16, as an OLE folder spells it.
ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PDF_HEADER_WITHIN = 1024
_HEAD_BYTES = 1 << 16
MAX_UNPACKED_BYTES = 1 << 30
"""A document that unpacks to more is a bomb, or nothing a laptop can read."""
MAX_PARTS = 20_000
"""Pictures, sheets, slides: each is a part."""


def check(path: Path) -> str:
    """The ending of the kind a file is of: an old one of Word is often renamed, and a new one too.

    Raises:
        Unreadable: empty, encrypted, truncated, of another kind than its ending says, or a bomb.
    """
    if path.stat().st_size == 0:
        raise corrupt("The file is empty (0 bytes).")
    suffix = path.suffix.lower()
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if suffix in _OOXML:
        return _check_office(path, head, suffix)
    if suffix in _NEWER and head.startswith(ZIP):
        check_ooxml(path, head, _OOXML[_NEWER[suffix]])
        return _NEWER[suffix]
    if suffix == ".pdf" and b"%PDF-" not in head[:_PDF_HEADER_WITHIN]:
        raise corrupt("The file is not a PDF, whatever its name says.")
    return suffix


def check_ooxml(path: Path, head: bytes, folder: str) -> None:
    """Raise where a package of Office 2007 and later is damaged, a bomb, or lacks ``folder``.

    Raises:
        Unreadable: see above.
    """
    if not head.startswith(ZIP):
        raise corrupt()
    names = {name.lstrip("/").lower() for name in package_names(path)}
    if "xl/workbook.bin" in names:
        raise unsupported(".xlsb")
    if not any(name.startswith(folder) for name in names):
        raise corrupt(
            f"The file is not a real {path.suffix.lower()} document, whatever its name says."
        )


def package_names(path: Path) -> list[str]:
    """Names of the parts of a document that is a zip inside, if it is of sane size.

    A part that is larger than it says ends where it says so; zipfile sees to that.

    Raises:
        Unreadable: damaged, or a bomb.
    """
    try:
        with zipfile.ZipFile(path) as package:
            entries = package.infolist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        raise corrupt() from error
    if len(entries) > MAX_PARTS:
        raise too_large(f"The file is made of more than {MAX_PARTS} parts.")
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
        raise too_large("The file unpacks to more than 1 GB.")
    return [entry.filename for entry in entries]


def _check_office(path: Path, head: bytes, suffix: str) -> str:
    folder = _OOXML[suffix]
    if head.startswith(OLE):
        # The OLE directory may lie anywhere in the file.
        if ENCRYPTED_PACKAGE in head or ENCRYPTED_PACKAGE in path.read_bytes():
            raise encrypted()
        return {"word/": ".doc", "ppt/": ".ppt"}[folder]
    check_ooxml(path, head, folder)
    return suffix
