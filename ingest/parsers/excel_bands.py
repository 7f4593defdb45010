"""Lines inside a table that say what the rows below them are of: a shop, then what it sold."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from ingest.parsers.excel_tables import Block
from ingest.parsers.grid import Row, distinct
from ingest.parsers.table_marks import is_total_name

_MAX_CHARS = 40
_NOTE = re.compile(
    r"注|备注|说明|附注|Note|\*|[(（]\w{1,2}[)）]|截[至止]|以[上下]|数据来源|第.{1,4}页"
    r"|Source|As of|Page \d",
    re.IGNORECASE,
)
_OF_ALL = re.compile(r"总[计和]|grand total", re.IGNORECASE)
"""What sums up the whole table stands below the last line, not under it."""
_PAIR = 2
_LEAST_COLUMNS = 3
_FULL_SHARE = 0.9


def bands(block: Block) -> dict[int, str]:
    """What each row stands under, by row number; the lines themselves have the empty string.

    A row that only lacks its values looks like such a line, and so does a break in a timetable. It
    is one where the table begins with one, and they are merged over it, bold, or over full rows.
    """
    if not block.labels or block.is_form:
        return {}
    lines = [at for at, row in enumerate(block.rows[:-1]) if _may_head(block, row)]
    lines = [at for at in lines if len(distinct(block.rows[at + 1])) > 1]
    if lines[:1] != [0] or not (_stand_out(block, lines) or _are_regular(block, lines)):
        return {}
    return dict(_under(block.rows, set(lines)))


def _under(rows: Sequence[Row], lines: set[int]) -> Iterator[tuple[int, str]]:
    band = ""
    sums = [at for at, row in enumerate(rows) if any(map(is_total_name, _words(row)))]
    # A single one at the end of several groups sums up all of them.
    of_all = sums if sums == [len(rows) - 1] and len(lines) > 1 else []
    for at, row in enumerate(rows):
        if at in lines:
            band = _text(row).rstrip(":： ")
            yield row.number, ""
            continue
        if at in of_all or any(map(_OF_ALL.search, _words(row))):
            band = ""
        if band:
            yield row.number, band
        if at in sums:
            band = ""


def _may_head(block: Block, row: Row) -> bool:
    cells = distinct(row)
    column, cell = next(iter(cells.items()))
    is_name = cell.is_words and len(cell.text) <= _MAX_CHARS and not cell.text.startswith("=")
    alone = len(cells) == 1 and column == block.left
    return alone and is_name and not _NOTE.match(cell.text) and not is_total_name(cell.text)


def _stand_out(block: Block, lines: Sequence[int]) -> bool:
    """Whether all are merged over the table, or bold where the others aren't."""
    width = sum(block.left <= at <= block.right for at in block.labels)
    if all(len(block.rows[at].cells) >= max(width, _PAIR) for at in lines):
        return True
    others = [row for at, row in enumerate(block.rows) if at not in set(lines)]
    return all(block.rows[at].bold for at in lines) and not any(
        row.bold for row in others if not is_total_name(_text(row))
    )


def _are_regular(block: Block, lines: Sequence[int]) -> bool:
    """Whether they part the whole table into groups of full rows."""
    names = {_text(block.rows[at]) for at in lines}
    if len(block.labels) < _LEAST_COLUMNS or len(names) < max(len(lines), _PAIR):
        return False
    if any(after - at <= _PAIR for at, after in pairwise([*lines, len(block.rows)])):
        return False
    rows = [len(distinct(row)) for at, row in enumerate(block.rows) if at not in set(lines)]
    return sum(size >= _PAIR for size in rows) >= _FULL_SHARE * len(rows)


def _words(row: Row) -> list[str]:
    return [cell.text for cell in row.cells.values() if cell.is_words]


def _text(row: Row) -> str:
    return next(iter(row.cells.values())).text
