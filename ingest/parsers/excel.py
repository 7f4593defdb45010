"""Excel: every visible sheet, each row with its column labels and its own cell range."""

from __future__ import annotations

import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt, empty
from ingest.parsers.excel_rows import Layout, Row, is_formula, read_layout, read_rows
from ingest.parsers.excel_tables import Table, row_text, tables
from rag.records import Element, Failure, Locator, Page, Parsed, Reason

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

MAX_ROWS = 200_000
"""Rows of one workbook that are read; more would not fit a laptop's index."""


@dataclass(slots=True)
class _Reading:
    """What was read of a workbook so far."""

    elements: list[Element] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    rows_left: int = MAX_ROWS
    hidden: bool = False
    uncalculated: bool = False


def parse_xlsx(path: Path) -> Parsed:
    """Read a workbook, values as displayed.

    Raises:
        Unreadable: it is damaged or holds nothing.
    """
    with _opened(path) as (package, values, formulas):
        reading = _Reading()
        for sheet in values.worksheets:
            if sheet.sheet_state != "visible":
                reading.hidden = True
                continue
            _read_sheet(reading, package, sheet, formulas[sheet.title])
    if not reading.elements:
        raise empty()
    return Parsed(
        elements=tuple(reading.elements),
        pages=tuple(reading.pages),
        flags=_flags(reading),
        failure=_TOO_LONG if reading.rows_left <= 0 else None,
    )


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Workbook, Workbook]]:
    """The package and the workbook twice: openpyxl gives values or formulas, not both."""
    from lxml.etree import XMLSyntaxError
    from openpyxl import load_workbook

    broken = (zipfile.BadZipFile, XMLSyntaxError, KeyError, ValueError, SyntaxError, OSError)
    try:
        values = load_workbook(path, read_only=True, data_only=True)
        formulas = load_workbook(path, read_only=True, data_only=False)
    except broken as error:
        raise corrupt() from error
    try:
        with zipfile.ZipFile(path) as package:
            yield package, values, formulas
    except broken as error:
        raise corrupt() from error
    finally:
        values.close()
        formulas.close()


def _read_sheet(
    reading: _Reading,
    package: zipfile.ZipFile,
    values: ReadOnlyWorksheet,
    formulas: ReadOnlyWorksheet,
) -> None:
    layout = read_layout(package, values._worksheet_path)
    for sheet in (values, formulas):
        sheet.reset_dimensions()  # what the file claims about its size is often wrong
    before = len(reading.elements)
    for table in tables(_rows(reading, values, formulas, layout)):
        reading.elements += _elements(table, values.title)
    chars = sum(len(element.text) for element in reading.elements[before:])
    number = len(reading.pages) + 1
    reading.pages.append(Page(number, values.title, "text" if chars else "empty", chars))


def _rows(
    reading: _Reading,
    values: ReadOnlyWorksheet,
    formulas: ReadOnlyWorksheet,
    layout: Layout,
) -> Iterator[Row]:
    written = formulas if layout.has_formulas else None
    for row in islice(read_rows(values, written, layout), _MAX_SHEET_ROWS):
        if not row.is_blank:
            if reading.rows_left <= 0:
                return
            reading.rows_left -= 1
        reading.uncalculated = reading.uncalculated or any(
            is_formula(cell.text) for cell in row.cells.values()
        )
        yield row


_MAX_SHEET_ROWS = 1 << 20
"""Excel's own limit."""


def _elements(table: Table, sheet: str) -> Iterator[Element]:
    section: tuple[str, ...] = ()
    for row in table.titles:
        text = row_text(Table(table.left, table.right, (), {}, ()), row)
        section = section or (text,)
        yield Element("title", text, _place(sheet, table, row, section), level=1)
    for row in table.rows:
        yield Element("table", row_text(table, row), _place(sheet, table, row, section))


def _place(sheet: str, table: Table, row: Row, section: tuple[str, ...]) -> Locator:
    from openpyxl.utils import get_column_letter

    left, right = get_column_letter(table.left), get_column_letter(table.right)
    cells = f"{left}{row.number}:{right}{row.number}"
    return Locator(sheet=sheet, cells=cells, section=section)


def _flags(reading: _Reading) -> tuple[str, ...]:
    flags = {
        "hidden_sheets": reading.hidden,
        "not_calculated": reading.uncalculated,
        "truncated": reading.rows_left <= 0,
    }
    return tuple(flag for flag, holds in flags.items() if holds)


_TOO_LONG = Failure(
    Reason.TOO_LARGE,
    f"Only the first {MAX_ROWS:,} rows were read.",
    "Split the workbook into smaller ones and put those in the inbox.",
)
