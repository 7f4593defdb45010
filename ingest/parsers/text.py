"""Plain text and Markdown, in whatever encoding they were saved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from ingest.failures import empty
from ingest.parsers.characters import clean
from ingest.parsers.encodings import decode
from ingest.parsers.gathered import Stood, gathered
from ingest.parsers.headings import SectionPath, is_list_level, numbered_level
from ingest.parsers.tables import of_texts
from rag.records import Element, ElementKind, Locator, Page, Parsed

_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_CODE = re.compile(r"^(?:```|~~~)[^\n]*\n(.*?)^(?:```|~~~)[ \t]*$", re.MULTILINE | re.DOTALL)
_TABLES = re.compile(
    r"^((?=[^\n]*\|)[^\n]+\n(?=[^\n]*\|)(?=[^\n]*-)[ \t|:-]*\n(?:[^\n]*\|[^\n]*\n)+)",
    re.MULTILINE,
)
"""A line of names, one of dashes between bars, and rows."""
_TABLE = -1
_CELL = " | "
_BAR = re.compile(r"(?<!\\)\|")
_EDGES = re.compile(r"^\||(?<!\\)\|$")
_PARAGRAPHS = re.compile(r"\n\s*\n")


def parse_text(path: Path) -> Parsed:
    """Paragraphs and headings of a text file.

    Raises:
        Unreadable: it is no text, or has none.
    """
    section = SectionPath()
    elements: list[Element] = []
    rows: list[Stood] = []
    for text, level in _read(decode(path.read_bytes()), markdown=path.suffix.lower() == ".md"):
        if level == _TABLE:
            for element, stood in _rows(text, Locator(section=section.titles)):
                elements.append(element)
                rows += stood
            continue
        if level:
            section.enter(level, text)
        kind: ElementKind = "title" if level else "text"
        elements.append(Element(kind, text, Locator(section=section.titles), level))
    return replace(_whole(path, elements), tables=gathered(rows))


def _rows(text: str, place: Locator) -> Iterator[tuple[Element, list[Stood]]]:
    """The rows of a Markdown table, its header the first one."""
    lines = text.splitlines()
    head, *body = [_cells(line) for line in (lines[0], *lines[2:])]
    width = max(map(len, (head, *body)))
    texts = [[*row, *[""] * (width - len(row))] for row in (head, *body)]
    known = of_texts(texts, {}, heads=1)
    header = _CELL.join(head)
    for at, row in enumerate(texts):
        if any(row):
            told = Element("table", _CELL.join(row), place, header=header)
            yield told, [Stood(known, at, place)] if known else []


def _cells(line: str) -> list[str]:
    """``| a | b |`` by its bars; a bar behind a backslash is one of the text."""
    inner = _EDGES.sub("", line.strip())
    return [cell.strip().replace("\\|", "|") for cell in _BAR.split(inner)]


def _read(text: str, *, markdown: bool) -> Iterator[tuple[str, int]]:
    """Paragraphs and headings, each with its level; code of Markdown has none, tables their own."""
    for at, part in enumerate(_CODE.split(text) if markdown else [text]):
        for paragraph in _PARAGRAPHS.split(part):
            if at % 2:
                yield from ((code, 0) for code in [clean(paragraph).strip()] if code)
            elif markdown:
                yield from _around_tables(paragraph)
            else:
                yield from _pieces(paragraph, markdown=False)


def _around_tables(paragraph: str) -> Iterator[tuple[str, int]]:
    """A paragraph of Markdown, tables in it apart."""
    for at, part in enumerate(_TABLES.split(f"{paragraph}\n")):
        if at % 2:
            yield clean(part).strip(), _TABLE
        else:
            yield from _pieces(part, markdown=True)


def _pieces(paragraph: str, *, markdown: bool) -> list[tuple[str, int]]:
    """The paragraph, headings in it apart, each with its level."""
    pieces: list[tuple[str, int]] = []
    for line in (clean(line).strip() for line in paragraph.splitlines()):
        heading = _MARKDOWN_HEADING.match(line) if markdown else None
        numbered = 0 if markdown else numbered_level(line)
        if heading:
            pieces.append((heading.group(2), len(heading.group(1))))
        elif numbered and not is_list_level(numbered):
            pieces.append((line, numbered))
        elif line and pieces and not pieces[-1][1]:
            pieces[-1] = (f"{pieces[-1][0]}\n{line}", 0)
        elif line:
            pieces.append((line, 0))
    return pieces


def _whole(path: Path, elements: list[Element]) -> Parsed:
    if not elements:
        raise empty()
    chars = sum(len(element.text) for element in elements)
    return Parsed(tuple(elements), (Page(1, path.name, "text", chars),))
