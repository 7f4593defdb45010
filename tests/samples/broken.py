"""Sample files that can't be read, or not wholly: each must be told apart from the others."""

from __future__ import annotations

import io
from pathlib import Path

_OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"


def make_broken(folder: Path, good_pdf: Path, good_docx: Path) -> None:
    """Write them into ``folder``.

    Args:
        good_pdf: cut in half, and locked with passwords.
        good_docx: cut in half.
    """
    folder.mkdir(parents=True, exist_ok=True)
    for good in (good_pdf, good_docx):
        data = good.read_bytes()
        (folder / f"truncated{good.suffix}").write_bytes(data[: len(data) // 2])
    (folder / "empty.pdf").write_bytes(b"")
    package = _OLE + bytes(504) + "EncryptedPackage".encode("utf-16-le") + bytes(480)
    (folder / "encrypted.xlsx").write_bytes(package)
    (folder / "old.wps").write_bytes(_OLE + bytes(504))
    (folder / "papers.zip").write_bytes(b"PK\x05\x06" + bytes(18))
    _locked(good_pdf, folder / "password.pdf", user="opensesame")
    _locked(good_pdf, folder / "owner.pdf", user="")
    _scan(folder / "scan.pdf", pages=1, scanned={1})
    _scan(folder / "partly.pdf", pages=4, scanned={3})
    _scan(folder / "blank-page.pdf", pages=2, scanned=set(), blank={2})


def _locked(source: Path, target: Path, *, user: str) -> None:
    import pikepdf

    with pikepdf.open(source) as document:
        document.save(target, encryption=pikepdf.Encryption(owner="owner-only", user=user, R=6))


def _scan(path: Path, *, pages: int, scanned: set[int], blank: set[int] = frozenset()) -> None:
    """Pages of which some are scans out of focus, whose words nobody can make out."""
    from PIL import ImageFilter
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas
    from samples.scans import NOTE_EN, scan

    buffer = io.BytesIO()
    scan(NOTE_EN * 8, size_pt=8).filter(ImageFilter.GaussianBlur(6)).save(buffer, "PNG")
    canvas = Canvas(str(path), invariant=1)
    for number in range(1, pages + 1):
        if number in scanned:
            canvas.drawImage(ImageReader(io.BytesIO(buffer.getvalue())), 0, 0, 595, 842)
        elif number not in blank:
            canvas.drawString(72, 700, f"Typed page {number} of the Brindle report.")
        canvas.showPage()
    canvas.save()
