"""Workbooks of Excel 2007 and later: openpyxl reads the package, cells are read in one pass here.

openpyxl gives values or formulas, not both, and neither hidden rows nor merged ranges without
holding the whole sheet as objects; one pass over the XML gives all of it in half the time.
"""

from __future__ import annotations

import datetime as dt
import re
import zipfile
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.failures import corrupt
from ingest.parsers.displayed import displayed
from ingest.parsers.excel_builtins import CUSTOM_FROM, format_of
from ingest.parsers.excel_drawn import drawings_of
from ingest.parsers.excel_notes import notes_of
from ingest.parsers.grid import MAX_COLUMNS, Area, Budget, Cell, Range, Row, Sheet
from ingest.parsers.struck import FLAG, as_struck
from ingest.parsers.values import words
from rag.cells import cell_range, column_number

if TYPE_CHECKING:
    from openpyxl import Workbook
    from openpyxl.worksheet._read_only import ReadOnlyWorksheet

_REFERENCE = re.compile(r"([A-Z]{1,3})(\d+)")
_LAST_ROW = 1 << 20
_TELL_EVERY_ROWS = 5000


def sheets(path: Path, budget: Budget, tell: Callable[[int, int], None]) -> Iterator[Sheet]:
    """The worksheets of the workbook at ``path``, one at a time; very hidden ones left out.

    Raises:
        Unreadable: it is damaged.
    """
    with _opened(path) as (package, book):
        areas = _areas(package, book)
        for number, sheet in enumerate(book.worksheets):
            tell(number, len(book.worksheets))
            if sheet.sheet_state == "veryHidden":
                continue
            reader = _Reader(book, sheet, budget, partial(tell, number, len(book.worksheets)))
            read = reader.read(package)
            read.hidden = sheet.sheet_state != "visible"
            read.areas = tuple(areas.get(sheet.title, ()))
            read.notes = notes_of(package, sheet._worksheet_path)
            drawings = drawings_of(package, sheet._worksheet_path, budget)
            read.drawn, read.marks = drawings.said, read.marks | drawings.flags
            yield read


@contextmanager
def _opened(path: Path) -> Iterator[tuple[zipfile.ZipFile, Workbook]]:
    import warnings

    from lxml.etree import XMLSyntaxError
    from openpyxl import load_workbook

    # openpyxl checks little of what it reads, and neither do we of numbers in the XML.
    broken = (
        zipfile.BadZipFile, zlib.error, XMLSyntaxError, OSError, EOFError, KeyError, ValueError,
        SyntaxError, TypeError, AttributeError, IndexError, NotImplementedError,
    )  # fmt: skip
    try:
        # As a file, since openpyxl refuses names that don't end as it likes.
        with path.open("rb") as file, zipfile.ZipFile(file) as package:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # of styles that are lacking or unknown
                book = load_workbook(file, read_only=True)
            yield package, book
    except broken as error:
        raise corrupt() from error


class _Formula(str):
    """A formula that was never calculated."""

    __slots__ = ()


