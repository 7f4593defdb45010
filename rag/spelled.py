"""Days and large amounts in one spelling, so that they are found however they are written.

A day as ISO, its month too: 2024年3月5日, 5 March 2024 and 二〇二四年三月五日 all give 2024-03-05.
3/5/2024 is a day of March or of May: it gives both. An amount in 万 or 亿 gives the number, and a
number from 10,000 on what it comes to in 万, with up to two decimals: people round as they ask.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from datetime import date
from decimal import ROUND_HALF_UP, Decimal

from rag.numerals import numeral

_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_YEAR = r"(?P<y>(?:19|20)\d\d)"
_NAME = (
    r"(?P<name>jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?"
    r"|sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?)\.?"
)
_MONTH = re.compile(_NAME)
_DAY = r"(?P<d>\d{1,2})(?:st|nd|rd|th)?"
_ALONE = r"(?<![\d./-])"
_DAYS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_ALONE}{_YEAR}\s*(?P<mark>[-/.])(?P<m>\d{{1,2}})(?P=mark)(?P<d>\d{{1,2}})(?![\d./-]?\d)",
        rf"{_ALONE}{_YEAR}\s*年\s*(?P<m>\d{{1,2}})\s*月(?:\s*(?P<d>\d{{1,2}})\s*[日号])?",
        rf"\b{_DAY}[ -](?:of )?{_NAME},?[ -]{_YEAR}(?!\d)",
        rf"\b{_NAME} {_DAY},? {_YEAR}(?!\d)",
        rf"\b{_NAME},? {_YEAR}(?!\d)",
    )
)
_WRITTEN_OUT = re.compile(
    r"(?P<y>[一二][〇零○一二三四五六七八九]{3})年"
    r"(?P<m>[一二三四五六七八九十]{1,2})月(?:(?P<d>[一二三四五六七八九十]{1,3})[日号])?"
)
_EITHER = re.compile(
    rf"{_ALONE}(?P<a>\d{{1,2}})(?P<mark>[/.-])(?P<b>\d{{1,2}})(?P=mark){_YEAR}(?!\d)"
)
_SCALED = re.compile(r"(?<![a-z0-9_.-])(?P<number>\d{1,9}(?:\.\d{1,6})?)\s*(?P<scale>[万亿])")
# A bare run of digits may be any code: an amount has decimals, a sign, or the label of its column.
_LARGE = re.compile(
    r"(?<![a-z0-9_.-])(?:(?<=: )|(?<=[¥$€£])|(?=\d+\.\d|\d+\s?元))"
    r"(?P<number>\d{5,12}(?:\.\d{1,6})?)(?![a-z0-9_-])"
)
_SCALES = {"万": Decimal(10_000), "亿": Decimal(100_000_000)}
_LETTERS = {"万": "w", "亿": "y"}
_DECIMALS = ("1", "0.1", "0.01")


def spelled(plain: str) -> Iterator[str]:
    """The days and amounts of a normalised text in their one spelling."""
    yield from dict.fromkeys((*_days(plain), *_amounts(plain)))


def is_month(word: str) -> bool:
    """Whether a word in lower case is the English name of a month, or short for it."""
    return bool(_MONTH.fullmatch(word))


def _days(plain: str) -> Iterator[str]:
    for pattern in _DAYS:
        for found in pattern.finditer(plain):
            parts = found.groupdict()
            name = parts.get("name")
            month = _MONTHS.index(name[:3]) + 1 if name else int(parts["m"])
            yield from _day(int(parts["y"]), month, parts.get("d"))
    for found in _WRITTEN_OUT.finditer(plain):
        year, month, day = (numeral(part.replace("○", "〇")) for part in found.groups("一"))
        yield from _day(year, month, str(day) if found["d"] else None)
    for found in _EITHER.finditer(plain):
        for first, second in ((found["a"], found["b"]), (found["b"], found["a"])):
            yield from _day(int(found["y"]), int(first), second)


def _day(year: int, month: int, day: str | None) -> Iterator[str]:
    """The month, and the day if there is one; nothing for what no calendar has."""
    try:
        when = date(year, month, int(day or 1))
    except ValueError:
        return
    yield f"{when:%Y-%m}"
    if day:
        yield when.isoformat()


def _amounts(plain: str) -> Iterator[str]:
    for found in _SCALED.finditer(plain):
        number, scale = Decimal(found["number"]), found["scale"]
        yield _written(number * _SCALES[scale])
        yield _LETTERS[scale] + _written(number)
    for found in _LARGE.finditer(plain):
        yield from _rounded(Decimal(found["number"]))


def _rounded(number: Decimal) -> Iterator[str]:
    """What it comes to in 万, and in 亿 if it is so much."""
    for scale, size in _SCALES.items():
        for step in _DECIMALS if number >= size else ():
            yield _LETTERS[scale] + _written((number / size).quantize(Decimal(step), ROUND_HALF_UP))


def _written(number: Decimal) -> str:
    """Without trailing zeros."""
    text = f"{number:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text
