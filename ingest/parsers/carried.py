"""Labels written once, with blanks below that stand for the same: pivot exports, orders and items.

A value that is missing looks alike, so this holds only where the rows say so together: the labels
differ from each other, stand left of columns that each row fills, begin with the first row, and
many a row leaves them out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import fsum, isclose

from ingest.parsers.excel_tables import Block
from ingest.parsers.grid import Row
from ingest.parsers.grids import Place
from ingest.parsers.table_marks import is_total_name
from ingest.parsers.values import typed

_BLANK_SHARE = 0.25
_LEAST_ROWS = 3
_FILLED = 2
_CLOSE = 1e-6
_NEARLY = 0.9
_MAX_SPREAD = 9
"""Rows of a sheet for each that says something; more is no table of groups."""
_MAX_COUNTING = 1
"""A column that numbers the rows may stand before the labels."""
_YEAR = re.compile(r"(?:19|20)\d\d年?")
_OPTIONAL = re.compile(
    r"备注|说明|状态|标[记志识]|称谓|传真|手机|电话|邮箱|remarks?|notes?|status|flag|comments?|title|fax"
    r"|e-?mail|mobile|phone",
    re.IGNORECASE,
)
"""What many rows simply don't have."""

Texts = Sequence[Sequence[str]]


def carried(rows: Texts, labels: Sequence[str]) -> dict[Place, Place]:
    """Blank cells, by row and column, and the cell above that each stands for.

    Args:
        rows: of a table below its header, texts by column; a blank row parts what isn't one.
        labels: what heads the columns.
    """
    if not any(labels) or not _has_blanks(rows):
        return {}
    told = [at for at, row in enumerate(rows) if _tells(row)]
    if len(told) > _LEAST_ROWS and _sums_up([rows[at] for at in told]):
        del told[-1]
    begin = _begin([rows[at] for at in told])
    end = _first_full(rows, told, begin)
    if end is None or len(told) < _LEAST_ROWS:
        return {}
    found: dict[Place, Place] = {}
    starts = set(told[:1])
    for column in range(begin, end):
        held = [rows[at][column] for at in told if rows[at][column]]
        if not all(map(_is_label, held)):
            continue
        blank = len(told) - len(held)
        below = _below(rows, column, set(told), starts)
        if _OPTIONAL.fullmatch(labels[column]) or blank < _BLANK_SHARE * len(told) or not below:
            break
        found.update(below)
        starts |= {at for at in told if rows[at][column]}
    return found


def with_labels(block: Block) -> Block:
    """A block of a sheet, its labels in the cells below them as in merged ones."""
    if block.is_form or not block.labels:
        return block
    columns = range(block.left, block.right + 1)
    first, last = block.rows[0].number, block.rows[-1].number
    if last - first > _MAX_SPREAD * len(block.rows):
        return block
    by_number = {row.number: row for row in block.rows}
    texts = [_texts(by_number.get(number), columns) for number in range(first, last + 1)]
    names = [block.labels.get(column, "") for column in columns]
    for (at, column), (above, _) in carried(texts, names).items():
        place = block.left + column
        cell = by_number[first + above].cells[place]
        row = by_number[first + at]
        cells = {**row.cells, place: cell._replace(origin=cell.origin or (first + above, place))}
        by_number[row.number] = row._replace(cells=dict(sorted(cells.items())))
    return replace(block, rows=tuple(by_number.values()))


def _texts(row: Row | None, columns: range) -> list[str]:
    cells = row.cells if row else {}
    return [cells[column].text if column in cells else "" for column in columns]


def _has_blanks(rows: Texts) -> bool:
    """Whether one of the first columns has any."""
    return not all(all(row[: _MAX_COUNTING + 1]) for row in rows)


def _begin(rows: Texts) -> int:
    """The first column that may hold labels: one that only numbers all rows holds none."""
    column = 0
    while column < _MAX_COUNTING and all(isinstance(typed(row[column]), int) for row in rows):
        column += 1
    return column


def _tells(row: Sequence[str]) -> bool:
    """Whether a row is one of the table's own, and no line, sum or blank."""
    held = [text for text in row if text]
    words = [text for text in held if isinstance(typed(text), str)]
    return len(held) >= _FILLED and bool(words) and not any(map(is_total_name, words[:_FILLED]))


def _sums_up(rows: Texts) -> bool:
    """Whether the last row, whose first cell is blank, holds the sums of those above it."""
    *above, last = [[typed(text) for text in row] for row in rows]
    sums = [
        (value, fsum(each for row in above if isinstance(each := row[at], int | float)))
        for at, value in enumerate(last)
        if isinstance(value, int | float)
    ]
    is_blank = not rows[-1][0]
    return is_blank and bool(sums) and all(isclose(*each, abs_tol=_CLOSE) for each in sums)


def _first_full(rows: Texts, told: Sequence[int], begin: int) -> int | None:
    """The first column that all rows fill; None where nothing beside it is filled, either."""
    filled = [sum(bool(rows[at][column]) for at in told) for column in range(begin, len(rows[0]))]
    end = next((at for at, count in enumerate(filled) if count == len(told)), None)
    if end is None or not any(count >= _NEARLY * len(told) for count in filled[end + 1 :]):
        return None
    return begin + end


def _below(rows: Texts, column: int, told: set[int], starts: set[int]) -> dict[Place, Place]:
    """The blanks of a column by the label above; none where one of them has no sure label."""
    found: dict[Place, Place] = {}
    for group in _groups(len(rows), starts):
        above: int | None = None
        seen: set[str] = set()
        for at in group:
            text = rows[at][column]
            if at not in told:
                above = None
            elif text in seen or (not text and above is None):
                return {}
            elif text:
                seen.add(text)
                above = at
            elif above is not None:
                found[at, column] = (above, column)
    return found


def _groups(rows: int, starts: Iterable[int]) -> Iterator[range]:
    ordered = [*sorted(starts), rows]
    for start, end in pairwise(ordered):
        yield range(start, end)


def _is_label(text: str) -> bool:
    said = isinstance(typed(text), str) and any(map(str.isalnum, text))
    return said or bool(_YEAR.fullmatch(text))
