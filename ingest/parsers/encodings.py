"""Bytes to text: UTF-8, UTF-16, or the encoding in which they make most sense."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from ingest.failures import corrupt
from ingest.parsers.characters import quality

_BOMS = {b"\xef\xbb\xbf": "utf-8-sig", b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
_MIN_QUALITY = 0.9
_SAMPLE_BYTES = 1 << 16
_PLAUSIBLE = 0.5
"""Below this share of common characters, a reading is taken only where no other does better."""
_ZERO_SHARE = 8
_ASCII, _LEAST_LETTERS = 0x80, 12
LOST = "\ufffd"
"""Stands for bytes that are no character."""
_SURE = 0.7
"""From this share of common characters on, an encoding is taken though some bytes don't fit."""
_KEPT_FOR_LOST = 3
"""So many characters beyond ASCII must be whole for each that is lost."""


def decode(data: bytes) -> str:
    """The text, lines ending in a line feed alone; U+FFFD where a few bytes are no character.

    Raises:
        Unreadable: it is no text, or in an encoding that is not known.
    """
    bom = next((name for mark, name in _BOMS.items() if data.startswith(mark)), None)
    for text in _told(data, bom) if bom else _readings(data):
        if quality(text) >= _MIN_QUALITY:
            return text.replace("\r\n", "\n").replace("\r", "\n")
    raise corrupt("The file is not text, or in an encoding that is not known.")


def _told(data: bytes, encoding: str) -> Iterator[str]:
    yield data.decode(encoding, "replace")


def _readings(data: bytes) -> Iterator[str]:
    """What the bytes may say, the likeliest first.

    Programs that cut fields after so many bytes cut characters in half: those few are lost, and
    the rest is read.
    """
    for encoding in ["utf-8", *_utf_16(data)]:
        yield from _strictly(data, encoding)
    yield from _mended(data, "utf-8")
    for encoding in _by_letters(data):
        yield from _strictly(data, encoding)
    best, *others = _legacy(data)
    yield from _strictly(data, best)
    if _share(_telling(data), best, _COMMON[best]) >= _SURE:
        yield from _mended(data, best)
    for encoding in others:
        yield from _strictly(data, encoding)


def _strictly(data: bytes, encoding: str) -> Iterator[str]:
    try:
        yield data.decode(encoding)
    except UnicodeDecodeError:
        return


def _mended(data: bytes, encoding: str) -> Iterator[str]:
    """The text where few of the characters beyond ASCII are lost."""
    text = data.decode(encoding, "replace")
    lost = text.count(LOST)
    if lost * _KEPT_FOR_LOST <= sum(not letter.isascii() for letter in text) - lost:
        yield text


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
    sample = _telling(data)
    shares = {name: _share(sample, name, is_common) for name, is_common in _COMMON.items()}
    # Chinese first, unless another one does clearly better.
    shares["gb18030"] = shares["gb18030"] * 1.1 + 0.05
    best = sorted(shares, key=lambda encoding: -shares[encoding])
    return [*best, "gb18030"] if shares[best[0]] >= _PLAUSIBLE else ["gb18030"]


def _by_letters(data: bytes) -> list[str]:
    """The encodings of Russian or Korean whose most usual letters the bytes are.

    Their bytes are Latin letters, or Chinese characters, as well. Chinese takes half of its
    characters from where all Korean syllables are.
    """
    sample = _telling(data)
    latin = sum(chr(byte).isalpha() for byte in sample if byte < _ASCII)
    found: list[str] = []
    for encoding, usual, share in _USUAL:
        letters = [each for each in sample.decode(encoding, "replace") if not each.isascii()]
        if max(latin, _LEAST_LETTERS) <= len(letters):
            found += [encoding] if sum(map(usual, letters)) >= share * len(letters) else []
    return found


def _telling(data: bytes) -> bytes:
    """The first lines that aren't ASCII alone: only they tell encodings apart."""
    lines = data[:_SAMPLE_BYTES] if not data[:_SAMPLE_BYTES].isascii() else data
    return b"\n".join(line for line in lines.split(b"\n") if not line.isascii())[:_SAMPLE_BYTES]


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


_USUAL: tuple[tuple[str, Callable[[str], bool], float], ...] = (
    ("cp1251", lambda letter: letter.lower() in "оеаинтсрвл", 0.5),
    ("koi8-r", lambda letter: letter.lower() in "оеаинтсрвл", 0.5),
    ("cp949", _common_between("euc_kr", 0xB0A1, 0xC8FE), 0.95),
)
"""Encodings, their most usual letters, and what share of a text these are at least."""
_COMMON: dict[str, Callable[[str], bool]] = {
    "gb18030": _common_between("gb2312", 0xA1A1, 0xD7F9),
    "big5": _common_between("big5", 0xA140, 0xC67E),
    "cp932": _common_between("cp932", 0x8140, 0x9872),
    "cp1252": _is_latin,
}
"""Encodings, and what is common in each: the signs and the first level of characters."""
