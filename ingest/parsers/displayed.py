"""A cell's value as Excel shows it: 13% and not 0.13, 2023-12-31 and not 45291."""

from __future__ import annotations

import datetime as dt
import re
from decimal import Decimal, InvalidOperation

from ingest.parsers.characters import clean

# What pads or colours a format but is no text: _x, *x, [Red], [>100], [$-804].
_PADDING = re.compile(r"_.|\*.|\[(?!\$[^-\]])[^\]]*\]|\?")
_CURRENCY = re.compile(r"\[\$([^-\]]+)(?:-[^\]]*)?\]")
_DIGITS = re.compile(r"[#0][#0,]*(?:\.[0#]+)?|\.[0#]+")
_QUOTED = re.compile(r'"([^"]*)"|\\(.)')
_DATE_PART = re.compile(r'yyyy|mm?|dd?|hh?|ss?|"[^"]*"|\\.|[-/.:年月日时分秒 ]', re.IGNORECASE)
_PLAIN = frozenset({"", "general", "@"})


def displayed(value: object, number_format: str) -> str:
    """``value`` in the words of its number format; empty for nothing."""
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, dt.datetime | dt.date | dt.time):
        return _moment(value, number_format)
    if isinstance(value, int | float):
        return _number(value, number_format)
    return " ".join(clean(str(value)).split())


def _number(value: float, number_format: str) -> str:
    form = _section(value, number_format)
    if form.strip().lower() in _PLAIN or "/" in form:
        return _plain(value)
    literal, pattern, tail = _parts(form)
    if not pattern:
        return literal + tail if literal + tail else _plain(value)
    try:
        amount = abs(Decimal(repr(value)))
    except InvalidOperation:
        return str(value)
    if "%" in literal + tail:
        amount *= 100
    if not amount.is_finite():
        return str(value)
    places = len(pattern.partition(".")[2])
    scale = len(pattern.partition(".")[0]) - len(pattern.partition(".")[0].rstrip(","))
    amount /= 1000**scale
    if tail.lower().startswith("e"):
        return f"{value:.{places}E}"
    comma = "," if "," in pattern.partition(".")[0].rstrip(",") else ""
    shown = f"{amount:{comma}.{places}f}"
    has_sign = "(" in literal or "-" in literal
    sign = "-" if value < 0 and not has_sign and _needs_sign(number_format) else ""
    return f"{sign}{literal}{shown}{tail}".strip()


def _section(value: float, number_format: str) -> str:
    """The part of ``positive;negative;zero;text`` that holds for the value."""
    sections = number_format.split(";")
    if value < 0 and len(sections) > 1:
        return sections[1]
    if value == 0 and len(sections) > 2:  # noqa: PLR2004 (positive;negative;zero)
        return sections[2]
    return sections[0]


def _needs_sign(number_format: str) -> bool:
    """A format of its own for negatives brings its own sign, or colour."""
    return ";" not in number_format or "-" in number_format.split(";")[1]


def _parts(form: str) -> tuple[str, str, str]:
    """What stands before the digits, the digits' pattern, and what stands after."""
    form = _CURRENCY.sub(lambda found: f'"{found.group(1)}"', form)
    # Quoted text is put aside, so that its letters are not read as a pattern.
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found.group(1) or found.group(2) or "")
        return chr(0xE000 + len(kept) - 1)

    bare = _PADDING.sub("", _QUOTED.sub(keep, form))
    found = _DIGITS.search(bare)
    if not found:
        return _restore(bare, kept), "", ""
    tail = _DIGITS.sub("", bare[found.end() :])
    return _restore(bare[: found.start()], kept), found.group(), _restore(tail, kept)


def _restore(text: str, kept: list[str]) -> str:
    for at, words in enumerate(kept):
        text = text.replace(chr(0xE000 + at), words)
    return text.strip(" ")


def _plain(value: float) -> str:
    """As the General format shows it: ten digits at most, no trailing zeros."""
    if float(value).is_integer() and abs(value) < 1e15:  # noqa: PLR2004 (Excel's own precision)
        return str(int(value))
    return f"{value:.10g}"


def _moment(value: dt.datetime | dt.date | dt.time, number_format: str) -> str:
    """As formatted where the format is a Chinese or ISO one; ISO where it leaves a doubt."""
    form = _PADDING.sub("", number_format.split(";", maxsplit=1)[0]).strip()
    if isinstance(value, dt.datetime) and "yyyy" in form.lower():
        parts = _DATE_PART.findall(form)
        if "".join(parts) == form:
            return _spell(value, parts).strip()
    if isinstance(value, dt.datetime):
        midnight = value.time() == dt.time()
        return value.date().isoformat() if midnight else value.isoformat(" ", "minutes")
    return value.isoformat("minutes") if isinstance(value, dt.time) else value.isoformat()


def _spell(value: dt.datetime, parts: list[str]) -> str:
    shown = ""
    in_time = False
    for part in parts:
        key = part.lower()
        in_time = in_time or key.startswith("h")
        number = {
            "y": value.year,
            "m": value.minute if in_time else value.month,
            "d": value.day,
            "h": value.hour,
            "s": value.second,
        }.get(key[0])
        if number is None:
            shown += part.strip('"').removeprefix("\\")
        else:
            shown += str(number).zfill(len(part))
    return shown
