"""Tables of Word documents as rows of cell texts, merged cells filled down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.word_package import W
from ingest.parsers.word_styles import switched, value

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

_MAX_SPAN = 200
"""A hostile span must not blow a row up."""


@dataclass(frozen=True, slots=True)
class Row:
    """One row: what it says with merged cells filled, and what is printed in it."""

    cells: tuple[str, ...]
    printed: tuple[str, ...]
    is_header: bool
    page: int


def rows_of(
    table: _Element, text_of: Callable[[_Element], str], page: Callable[[], int]
) -> list[Row]:
    """The rows of a ``w:tbl`` that are not hidden.

    Args:
        table: where no change is tracked any more.
        text_of: gives the text of a ``w:tc``; called once for each, in order.
        page: gives the page reached so far.
    """
    above: dict[int, str] = {}
    rows: list[Row] = []
    for row in table.findall(f"{W}tr"):
        properties = row.find(f"{W}trPr")
        cells = [""] * _span(value(properties, "gridBefore"), least=0)
        printed: list[str] = []
        for cell in row.findall(f"{W}tc"):
            at = len(cells)
            text = text_of(cell)
            if text:
                printed.append(text)
            text = _filled(cell, text, above, at)
            cells += [text] + [""] * (_span(value(cell, "tcPr/gridSpan")) - 1)
        if not switched(properties, "hidden"):
            header = switched(properties, "tblHeader")
            rows.append(Row(tuple(cells), tuple(printed), header, page()))
    return rows


def _filled(cell: _Element, text: str, above: dict[int, str], at: int) -> str:
    """A cell merged with the one above says what that says."""
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    if merge is None:
        above.pop(at, None)
        return text
    if merge.get(f"{W}val") == "restart":
        above[at] = text
        return text
    return above.get(at, text)


def _span(said: str | None, *, least: int = 1) -> int:
    return min(max(int(said), least), _MAX_SPAN) if said and said.isdecimal() else least
