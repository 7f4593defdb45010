"""Word: the text as it stands once every tracked change is accepted, its headings and tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import empty
from ingest.parsers.characters import clean
from ingest.parsers.gathered import Stood, gathered
from ingest.parsers.headings import SectionPath, is_list_level, numbered_level
from ingest.parsers.instructing import speaks_to_model
from ingest.parsers.kinds import kind_of
from ingest.parsers.pictured import failure_of, with_pictured
from ingest.parsers.struck import FLAG
from ingest.parsers.word_blocks import Block, Blocks
from ingest.parsers.word_final import accept_changes, record_hard_breaks
from ingest.parsers.word_package import open_word
from ingest.parsers.word_pages import pages_of, recorded, rendered
from rag.ports import Progress, unheard
from rag.records import Element, ElementKind, Locator, Parsed

if TYPE_CHECKING:
    from ingest.office import Office

_KINDS: dict[str, ElementKind] = {"paragraph": "text", "list_item": "list_item", "row": "table"}


def parse_docx(
    path: Path,
    office: Office | None = None,
    *,
    original: Path | None = None,
    progress: Progress = unheard,
) -> Parsed:
    """Read a .docx, .docm, .dotx or .dotm.

    Args:
        path: the file.
        office: lays out its pages, where there is one.
        original: what ``path`` was made of; that is what is laid out and named.
        progress: told of pages that text recognition read.

    Raises:
        Unreadable: it is damaged or holds no text.
    """
    parts = open_word(path)
    notes = [root for root in (parts.footnotes, parts.endnotes) if root is not None]
    changed = [accept_changes(root) for root in (parts.body, *notes)]
    has_breaks = record_hard_breaks(parts.body)
    reader = Blocks(parts)
    blocks = [block for block in reader.read() if _clean_lines(block.text)]
    named = original or path
    layout = rendered((named, path), blocks, office, progress)
    if layout:
        places = layout.places
    else:
        places = recorded(blocks) if has_breaks else [Locator()] * len(blocks)
    told = list(_elements(blocks, places))
    elements = with_pictured(told, layout.pictured) if layout else told
    if not elements:
        raise empty()
    flags = {
        "ocr": layout is not None and any(s.status == "ocr" for s in layout.pictured.values()),
        "ocr_unsure": layout is not None and any(s.is_unsure for s in layout.pictured.values()),
        "tracked_changes": any(changed),
        "hidden_text": bool(reader.hidden),
        FLAG: reader.struck,
        "injection": speaks_to_model(reader.hidden),
    }
    return Parsed(
        tuple(elements),
        layout.pages if layout else pages_of(elements, named.name),
        tuple(flag for flag, raised in flags.items() if raised),
        failure_of(layout.pictured) if layout else None,
        gathered(
            Stood(block.table, block.at, element.locator, block.title)
            for block, element in zip(blocks, told, strict=True)
            if block.table
        ),
    )


def _elements(blocks: Sequence[Block], places: Sequence[Locator]) -> Iterator[Element]:
    styled = any(block.level for block in blocks)
    path = SectionPath()
    for block, place in zip(blocks, places, strict=True):
        text = _clean_lines(block.text)
        level = 0 if block.kind == "row" or block.aside else _level(block, text, styled=styled)
        if level:
            path.enter(level, text)
        kind = "title" if level else _KINDS[block.kind]
        at = replace(place, section=path.titles)
        yield Element(kind, text, at, level, _clean_lines(block.header))


def _clean_lines(text: str) -> str:
    return "\n".join(filter(None, (clean(line).strip() for line in text.split("\n"))))


def _level(block: Block, text: str, *, styled: bool) -> int:
    """Heading depth from 1; a document without heading styles is read by its numbers and looks."""
    numbered = numbered_level(text)
    if numbered and not is_list_level(numbered):
        return numbered + 1
    if block.level or styled:
        return block.level
    if numbered:
        return numbered + 1
    return 1 if block.bold and block.kind == "paragraph" and kind_of(text) == "title" else 0
