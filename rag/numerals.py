"""Numbers written in Chinese."""

from __future__ import annotations

_DIGITS = {digit: value for value, digit in enumerate("零一二三四五六七八九")} | {"〇": 0, "两": 2}
_TENS = {"十": 10, "百": 100, "千": 1000}
_MYRIADS = {"万": 10_000, "亿": 100_000_000}


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
