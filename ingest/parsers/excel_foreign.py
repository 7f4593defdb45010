"""What business systems save as .xls: tables of a web page, and Excel's XML of 2003."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from typing import Any

from ingest.failures import corrupt
from ingest.parsers.displayed import displayed
from ingest.parsers.grid import Budget, Cell, Range, Row, Sheet
from ingest.parsers.values import typed, words

_NAMES = {
    "General Date": "yyyy-mm-dd hh:mm",
    "Short Date": "yyyy-mm-dd",
    "Medium Date": "yyyy-mm-dd",
    "Long Date": "yyyy-mm-dd",
    "Short Time": "hh:mm",
    "Percent": "0.00%",
    "Fixed": "0.00",
    "Standard": "#,##0.00",
    "Currency": "#,##0.00",
    "Euro Currency": "€#,##0.00",
    "Scientific": "0.00E+00",
}
_SPREADSHEET = "{urn:schemas-microsoft-com:office:spreadsheet}"
_MAX_SPAN = 1000
_DAY_ZERO = dt.datetime(1899, 12, 30)


def page_sheet(text: str, name: str, budget: Budget) -> Sheet:
    """The tables of a web page, one below the other, a blank row between.

    Raises:
        Unreadable: there is no page in it.
    """
    from lxml import html
    from lxml.etree import ParserError

    try:
        page = html.document_fromstring(text.encode(), parser=html.HTMLParser(encoding="utf-8"))
    except ParserError as error:
        raise corrupt() from error
    sheet = Sheet(name)
    merged: list[Range] = []
    number = 0
    for table in page.xpath("//table[not(ancestor::table)]"):
        taken: set[tuple[int, int]] = set()
        for line in table.xpath("./tr | ./thead/tr | ./tbody/tr | ./tfoot/tr"):
            number += 1
            cells = dict(_page_cells(line, number, taken, merged))
            if cells and not _keep(sheet, Row(number, cells), budget):
                break
        number += 1
    sheet.fill(merged, budget)
    return sheet


def xml_sheets(data: bytes, budget: Budget) -> Iterator[Sheet]:
    """The worksheets of an "XML Spreadsheet 2003".

    Raises:
        Unreadable: it is damaged.
    """
    from lxml.etree import XMLParser, XMLSyntaxError, fromstring

    try:
        book = fromstring(data, XMLParser(resolve_entities=False, no_network=True))
    except XMLSyntaxError as error:
        raise corrupt() from error
    formats = {
        style.get(f"{_SPREADSHEET}ID"): form.get(f"{_SPREADSHEET}Format", "")
        for style in book.iter(f"{_SPREADSHEET}Style")
        for form in style.iter(f"{_SPREADSHEET}NumberFormat")
    }
    for source in book.iter(f"{_SPREADSHEET}Worksheet"):
        sheet = Sheet(source.get(f"{_SPREADSHEET}Name", ""))
        visible = source.find(".//{urn:schemas-microsoft-com:office:excel}Visible")
        sheet.hidden = visible is not None and visible.text != "SheetVisible"
        merged: list[Range] = []
        number = 0
        for line in source.iter(f"{_SPREADSHEET}Row"):
            number = _count(line, "Index") or number + 1
            cells = dict(_xml_cells(line, number, formats, merged))
            hidden = line.get(f"{_SPREADSHEET}Hidden") == "1"
            if cells and not _keep(sheet, Row(number, cells, hidden), budget):
                break
        sheet.fill(merged, budget)
        yield sheet


def _keep(sheet: Sheet, row: Row, budget: Budget) -> bool:
    if budget.take(len(row.cells)):
        sheet.rows.append(row)
        return True
    sheet.cut_after = sheet.rows[-1].number if sheet.rows else 0
    return False


def _page_cells(
    line: Any, number: int, taken: set[tuple[int, int]], merged: list[Range]
) -> Iterator[tuple[int, Cell]]:
    column = 0
    for element in line.xpath("./td | ./th"):
        column += 1
        while (number, column) in taken:  # a cell of a row above reaches down here
            column += 1
        across, down = (_span(element.get(side)) for side in ("colspan", "rowspan"))
        if across * down > 1:
            area = Range(column, number, column + across - 1, number + down - 1)
            merged.append(area)
            for row in range(number + 1, number + down):
                taken.update((row, at) for at in range(column, column + across))
        text = words(" ".join(element.itertext()))
        if text:
            yield column, Cell(text, typed(text))
        column += across - 1


def _xml_cells(
    line: Any, number: int, formats: dict[str | None, str], merged: list[Range]
) -> Iterator[tuple[int, Cell]]:
    column = 0
    for element in line.iter(f"{_SPREADSHEET}Cell"):
        column = _count(element, "Index") or column + 1
        across, down = _count(element, "MergeAcross"), _count(element, "MergeDown")
        if across or down:
            merged.append(Range(column, number, column + across, number + down))
        data = element.find(f"{_SPREADSHEET}Data")
        form = formats.get(element.get(f"{_SPREADSHEET}StyleID"), "")
        if data is not None:
            shown = displayed(_xml_value(data), _NAMES.get(form, form))
            if shown.text:
                yield column, Cell(shown.text, shown.value)
        column += across


def _xml_value(data: Any) -> object:
    text = "".join(data.itertext())
    try:
        match data.get(f"{_SPREADSHEET}Type"):
            case "Number":
                value = float(text)
                return int(value) if value.is_integer() else value
            case "DateTime":
                return (dt.datetime.fromisoformat(text) - _DAY_ZERO) / dt.timedelta(days=1)
            case "Boolean":
                return text == "1"
    except (ValueError, TypeError, OverflowError):
        return text
    return text


def _count(element: Any, name: str) -> int:
    written = element.get(f"{_SPREADSHEET}{name}", "")
    return min(int(written), 1 << 20) if written.isdecimal() else 0


def _span(written: str | None) -> int:
    return max(1, min(int(written), _MAX_SPAN)) if written and written.isdecimal() else 1
