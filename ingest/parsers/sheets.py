"""Pages as they were read, and what they make together: elements, pages, why some are missing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from ingest.failures import UNREADABLE_FONT, Unreadable, corrupt, no_text, pages_failure
from ingest.parsers.furniture import without_furniture
from ingest.parsers.geometry import Frame
from ingest.parsers.hyphens import with_hyphens, words
from ingest.parsers.instructing import speaks_to_model
from ingest.parsers.paragraphs import Block, Line, to_blocks
from ingest.parsers.pdf_sections import Outline, Sections, without_misread
from ingest.parsers.tables import PageTable
from rag.records import Box, Element, Failure, Locator, Page, PageStatus, Parsed, Reason
from rag.tabular import Table, TableRow


@dataclass(frozen=True, slots=True)
class Sheet:
    """What was read of one page.

    Its lines lie in a frame in which they stand upright, ``height`` high; ``shown`` maps that to
    fractions of the page as shown.
    """

    number: int
    status: PageStatus
    label: str = ""
    lines: tuple[Line, ...] = ()
    tables: tuple[PageTable, ...] = ()
    height: float = 1.0
    shown: Frame = Frame()  # noqa: RUF009 (frozen)
    reason: Reason | None = None
    hidden: str = ""
    has_pictured: bool = False
    """Some of its words were read off pictures beside its text."""
    is_unsure: bool = False
    """Figures on it were recognised, and may well be others."""
    rejected: str = ""
    """Words behind a scan that its picture does not bear out."""

    @property
    def text(self) -> str:
        return "\n".join(line.text for line in self.lines)


def to_parsed(sheets: Sequence[Sheet], outline: Outline = ()) -> Parsed:
    """The whole document.

    Raises:
        Unreadable: no page of it could be read.
    """
    if not any(sheet.lines for sheet in sheets):
        raise _nothing_read(sheets)
    body = without_furniture(list(sheets))
    flags = {
        "ocr": any(sheet.status == "ocr" or sheet.has_pictured for sheet in body),
        "ocr_unsure": any(sheet.is_unsure for sheet in body),
        "hidden_text": any(sheet.hidden for sheet in body),
        "injection": any(speaks_to_model(sheet.hidden) for sheet in body),
    }
    return Parsed(
        elements=tuple(_elements(body, outline)),
        pages=tuple(_page(sheet) for sheet in body),
        flags=tuple(flag for flag, holds in flags.items() if holds),
        failure=_failure(body),
        tables=tuple(_tables(body)),
    )


def _elements(sheets: list[Sheet], outline: Outline) -> Iterator[Element]:
    known = words(line for sheet in sheets for line in sheet.lines)
    pages = [(sheet, to_blocks(list(with_hyphens(sheet.lines, known)))) for sheet in sheets]
    misread = {sheet.number: (sheet.rejected, sheet.text) for sheet in sheets if sheet.rejected}
    sections = Sections(
        without_misread(outline, misread), [block for _, blocks in pages for block in blocks]
    )
    for sheet, blocks in pages:
        sections.turn_to(sheet.number, blocks)
        for block in blocks:
            yield _element(sheet, block, sections)


def _tables(sheets: Iterable[Sheet]) -> list[Table]:
    """The tables whose columns have names; one that page breaks cut is one table."""
    found: list[Table] = []
    for sheet in sheets:
        for table in sheet.tables:
            if not any(table.labels):
                continue
            if table.goes_on and found:
                before = found[-1]
                place = replace(before.locator, page_end=sheet.number)
                rows = before.rows + _on(table, sheet)
                found[-1] = replace(before, locator=place, rows=rows)
            else:
                place = Locator(page=sheet.number, page_source="file")
                found.append(Table("", place, table.labels, _on(table, sheet)))
    return [table for table in found if table.rows]


def _on(table: PageTable, sheet: Sheet) -> tuple[TableRow, ...]:
    return tuple(replace(row, page=sheet.number) for row in table.records())


def _element(sheet: Sheet, block: Block, sections: Sections) -> Element:
    kind, level = sections.place(block)
    return Element(
        kind=kind,
        text=block.text,
        level=level,
        locator=Locator(
            page=sheet.number,
            page_label=sheet.label or None,
            page_source="file",
            section=sections.titles,
            boxes=tuple(_box(sheet, line) for line in block.lines),
        ),
    )


def _box(sheet: Sheet, line: Line) -> Box:
    around = sheet.shown.rectangle(line.x0, line.y0, line.x1, line.y1)
    x0, y0, x1, y1 = (round(min(max(value, 0.0), 1.0), 4) for value in around)
    return Box(page=sheet.number, x0=x0, y0=y0, x1=x1, y1=y1)


def _page(sheet: Sheet) -> Page:
    chars = sum(len(line.text) for line in sheet.lines)
    return Page(sheet.number, sheet.label or str(sheet.number), sheet.status, chars)


def _nothing_read(sheets: Sequence[Sheet]) -> Unreadable:
    reasons = {sheet.reason for sheet in sheets}
    if Reason.UNREADABLE_FONT in reasons:
        return Unreadable(UNREADABLE_FONT)
    return corrupt() if Reason.CORRUPT in reasons else no_text()


def _failure(sheets: Sequence[Sheet]) -> Failure | None:
    """Why some pages were not read; the reason most of them share."""
    unread = [sheet for sheet in sheets if sheet.status == "unreadable"]
    if not unread:
        return None
    reasons = [sheet.reason or Reason.NO_TEXT for sheet in unread]
    return pages_failure(max(reasons, key=reasons.count), [sheet.number for sheet in unread])
