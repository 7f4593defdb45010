"""What people wrote beside cells of a workbook: notes, and comments that answer each other."""

from __future__ import annotations

import zipfile
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Any

from ingest.parsers.grid import Note, Sheet
from ingest.parsers.values import words
from rag.cells import CellRange, cell_range, column_name
from rag.records import Element, Locator
from rag.terms import is_cjk

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_THREADED = "http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
_MOST = 5000
"""Notes of a sheet that are read."""


def notes_of(package: zipfile.ZipFile, part: str) -> tuple[Note, ...]:
    """The notes of the worksheet at ``part``, in the order of the file.

    Threaded comments come with a note of the same words for older programs, which is left out.

    Raises:
        KeyError, ValueError, SyntaxError: the package is damaged.
    """
    threaded = list(_threaded(package, part))
    answered = {note.cell for note in threaded}
    plain = [note for note in _plain(package, part) if note.cell not in answered]
    return tuple([*plain, *threaded][:_MOST])


def note_elements(sheet: Sheet, elements: Sequence[Element]) -> Iterator[Element]:
    """The notes of a sheet as text, each with the row it was written at.

    Args:
        sheet: whose notes they are.
        elements: what else was read of it.
    """
    rows: dict[int, list[tuple[CellRange, Element]]] = defaultdict(list)
    for each in elements:
        if cells := cell_range(each.locator.cells):
            rows[cells.top].append((cells, each))
    for (row, column), text in sheet.notes:
        beside = next((e for cells, e in rows[row] if cells.left <= column <= cells.right), None)
        said = f" ({beside.text})" if beside else ""
        hidden = ("hidden sheet",) if sheet.hidden else ()
        cell = f"{column_name(column)}{row}"
        word = "批注" if is_cjk(text) else "Comment"
        place = Locator(
            sheet=sheet.name, cells=cell, section=beside.locator.section if beside else hidden
        )
        yield Element("text", f"{word} {cell}{said}: {text}", place)


def drawn_elements(sheet: Sheet) -> Iterator[Element]:
    """Words that are drawn on a sheet, at the cell they begin in."""
    section = ("hidden sheet",) if sheet.hidden else ()
    for (row, column), text in sheet.drawn:
        cell = f"{column_name(column)}{row}"
        yield Element("text", text, Locator(sheet=sheet.name, cells=cell, section=section))


def _plain(package: zipfile.ZipFile, part: str) -> Iterator[Note]:
    for root in _parts(package, part, f"{_OFFICE}/comments"):
        names = [words(each.text or "") for each in root.iterfind("{*}authors/{*}author")]
        for comment in root.iterfind("{*}commentList/{*}comment"):
            runs = comment.iterfind("{*}text//{*}t")
            text = words("".join(run.text or "" for run in runs))
            at = comment.get("authorId", "")
            author = names[int(at)] if at.isdecimal() and int(at) < len(names) else ""
            yield from _note(comment.get("ref", ""), text.removeprefix(f"{author}:").strip())


def _threaded(package: zipfile.ZipFile, part: str) -> Iterator[Note]:
    for root in _parts(package, part, _THREADED):
        for comment in root.iterfind("{*}threadedComment"):
            text = words("".join(comment.itertext()))
            yield from _note(comment.get("ref", ""), text)


def _note(cell: str, text: str) -> Iterator[Note]:
    place = cell_range(cell)
    if place and text:
        yield Note((place.top, place.left), text)


def _parts(package: zipfile.ZipFile, part: str, kind: str) -> Iterator[Any]:
    """The parts of that kind that belong to a sheet, as XML."""
    from lxml.etree import XMLParser, fromstring
    from openpyxl.packaging.relationship import get_dependents, get_rels_path

    names = set(package.namelist())
    relations = get_rels_path(part)
    if relations not in names:
        return
    for relation in get_dependents(package, relations).find(kind):
        if relation.target in names:
            parser = XMLParser(resolve_entities=False, no_network=True)
            yield fromstring(package.read(relation.target), parser)
