"""The part of a sheet around a cited passage: letters, row numbers, labels, the cells marked."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rag.cells import CellRange, cell_range, column_name
from rag.records import Passage
from rag.tabular import Table

_SHORT_CHARS = 20
"""Dates and amounts stay in one line."""


def sheet_html(cited: Passage, table: Table) -> str:
    """The rows as an HTML table below the words that are cited.

    Args:
        cited: a passage with cells.
        table: rows around it, each with its cells.
    """
    return "\n".join(_lines(cited, table))


def _lines(cited: Passage, table: Table) -> Iterator[str]:
    marked = cell_range(cited.locator.cells)
    whole = cell_range(table.locator.cells)
    left = whole.left if whole else min(_columns(table), default=1)
    letters = [column_name(left + at) for at in range(len(table.header))]
    yield f"<section><h2>{_text(table.title or cited.locator.sheet or '')}</h2>"
    yield (
        f"<details><summary>{_text(cited.locator.label)}</summary>"
        f"<p><mark>{_text(cited.text)}</mark></p></details>"
    )
    yield f"<table><thead><tr><th></th>{''.join(f'<th>{letter}</th>' for letter in letters)}</tr>"
    if any(table.header):
        labels = "".join(f"<th>{_text(label)}</th>" for label in table.header)
        yield f'<tr class="labels"><th></th>{labels}</tr>'
    yield "</thead>"
    is_first = True
    for row in table.rows:
        cells = cell_range(row.cells)
        if cells is None:
            continue
        is_cited = marked is not None and marked.top <= cells.top <= marked.bottom
        identity = ' id="cited"' if is_cited and is_first else ""
        is_first = is_first and not is_cited
        yield f"<tr{identity}><th>{cells.top}</th>{_cells(row.shown, cells, marked)}</tr>"
    yield "</table></section>"


def _cells(shown: tuple[str, ...], row: CellRange, marked: CellRange | None) -> str:
    return "".join(
        f"<td{_classes(text, is_cited=_holds(marked, row.left + at, row.top))}>{_text(text)}</td>"
        for at, text in enumerate(shown)
    )


def _classes(text: str, *, is_cited: bool) -> str:
    names = [*(["cited"] if is_cited else []), *(["short"] if len(text) <= _SHORT_CHARS else [])]
    return f' class="{" ".join(names)}"' if names else ""


def _holds(marked: CellRange | None, column: int, row: int) -> bool:
    return (
        marked is not None
        and marked.left <= column <= marked.right
        and marked.top <= row <= marked.bottom
    )


def _columns(table: Table) -> list[int]:
    ranges = [cell_range(row.cells) for row in table.rows]
    return [cells.left for cells in ranges if cells]


def _text(words: str) -> str:
    return escape(words, quote=False)
