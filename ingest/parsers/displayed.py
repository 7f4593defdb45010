"""A cell as Excel shows it: 13% and not 0.13, 2023-12-31 and not 45291; and the value behind."""

from __future__ import annotations

import re
from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from typing import NamedTuple

from ingest.parsers.moments import is_clock, is_moment, moment, moment_of, spelled
from ingest.parsers.number_formats import Kind, Section, Token, section_for, sections
from ingest.parsers.values import typed, words
from rag.tabular import Value

_SHOWN = re.compile(
    r"[^\d:/]*(?P<number>\d[\d,]*(?:\.\d+)?)\s?(?P<scale>%|[百千]?[万亿]|[百千])?[^\d:/]*"
)
_SCALES = {"%": 0.01, "百": 1e2, "千": 1e3, "万": 1e4, "百万": 1e6, "千万": 1e7, "亿": 1e8,
           "百亿": 1e10, "千亿": 1e11}  # fmt: skip
_ROUNDED = 5e-4
"""Share of a value that rounding may hide: more is told, less would double half the figures."""
_HOURS = 24
_EXACT_BELOW = 1e15
"""Excel keeps fifteen digits."""


class Shown(NamedTuple):
    """What is shown, and the value: a day, or hours where the format shows times."""

    text: str
    value: Value


_NOTHING = Shown("", None)


def displayed(value: object, number_format: str = "", *, since_1904: bool = False) -> Shown:
    """``value`` in the words of its number format; dates come as Excel's day numbers."""
    if isinstance(value, bool):
        return Shown(str(value).upper(), value)
    if isinstance(value, int | float):
        return _number(value, number_format, since_1904=since_1904)
    if value is None:
        return _NOTHING
    text = words(str(value))
    forms = sections(number_format)
    if len(forms) > 3 and text:  # noqa: PLR2004 (the fourth section is for text)
        text = "".join(text if t.kind == "whole" else t.text for t in forms[3].tokens).strip()
    return Shown(text, typed(text)) if text else _NOTHING


def behind_shown(text: str, value: Value) -> str:
    """The number behind what is shown, where that was rounded; nothing where it says it all.

    8% for 0.075 gives ``7.5%``, 12.35万 for 123,456.78 gives ``123456.78``.
    """
    found = _SHOWN.fullmatch(text)
    if found is None or isinstance(value, bool) or not isinstance(value, int | float):
        return ""
    shown = float(found["number"].replace(",", "")) * _SCALES.get(found["scale"], 1.0)
    if abs(shown - abs(value)) <= _ROUNDED * abs(value):
        return ""
    return f"{value * 100:.6g}%" if found["scale"] == "%" else _plain(value)


def _number(value: float, number_format: str, *, since_1904: bool) -> Shown:
    section, signed = section_for(value, number_format)
    if section.is_date:
        when = moment_of(value, since_1904=since_1904)
        if when is not None:
            text = spelled(when, value, section.tokens)
            if is_moment(section.tokens):
                return Shown(text, moment(when))
            return Shown(text, _hours(value) if is_clock(section.tokens) else value)
        return Shown(_plain(value), value)
    if not section.tokens:  # ;;; hides what it formats
        return _NOTHING
    sign = "-" if signed else ""
    if section.is_whole:
        shown = "".join(
            _plain(abs(value)) if token.kind == "whole" else token.text for token in section.tokens
        )
        return Shown(f"{sign}{shown}".strip(), value)
    return Shown(_formatted(value, section, sign), value)


def _hours(days: float) -> float:
    """A time of day, or how long something took, as people reckon with it."""
    return round(days * _HOURS, 6)


def _plain(value: float) -> str:
    """As the General format shows it: ten digits at most, no trailing zeros."""
    if float(value).is_integer() and abs(value) < _EXACT_BELOW:
        return str(int(value))
    return f"{value:.10g}"


