"""Rows right below a header that belong to it: numbers of the columns, what they are in."""

from __future__ import annotations

import re
from collections.abc import Sequence

from ingest.parsers.grid import Row, distinct
from ingest.parsers.table_marks import is_unit

_ORDER = re.compile(r"[甲乙丙丁戊]|[A-E]|[栏行列]次|序号|编?号|[-—–/×]+|No\.?|Line|Column")
"""What stands in the place of a number where a column has no figures."""
_RECKONED = re.compile(
    r"[(（]?\d{1,3}[a-z]?[)）]?\s*=\s*[\d\s+\-−×*/÷()（）a-zΣ∑至,，.%]+|[①-⑳]|[(（]\d{1,2}[)）]"
)
"""3=1-2: how a column is reckoned from others."""
_LEAST = 2
_ALL = 4


def is_numbering(rows: Sequence[Row], labels: dict[int, str]) -> bool:
    """Whether the first row below the header only numbers the columns: 甲, 乙, 1, 2, 3=1-2."""
    if len(rows) < _LEAST or _ORDER.fullmatch(rows[1].cells[min(rows[1].cells)].text):
        return False
    row = rows[0]
    cells = {
        at: cell
        for at, cell in distinct(row).items()
        if at in labels and (cell.origin is None or cell.origin[0] == row.number)
    }
    numbers = [cell.value for cell in cells.values() if isinstance(cell.value, int | float)]
    first, *others = numbers or [0]
    in_order = all(after == first + at for at, after in enumerate(others, 1))
    words = [cell.text for cell in cells.values() if not isinstance(cell.value, int | float)]
    reckoned = [text for text in words if _RECKONED.fullmatch(text)]
    if not in_order or first not in (0, 1) or len(numbers) + len(reckoned) < _LEAST:
        return False
    if not all(_RECKONED.fullmatch(text) or _ORDER.fullmatch(text) for text in words):
        return False
    if next((text for text in words if text.isalpha() and len(text) == 1), "A") not in "甲A":
        return False
    starts_blank = min(labels) not in cells or isinstance(cells[min(labels)].value, str)
    all_numbered = (
        len(numbers) == len(labels) >= _ALL and rows[1].cells[min(rows[1].cells)].is_words
    )
    return starts_blank or all_numbered


def with_units(labels: dict[int, str], rows: Sequence[Row]) -> tuple[dict[int, str], list[Row]]:
    """The names with the units that a row right below says, and the rows without it."""
    if not labels or len(rows) < _LEAST:
        return labels, list(rows)
    first = min(labels)
    cells = {at: cell.text for at, cell in rows[0].cells.items()}
    lead = cells.pop(first, "").strip("()（） ")
    is_said = cells and all(at in labels and is_unit(text) for at, text in cells.items())
    if not is_said or lead not in ("", "单位", "计量单位", "unit", "Unit", "Units", "units"):
        return labels, list(rows)
    said = {at: f"{labels[at]} ({text.strip('()（） ')})" for at, text in cells.items()}
    return labels | said, list(rows[1:])
