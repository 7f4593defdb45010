"""Word: the text as it stands once every tracked change is accepted, its headings and tables."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

from ingest.failures import empty
from ingest.parsers.characters import clean
from ingest.parsers.headings import SectionPath, is_list_level, numbered_level
from ingest.parsers.kinds import kind_of
from ingest.parsers.word_blocks import Block, Blocks
from ingest.parsers.word_final import accept_changes, record_hard_breaks
from ingest.parsers.word_package import open_word
from rag.records import Element, ElementKind, Locator, Page, Parsed

_KINDS: dict[str, ElementKind] = {"paragraph": "text", "list_item": "list_item", "row": "table"}


def parse_docx(path: Path) -> Parsed:
    """Read a .docx, .docm, .dotx or .dotm.

    Raises:
        Unreadable: it is damaged or holds no text.
    """
    parts = open_word(path)
    notes = [root for root in (parts.footnotes, parts.endnotes) if root is not None]
    changed = [accept_changes(root) for root in (parts.body, *notes)]
    paged = record_hard_breaks(parts.body)
    reader = Blocks(parts)
    blocks = list(reader.read())
    elements = tuple(_elements(blocks, paged=paged))
    if not elements:
        raise empty()
    flags = {"tracked_changes": any(changed), "hidden_text": reader.hid_text}
    return Parsed(
        elements,
        _pages(elements, path.name),
        tuple(flag for flag, raised in flags.items() if raised),
    )


def _elements(blocks: Sequence[Block], *, paged: bool) -> Iterator[Element]:
    styled = any(block.level for block in blocks)
    path = SectionPath()
    for block in blocks:
        text = _clean_lines(block.text)
        if not text:
            continue
        level = 0 if block.kind == "row" or block.aside else _level(block, text, styled=styled)
        if level:
            path.enter(level, text)
        place = Locator(
            page=block.page if paged else None,
            page_end=block.page_end if paged and block.page_end > block.page else None,
            page_source="recorded" if paged else None,
            section=path.titles,
        )
        kind = "title" if level else _KINDS[block.kind]
        yield Element(kind, text, place, level, _clean_lines(block.header))


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


def _pages(elements: tuple[Element, ...], name: str) -> tuple[Page, ...]:
    """The recorded pages, or the whole document as one page with its name."""
    last = max(
        (at.page_end or at.page or 0 for at in (each.locator for each in elements)), default=0
    )
    if not last:
        return (Page(1, name, "text", sum(len(element.text) for element in elements)),)
    chars: Counter[int] = Counter()
    for element in elements:
        chars[element.locator.page or 1] += len(element.text)
    return tuple(
        Page(number, str(number), "text" if chars[number] else "empty", chars[number])
        for number in range(1, last + 1)
    )
