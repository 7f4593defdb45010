"""Tables of Word documents as rows of cell texts, merged cells filled down."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.grids import Place
from ingest.parsers.tables import PageTable, of_texts
from ingest.parsers.word_package import W
from ingest.parsers.word_styles import switched, value

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

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
    owners: tuple[Place, ...] = ()
    """For each cell the first place of the one it is part of: its row, from 0, and column."""


def rows_of(
    table: _Element, text_of: Callable[[_Element], str], page: Callable[[], int]
) -> list[Row]:
    """The rows of a ``w:tbl`` that are not hidden.

    Args:
        table: where no change is tracked any more.
        text_of: gives the text of a ``w:tc``; called once for each, in order.
        page: gives the page reached so far.
    """
    above: dict[int, tuple[Place, str]] = {}
    rows: list[Row] = []
    for row in table.findall(f"{W}tr"):
        properties = row.find(f"{W}trPr")
        cells = [""] * _span(value(properties, "gridBefore"), least=0)
        owners = [(len(rows), at) for at in range(len(cells))]
        printed: list[str] = []
        for cell in row.findall(f"{W}tc"):
            at = len(cells)
            text = text_of(cell)
            if text:
                printed.append(text)
            owner, text = _filled(cell, text, above, (len(rows), at))
            wide = _span(value(cell, "tcPr/gridSpan"))
            cells += [text] + [""] * (wide - 1)
            owners += [owner] * wide
        if not switched(properties, "hidden"):
            header = switched(properties, "tblHeader")
            rows.append(Row(tuple(cells), tuple(printed), header, page(), tuple(owners)))
    return rows


def _filled(
    cell: _Element, text: str, above: dict[int, tuple[Place, str]], place: Place
) -> tuple[Place, str]:
    """A cell merged with the one above says what that says; and where that begins."""
    merge = cell.find(f"{W}tcPr/{W}vMerge")
    if merge is None:
        above.pop(place[1], None)
        return place, text
    if merge.get(f"{W}val") == "restart":
        above[place[1]] = place, text
    return above.get(place[1], (place, text))


def as_table(rows: Sequence[Row]) -> PageTable | None:
    """The rows as a table with names of its columns, where they have some; or as a form."""
    width = max((len(row.cells) for row in rows), default=0)
    owner = {(r, c): at for r, row in enumerate(rows) for c, at in enumerate(row.owners)}
    texts = [[*row.cells, *[""] * (width - len(row.cells))] for row in rows]
    return of_texts(texts, owner, heads=heads_of(rows))


def heads_of(rows: Sequence[Row]) -> int:
    """How many rows are said to repeat on every page; none where all of them are."""
    heads = next((at for at, row in enumerate(rows) if not row.is_header), 0)
    return heads


def _span(said: str | None, *, least: int = 1) -> int:
    return min(max(int(said), least), _MAX_SPAN) if said and said.isdecimal() else least
