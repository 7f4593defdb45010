"""Separated values, with any separator, in any encoding: a sheet without formats."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from ingest.failures import corrupt
from ingest.parsers.encodings import decode
from ingest.parsers.excel_stacked import new_headers
from ingest.parsers.grid import Area, Budget, Cell, Range, Row, Sheet
from ingest.parsers.thousands import are_unclear, is_pointed
from ingest.parsers.values import typed, words
from rag.ports import Progress, unheard
from rag.records import Parsed
from rag.terms import is_cjk

_SEPARATORS = ",\t;|"
_SAMPLE_ROWS = 50
_TELL_EVERY_ROWS = 5000
_MAX_FIELD_CHARS = 1 << 20
_THOUSANDS = re.compile(r"[-+]?[1-9]\d{0,2}(?:[.,]\d{3})+\s?[€%]?")
_POINTED = re.compile(r"\d,\d{3}\.\d")
_MAYBE = re.compile(r"(?<![\d.])[1-9]\d{0,2}\.\d{3}(?!\d)")
_SAMPLE_CHARS = 10_000
_TOLD = re.compile(r"^\s*sep=(.)\s*\n", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Dialect:
    separator: str
    has_escapes: bool


def parse_separated(path: Path, *, progress: Progress = unheard) -> Parsed:
    """Read separated values.

    Args:
        path: the file, a page as a whole.
        progress: told now and then that it goes on.

    Raises:
        Unreadable: the file is no text, or has none.
    """
    from ingest.parsers.excel import parse_sheets

    budget = Budget()
    text = decode(path.read_bytes())
    return parse_sheets([sheet_of(text, path.stem, budget, progress)], budget)


def sheet_of(text: str, name: str, budget: Budget, progress: Progress = unheard) -> Sheet:
    """Separated values as a sheet; a first row of nothing but names heads it all.

    Raises:
        Unreadable: it isn't a table of values.
    """
    csv.field_size_limit(_MAX_FIELD_CHARS)
    told = _TOLD.match(text)
    start = told.end() if told else 0
    dialect = _Dialect(told[1], has_escapes=False) if told else _dialect(text)
    sheet = Sheet(name)
    width = 0
    is_unclear = _has_decimal_commas(text, dialect.separator)
    try:
        for number, fields in enumerate(_records(text[start:], dialect), 1 + bool(told)):
            if number % _TELL_EVERY_ROWS == 0:
                progress(0, 1)
            cells = dict(_cells(fields, is_unclear=is_unclear))
            if cells and not budget.take(len(cells)):
                sheet.cut_after = sheet.rows[-1].number if sheet.rows else 0
                break
            if cells:
                sheet.rows.append(Row(number, cells))
                width = max(width, *cells)
    except csv.Error as error:
        raise corrupt("The file is not a table of separated values.") from error
    if dialect.separator != ",":  # where commas part fields, points part decimals
        _leave_unclear(sheet, text)
    if _is_header(sheet.rows, width) and next(new_headers(sheet.rows[1:]), None) is None:
        whole = Range(1, sheet.rows[0].number, width, sheet.rows[-1].number)
        sheet.areas = (Area("", whole),)
    return sheet


def _has_decimal_commas(text: str, separator: str) -> bool:
    """Whether some field is a number like 0,15: then 1.000 may well be a thousand."""
    edge = '"' if separator == "," else rf'(?:["\n{re.escape(separator)}]|\Z)'
    number = rf"{edge}\s*[-+]?\d{{1,3}}(?:\.?\d{{3}})*,\d{{1,2}}\s?(?:[€%]|EUR)?\s*{edge}"
    return bool(re.search(number, text)) and not _POINTED.search(text)


def _cells(fields: Sequence[str], *, is_unclear: bool) -> Iterator[tuple[int, Cell]]:
    """Those with something in them; unclear thousands stay the text they are."""
    for column, field in enumerate(fields, 1):
        shown = words(field)
        if shown:
            is_text = is_unclear and _THOUSANDS.fullmatch(shown)
            indent = len(field) - len(field.lstrip())
            yield column, Cell(shown, shown if is_text else typed(shown), indent=indent)


def _leave_unclear(sheet: Sheet, text: str) -> None:
    """Make figures text again where 1.000 may be one or a thousand."""
    if not _MAYBE.search(text) or any(map(is_cjk, text[:_SAMPLE_CHARS])):
        return
    if are_unclear(cell.text for row in sheet.rows for cell in row.cells.values()):
        for row in sheet.rows:
            for column, cell in row.cells.items():
                if is_pointed(cell.text):
                    row.cells[column] = cell._replace(value=cell.text)


def _is_header(rows: Sequence[Row], width: int) -> bool:
    if len(rows) <= 1 or width <= 1:
        return False
    texts = _texts(rows[0])
    names = [cell.text for cell in rows[0].cells.values() if cell.is_words]
    is_again = any(_texts(row) == texts for row in rows[1:])
    return len(names) == len(set(names)) == width and not is_again


def _texts(row: Row) -> list[str]:
    return [cell.text for cell in row.cells.values()]


def _records(text: str, dialect: _Dialect) -> Iterator[list[str]]:
    return csv.reader(
        io.StringIO(text, newline=""),
        delimiter=dialect.separator,
        escapechar="\\" if dialect.has_escapes else None,
    )


def _dialect(text: str) -> _Dialect:
    """The separator that cuts the most rows into equally many fields, more than one."""
    best, most = ",", 0.0
    for separator in _SEPARATORS:
        rows = islice(_records(text, _Dialect(separator, has_escapes=False)), _SAMPLE_ROWS)
        try:
            sizes = Counter(len(fields) for fields in rows if fields)
        except csv.Error:
            continue
        if not sizes:
            continue
        size, rows_alike = sizes.most_common(1)[0]
        score = rows_alike / sizes.total() if size > 1 else 0.0
        # Commas stand inside amounts and sentences, too: the more fields, the surer.
        if score * (1 + size / 100) > most:
            best, most = separator, score * (1 + size / 100)
    return _Dialect(best, has_escapes=f"\\{best}" in text)
