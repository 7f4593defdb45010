"""Which rows of a table head its columns, and what the columns are called."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import datetime
from typing import NamedTuple

from ingest.parsers.excel_counted import is_numbering
from ingest.parsers.forms import FACT, counted, speak_for_themselves
from ingest.parsers.grid import Cell, Row, distinct
from ingest.parsers.table_marks import is_unit

_MAX_HEADER_ROWS = 3
_MAX_LINES_ABOVE = 12
_HEADER_SHARE = 0.5
"""A header names at least half of its table's columns."""
_FULLEST_SHARE = 0.7
"""Lines above a header ("Company: …  Unit: …") fill fewer columns than it does."""
_VARIETY = 0.3
"""Names differ; a table of crosses has no header."""
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_SAID = re.compile(r"[:：]")
"""Company: …, Date: … stand above a header, not in it."""
_CLOSING = re.compile(r"[-=—_*]{5,}|[(（]?共?\s*\d+\s*(?:[笔条项行]|records|rows)", re.IGNORECASE)
"""What an export ends with."""
_PIVOT = re.compile(r".{2,4}项[:：]")
"""求和项: is how pivot tables name columns."""
_MAX_LABEL_CHARS = 80
_NEAR = 3
_MAX_FORM_ROWS = 12
_MAX_PAIR_ROWS = 60
_PAIR = 2


class Header(NamedTuple):
    """The first of the rows that head a table, and how many do; 0 where none does."""

    start: int
    height: int


NO_HEADER = Header(0, 0)


def find_header(rows: Sequence[Row], width: int) -> Header:
    """Look for the header among the first rows.

    Args:
        rows: of one table, lines above its header, too.
        width: how many cells its fullest row has.
    """
    sizes = _naming(rows, width)
    if len(rows) < _PAIR or width < _PAIR or not sizes or _is_form(rows, width):
        return NO_HEADER
    enough: float = max(_PAIR, width * _HEADER_SHARE, max(sizes) * _FULLEST_SHARE)
    start = next((at for at, size in enumerate(sizes) if size >= enough), None)
    if start is None or start >= len(rows) - 1 or not _varies(rows[start]):
        return NO_HEADER
    lines = [row for row in rows[:start] if not tells(row)]
    if any(map(_has_figures, lines)) and not any(map(_has_figures, rows[start + 1 :][:_NEAR])):
        return NO_HEADER
    while tells(rows[start]) and any(size >= enough for size in sizes[start + 1 : start + 2]):
        start += 1
    height = 1
    first = min(column for row in rows for column in row.cells)
    while (
        height < _MAX_HEADER_ROWS
        and start + height < min(len(sizes), len(rows) - 1)
        and sizes[start + height]
        and _stands_over(rows[start + height - 1], rows[start + height], first)
        and not all(is_unit(cell.text) for cell in rows[start + height].cells.values())
        and not is_numbering(rows[start + height :], _named(rows[start]))
    ):
        height += 1
    while start and height < _MAX_HEADER_ROWS and _is_part(rows[start - 1], rows[start]):
        start, height = start - 1, height + 1
    return Header(start, height)


def _named(row: Row) -> dict[int, str]:
    return {at: cell.text for at, cell in row.cells.items()}


def label_columns(rows: Sequence[Row], header: Header) -> dict[int, str]:
    """The name of each column, those of several rows joined from the top."""
    if not header.height:
        return {}
    above = [dict(row.cells) for row in rows[header.start : header.start + header.height]]
    if header.height > 1:
        above[:-1] = [_spread(row, above[-1]) for row in above[:-1]]
    labels: dict[int, list[str]] = {}
    for row in above:
        for column, cell in row.items():
            parts = labels.setdefault(column, [])
            if cell.text not in parts:
                parts.append(cell.text)
    return {at: " ".join(parts).rstrip(":： ") for at, parts in sorted(labels.items())}


