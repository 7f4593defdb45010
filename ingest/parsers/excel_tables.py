"""Tables on a sheet: where each begins and ends, what heads its columns, and its rows as text."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from ingest.parsers.excel_rows import Cell, Row

_MAX_HEADER_ROWS = 3
_HEADER_SHARE = 0.5
"""A header names at least half of its table's columns."""
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_MAX_LABEL_CHARS = 60
_MAX_FORM_ROWS = 12
_PAIR = 2


@dataclass(frozen=True, slots=True)
class Table:
    """A block of cells with nothing around it.

    ``labels`` names its columns; ``titles`` are lines above them that belong to no column.
    """

    left: int
    right: int
    titles: tuple[Row, ...]
    labels: dict[int, str]
    rows: tuple[Row, ...]


def tables(rows: Iterable[Row]) -> Iterator[Table]:
    """The tables of a sheet, split where whole rows or columns are blank.

    A table without a header of its own takes that of the one above with the same columns: a
    blank line inside a ledger does not end it.
    """
    known: dict[tuple[int, int], dict[int, str]] = {}
    for band in _bands(rows):
        for left, right in _spans(band):
            block = [_within(row, left, right) for row in band]
            table = _read(left, right, [row for row in block if row.cells])
            if table.labels:
                known[left, right] = table.labels
            elif len(table.rows) > 0 and (left, right) in known:
                table = Table(left, right, table.titles, known[left, right], table.rows)
            yield table


def row_text(table: Table, row: Row) -> str:
    """A row with its column labels: ``日期: 2023-12-31 | 金额: ¥1,234.50``."""
    if not table.labels and table.right - table.left == 1 and len(row.cells) == _PAIR:
        return ": ".join(cell.text for cell in _distinct(row).values())
    return " | ".join(
        f"{table.labels[column]}: {cell.text}" if table.labels.get(column) else cell.text
        for column, cell in _distinct(row).items()
    )


def _bands(rows: Iterable[Row]) -> Iterator[list[Row]]:
    band: list[Row] = []
    for row in rows:
        if not row.is_blank:
            band.append(row)
        elif band:
            yield band
            band = []
    if band:
        yield band


def _spans(band: list[Row]) -> list[tuple[int, int]]:
    """Runs of columns with something in them."""
    used = sorted({column for row in band for column in row.cells})
    spans: list[tuple[int, int]] = []
    for column in used:
        if spans and column == spans[-1][1] + 1:
            spans[-1] = (spans[-1][0], column)
        else:
            spans.append((column, column))
    return spans


def _within(row: Row, left: int, right: int) -> Row:
    return Row(row.number, {at: cell for at, cell in row.cells.items() if left <= at <= right})


def _read(left: int, right: int, rows: list[Row]) -> Table:
    titles = 0
    width = right - left + 1
    while titles < len(rows) - 1 and width > 1 and len(_distinct(rows[titles])) == 1:
        titles += 1
    head = _header_height(rows[titles:], width)
    if not head and titles and titles < len(rows) - 1:
        # A line like "编制单位：…  单位：元" often stands between the title and the header.
        below = _header_height(rows[titles + 1 :], width)
        if below and len(_distinct(rows[titles])) < width:
            titles, head = titles + 1, below
    body = rows[titles + head :]
    if not body and titles and not head:
        titles, body = 0, rows
    labels = _labels(rows[titles : titles + head])
    return Table(left, right, tuple(rows[:titles]), labels, tuple(body))


def _header_height(rows: list[Row], width: int) -> int:
    """How many of the first rows head the columns; 0 when none does, or nothing follows."""
    if len(rows) < 2 or width < 2 or not _is_header(rows[0], width):  # noqa: PLR2004
        return 0
    if _is_form(rows, width):
        return 0
    height = 1
    while (
        height < min(len(rows) - 1, _MAX_HEADER_ROWS)
        and _spans_columns(rows[height - 1])
        and all(_names(cell) for cell in rows[height].cells.values())
    ):
        height += 1
    return height


def _is_form(rows: list[Row], width: int) -> bool:
    """A few names and what they stand for: each row speaks for itself, the first one too."""
    words = all(cell.is_words for row in rows for cell in row.cells.values())
    return width == _PAIR and len(rows) <= _MAX_FORM_ROWS and words


def _is_header(row: Row, width: int) -> bool:
    named = sum(_names(cell) for cell in row.cells.values())
    return named == len(row.cells) and named >= max(2, width * _HEADER_SHARE)


def _names(cell: Cell) -> bool:
    if len(cell.text) > _MAX_LABEL_CHARS or cell.text.startswith("="):
        return False
    return cell.is_words or bool(_YEAR.fullmatch(cell.text))


def _spans_columns(row: Row) -> bool:
    """Whether a merged cell of the row stands over several columns, named below."""
    origins = [cell.origin for cell in row.cells.values()]
    return len(set(origins)) < len(origins)


def _labels(rows: list[Row]) -> dict[int, str]:
    labels: dict[int, list[str]] = {}
    for row in rows:
        for column, cell in row.cells.items():
            above = labels.setdefault(column, [])
            if cell.text not in above:
                above.append(cell.text)
    return {column: " ".join(parts) for column, parts in labels.items()}


def _distinct(row: Row) -> dict[int, Cell]:
    """The cells by column, a merged one once."""
    seen: set[tuple[int, int]] = set()
    kept: dict[int, Cell] = {}
    for column, cell in row.cells.items():
        if cell.origin not in seen:
            seen.add(cell.origin)
            kept[column] = cell
    return kept
