"""Cell ranges as spreadsheets write them: ``A288:E288``."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

_RANGE = re.compile(r"^([A-Z]{1,3})(\d{1,7})(?::([A-Z]{1,3})(\d{1,7}))?$")
_LETTERS = 26


@dataclass(frozen=True, slots=True)
class CellRange:
    """Columns and rows from 1, both ends included."""

    left: int
    top: int
    right: int
    bottom: int

    @property
    def label(self) -> str:
        """The range as people write it."""
        return f"{column_name(self.left)}{self.top}:{column_name(self.right)}{self.bottom}"


def cell_range(written: str | None) -> CellRange | None:
    """The range of ``A2:C9`` or ``B7``; None for anything else."""
    found = _RANGE.match(written or "")
    if found is None:
        return None
    left, top, right, bottom = found.groups()
    return CellRange(
        column_number(left), int(top), column_number(right or left), int(bottom or top)
    )


def around(ranges: Sequence[str | None]) -> str | None:
    """The range that holds them all; where none is one, the first that says anything."""
    known = [found for each in ranges if (found := cell_range(each))]
    if not known:
        return next((each for each in ranges if each), None)
    whole = CellRange(
        min(each.left for each in known),
        min(each.top for each in known),
        max(each.right for each in known),
        max(each.bottom for each in known),
    )
    return whole.label


def column_number(name: str) -> int:
    """1 for A, 28 for AB."""
    number = 0
    for letter in name:
        number = number * _LETTERS + ord(letter) - ord("A") + 1
    return number


def column_name(number: int) -> str:
    """A for 1, AB for 28."""
    name = ""
    while number > 0:
        number, at = divmod(number - 1, _LETTERS)
        name = chr(ord("A") + at) + name
    return name
