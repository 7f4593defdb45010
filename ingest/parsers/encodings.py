"""Bytes to text: UTF-8, UTF-16, or the encoding in which they make most sense."""

from __future__ import annotations

from collections.abc import Callable

from ingest.failures import corrupt
from ingest.parsers.characters import quality

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_MIN_QUALITY = 0.9
_SAMPLE_BYTES = 1 << 16
_PLAUSIBLE = 0.5
"""Below this share of common characters, a reading is taken only where no other does better."""
_ZERO_SHARE = 8


def decode(data: bytes) -> str:
    """The text, lines ending in a line feed alone.

    Raises:
        Unreadable: it is no text, or in an encoding that is not known.
    """
    bom = next((name for mark, name in _BOMS.items() if data.startswith(mark)), None)
    for encoding in [bom] if bom else ["utf-8", *_utf_16(data), *_legacy(data)]:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if quality(text) >= _MIN_QUALITY:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise corrupt("The file is not text, or in an encoding that is not known.")


def _utf_16(data: bytes) -> list[str]:
    """UTF-16 without its mark shows by the zero bytes of its blanks and line ends."""
    head = data[:4096]
    if head[1::2].count(0) > len(head) // _ZERO_SHARE:
        return ["utf-16-le"]
    return ["utf-16-be"] if head[::2].count(0) > len(head) // _ZERO_SHARE else []


def _legacy(data: bytes) -> list[str]:
    """The encodings of before Unicode, that with the most common characters first.

    Nearly any bytes are GB18030, so being able to decode them tells nothing: Japanese read as
    Chinese gives characters that nobody writes.
    """
    sample = data[:_SAMPLE_BYTES]
    shares = {encoding: _share(sample, encoding, is_common) for encoding, is_common in _COMMON}
    # Chinese first, unless another one does clearly better.
    shares["gb18030"] = shares["gb18030"] * 1.1 + 0.05
    best = sorted(shares, key=lambda encoding: -shares[encoding])
    return [*best, "gb18030"] if shares[best[0]] >= _PLAUSIBLE else ["gb18030"]


def _share(sample: bytes, encoding: str, is_common: Callable[[str], bool]) -> float:
    letters = [letter for letter in sample.decode(encoding, "replace") if not letter.isascii()]
    return sum(map(is_common, letters)) / len(letters) if letters else 0.0


def _common_between(encoding: str, first: int, last: int) -> Callable[[str], bool]:
    """Whether an encoding has a character among its most common ones, or among its signs."""

    def is_common(letter: str) -> bool:
        try:
            code = letter.encode(encoding)
        except UnicodeEncodeError:
            return False
        return len(code) == 2 and first <= int.from_bytes(code, "big") <= last  # noqa: PLR2004

    return is_common


def _is_latin(letter: str) -> bool:
    return "\u00c0" <= letter <= "\u00ff" or letter in "€£§©°–—‘’“”…"


_COMMON: tuple[tuple[str, Callable[[str], bool]], ...] = (
    ("gb18030", _common_between("gb2312", 0xA1A1, 0xD7F9)),
    ("big5", _common_between("big5", 0xA140, 0xC67E)),
    ("cp932", _common_between("cp932", 0x8140, 0x9872)),
    ("cp1252", _is_latin),
)
"""Encodings, and what is common in each: the signs and the first level of characters."""
