"""Which passage each row of a table stands in, so that what is computed of rows can be cited."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence

from rag.cells import cell_range
from rag.records import Passage
from rag.tabular import Table, TableRow

_AHEAD = 40
"""Rows follow each other as passages do: so far on the next row is looked for, and no farther."""

Place = tuple[int | None, int | None]
"""Page and slide."""


class Placing:
    """The passages of one document, by where they stand."""

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._by_row = _by_row(passages)
        self._by_place: dict[Place, list[Passage]] = defaultdict(list)
        for passage in passages:
            if passage.locator.sheet is None:
                self._by_place[passage.locator.page, passage.locator.slide].append(passage)

    def ordinals(self, table: Table) -> Iterator[int | None]:
        """The ordinal of each row's passage, in order; None for a row that stands in none."""
        at: dict[Place, int] = defaultdict(int)
        for row in table.rows:
            if row.cells is not None:
                yield self._of_sheet(table, row)
                continue
            place = (row.page or table.locator.page, table.locator.slide)
            found = _search(self._by_place.get(place, ()), row, at[place])
            if found is not None:
                at[place] = found
            yield None if found is None else self._by_place[place][found].ordinal

    def _of_sheet(self, table: Table, row: TableRow) -> int | None:
        cells = cell_range(row.cells)
        if cells is None:
            return None
        beside = self._by_row.get((table.locator.sheet, cells.top), ())
        return next((ordinal for left, right, ordinal in beside
                     if left <= cells.right and cells.left <= right), None)  # fmt: skip


def _by_row(
    passages: Iterable[Passage],
) -> dict[tuple[str | None, int], list[tuple[int, int, int]]]:
    """Left and right column and ordinal of what says something of each row of each sheet."""
    found: dict[tuple[str | None, int], list[tuple[int, int, int]]] = defaultdict(list)
    for passage in passages:
        place = passage.locator
        for written in place.lines or (place.cells,):
            cells = cell_range(written)
            if cells and place.sheet is not None:
                for number in range(cells.top, cells.bottom + 1):
                    found[place.sheet, number].append((cells.left, cells.right, passage.ordinal))
    return found


def _search(passages: Sequence[Passage], row: TableRow, first: int) -> int | None:
    said = {text for text in row.shown if text}
    for at in range(first, min(first + _AHEAD, len(passages))):
        if any(all(text in line for text in said) for line in passages[at].text.split("\n")):
            return at
    return None
