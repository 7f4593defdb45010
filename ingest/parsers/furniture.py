"""Running headers, footers and page numbers: said on every page, answering nothing."""

from __future__ import annotations

import re
from collections import Counter
from dataclasses import replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.parsers.paragraphs import Line
    from ingest.parsers.sheets import Sheet

_MARGIN = 0.12
"""Share of the page's height, at top and bottom, where furniture stands."""
_MIN_PAGES = 3
_MOST = 0.5
_PAGE_NUMBER = re.compile(
    r"^[-–—\s]*(?:第\s*)?(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*页)?"
    r"(?:\s*(?:/|of|，|,)?\s*(?:共\s*)?\d{1,4}(?:\s*页)?)?[-–—\s]*$",
    re.IGNORECASE,
)


_NUMBER = re.compile(r"^(?:\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
_SPREAD = 1.3


def is_page_number(text: str) -> bool:
    return bool(_PAGE_NUMBER.match(text))


def without_furniture(sheets: list[Sheet]) -> list[Sheet]:
    """Pages less the lines that stand at the same place on most of them.

    A page that would be left with nothing keeps everything.
    """
    read = [sheet for sheet in sheets if sheet.lines]
    if len(read) < _MIN_PAGES:
        return sheets
    seen = Counter(key for sheet in read for key in {_key(sheet, line) for line in sheet.lines})
    common = {key for key, times in seen.items() if key and times > _MOST * len(read)}
    return [_less(sheet, common) for sheet in sheets]


def _less(sheet: Sheet, common: set[str]) -> Sheet:
    kept = tuple(line for line in sheet.lines if _key(sheet, line) not in common)
    return replace(sheet, lines=kept) if kept else sheet


def _key(sheet: Sheet, line: Line) -> str:
    """What makes two lines the same furniture; empty in the body of the page and in tables."""
    if line.is_row:
        return ""
    middle = (line.y0 + line.y1) / 2 / sheet.height
    if _MARGIN < middle < 1 - _MARGIN:
        return ""
    text = "#" if is_page_number(line.text) else line.text
    if _is_spread(line):
        text = " ".join("#" if _NUMBER.match(word) else word for word in text.split())
    # Places are compared in fiftieths of the page: fonts differ by a hair from page to page.
    return f"{round(middle * 50)} {text}"


def _is_spread(line: Line) -> bool:
    """A title at one edge and a page number at the other leave a wide gap between them.

    Only there a number in the line is taken for the page's: Invoice 3 on page 3 is not furniture.
    """
    return (line.x1 - line.x0) / len(line.text) > _SPREAD * line.height
