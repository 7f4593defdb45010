"""The part of a sheet around a cited passage: letters, row numbers, labels, the cells marked."""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from rag.cells import CellRange, cell_range, column_name
from rag.excerpt import Window
from rag.records import Passage
from rag.tabular import Table, TableRow

_SHORT_CHARS = 20
"""Dates and amounts stay in one line."""
_HIDDEN = "(hidden)"


def sheet_html(cited: Passage, window: Window, quote: str) -> str:
    """The rows as an HTML table below the words that are cited.

    Args:
        cited: a passage with cells.
        window: rows around it, each with its cells.
        quote: what is cited of it; all of it where it doesn't say that.
    """
    return "\n".join(_lines(cited, window, quote if quote in cited.text else ""))


def _lines(cited: Passage, window: Window, quote: str) -> Iterator[str]:
    table, place = window.table, cited.place_of(quote)
    yield f"<section><h2>{_text(table.title or cited.locator.sheet or '')}</h2>"
    yield (
        f"<details><summary>{_text(place.label)}</summary>"
        f"<p><mark>{_text(quote or cited.text)}</mark></p></details>"
    )
    if window.above:
        yield _more(window.above, "above")
    yield f"<table><thead>{_heads(table)}</thead><tbody>"
    marked = cell_range(place.cells)
    is_first = True
    for row in table.rows:
        cells = cell_range(row.cells)
        if cells is None:
            continue
        is_cited = marked is not None and marked.top <= cells.top <= marked.bottom
        said = _said(table, row, cells, marked, quote) if marked and is_cited else frozenset()
        identity = ' id="cited"' if is_cited and is_first else ""
        is_first = is_first and not is_cited
        number = f"{cells.top} {_HIDDEN}" if "hidden" in row.marks else str(cells.top)
        yield f"<tr{identity}{_row_classes(row)}><th>{number}</th>{_cells(row, said)}</tr>"
    yield "</tbody></table>"
    if window.below:
        yield _more(window.below, "below")
    yield "</section>"


def _more(count: int, where: str) -> str:
    rows = "row" if count == 1 else "rows"
    return (
        f'<p class="more" data-rows="{count}" data-where="{where}">… {count:,} {rows} {where}</p>'
    )


def _heads(table: Table) -> str:
    whole = cell_range(table.locator.cells)
    left = whole.left if whole else min(_columns(table), default=1)
    letters = "".join(f"<th>{column_name(left + at)}</th>" for at in range(len(table.header)))
    heads = f"<tr><th></th>{letters}</tr>"
    if not any(table.header):
        return heads
    labels = "".join(
        f'<th class="unseen">{_text(label)} {_HIDDEN}</th>'
        if at in table.hidden_columns
        else f"<th>{_text(label)}</th>"
        for at, label in enumerate(table.header)
    )
    return f'{heads}<tr class="labels"><th></th>{labels}</tr>'


def _said(
    table: Table, row: TableRow, cells: CellRange, marked: CellRange, quote: str
) -> frozenset[int]:
    """Which columns of a cited row are marked: those the quote names, or else all cited."""
    parts = {part.strip() for line in quote.split("\n") for part in line.split(" | ")}
    named = frozenset(
        at
        for at, (label, text) in enumerate(zip(table.header, row.shown, strict=True))
        if text and (text in parts or any(part.endswith(f"{label}: {text}") for part in parts))
    )
    within = (at for at in range(len(row.shown)) if marked.left <= cells.left + at <= marked.right)
    return named or frozenset(within)


def _cells(row: TableRow, said: frozenset[int]) -> str:
    return "".join(
        f"<td{_classes(text, is_cited=at in said)}>{_text(text)}</td>"
        for at, text in enumerate(row.shown)
    )


def _row_classes(row: TableRow) -> str:
    names = [name for mark, name in (("total", "total"), ("hidden", "unseen")) if mark in row.marks]
    return f' class="{" ".join(names)}"' if names else ""


def _classes(text: str, *, is_cited: bool) -> str:
    names = [*(["cited"] if is_cited else []), *(["short"] if len(text) <= _SHORT_CHARS else [])]
    return f' class="{" ".join(names)}"' if names else ""


def _columns(table: Table) -> list[int]:
    ranges = [cell_range(row.cells) for row in table.rows]
    return [cells.left for cells in ranges if cells]


def _text(words: str) -> str:
    return escape(words, quote=False)