def over_values(labels: dict[int, str], body: Sequence[Row]) -> dict[int, str]:
    """The names, those over a column without a value moved to one beside it that has no name."""
    used = {column for row in body for column in row.cells}
    settled = dict(labels)
    for at, label in labels.items():
        if at in used:
            continue
        beside = next((near for near in (at + 1, at - 1) if near in used - set(settled)), None)
        if beside is not None:
            del settled[at]
            settled[beside] = label
    return dict(sorted(settled.items()))


def find_repeat(labels: dict[int, str], rows: Sequence[Row], left: int, right: int) -> int:
    """After how many columns the names begin again; 0 where they don't.

    The first may differ ("assets | no. | amount | debts | no. | amount"); words must stand in
    each part, to tell its rows.
    """
    names = [labels.get(column, "") for column in range(left, right + 1)]
    for size in range(_PAIR, len(names) // 2 + 1):
        if len(names) % size or not all(names):
            continue
        parts = [names[at : at + size] for at in range(0, len(names), size)]
        if all(part[1:] == parts[0][1:] for part in parts) and all(
            _has_words(rows, left + at, left + at + size) for at in range(0, len(names), size)
        ):
            return size
    return 0


def tells(row: Row) -> bool:
    """Whether it is a line above a header: Company: Pell, Unit: euro."""
    return any(FACT.match(cell.text) for cell in row.cells.values() if cell.is_words)


def are_facts(row: Row) -> bool:
    """Whether most of several cells name what they say: Buyer: Pell | Seller: Ltd."""
    texts = [cell.text for cell in distinct(row).values()]
    facts = [text for text in texts if FACT.match(text) and not _PIVOT.match(text)]
    return len(texts) > 1 and len(facts) > len(texts) / 2


def is_signature(row: Row, width: int) -> bool:
    """Whether it is a line below a table: Made by: Pell, Printed on: 2024-04-08.

    Args:
        row: one of the last.
        width: how many columns the table has.
    """
    texts = [cell.text for cell in distinct(row).values()]
    if len(texts) <= _PAIR < width / 2 and (FACT.match(texts[0]) or _CLOSING.match(texts[0])):
        return True
    return all(FACT.match(text) or text.endswith((":", "：")) for text in texts)


def is_name(cell: Cell) -> bool:
    """Whether a cell can head a column: words, or a year."""
    return not cell.text.startswith("=") and (cell.is_words or bool(_YEAR.fullmatch(cell.text)))


def _naming(rows: Sequence[Row], width: int) -> list[int]:
    """How many names stand in each of the first rows that can be a header, or above one."""
    sizes: list[int] = []
    for at, row in enumerate(rows[:_MAX_LINES_ABOVE]):
        below = rows[at + 1].cells if at + 1 < len(rows) else {}
        counting = counting_columns(row)
        if are_facts(row):
            sizes.append(0)
        elif all(
            column in counting or _names(cell, below.get(column))
            for column, cell in row.cells.items()
        ):
            sizes.append(len(_texts(row)))
        elif any(_SAID.search(cell.text) for cell in row.cells.values() if cell.is_words):
            sizes.append(0)  # a line that tells, say, the date
        elif _says_values(row, width):
            sizes.append(0)
        else:
            break
    return sizes


def _says_values(row: Row, width: int) -> bool:
    """Whether it may be a line above a header that says a day or a rate, with its name or alone."""
    cells = list(distinct(row).values())
    if len(cells) <= _PAIR and len(cells) < width * _FULLEST_SHARE:
        return True
    names, values = cells[::_PAIR], cells[1::_PAIR]
    is_named = len(names) == len(values) > 1 and all(cell.is_words for cell in names)
    return is_named and not all(cell.is_words for cell in values)


def _has_figures(row: Row) -> bool:
    return any(isinstance(cell.value, int | float | datetime) for cell in row.cells.values())


def _names(cell: Cell, below: Cell | None) -> bool:
    if isinstance(cell.value, datetime):  # months may head columns of amounts
        return below is not None and not isinstance(below.value, datetime | str)
    return is_name(cell)


def _texts(row: Row) -> set[object]:
    """The cells of a row that can be names, a merged one once."""
    return {
        cell.origin or column
        for column, cell in row.cells.items()
        if len(cell.text) <= _MAX_LABEL_CHARS
    }


def _varies(row: Row) -> bool:
    texts = {cell.text for cell in row.cells.values()}
    return len(texts) > 1 and len(texts) >= len(row.cells) * _VARIETY


def _is_form(rows: Sequence[Row], width: int) -> bool:
    """A few names and what they stand for: each row speaks for itself, the first one too."""
    words = all(cell.is_words for row in rows for cell in row.cells.values())
    return width == _PAIR and len(rows) <= _MAX_FORM_ROWS and words


def is_form(rows: Sequence[Row]) -> bool:
    """Whether names and their values stand side by side, line by line."""
    if len(rows) > _MAX_PAIR_ROWS:
        return False
    starts = form_columns(rows)
    table = [form_cells(row, starts) for row in rows]
    names = (row.cells[at] for row in rows for at in starts[::_PAIR] if at in row.cells)
    return all(cell.is_words for cell in names) and speak_for_themselves(table)


def form_columns(rows: Sequence[Row]) -> list[int]:
    """Where the cells of a form begin; a merged one counts once."""
    return sorted({column for row in rows for column in distinct(row)})


def form_cells(row: Row, starts: Sequence[int]) -> list[str]:
    """A row's texts by the columns that cells begin in, blank where none does."""
    cells = distinct(row)
    return [cells[at].text if at in cells else "" for at in starts]


def counting_columns(row: Row) -> set[int]:
    """Columns that a row numbers: months, days."""
    columns = sorted(row.cells)
    return {columns[at] for at in counted([row.cells[column].value for column in columns])}


def _stands_over(row: Row, below: Row, first: int) -> bool:
    """Whether the row below names the columns under a merged cell of the row.

    Also where it leaves out the first column: that is where a row of values has its key.
    """
    wide = _merged_across(row)
    if wide and len({below.cells[at].text for at in wide if at in below.cells}) > 1:
        return True
    return first in row.cells and first not in below.cells and len(below.cells) > 1


def _is_part(above: Row, row: Row) -> bool:
    """Whether the row above belongs to the header: merged over parts, or telling equals apart."""
    if len({cell.origin or at for at, cell in above.cells.items()}) < _PAIR:
        return False
    if any(_SAID.search(cell.text) for cell in above.cells.values()):
        return False
    if _merged_across(above) or any(
        cell.origin and cell.origin == getattr(row.cells.get(at), "origin", None)
        for at, cell in above.cells.items()
    ):
        return True
    names = [cell.text for cell in row.cells.values()]
    return len(set(names)) < len(names) and len(_texts(above)) > 1


def _merged_across(row: Row) -> list[int]:
    """Columns under cells that are merged over several."""
    origins = [cell.origin for cell in row.cells.values() if cell.origin]
    return [at for at, cell in row.cells.items() if cell.origin and origins.count(cell.origin) > 1]


def _spread(row: dict[int, Cell], below: dict[int, Cell]) -> dict[int, Cell]:
    """A group's name over its columns, where it was written without merging cells.

    Columns set apart by a blank one are a group; else a name holds up to the next one.
    """
    if any(cell.origin for cell in row.values()):
        return row
    spread = dict(row)
    first = min([*row, *below])
    columns = sorted(column for column in below if column != first)
    run: list[int] = []
    for at, column in enumerate(columns):
        run.append(column)
        if at + 1 == len(columns) or columns[at + 1] != column + 1:
            named = [each for each in run if each in row]
            for each in run:
                left = [name for name in named if name <= each] or named[:1]
                if left:
                    spread[each] = row[left[-1]]
            run = []
    return dict(sorted(spread.items()))


def _has_words(rows: Sequence[Row], left: int, right: int) -> bool:
    return any(
        cell.is_words for row in rows for at, cell in row.cells.items() if left <= at < right
    )
