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
    ".xlsx": "xl/",
    ".xlsm": "xl/",
}
# "EncryptedPackage" in UTF-16, as an OLE folder spells it.
_ENCRYPTED_PACKAGE = "EncryptedPackage".encode("utf-16-le")
_PDF_HEADER_WITHIN = 1024
_HEAD_BYTES = 1 << 16
MAX_UNPACKED_BYTES = 1 << 30
"""A document that unpacks to more is a bomb, or nothing a laptop can read."""


def check(path: Path) -> None:
    """Raise where the first bytes already tell that the file can't be read.

    Raises:
        Unreadable: empty, encrypted, truncated, of another kind than its ending says, or a bomb.
    """
    if path.stat().st_size == 0:
        raise corrupt("The file is empty (0 bytes).")
    suffix = path.suffix.lower()
    with path.open("rb") as file:
        head = file.read(_HEAD_BYTES)
    if suffix in _OOXML:
        _check_ooxml(path, head)
    elif suffix == ".pdf" and b"%PDF-" not in head[:_PDF_HEADER_WITHIN]:
        raise corrupt("The file is not a PDF, whatever its name says.")


def _check_ooxml(path: Path, head: bytes) -> None:
    suffix = path.suffix.lower()
    if head.startswith(OLE):
        # The OLE directory may lie anywhere in the file.
        if _ENCRYPTED_PACKAGE in head or _ENCRYPTED_PACKAGE in path.read_bytes():
            raise encrypted()
        raise unsupported({"word/": ".doc", "ppt/": ".ppt"}.get(_OOXML[suffix], ".xls"))
    if not head.startswith(ZIP):
        raise corrupt()
    try:
        with zipfile.ZipFile(path) as package:
            entries = package.infolist()
    except (zipfile.BadZipFile, OSError, NotImplementedError, ValueError) as error:
        raise corrupt() from error
    if not any(entry.filename.lstrip("/").lower().startswith(_OOXML[suffix]) for entry in entries):
        raise corrupt(f"The file is not a real {suffix} document, whatever its name says.")
    if sum(entry.file_size for entry in entries) > MAX_UNPACKED_BYTES:
        raise too_large("The file unpacks to more than 1 GB.")