@dataclass(slots=True)
class _Reader:
    """Reads one worksheet's XML."""

    book: Workbook
    source: ReadOnlyWorksheet
    budget: Budget
    tell: Callable[[], None]
    formats: dict[int, str] = field(default_factory=dict)
    shared: dict[str, tuple[str, str]] = field(default_factory=dict)
    strikes: dict[int, bool] = field(default_factory=dict)
    uncalculated: bool = False
    struck: bool = False

    def read(self, package: zipfile.ZipFile) -> Sheet:
        from lxml.etree import iterparse

        sheet = Sheet(self.source.title)
        merged: list[Range] = []
        hidden: set[int] = set()
        with package.open(self.source._worksheet_path) as xml:
            tags = ("{*}row", "{*}col", "{*}mergeCell")
            last = 0
            for _, element in iterparse(xml, tag=tags, resolve_entities=False):
                kind = element.tag.rpartition("}")[2]
                if kind == "row":
                    last = self._row(sheet, element, last)
                elif kind == "col" and _is_true(element.get("hidden")):
                    ends = int(element.get("min", 1)), int(element.get("max", 1))
                    hidden.update(range(ends[0], min(ends[1], MAX_COLUMNS) + 1))
                elif kind == "mergeCell":
                    merged.append(range_of(element.get("ref", "")))
                _forget(element)
        sheet.hidden_columns = frozenset(hidden)
        sheet.uncalculated = self.uncalculated
        sheet.marks = frozenset([FLAG] if self.struck else [])
        sheet.fill([area for area in merged if area.right], self.budget)
        return sheet

    def _row(self, sheet: Sheet, element: Any, last: int) -> int:
        number = int(element.get("r", last + 1))
        if number % _TELL_EVERY_ROWS == 0:
            self.tell()
        if sheet.cut_after is not None or number > _LAST_ROW:
            return number
        cells = self._cells(sheet, element)
        if not cells:
            return number
        if self.budget.take(len(cells)):
            hidden, bold = _is_true(element.get("hidden")), self._is_bold(element)
            sheet.rows.append(Row(number, cells, hidden, bold))
        else:
            sheet.cut_after = sheet.rows[-1].number if sheet.rows else 0
        return number

    def _cells(self, sheet: Sheet, row: Any) -> dict[int, Cell]:
        cells: dict[int, Cell] = {}
        column = 0
        for element in row:
            place = _REFERENCE.fullmatch(element.get("r", ""))
            column = column_number(place[1]) if place else column + 1
            if not len(element):
                continue
            value = self._value(element, f"{element.get('r', '')}")
            if value is None:
                continue
            if column > MAX_COLUMNS:
                sheet.cut_columns = True
                break
            if isinstance(value, _Formula):
                cells[column] = Cell(words(value), None)
                continue
            form = self._format(int(element.get("s", 0)))
            shown = displayed(value, form, since_1904=self.book.epoch.year == 1904)  # noqa: PLR2004
            if shown.text and self._is_struck(int(element.get("s", 0))):
                self.struck = True
                cells[column] = Cell(as_struck(shown.text), as_struck(shown.text))
            elif shown.text:
                indent = self._indent(value, int(element.get("s", 0)))
                cells[column] = Cell(shown.text, shown.value, indent=indent)
        return cells

    def _indent(self, value: object, style: int) -> int:
        """By how much a text is set in: its own blanks, and what its format adds."""
        if not isinstance(value, str):
            return 0
        return len(value) - len(value.lstrip()) + _indent_of(self.book, style)

    def _value(self, element: Any, at: str) -> object:
        """The cell's value, a formula never calculated as its own text."""
        parts = {child.tag.rpartition("}")[2]: child for child in element}
        kind = element.get("t", "n")
        if kind == "inlineStr":
            return _inline(parts.get("is"))
        written = parts["v"].text if "v" in parts else None
        if not written:
            return self._formula(parts["f"], at) if "f" in parts and kind != "str" else None
        if kind == "s":
            return self.source._shared_strings[int(written)]
        return _WRITTEN[kind](written) if kind in _WRITTEN else written

    def _formula(self, element: Any, at: str) -> _Formula | None:
        from openpyxl.formula.translate import Translator, TranslatorError

        text = element.text
        group = element.get("si")
        if text and group is not None:
            self.shared[group] = (f"={text}", at)
        elif not text and group in self.shared:
            formula, origin = self.shared[group]
            try:
                text = Translator(formula, origin).translate_formula(at)[1:]
            except TranslatorError:
                text = formula[1:]
        if not text:
            return None
        self.uncalculated = True
        return _Formula(f"={text}")

    def _is_struck(self, style: int) -> bool:
        if style not in self.strikes:
            font = _font_of(self.book, style)
            self.strikes[style] = bool(font and font.strike)
        return self.strikes[style]

    def _is_bold(self, row: Any) -> bool:
        styles = (int(element.get("s", 0)) for element in row if len(element))
        return all(_font_is_bold(self.book, style) for style in styles)

    def _format(self, style: int) -> str:
        if style not in self.formats:
            self.formats[style] = _format_of(self.book, style)
        return self.formats[style]


