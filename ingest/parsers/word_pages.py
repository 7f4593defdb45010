"""On which pages the blocks of a Word document stand: as LibreOffice shows it, or as recorded."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.office import OfficeFailed
from ingest.parsers.pictured import pages_with, read_pictured
from ingest.parsers.rendered import Range, Rendering
from ingest.parsers.sheets import Sheet
from ingest.parsers.word_blocks import Block
from ingest.parsers.word_copy import laid_out
from rag.ports import Progress
from rag.records import Element, Locator, Page

if TYPE_CHECKING:
    from ingest.office import Office

log = logging.getLogger(__name__)

_MIN_FOUND = 0.9
"""Share of the text that must be found in a rendering before its pages are believed."""


@dataclass(frozen=True, slots=True)
class Layout:
    """A place for each block, the pages, and those that only show pictures as they were read."""

    places: list[Locator]
    pages: tuple[Page, ...]
    pictured: dict[int, Sheet]


def rendered(
    paths: tuple[Path, Path], blocks: Sequence[Block], office: Office | None, progress: Progress
) -> Layout | None:
    """How LibreOffice lays the document out; None where there is no rendering to trust.

    Args:
        paths: the file, and the .docx that was made of it; the same where it is one.
        blocks: what was read of it.
        office: LibreOffice, where it is there.
        progress: told of pages that text recognition read.
    """
    if office is None:
        return None
    try:
        rendering = Rendering(laid_out(office, *paths))
    except OfficeFailed as error:
        log.warning("not_rendered why=%s", error)
        return None
    try:
        places = [_place(rendering, block) for block in blocks]
        if blocks and _found(blocks, places) < _MIN_FOUND:
            log.warning("rendering_differs")
            return None
        pictured = read_pictured(rendering, _without_words(rendering, places), progress)
        return Layout(places, pages_with(tuple(rendering.ledger()), pictured), pictured)
    finally:
        rendering.close()


def _without_words(rendering: Rendering, places: Sequence[Locator]) -> list[int]:
    """Pages on which no block stands."""
    spans = [(at.page or 0, at.page_end or at.page or 0) for at in places]
    used = {number for first, last in spans for number in range(first, last + 1)}
    return [number for number in range(1, rendering.pages + 1) if number not in used]


def recorded(blocks: Iterable[Block]) -> list[Locator]:
    """A place for each block by the page breaks the file records."""
    return [
        Locator(
            page=block.page,
            page_end=block.page_end if block.page_end > block.page else None,
            page_source="recorded",
        )
        for block in blocks
    ]


def pages_of(elements: Sequence[Element], name: str) -> tuple[Page, ...]:
    """The recorded pages, or the whole document as one page with its name."""
    places = [element.locator for element in elements]
    last = max((place.page_end or place.page or 0 for place in places), default=0)
    if not last:
        return (Page(1, name, "text", sum(len(element.text) for element in elements)),)
    chars: Counter[int] = Counter()
    for element in elements:
        chars[element.locator.page or 1] += len(element.text)
    return tuple(
        Page(number, str(number), "text" if chars[number] else "empty", chars[number])
        for number in range(1, last + 1)
    )


def _place(rendering: Rendering, block: Block) -> Locator:
    boxes = rendering.boxes(list(_ranges(rendering, block)))
    pages = [box.page for box in boxes] or [rendering.page]
    return Locator(
        page=min(pages),
        page_end=max(pages) if max(pages) > min(pages) else None,
        page_source="rendered",
        boxes=boxes,
    )


def _ranges(rendering: Rendering, block: Block) -> Iterator[Range]:
    if block.kind != "row" and not block.aside:  # with the number that Word counts
        whole = rendering.place(block.text)
        if whole:
            yield from whole
            return
    for words in block.printed:
        yield from rendering.place(words, aside=block.aside)


def _found(blocks: Sequence[Block], places: Sequence[Locator]) -> float:
    sizes = [sum(map(len, block.printed)) for block in blocks]
    found = sum(size for size, place in zip(sizes, places, strict=True) if place.boxes)
    return found / max(sum(sizes), 1)