def _formatted(value: float, section: Section, sign: str) -> str:
    tokens = section.tokens
    kinds = [token.kind for token in tokens]
    if "digit" not in kinds:
        return "".join(token.text for token in tokens if token.kind in ("text", "percent")).strip()
    amount = abs(Decimal(repr(value)))
    if not amount.is_finite():
        return str(value)
    amount *= 100 ** kinds.count("percent")
    if "power" in kinds:
        places = sum(k == "digit" for k in _after_point(kinds[: kinds.index("power")]))
        digits, _, power = f"{amount:.{places}E}".partition("E")
        return f"{sign}{digits}E{int(power):+03}"
    if "slash" in kinds:
        return f"{sign}{_fraction(amount, tokens)}"
    return _filled(amount, tokens, sign)


def _after_point(kinds: list[Kind]) -> list[Kind]:
    return kinds[kinds.index("point") :] if "point" in kinds else []


def _filled(amount: Decimal, tokens: tuple[Token, ...], sign: str) -> str:
    """The digits of ``amount`` put in their places, literals between them kept."""
    kinds = [token.kind for token in tokens]
    digits = [at for at, kind in enumerate(kinds) if kind == "digit"]
    point = kinds.index("point") if "point" in kinds else len(tokens)
    whole = [at for at in digits if at < point]
    part = [at for at in digits if at > point]
    last = (part or whole)[-1]
    commas = [at for at, kind in enumerate(kinds) if kind == "comma"]
    # A comma between digits groups them; one after the last counts in thousands.
    grouped = any(at < (whole or [0])[-1] for at in commas)
    amount /= 1000 ** sum(at > last or (whole or [0])[-1] < at < point for at in commas)
    written = f"{_rounded(amount, len(part)):f}"
    ahead, _, behind = written.partition(".")
    filled = {
        at: token.text if token.kind in ("text", "percent") else ""
        for at, token in enumerate(tokens)
    }
    _fill_whole(filled, tokens, whole, "" if ahead == "0" else ahead, grouped=grouped)
    kept = _kept_places(tokens, part, behind)
    filled |= dict(zip(part, behind[:kept].ljust(len(part)), strict=True))
    if part and kept:
        filled[point] = "."
    if not any(letter in "123456789" for letter in written):
        sign = ""
    return f"{sign}{''.join(filled.values())}".replace(" .", ".").strip()


def _fill_whole(
    filled: dict[int, str],
    tokens: tuple[Token, ...],
    places: list[int],
    ahead: str,
    *,
    grouped: bool,
) -> None:
    if grouped:
        ahead = ahead.zfill(sum(tokens[at].text == "0" for at in places))
        filled[places[0]] = f"{int(ahead or 0):,}" if ahead else ""
        return
    for at in reversed(places):
        if at == places[0] and ahead:
            filled[at], ahead = ahead, ""
        elif ahead:
            filled[at], ahead = ahead[-1], ahead[:-1]
        else:
            filled[at] = "0" if tokens[at].text == "0" else ""


def _kept_places(tokens: tuple[Token, ...], part: list[int], behind: str) -> int:
    """Decimals shown: a # leaves a trailing zero out."""
    kept = len(part)
    while kept and tokens[part[kept - 1]].text != "0" and behind[kept - 1] == "0":
        kept -= 1
    return kept


def _rounded(amount: Decimal, places: int) -> Decimal:
    with localcontext() as context:
        context.prec = 400  # as many digits as a float has at most, so that none is an error
        return amount.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


def _fraction(amount: Decimal, tokens: tuple[Token, ...]) -> str:
    """``1 1/2``, or ``3/2`` where the format has no place for whole numbers."""
    kinds = [token.kind for token in tokens]
    slash = kinds.index("slash")
    below = "".join(token.text for token in tokens[slash + 1 :]).strip()
    if below.isdecimal() and below.strip("0"):
        parts = int(below)
        count = round(Fraction(amount) * parts)
    else:
        ratio = Fraction(amount).limit_denominator(10 ** max(1, len(below)) - 1)
        count, parts = ratio.numerator, ratio.denominator
    whole, rest = divmod(count, parts) if "text" in kinds[:slash] else (0, count)
    shown = [str(whole)] if whole or not rest else []
    return " ".join([*shown, f"{rest}/{parts}"] if rest else shown)
