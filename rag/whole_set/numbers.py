"""Numbers in cells, added up exactly, and told as they were written."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from rag.tabular import Value

_WRITTEN = re.compile(
    r"^(?P<before>[^\d.+-]{0,4}?)\s*(?P<figure>[+-]?[\d,，]*\.?\d+)\s*(?P<after>[^\d]{0,6})$"
)
_CURRENCY = str.maketrans({"￥": "¥", "元": "¥"})


@dataclass(frozen=True, slots=True)
class Number:
    """A cell that counts; ``unit`` is what stands around the figure (``¥``, ``%``, ``kg``)."""

    value: Decimal
    unit: str


def number_of(value: Value, shown: str) -> Number | None:
    """The number a cell holds, also one written as text; None for anything else."""
    if isinstance(value, bool):
        return None
    written = _WRITTEN.match(shown.strip().replace("(", "-").replace(")", "") if shown else "")
    unit = _unit(written) if written else ""
    if isinstance(value, int | float):
        return Number(Decimal(repr(value)), unit)
    if not isinstance(value, str) or written is None:
        return None
    try:
        figure = Decimal(written["figure"].replace(",", "").replace("，", ""))
    except InvalidOperation:
        return None
    return Number(figure / 100 if unit == "%" else figure, unit)


def told(number: Decimal, unit: str = "") -> str:
    """A number as people write it: thousands apart, no zeros at its end, at most four places."""
    scaled = number * 100 if unit == "%" else number
    rounded = round(scaled, 4)
    text = f"{rounded:,f}"
    return (text.rstrip("0").rstrip(".") if "." in text else text) + ("%" if unit == "%" else "")


def _unit(written: re.Match[str]) -> str:
    around: str = f"{written['before'].strip()}{written['after'].strip()}"
    return around.translate(_CURRENCY).replace("¥¥", "¥")
