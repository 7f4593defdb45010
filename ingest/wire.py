"""Parsed documents as JSON and back, for the pipe to the parsing child.

JSON and not pickle: the child reads hostile files, so what it says is checked field by field.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterable
from typing import Any, TypeVar, get_args

from rag.columns import pack_columns, pack_marks, unpack_columns, unpack_marks
from rag.records import (
    Box,
    Element,
    ElementKind,
    Failure,
    Locator,
    Page,
    PageSource,
    PageStatus,
    Parsed,
    Reason,
)
from rag.tabular import Table, TableRow

Json = dict[str, Any]

T = TypeVar("T")


def parsed_to_json(parsed: Parsed) -> Json:
    """The document without its tables; see `tables_to_bytes`."""
    return {
        "elements": [_element_to_json(element) for element in parsed.elements],
        "pages": [[page.number, page.label, page.status, page.chars] for page in parsed.pages],
        "flags": list(parsed.flags),
        "failure": failure_to_json(parsed.failure) if parsed.failure else None,
    }


def parsed_from_json(data: Json, tables: bytes = b"") -> Parsed:
    """The document again, with its tables as `tables_to_bytes` gave them.

    Raises:
        ValueError, TypeError, KeyError: it isn't one.
    """
    failure = data["failure"]
    return Parsed(
        elements=tuple(_element_from_json(each) for each in data["elements"]),
        pages=tuple(_page(*each) for each in data["pages"]),
        flags=tuple(str(flag) for flag in data["flags"]),
        failure=failure_from_json(failure) if failure else None,
        tables=tables_from_bytes(tables),
    )


def tables_to_bytes(tables: Iterable[Table]) -> bytes:
    """Tables as lines of JSON: one for the table, one a row.

    A ledger has a million cells; as lines they are read one by one, never as one tree.
    """
    lines: list[str] = []
    for table in tables:
        place = _locator_to_json(table.locator)
        said = [table.unit, table.units, table.hidden_columns]
        lines.append(json.dumps([table.title, place, table.header, len(table.rows), said]))
        lines += map(_row_to_line, table.rows)
    return "\n".join(lines).encode("utf-8", "surrogatepass")


def tables_from_bytes(data: bytes) -> tuple[Table, ...]:
    """The tables again.

    Raises:
        ValueError, TypeError, KeyError: they are none.
    """
    # At line feeds only: other line ends may stand inside a cell.
    lines = io.StringIO(data.decode("utf-8", "surrogatepass"), newline="\n")
    tables: list[Table] = []
    for line in lines:
        title, place, header, count, (unit, units, hidden) = json.loads(line)
        rows = tuple(_row_from_line(next(lines, ""), len(header)) for _ in range(int(count)))
        tables.append(
            Table(
                str(title),
                _locator(place),
                tuple(map(str, header)),
                rows,
                str(unit),
                tuple(map(str, units)),
                tuple(map(int, hidden)),
            )
        )
    return tuple(tables)


def failure_to_json(failure: Failure) -> Json:
    return {"code": failure.code.value, "message": failure.message, "advice": failure.advice}


def failure_from_json(data: Json) -> Failure:
    return Failure(Reason(data["code"]), str(data["message"]), str(data["advice"]))


def boxes_to_json(boxes: tuple[Box, ...]) -> list[list[float]]:
    return [[box.page, box.x0, box.y0, box.x1, box.y1] for box in boxes]


def boxes_from_json(data: list[list[float]]) -> tuple[Box, ...]:
    return tuple(
        Box(int(page), float(x0), float(y0), float(x1), float(y1)) for page, x0, y0, x1, y1 in data
    )


def _element_to_json(element: Element) -> Json:
    return {
        "kind": element.kind,
        "text": element.text,
        "level": element.level,
        "header": element.header,
        "at": _locator_to_json(element.locator),
    }


def _locator_to_json(at: Locator) -> Json:
    place = {
        "page": at.page,
        "page_end": at.page_end,
        "page_label": at.page_label,
        "page_source": at.page_source,
        "sheet": at.sheet,
        "cells": at.cells,
        "slide": at.slide,
        "section": list(at.section),
        "boxes": boxes_to_json(at.boxes),
    }
    # Absent parts are most of them; left out they halve what goes through the pipe.
    return {name: value for name, value in place.items() if value not in (None, [])}


def _row_to_line(row: TableRow) -> str:
    return f"{row.cells or ''};{pack_marks(row)};{row.page or ''} {pack_columns(row)}"


def _row_from_line(line: str, columns: int) -> TableRow:
    head, _, packed = line.partition(" ")
    cells, marks, page = head.split(";")
    row = unpack_columns(cells or None, packed, unpack_marks(marks), int(page) if page else None)
    if len(row.shown) != columns:
        raise ValueError("a row needs a value for each column")
    return row


def _element_from_json(data: Json) -> Element:
    return Element(
        kind=_one_of(data["kind"], get_args(ElementKind)),
        text=str(data["text"]),
        locator=_locator(data["at"]),
        level=int(data["level"]),
        header=str(data["header"]),
    )


def _locator(at: Json) -> Locator:
    source = at.get("page_source")
    return Locator(
        page=_maybe(at.get("page"), int),
        page_end=_maybe(at.get("page_end"), int),
        page_label=_maybe(at.get("page_label"), str),
        page_source=_one_of(source, get_args(PageSource)) if source else None,
        sheet=_maybe(at.get("sheet"), str),
        cells=_maybe(at.get("cells"), str),
        slide=_maybe(at.get("slide"), int),
        section=tuple(str(title) for title in at.get("section", ())),
        boxes=boxes_from_json(at.get("boxes", [])),
    )


def _page(number: object, label: object, status: object, chars: object) -> Page:
    if not isinstance(number, int) or not isinstance(chars, int):
        raise TypeError("a page needs numbers")
    return Page(number, str(label), _one_of(status, get_args(PageStatus)), chars)


def _maybe(value: object, kind: type[T]) -> T | None:
    if value is None or isinstance(value, kind):
        return value
    raise TypeError(f"expected {kind.__name__}")


def _one_of(value: object, allowed: tuple[Any, ...]) -> Any:
    if value not in allowed:
        raise ValueError("unknown word")
    return value
