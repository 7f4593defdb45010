"""Workbooks of Excel 97 to 2003, read with xlrd: it knows formats, merged and hidden cells."""

from __future__ import annotations

import io
import struct
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt, encrypted
from ingest.parsers.displayed import displayed
from ingest.parsers.grid import Budget, Cell, Note, Range, Row, Sheet
from ingest.parsers.values import words

if TYPE_CHECKING:
    from xlrd.book import Book
    from xlrd.sheet import Sheet as OldSheet

_VERY_HIDDEN = 2


def sheets(path: Path, budget: Budget, tell: Callable[[int, int], None]) -> Iterator[Sheet]:
    """The worksheets of the workbook at ``path``, one at a time; very hidden ones left out.

    Raises:
        Unreadable: it is damaged, or protected by a password.
    """
    book = _opened(path)
    for number in range(book.nsheets):
        tell(number, book.nsheets)
        try:
            sheet = book.sheet_by_index(number)
        except _broken() as error:
            raise corrupt() from error
        if sheet.visibility != _VERY_HIDDEN:
            yield _read(book, sheet, budget)
        book.unload_sheet(number)


def _broken() -> tuple[type[Exception], ...]:
    from xlrd import XLRDError
    from xlrd.compdoc import CompDocError

    # xlrd checks little of what it reads.
    return (XLRDError, CompDocError, struct.error, AssertionError, IndexError, KeyError, TypeError,
            ValueError, AttributeError, OverflowError, NotImplementedError)  # fmt: skip


def _opened(path: Path) -> Book:
    import xlrd

    try:
        return xlrd.open_workbook(
            str(path), formatting_info=True, on_demand=True, ragged_rows=True, logfile=io.StringIO()
        )
    except _broken() as error:
        if "encrypted" in str(error).lower():
            raise encrypted() from error
        raise corrupt() from error


def _read(book: Book, source: OldSheet, budget: Budget) -> Sheet:
    hidden = {at + 1 for at, info in source.colinfo_map.items() if info.hidden}
    sheet = Sheet(source.name, hidden=source.visibility != 0, hidden_columns=frozenset(hidden))
    for at in range(source.nrows):
        cells = _cells(book, source, at)
        if not cells:
            continue
        if not budget.take(len(cells)):
            sheet.cut_after = sheet.rows[-1].number if sheet.rows else 0
            break
        info = source.rowinfo_map.get(at)
        sheet.rows.append(Row(at + 1, cells, bool(info and info.hidden)))
    # Ends are exclusive in xlrd.
    merged = [Range(left + 1, top + 1, right, bottom) for top, bottom, left, right in
              source.merged_cells]  # fmt: skip
    sheet.fill(sorted(merged, key=lambda area: area.top), budget)
    notes = ((place, words(note.text)) for place, note in source.cell_note_map.items())
    sheet.notes = tuple(Note((row + 1, column + 1), text) for (row, column), text in notes if text)
    return sheet


def _cells(book: Book, source: OldSheet, row: int) -> dict[int, Cell]:
    cells: dict[int, Cell] = {}
    for column in range(source.row_len(row)):
        value = _value(source.cell_type(row, column), source.cell_value(row, column))
        if value is None:
            continue
        form = _format(book, source.cell_xf_index(row, column))
        shown = displayed(value, form, since_1904=book.datemode == 1)
        if shown.text:
            cells[column + 1] = Cell(shown.text, shown.value)
    return cells


def _value(kind: int, value: object) -> object:
    import xlrd

    match kind:
        case xlrd.XL_CELL_EMPTY | xlrd.XL_CELL_BLANK:
            return None
        case xlrd.XL_CELL_BOOLEAN:
            return bool(value)
        case xlrd.XL_CELL_ERROR:
            return xlrd.error_text_from_code.get(value, "#ERROR!")
        case _:
            return int(value) if isinstance(value, float) and value.is_integer() else value


def _format(book: Book, style: int) -> str:
    from ingest.parsers.excel_builtins import format_of

    if style >= len(book.xf_list):
        return ""
    key = book.xf_list[style].format_key
    written = book.format_map.get(key)
    return format_of(key, written.format_str if written else "")
