"""The rows of an HTML table, merged cells filled over their whole range."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

_MAX_SPAN = 200
"""A hostile span must not blow a row up."""
_MAX_COLUMNS = 1000


def rows_of(table: _Element, name_of: Callable[[_Element], str]) -> list[list[str]]:
    """Rows of cell texts; a merged cell says its text in every row and once in a row."""
    hanging: dict[int, tuple[int, str]] = {}
    rows: list[list[str]] = []
    for row in (each for each in table.iterdescendants() if name_of(each) == "tr"):
        cells: list[str] = []
        for cell in (each for each in row if name_of(each) in ("td", "th")):
            _fill(cells, hanging)
            text = " ".join(" ".join(cell.itertext()).split())
            down = _span(cell.get("rowspan"))
            if down > 1:
                hanging[len(cells)] = (down - 1, text)
            cells += [text] + [""] * (_span(cell.get("colspan")) - 1)
            if len(cells) > _MAX_COLUMNS:
                break
        _fill(cells, hanging)
        rows.append(cells)
    return rows


def _fill(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _MAX_SPAN) if value and value.isdecimal() else 1
