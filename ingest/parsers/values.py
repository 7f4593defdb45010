"""Text as the value it spells: amounts and dates that were stored, or exported, as text."""

from __future__ import annotations

import datetime as dt
import re
from functools import lru_cache

from ingest.parsers.characters import clean
from rag.tabular import Value

_CURRENCY = r"(?:[¥￥$€£]|US\$|HK\$|USD|EUR|GBP|CNY|RMB|HKD|JPY|CHF)"
_AMOUNT = re.compile(
    rf"(?P<open>[(（])?(?P<sign>[-+−△▲])?\s*{_CURRENCY}?\s*(?P<sign2>[-−])?"
    r"(?P<digits>\d{1,3}(?:,\d{3})+|\d+)(?P<part>\.\d+)?\s*"
    rf"(?:(?P<percent>%)|(?P<scale>[万亿]?)元|{_CURRENCY})?(?P<close>[)）])?(?P<behind>-)?",
)
"""Accountants put what is negative in brackets, behind △, or, in SAP, before a minus."""
_DAY = re.compile(r"((?:19|20)\d\d)(?:[-/.](\d{1,2})[-/.](\d{1,2})|年(\d{1,2})月(\d{1,2})日)")
_TIME = re.compile(r"[T ]\s*(\d{1,2}):(\d\d)(?::(\d\d)(?:\.\d+)?)?")
_SCALES = {"万": 10_000, "亿": 100_000_000}
_MOST_DIGITS = 10
"""Longer runs of digits are numbers of phones, people and accounts."""
_LEAST_DIGITS = 3
_CACHED_BELOW_CHARS = 100


def words(text: str) -> str:
    """Text on one line, invisible marks gone."""
    return _words(text) if len(text) < _CACHED_BELOW_CHARS else " ".join(clean(text).split())


def typed(text: str) -> Value:
    """The number or date that ``text`` spells, else the text: 00123 is a code and stays one."""
    if not text or not (text[0].isdigit() or text[-1].isdigit() or text[-1] in "%)）日元-"):
        return text
    return _typed(text) if len(text) < _CACHED_BELOW_CHARS else text


@lru_cache(maxsize=65_536)
def _words(text: str) -> str:
    return " ".join(clean(text).split())


@lru_cache(maxsize=65_536)
def _typed(text: str) -> Value:
    amount = _AMOUNT.fullmatch(text)
    if amount:
        return _amount(amount, text)
    day = _DAY.match(text)
    return _moment(day, text) if day else text


def _amount(found: re.Match[str], text: str) -> Value:
    digits, part = found["digits"], found["part"] or ""
    is_code = len(digits) > 1 and digits.startswith("0")
    if is_code or ("," not in digits and len(digits) > _MOST_DIGITS):
        return text
    signs = (found["open"], found["sign"] in ("-", "−", "△", "▲"), found["sign2"], found["behind"])
    if bool(found["open"]) != bool(found["close"]) or (found["behind"] and not part):
        return text
    if found["open"] == "（" and not part and len(digits) < _LEAST_DIGITS:
        return text  # （1） numbers a line
    negative = any(signs)
    plain = digits.replace(",", "") + part
    value: float = float(plain) if part or len(plain) > 15 else int(plain)  # noqa: PLR2004
    if found["percent"]:
        value = value / 100
    if found["scale"]:
        value = round(value * _SCALES[found["scale"]], 2)
    return -value if negative else value


def _moment(day: re.Match[str], text: str) -> Value:
    rest = text[day.end() :]
    time = _TIME.fullmatch(rest) if rest else None
    if rest and not time:
        return text
    year, month, date = (int(part) for part in day.groups() if part)
    clock = (int(part or 0) for part in time.groups()) if time else ()
    try:
        return dt.datetime(year, month, date, *clock)
    except ValueError:
        return text
