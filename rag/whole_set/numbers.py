"""Numbers in cells, added up exactly, and told as they were written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from rag.tabular import Value

_WRITTEN = re.compile(
    r"^(?P<before>[^\d.+-]{0,4}?)\s*(?P<figure>[+-]?[\d,，]*\.?\d+)\s*(?P<after>[^\d]{0,6})$"
)
_MOST_PLACES = 4
_NEGATIVE = str.maketrans({"(": "-", "（": "-", "△": "-", "▲": "-", ")": None, "）": None})
_CURRENCY = str.maketrans({"￥": "¥", "元": "¥"})


@dataclass(frozen=True, slots=True)
class Number:
    """A cell that counts; ``unit`` is what stands around the figure (``¥``, ``%``, ``kg``).

    ``places`` are the decimals that the cell shows, 0 where it shows more than are told.
    """

    value: Decimal
    unit: str
    places: int = 0


def number_of(value: Value, shown: str) -> Number | None:
    """The number a cell holds, also one written as text; None for anything else."""
    if isinstance(value, bool):
        return None
    written = _WRITTEN.match(_signed(shown.strip()) if shown else "")
    unit = _unit(written) if written else ""
    places = _places(written["figure"]) if written else 0
    if isinstance(value, int | float):
        return Number(Decimal(repr(value)), unit, places)
    if not isinstance(value, str) or written is None:
        return None
    try:
        figure = Decimal(written["figure"].replace(",", "").replace("，", ""))
    except InvalidOperation:
        return None
    return Number(figure / 100 if unit == "%" else figure, unit, places)


def _signed(shown: str) -> str:
    """With a minus in front where brackets, △ or a minus behind say so."""
    plain = shown.translate(_NEGATIVE)
    return f"-{plain[:-1]}" if plain.endswith("-") and plain[0].isdigit() else plain


def told(number: Decimal, unit: str = "", places: int = 0) -> str:
    """A number as people write it: thousands apart, at most four places, at least ``places``."""
    scaled = number * 100 if unit == "%" else number
    rounded = round(scaled, _MOST_PLACES)
    text = f"{rounded:,f}"
    whole, _, part = text.partition(".")
    part = part.rstrip("0").ljust(places, "0")
    return (f"{whole}.{part}" if part else whole) + ("%" if unit == "%" else "")


def _places(figure: str) -> int:
    shown = len(figure.partition(".")[2])
    return shown if shown <= _MOST_PLACES else 0


def _unit(written: re.Match[str]) -> str:
    around: str = f"{written['before'].strip()}{written['after'].strip()}"
    return around.translate(_CURRENCY).replace("¥¥", "¥")
