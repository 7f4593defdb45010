"""Numbers written out, in Chinese and English."""

from __future__ import annotations

import re

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}

_ONES = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen", "nineteen",
)  # fmt: skip
_TIES = ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety")
_WORDS = {word: value for value, word in enumerate(_ONES)}
_WORDS |= {word: 10 * tens for tens, word in enumerate(_TIES, start=2)}
_LARGE = {"hundred": 100, "thousand": 1000, "million": 1_000_000}
ENGLISH = "|".join(sorted((*_WORDS, *_LARGE), key=len, reverse=True))
"""The words of `english_numeral`, for a pattern."""


def numeral(written: str) -> int:
    """The value of a Chinese numeral: 二十 is 20, 一百零五 105, 三万 30,000, 二〇二三 2023."""
    if not any(sign in _TENS or sign in _MYRIADS for sign in written):
        return int("".join(str(_DIGITS[sign]) for sign in written))
    total = section = digit = 0
    for sign in written:
        if sign in _DIGITS:
            digit = _DIGITS[sign]
        elif sign in _TENS:
            section += (digit or 1) * _TENS[sign]
            digit = 0
        else:
            total = (total + section + digit or 1) * _MYRIADS[sign]
            section = digit = 0
    return total + section + digit


def english_numeral(written: str) -> int:
    """The value of an English one: twenty-one is 21, two hundred and fifty 250."""
    total = section = 0
    for word in re.findall(ENGLISH, written):
        if word in _WORDS:
            section += _WORDS[word]
        elif word == "hundred":
            section = (section or 1) * 100
        else:
            total += (section or 1) * _LARGE[word]
            section = 0
    return total + section
