"""Lines inside a page's table that say what the rows below them are of, told as on sheets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ingest.parsers.excel_bands import bands
from ingest.parsers.excel_tables import Block
from ingest.parsers.grid import Cell, Row
from ingest.parsers.grids import Place
from ingest.parsers.values import typed


def bands_of(
    texts: Sequence[Sequence[str]], owner: Mapping[Place, Place], labels: Sequence[str], first: int
) -> dict[int, str]:
    """What each row stands under, by its place; the lines themselves have the empty string.

    Args:
        texts: by row and column, merged cells filled.
        owner: for each place the first one of the cell that it is part of.
        labels: what heads each column.
        first: the first row that is not header.
    """
    rows = [_row(at, texts[at], owner) for at in range(first, len(texts)) if any(texts[at])]
    named = {at: label for at, label in enumerate(labels) if label}
    return bands(Block(0, len(labels) - 1, tuple(rows), labels=named))


def _row(at: int, texts: Sequence[str], owner: Mapping[Place, Place]) -> Row:
    cells = {
        column: Cell(text, typed(text), owner[at, column])
        for column, text in enumerate(texts)
        if text
    }
    return Row(at, cells)
