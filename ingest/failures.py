"""What can be wrong with a file, in words for the person who dropped it."""

from __future__ import annotations

from dataclasses import replace

from rag.records import Failure, Reason


class Unreadable(Exception):
    """The file is at fault; ``failure`` is what its owner is told."""

    def __init__(self, failure: Failure) -> None:
        super().__init__(f"{failure.code}: {failure.message}")
        self.failure = failure


_SAVE_AS = {
    ".wps": ("a WPS text document", "Open it in WPS, save it as .docx"),
    ".et": ("a WPS spreadsheet", "Open it in WPS, save it as .xlsx"),
    ".dps": ("a WPS presentation", "Open it in WPS, save it as .pptx"),
    ".ofd": ("an OFD document", "Open it in an OFD reader, save it as PDF"),
    ".caj": ("a CAJ paper", "Open it in CAJViewer, save it as PDF"),
    ".doc": ("an old Word document", "Open it in Word or WPS, save it as .docx"),
    ".xls": ("an old Excel workbook", "Open it in Excel or WPS, save it as .xlsx"),
    ".ppt": ("an old presentation", "Open it in PowerPoint or WPS, save it as .pptx"),
    ".rtf": ("a rich text file", "Open it in Word or WPS, save it as .docx"),
    ".odt": ("an OpenDocument text", "Open it in its program, save it as .docx"),
    ".ods": ("an OpenDocument spreadsheet", "Open it in its program, save it as .xlsx"),
    ".odp": ("an OpenDocument presentation", "Open it in its program, save it as .pptx"),
    ".pages": ("a Pages document", "Open it in Pages, export it as PDF or Word"),
    ".numbers": ("a Numbers spreadsheet", "Open it in Numbers, export it as Excel"),
    ".key": ("a Keynote presentation", "Open it in Keynote, export it as PDF or PowerPoint"),
    ".msg": ("an Outlook message", "Open it in Outlook, save it as .eml, .html or PDF"),
    ".mobi": ("an e-book for Kindle", "Convert it to .epub"),
    ".azw3": ("an e-book for Kindle", "Convert it to .epub"),
    ".xlsb": ("a binary Excel workbook", "Open it in Excel, save it as .xlsx"),
}
_ARCHIVES = frozenset({".zip", ".rar", ".7z", ".tar", ".gz", ".tgz", ".bz2", ".xz"})


def encrypted() -> Unreadable:
    """A password is needed to open the file."""
    return _unreadable(
        Reason.ENCRYPTED,
        "The file is protected by a password.",
        "Open it with the password, save a copy without one, and put that copy in the inbox.",
    )


def corrupt(message: str = "The file is damaged or was not copied completely.") -> Unreadable:
    """The bytes are not what the name promises."""
    return _unreadable(
        Reason.CORRUPT,
        message,
        "Copy it anew from where it came from, or open it, save it again and use that copy.",
    )


def unsupported(suffix: str) -> Unreadable:
    """A kind of file that is not read; says what to do instead."""
    kind = suffix.lower()
    if kind in _ARCHIVES:
        return _unreadable(
            Reason.UNSUPPORTED,
            f"Archives ({kind}) are not read.",
            "Unpack it and put the files themselves in the inbox.",
        )
    what, save_as = _SAVE_AS.get(
        kind, (f"a {kind} file" if kind else "a file without an ending", "Save it as PDF")
    )
    return _unreadable(
        Reason.UNSUPPORTED,
        f"This is {what}, which is not read.",
        f"{save_as}, and put that copy in the inbox.",
    )


def needs_office(suffix: str) -> Unreadable:
    """A kind that only LibreOffice can open, which is not there."""
    failure = unsupported(suffix).failure
    advice = f"{failure.advice} Or install LibreOffice, and try again."
    return Unreadable(replace(failure, advice=advice))


def no_text() -> Unreadable:
    """Pictures of text, or nothing at all."""
    return Unreadable(NO_TEXT)


def empty() -> Unreadable:
    """A document that opens well and says nothing."""
    return _unreadable(
        Reason.NO_TEXT,
        "The file holds no text.",
        "If it is a form, fill it in and save it; if it holds pictures of text, run text "
        "recognition (OCR) on them first.",
    )


def ocr_is_off(failure: Failure) -> Failure:
    """The same with another advice, where only text recognition could read the file."""
    if failure.code not in (Reason.NO_TEXT, Reason.UNREADABLE_FONT):
        return failure
    return replace(failure, advice=_OCR_IS_OFF)


def too_large(message: str) -> Unreadable:
    """Over a limit that keeps the computer usable."""
    return _unreadable(
        Reason.TOO_LARGE, message, "Split it into smaller files and put those in the inbox."
    )


def timeout(timeout_s: float) -> Unreadable:
    """Reading took longer than it may."""
    return _unreadable(
        Reason.TIMEOUT,
        f"Reading the file took too long: {timeout_s:g} seconds without getting on.",
        "Split it into smaller files, or save it anew as PDF.",
    )


def memory(memory_bytes: int) -> Unreadable:
    """Reading took more memory than it may."""
    return _unreadable(
        Reason.MEMORY,
        f"Reading the file took more than {memory_bytes // 2**20} MB of memory.",
        "Split it into smaller files and put those in the inbox.",
    )


def internal() -> Unreadable:
    """The reading process died or failed; our bug, kept to this one file."""
    return _unreadable(
        Reason.INTERNAL,
        "Deskside failed on this file; the others are not affected.",
        "Save it anew, or as PDF, and put that copy in the inbox.",
    )


NO_TEXT = Failure(
    Reason.NO_TEXT,
    "The file holds no text that can be read, not even in its pictures.",
    "Ask for the original document, or scan it anew: straight, and at 200 dpi or more.",
)
_OCR_IS_OFF = "Text recognition is off: set DESKSIDE_OCR to auto, restart, and try the file again."
UNREADABLE_FONT = Failure(
    Reason.UNREADABLE_FONT,
    "The file's letters can be seen but not read: its font does not say what they stand for.",
    "Ask for the original document: text recognition could not read it either.",
)


def pages_failure(code: Reason, numbers: list[int]) -> Failure:
    """Some pages could not be read; names them."""
    whole = UNREADABLE_FONT if code is Reason.UNREADABLE_FONT else NO_TEXT
    why = (
        "the font does not say what its letters stand for"
        if code is Reason.UNREADABLE_FONT
        else "only pictures, whose writing can't be made out"
    )
    return Failure(code, f"Not read: page {_ranges(numbers)}; {why}.", whole.advice)


def _ranges(numbers: list[int]) -> str:
    """``1-3, 7`` for 1, 2, 3, 7."""
    parts: list[tuple[int, int]] = []
    for number in numbers:
        if parts and number == parts[-1][1] + 1:
            parts[-1] = (parts[-1][0], number)
        else:
            parts.append((number, number))
    return ", ".join(f"{a}" if a == b else f"{a}-{b}" for a, b in parts)


def _unreadable(code: Reason, message: str, advice: str) -> Unreadable:
    return Unreadable(Failure(code, message, advice))
