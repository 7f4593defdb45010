"""Pages of a rendering that show pictures and no words of the document: scans put into it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from ingest.failures import pages_failure
from ingest.parsers.pdf import read_page
from ingest.parsers.sheets import Sheet, to_parsed
from rag.ports import Progress
from rag.records import Element, Failure, Locator, Page, Reason

if TYPE_CHECKING:
    from ingest.parsers.rendered import Rendering


def read_pictured(
    rendering: Rendering, numbers: Iterable[int], progress: Progress
) -> dict[int, Sheet]:
    """What text recognition makes of these pages, those left out that show nothing."""
    found: dict[int, Sheet] = {}
    for number in numbers:
        sheet = read_page(rendering.document, number - 1)
        if sheet.status in ("ocr", "unreadable"):
            found[number] = sheet
        progress(number, rendering.pages)
    return found


def elements_of(sheet: Sheet, at: Locator) -> list[Element]:
    """The words of a page; each gets its own boxes, and all else from ``at``."""
    read = to_parsed([sheet]).elements if sheet.lines else ()
    return [
        Element("text", each.text, replace(at, page=sheet.number, page_source="rendered",
                                           page_end=None, boxes=each.locator.boxes))
        for each in read
    ]  # fmt: skip


def with_pictured(elements: Sequence[Element], sheets: Mapping[int, Sheet]) -> list[Element]:
    """The elements with those of the sheets in their places, under the heading before them."""
    merged = list(elements)
    for number, sheet in sheets.items():
        after = [at for at, each in enumerate(merged) if (each.locator.page or 0) < number]
        index = after[-1] + 1 if after else 0
        before = merged[index - 1].locator if index else Locator()
        merged[index:index] = elements_of(sheet, Locator(section=before.section))
    return merged


def pages_with(pages: Sequence[Page], sheets: Mapping[int, Sheet]) -> tuple[Page, ...]:
    """The ledger of the pages, with what text recognition made of some."""
    return tuple(
        replace(page, status=sheet.status, chars=len(sheet.text))
        if (sheet := sheets.get(page.number))
        else page
        for page in pages
    )


def failure_of(sheets: Mapping[int, Sheet]) -> Failure | None:
    """Which pages could not be read, if any."""
    unread = [number for number, sheet in sheets.items() if sheet.status == "unreadable"]
    return pages_failure(Reason.NO_TEXT, unread) if unread else None
