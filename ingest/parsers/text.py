"""Plain text and Markdown, in whatever encoding they were saved."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from ingest.failures import empty
from ingest.parsers.characters import clean
from ingest.parsers.encodings import decode
from ingest.parsers.headings import SectionPath, is_list_level, numbered_level
from rag.records import Element, ElementKind, Locator, Page, Parsed

_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*$")
_CODE = re.compile(r"^(?:```|~~~)[^\n]*\n(.*?)^(?:```|~~~)[ \t]*$", re.MULTILINE | re.DOTALL)
_PARAGRAPHS = re.compile(r"\n\s*\n")


def parse_text(path: Path) -> Parsed:
    """Paragraphs and headings of a text file.

    Raises:
        Unreadable: it is no text, or has none.
    """
    section = SectionPath()
    elements: list[Element] = []
    for text, level in _read(decode(path.read_bytes()), markdown=path.suffix.lower() == ".md"):
        if level:
            section.enter(level, text)
        kind: ElementKind = "title" if level else "text"
        elements.append(Element(kind, text, Locator(section=section.titles), level))
    return _whole(path, elements)


def _read(text: str, *, markdown: bool) -> Iterator[tuple[str, int]]:
    """Paragraphs and headings, each with its level; code of Markdown has none."""
    for at, part in enumerate(_CODE.split(text) if markdown else [text]):
        for paragraph in _PARAGRAPHS.split(part):
            if at % 2:
                yield from ((code, 0) for code in [clean(paragraph).strip()] if code)
            else:
                yield from _pieces(paragraph, markdown=markdown)


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