def _format_of(book: Workbook, style: int) -> str:
    if style >= len(book._cell_styles):
        return ""
    number = book._cell_styles[style].numFmtId
    custom = number - CUSTOM_FROM
    in_file = 0 <= custom < len(book._number_formats)
    return format_of(number, str(book._number_formats[custom]) if in_file else "")


def _indent_of(book: Workbook, style: int) -> int:
    if style >= len(book._cell_styles):
        return 0
    return int(book._alignments[book._cell_styles[style].alignmentId].indent or 0)


def _font_is_bold(book: Workbook, style: int) -> bool:
    font = _font_of(book, style)
    return bool(font and font.b)


def _font_of(book: Workbook, style: int) -> Any:
    """The font of a cell's style; None where the file names none."""
    if style >= len(book._cell_styles):
        return None
    font = book._cell_styles[style].fontId
    return book._fonts[font] if font < len(book._fonts) else None


def number_of(written: str) -> int | float | str:
    """A number as the file spells it."""
    try:
        return int(written) if written.lstrip("-").isdecimal() else float(written)
    except ValueError:
        return written


def range_of(reference: str) -> Range:
    """``$A$2:$C$9`` as numbers; all zeros for what is no range."""
    found = cell_range(reference.replace("$", ""))
    return Range(found.left, found.top, found.right, found.bottom) if found else Range(0, 0, 0, 0)


def _day_number(written: str) -> object:
    try:
        day = dt.datetime.fromisoformat(written.removesuffix("Z"))
    except ValueError:
        return written
    return (day.replace(tzinfo=None) - dt.datetime(1899, 12, 30)) / dt.timedelta(days=1)


def _is_one(written: str) -> bool:
    return written == "1"


_WRITTEN: dict[str, Callable[[str], object]] = {
    "b": _is_one,
    "d": _day_number,
    "n": number_of,
}
"""How values other than text are spelled, by the cell's type."""


def _inline(element: Any) -> str | None:
    """The text of a cell's own string; what only says how to read it aloud is left out."""
    if element is None:
        return None
    runs = element.iterchildren("{*}t", "{*}r")
    return "".join(text.text or "" for run in runs for text in run.iter("{*}t"))


def _is_true(written: str | None) -> bool:
    return written in ("1", "true")


def _forget(element: Any) -> None:
    """Free what was read: a sheet's tree would take a hundred times its file."""
    element.clear()
    parent = element.getparent()
    while element.getprevious() is not None:
        del parent[0]


def _areas(package: zipfile.ZipFile, book: Workbook) -> dict[str, list[Area]]:
    """Tables and named ranges by sheet."""
    found: dict[str, list[Area]] = {}
    for sheet in book.worksheets:
        found[sheet.title] = list(_tables(package, sheet._worksheet_path))
    for name, defined in book.defined_names.items():
        if defined.hidden or defined.is_external or name.startswith("_"):
            continue
        for title, reference in defined.destinations:
            area = range_of(reference)
            if area.right > area.left and area.bottom > area.top:
                found.setdefault(title, []).append(Area(name, area, is_table=False))
    return found


def _tables(package: zipfile.ZipFile, part: str) -> Iterator[Area]:
    from lxml.etree import fromstring
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    relations = get_rels_path(part)
    if relations not in package.namelist():
        return
    for relation in get_dependents(package, relations).find(
        "http://schemas.openxmlformats.org/officeDocument/2006/relationships/table"
    ):
        if relation.target not in package.namelist():
            continue
        table = fromstring(package.read(relation.target))
        area = range_of(table.get("ref", ""))
        if area.right:
            header = table.get("headerRowCount", "1") != "0"
            yield Area(table.get("displayName", ""), area, has_header=header)
