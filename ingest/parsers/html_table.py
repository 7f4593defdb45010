"""The rows of an HTML table, merged cells filled over their whole range."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from ingest.parsers.characters import clean
from ingest.parsers.grids import Place
from ingest.parsers.tables import PageTable, of_texts

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from lxml.etree import _Element

_MAX_SPAN = 200
"""A hostile span must not blow a row up."""
_MAX_COLUMNS = 1000


class Row(NamedTuple):
    """A row's texts, and for each the first place of the cell that it is part of."""

    cells: list[str]
    owners: list[Place]
    is_head: bool


def rows_of(table: _Element, name_of: Callable[[_Element], str]) -> list[Row]:
    """Rows of cell texts; a merged cell says its text in every row and once in a row."""
    hanging: dict[int, tuple[int, str, Place]] = {}
    rows: list[Row] = []
    for at, row in enumerate(each for each in table.iterdescendants() if name_of(each) == "tr"):
        cells: list[str] = []
        owners: list[Place] = []
        names = [name for each in row if (name := name_of(each)) in ("td", "th")]
        for cell in (each for each in row if name_of(each) in ("td", "th")):
            _fill(cells, owners, hanging)
            text = clean(" ".join(" ".join(cell.itertext()).split()))
            place = at, len(cells)
            wide = _span(cell.get("colspan"))
            down = _span(cell.get("rowspan"))
            if down > 1:
                for column in range(wide):
                    hanging[len(cells) + column] = (down - 1, "" if column else text, place)
            cells += [text] + [""] * (wide - 1)
            owners += [place] * wide
            if len(cells) > _MAX_COLUMNS:
                break
        _fill(cells, owners, hanging)
        rows.append(Row(cells, owners, set(names) == {"th"}))
    return rows


def as_table(rows: Sequence[Row]) -> PageTable | None:
    """The rows as a table with names of its columns, where they have some; or as a form."""
    width = max((len(row.cells) for row in rows), default=0)
    owner = {(r, c): at for r, row in enumerate(rows) for c, at in enumerate(row.owners)}
    texts = [[*row.cells, *[""] * (width - len(row.cells))] for row in rows]
    heads = next((at for at, row in enumerate(rows) if not row.is_head), 0)
    return of_texts(texts, owner, heads=heads)


def _fill(
    cells: list[str], owners: list[Place], hanging: dict[int, tuple[int, str, Place]]
) -> None:
    while len(cells) in hanging:
        left, text, place = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = (left - 1, text, place)
        cells.append(text)
        owners.append(place)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _MAX_SPAN) if value and value.isdecimal() else 1
