"""Search terms: Latin words and codes whole, Chinese, Japanese and Korean as bigrams.

Bigrams need no dictionary and reach 99 % recall at 5 on Chinese XQuAD where splitting at blanks
reaches 12 %.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import cache

from rag.numerals import numeral
from rag.spelled import spelled

VERSION = "4"
"""Changes whenever the same text gives other terms than before; indexes are then made anew."""
_CJK = r"\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af\U00020000-\U0003ffff"
# A word may hold - _ . / inside (INV-2023, 3.14, 2024/05), not at its ends.
_WORD = re.compile(rf"[{_CJK}]+|[^\W_{_CJK}]+(?:[-_./][^\W_{_CJK}]+)*")
_IS_CJK = re.compile(rf"[{_CJK}]")
_IDEOGRAPHS = ((0x3400, 0x4DC0), (0x4E00, 0xA000))
# 第八十二条 and 第82条 are one place of a law, and its number the only thing that tells it apart.
_ORDINAL = re.compile(r"第\s*(\d+|[〇零一二三四五六七八九十百千万两]+)\s*([编章节条款项号期届页])")
_DIGIT = re.compile(r"\d")
_SMALL_NUMBER = re.compile(r"\d{1,3}(?:\.\d+)?")
_PART = re.compile(r"[-_./]")
# 1,234.50 and 1234.50 are one number.
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")


def normalise(text: str) -> str:
    """NFKC (full width to half), lower case, simplified characters, thousands separators gone."""
    plain = unicodedata.normalize("NFKC", text).casefold().translate(_simplified())
    return _THOUSANDS.sub("", plain)


def holds_words(text: str, words: str) -> bool:
    """Whether ``text`` holds each of the words, whatever their case, width or script."""
    plain = normalise(text)
    return all(word in plain for word in normalise(words).split())


@cache
def _simplified() -> dict[int, str]:
    """Traditional characters to simplified ones, by OpenCC's table.

    Character by character, not by phrases as in a translation: the same word must give the same
    terms whatever stands around it.
    """
    import opencc  # noqa: PLC0415 (a hundredth of a second, where it is needed)

    characters = [chr(code) for block in _IDEOGRAPHS for code in range(*block)]
    converted = opencc.OpenCC("t2s").convert("\n".join(characters)).split("\n")
    pairs = zip(characters, converted, strict=True)
    return {ord(old): new for old, new in pairs if old != new and len(new) == 1}


def is_cjk(text: str) -> bool:
    """True when ``text`` holds any Chinese, Japanese or Korean character."""
    return bool(_IS_CJK.search(text))


def count_cjk(text: str) -> int:
    """How many of the characters are Chinese, Japanese or Korean."""
    return len(_IS_CJK.findall(text))


def terms(text: str) -> list[str]:
    """The terms of ``text``, repeats kept; a compound code also gives its parts.

    An ordinal gives a term of its own beside the bigrams: 第八十二条 gives 第82条. Days and large
    amounts give one in their one spelling, see `rag.spelled`.
    """
    plain = normalise(text)
    found = [f"第{_number(number)}{unit}" for number, unit in _ORDINAL.findall(plain)]
    for word in _WORD.findall(plain):
        if is_cjk(word):
            found.extend(_bigrams(word))
            continue
        found.append(word)
        parts = _PART.split(word)
        if len(parts) > 1:
            found.extend(parts)
    found += [term for term in spelled(plain) if term not in found]
    return found


def own_ordinals(text: str) -> set[str]:
    """The terms of the ordinals that lines begin with: the articles that stand here.

    Any other is named only, as in "except as article 182 provides".
    """
    found = (_ORDINAL.match(line.lstrip()) for line in normalise(text).splitlines())
    return {f"第{_number(each[1])}{each[2]}" for each in found if each}


def codes(found: Sequence[str]) -> list[str]:
    """Those of the terms that tell one thing from all others.

    Invoice numbers, dates, years, articles of a law; a number of up to three digits may be any.
    """
    return [term for term in found if _DIGIT.search(term) and not _SMALL_NUMBER.fullmatch(term)]


def _number(written: str) -> int:
    return int(written) if written.isdecimal() else numeral(written)


def _bigrams(run: str) -> list[str]:
    if len(run) == 1:
        return [run]
    return [run[at : at + 2] for at in range(len(run) - 1)]
