"""Spreadsheets: every sheet, each row with its column labels and its own range of cells."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from ingest.failures import empty, no_text, pages_failure
from ingest.parsers.carried import with_labels
from ingest.parsers.displayed import behind_shown
from ingest.parsers.excel_bands import bands
from ingest.parsers.excel_counted import is_numbering
from ingest.parsers.excel_headers import form_cells, form_columns
from ingest.parsers.excel_indented import parents
from ingest.parsers.excel_lines import closing
from ingest.parsers.excel_notes import drawn_elements, note_elements
from ingest.parsers.excel_tables import Block, blocks
from ingest.parsers.forms import pairs_text
from ingest.parsers.grid import Budget, Cell, Row, Sheet, cells_label, distinct
from rag.records import Element, Failure, Locator, Page, Parsed, Reason
from rag.tabular import RowMark, Table, TableRow, Value

_MAX_SECTION_CHARS = 80
_MAX_SECTIONS = 3
_LONG_CHARS = 40
_NOTE = re.compile(r"注|备注|说明|附注|Note|\*|[(（]\w{1,2}[)）]", re.IGNORECASE)
_REMARK = re.compile(r"(?:注|备注|说明|附注|数据来源|来源|Notes?|Source)\s*[:：]", re.IGNORECASE)
_PAIR = 2
_GIVEN_NAME = re.compile(r"(?:Table|表|表格|List|列表)_?\d+", re.IGNORECASE)
"""Names Excel gives by itself say nothing."""
HIDDEN = "(hidden)"
_NOT_CALCULATED = "(not calculated)"


def parse_sheets(sheets: Iterable[Sheet], budget: Budget) -> Parsed:
    """What stands on the sheets; they may come one by one, to be read as they are asked for.

    Raises:
        Unreadable: nothing does.
    """
    reading = _Reading()
    for sheet in sheets:
        reading.add(sheet)
    if not reading.elements and not budget.is_spent:
        raise no_text() if "unread_pictures" in reading.flags else empty()
    return reading.parsed()


@dataclass(slots=True)
class _Reading:
    """What was read of a workbook so far."""

    elements: list[Element] = field(default_factory=list)
    pages: list[Page] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    flags: set[str] = field(default_factory=set)
    cuts: list[str] = field(default_factory=list)

    def add(self, sheet: Sheet) -> None:
        before = len(self.elements)
        said: set[Locator] = set()  # a title over two halves stands once
        for block in map(with_labels, blocks(sheet)):
            writer = _Writer(sheet, block)
            titles = [each for each in writer.titles() if each.locator not in said]
            said.update(each.locator for each in titles)
            self.elements += (*titles, *writer.rows())
            self.tables += writer.tables()
        self.elements += note_elements(sheet, self.elements[before:])
        self.elements += drawn_elements(sheet)
        chars = sum(len(element.text) for element in self.elements[before:])
        status: str = "text" if chars else "empty"
        if sheet.drawn and not sheet.rows and "ocr" in sheet.marks:
            status = "ocr"
        if sheet.cut_after == 0 or (not chars and "unread_pictures" in sheet.marks):
            status = "unreadable"
        label = f"{sheet.name} {HIDDEN}" if sheet.hidden else sheet.name
        self.pages.append(Page(len(self.pages) + 1, label, status, chars))  # type: ignore[arg-type]
        self._note(sheet)

    def _note(self, sheet: Sheet) -> None:
        if sheet.hidden or sheet.hidden_columns or any(row.hidden for row in sheet.rows):
            self.flags.add("hidden_sheets")
        if sheet.uncalculated:
            self.flags.add("not_calculated")
        self.flags |= sheet.marks
        if sheet.cut_after == 0:
            self.cuts.append(f"sheet {sheet.name} was not read")
        elif sheet.cut_after is not None:
            self.cuts.append(f"sheet {sheet.name} was read to row {sheet.cut_after:,}")
        if sheet.cut_columns:
            self.cuts.append(f"of sheet {sheet.name}, the columns on the far right were not read")

    def parsed(self) -> Parsed:
        failure = None
        if self.cuts:
            self.flags.add("truncated")
            told = "; ".join(self.cuts)
            failure = Failure(
                Reason.TOO_LARGE,
                f"The workbook is very large: {told}.",
                "Split it into smaller ones and put those in the inbox.",
            )
        unread = [page.number for page in self.pages if page.status == "unreadable"]
        if unread and not failure:
            failure = pages_failure(Reason.NO_TEXT, unread)
        return Parsed(
            elements=tuple(self.elements),
            pages=tuple(self.pages),
            flags=tuple(sorted(self.flags)),
            failure=failure,
            tables=tuple(self.tables),
        )


class _Writer:
    """A block as elements to find and as a table to compute with."""

    def __init__(self, sheet: Sheet, block: Block) -> None:
        self._sheet = sheet
        self._block = block
        self._labels = {
            at: f"{label} {HIDDEN}" if at in sheet.hidden_columns else label
            for at, label in block.labels.items()
        }
        texts = [_line(row) for row in block.titles]
        if block.name and not _GIVEN_NAME.fullmatch(block.name):
            texts.append(block.name)
        self._bands = bands(block)
        self._lines = _lines(block)
        self._parents = parents(block.rows) if block.labels else set()
        self._pairs = form_columns(block.rows) if block.is_form else []
        self._titles = [text for text in texts if len(text) <= _MAX_SECTION_CHARS]
        hidden = ["hidden sheet"] if sheet.hidden else []
        heading = _line(block.heading) if block.heading else ""
        above = dict.fromkeys([*([heading] if heading else []), *self._titles])
        first, *others = above or [""]
        self._section = (*hidden, *filter(None, [first, *others[-_MAX_SECTIONS + 1 :]]))

    def titles(self) -> Iterator[Element]:
        for row in self._block.titles:
            text = _line(row)
            is_title = len(text) <= _MAX_SECTION_CHARS
            cells = cells_label(min(row.cells), row.number, max(row.cells), row.number)
            place = Locator(sheet=self._sheet.name, cells=cells, section=self._section)
            yield Element("title" if is_title else "text", text, place, level=int(is_title))

    def rows(self) -> Iterator[Element]:
        used = {column for row in self._block.rows for column in row.cells}
        if not used.issuperset(self._block.labels):  # no row says the others
            yield Element("table", " | ".join(self._labels.values()), self._above())
        for row in self._block.rows:
            if self._is_note(row):
                yield Element("text", _line(row), self._place(row))
            else:
                band = self._bands.get(row.number)
                text = _line(row) if band == "" else self._text(row)
                yield Element("table", f"{band} | {text}" if band else text, self._place(row))

    def tables(self) -> Iterator[Table]:
        """The block as data, where it is more than a few lines."""
        block = self._block
        columns = range(block.left, block.right + 1)
        told = [row for row in block.rows if self._bands.get(row.number) != ""]
        rows = tuple(self._row(row, columns) for row in told if not self._is_note(row))
        if not rows or (not block.labels and len(rows) < _PAIR) or len(columns) < _PAIR:
            return
        yield Table(
            title=" › ".join(self._section),
            locator=Locator(sheet=self._sheet.name, cells=block.range.label, section=self._section),
            header=tuple(block.labels.get(column, "") for column in columns),
            rows=rows,
            hidden_columns=tuple(
                at for at, column in enumerate(columns) if column in self._sheet.hidden_columns
            ),
        )

    def _row(self, row: Row, columns: range) -> TableRow:
        cells = {column: row.cells.get(column) for column in columns}
        return TableRow(
            cells=self._cells(row),
            shown=tuple(cell.text if cell else "" for cell in cells.values()),
            values=tuple(_value(cell, (row.number, at)) for at, cell in cells.items()),
            marks=self._marks(row),
            uncalculated=tuple(
                at for at, cell in enumerate(cells.values()) if cell and cell.value is None
            ),
        )

    def _marks(self, row: Row) -> tuple[RowMark, ...]:
        total: tuple[RowMark, ...] = ("total",) if row.number in self._parents else ()
        return (*total, "hidden") if row.hidden else total

    def _text(self, row: Row) -> str:
        """A row with its column labels: ``日期: 2023-12-31 | 金额: ¥1,234.50``."""
        block = self._block
        cells = distinct(row)
        hidden = f" {HIDDEN}" if row.hidden else ""
        if block.is_form:
            return pairs_text(form_cells(row, self._pairs)) + hidden
        if not block.labels and block.right - block.left == 1 and len(cells) == _PAIR:
            name, value = map(_said, cells.values())
            return f"{name.rstrip(':：')}: {value}{hidden}"
        parts = (
            f"{self._labels[column]}: {_said(cell)}" if self._labels.get(column) else _said(cell)
            for column, cell in cells.items()
        )
        return " | ".join(parts) + hidden

    def _is_note(self, row: Row) -> bool:
        """Whether a line below or between the rows belongs to no column."""
        cells = distinct(row)
        if len(cells) > 1 or row.number in self._lines:
            return row.number in self._lines
        if self._block.right - self._block.left < _PAIR:
            column, cell = next(iter(cells.items()))
            return column == self._block.left < self._block.right and bool(_REMARK.match(cell.text))
        if not self._block.labels:
            return True
        column, cell = next(iter(cells.items()))
        across = sum(each is cell for each in row.cells.values())
        first = column == self._block.left
        return across > _PAIR or (
            first and bool(len(cell.text) > _LONG_CHARS or _NOTE.match(cell.text))
        )

    def _place(self, row: Row) -> Locator:
        return Locator(sheet=self._sheet.name, cells=self._cells(row), section=self._section)

    def _above(self) -> Locator:
        """Where the header ends."""
        block, at = self._block, max(self._block.top, self._block.rows[0].number - 1)
        cells = cells_label(block.left, at, block.right, at)
        return Locator(sheet=self._sheet.name, cells=cells, section=self._section)

    def _cells(self, row: Row) -> str:
        return cells_label(self._block.left, row.number, self._block.right, row.number)


def _lines(block: Block) -> set[int]:
    """The rows, by number, that are none of the table: numbers of columns, who made it."""
    if not block.labels or block.is_form:
        return set()
    found = closing(block.rows, block.labels)
    if is_numbering(block.rows, block.labels):
        found.add(block.rows[0].number)
    return found


def _value(cell: Cell | None, place: tuple[int, int]) -> Value:
    """What a cell counts for: the number of merged ones only once, in the first of them."""
    if cell is None:
        return None
    is_filled = cell.origin is not None and cell.origin != place
    return None if is_filled and isinstance(cell.value, int | float) else cell.value


def _said(cell: Cell) -> str:
    """What is shown, and the value where that says less; of a bare formula, that it is one."""
    if cell.value is None:
        return f"{cell.text} {_NOT_CALCULATED}"
    behind = behind_shown(cell.text, cell.value)
    return f"{cell.text} ({behind})" if behind else cell.text


def _line(row: Row) -> str:
    return " | ".join(map(_said, distinct(row).values()))
