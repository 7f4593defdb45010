"""Word: the text as it stands once every tracked change is accepted, its headings and tables."""

from __future__ import annotations

import zipfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from io import BytesIO
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt, empty
from ingest.parsers.characters import clean
from ingest.parsers.headings import SectionPath, is_list_level, numbered_level
from ingest.parsers.html_table import table_rows
from ingest.parsers.kinds import prepare
from ingest.parsers.word_final import accept_changes, record_hard_breaks
from rag.records import Element, ElementKind, Locator, Page, Parsed

if TYPE_CHECKING:
    from unstructured.documents.elements import Element as Raw

_SKIPPED = frozenset({"Header", "Footer", "PageBreak"})


@dataclass(frozen=True, slots=True)
class _Final:
    """A document with its changes accepted, as bytes."""

    package: BytesIO
    had_changes: bool


def parse_docx(path: Path) -> Parsed:
    """Read a .docx.

    Raises:
        Unreadable: it is damaged or holds no text.
    """
    prepare()
    from unstructured.partition.docx import partition_docx

    final = _final(path)
    raw = [
        each
        for each in partition_docx(file=final.package, include_page_breaks=False)
        if type(each).__name__ not in _SKIPPED and clean(each.text).strip()
    ]
    elements = tuple(_elements(raw))
    if not elements:
        raise empty()
    flags = ("tracked_changes",) if final.had_changes else ()
    return Parsed(elements, _pages(elements, path.name), flags)


def _final(path: Path) -> _Final:
    import docx
    from docx.opc.exceptions import OpcError
    from lxml.etree import XMLSyntaxError

    try:
        document = docx.Document(str(path))
        body = document.element.body
        had_changes = accept_changes(body)
        record_hard_breaks(body)
        package = BytesIO()
        document.save(package)
    except (OpcError, zipfile.BadZipFile, XMLSyntaxError, KeyError, ValueError) as error:
        raise corrupt() from error
    package.seek(0)
    return _Final(package, had_changes)


def _elements(raw: list[Raw]) -> Iterator[Element]:
    styled = any(type(each).__name__ == "Title" for each in raw)
    path = SectionPath()
    for each in raw:
        text = clean(each.text).strip()
        level = _level(each, text, styled=styled)
        if level:
            path.enter(level, text)
        page = each.metadata.page_number
        place = Locator(page=page, page_source="recorded" if page else None, section=path.titles)
        if type(each).__name__ == "Table":
            yield _table(each, place)
        else:
            yield Element(_kind(each, level), text, place, level)


def _level(each: Raw, text: str, *, styled: bool) -> int:
    """Heading depth from 1; a document without heading styles is read by its numbers."""
    is_title = type(each).__name__ == "Title"
    numbered = numbered_level(text)
    if numbered and not is_list_level(numbered):
        return numbered + 1
    if is_title:
        return int(each.metadata.category_depth or 0) + 1
    return numbered + 1 if numbered and not styled else 0


def _kind(each: Raw, level: int) -> ElementKind:
    if level:
        return "title"
    return "list_item" if type(each).__name__ == "ListItem" else "text"


def _table(each: Raw, place: Locator) -> Element:
    """A row a line; the first row heads every part where the table is split."""
    rows = [" | ".join(row) for row in table_rows(each.metadata.text_as_html or "")]
    rows = [row for row in rows if row.strip(" |")]
    element = Element("table", "\n".join(rows) or clean(each.text), place)
    return replace(element, header=rows[0]) if len(rows) > 1 else element


def _pages(elements: tuple[Element, ...], name: str) -> tuple[Page, ...]:
    """The recorded pages, or the whole document as one page with its name."""
    last = max((element.locator.page or 0 for element in elements), default=0)
    if not last:
        return (Page(1, name, "text", sum(len(element.text) for element in elements)),)
    chars: Counter[int] = Counter()
    for element in elements:
        chars[element.locator.page or 1] += len(element.text)
    return tuple(
        Page(number, str(number), "text" if chars[number] else "empty", chars[number])
        for number in range(1, last + 1)
    )
