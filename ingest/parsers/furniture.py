"""Running headers, footers and page numbers: said once, where they first stand.

A number may differ from page to page only as page numbers do. A total, an invoice's number or a
year in a page's margin is what the page says.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ingest.parsers.paragraphs import Line
    from ingest.parsers.sheets import Sheet

_MARGIN = 0.12
"""Share of the page's height, at top and bottom, where furniture stands."""
_STAMPED = 1.5
"""So many times as large as most lines are words stamped over a page: DRAFT."""
_MIN_PAGES = 3
_MOST = 0.5
_PAGE_NUMBER = re.compile(
    r"^[-–—\s]*(?:第\s*)?(?:page\s*)?(?:\d{1,4}|[ivxlc]{1,7})(?:\s*页)?"
    r"(?:\s*(?:/|of|，|,)?\s*(?:共\s*)?\d{1,4}(?:\s*页)?)?[-–—\s]*$",
    re.IGNORECASE,
)
_SAYS_PAGE = re.compile(r"page|页", re.IGNORECASE)
_DIGITS = re.compile(r"\d{1,4}|\b[ivxlc]{1,7}\b", re.IGNORECASE)
_NUMBER = re.compile(r"^(?:\d{1,4}|[ivxlc]{1,7})$", re.IGNORECASE)
_SPREAD = 1.3
_FARTHEST, _FARTHEST_BESIDE = 1000, 50
"""So far a printed page number may be from the page's own: alone in its line, and beside words."""
_YEARS = range(1900, 2101)
_ALONE = "#"
_ROMAN = {"i": 1, "v": 5, "x": 10, "l": 50, "c": 100}


@dataclass(frozen=True, slots=True)
class _Marginal:
    """A line in the margin of a page; ``key`` is its place and words, its numbers masked."""

    page: int
    at: int
    key: tuple[int, str]
    numbers: tuple[int, ...] = ()


def is_page_number(text: str) -> bool:
    return bool(_PAGE_NUMBER.match(text))


def without_furniture(sheets: list[Sheet]) -> list[Sheet]:
    """Pages less the lines that stand at the same place on most of them.

    Their words stay where they stand first: a contract's number may be said nowhere else. A page
    that would be left with nothing keeps everything.
    """
    read = [sheet for sheet in sheets if sheet.lines]
    if len(read) < _MIN_PAGES:
        return sheets
    groups: dict[tuple[int, str], list[_Marginal]] = defaultdict(list)
    for sheet in read:
        for each in _marginals(sheet):
            groups[each.key].append(each)
    gone: dict[int, set[int]] = defaultdict(set)
    said: dict[int, set[int]] = defaultdict(set)
    for (_, text), group in groups.items():
        running = list(_running(group))
        if len({each.page for each in running}) <= _MOST * len(read):
            continue
        for each in running:
            gone[each.page].add(each.at)
        if text != _ALONE:
            said[running[0].page].add(running[0].at)
    return [_less(sheet, gone[sheet.number], said[sheet.number]) for sheet in sheets]


def _less(sheet: Sheet, gone: set[int], said: set[int]) -> Sheet:
    if not any(at not in gone for at in range(len(sheet.lines))):
        return sheet
    kept = tuple(
        replace(line, size=min(line.size, _usual(sheet)), bold=False) if at in said else line
        for at, line in enumerate(sheet.lines)
        if at in said or at not in gone
    )
    return replace(sheet, lines=kept)


def _usual(sheet: Sheet) -> float:
    """The size of most lines: what runs over all pages heads no section."""
    return Counter(line.size for line in sheet.lines).most_common(1)[0][0]


def _marginals(sheet: Sheet) -> Iterator[_Marginal]:
    """The lines in the margins of a page, and those stamped on it; rows of tables left out."""
    usual = _usual(sheet)
    for at, line in enumerate(sheet.lines):
        middle = (line.y0 + line.y1) / 2 / sheet.height
        is_inside = _MARGIN < middle < 1 - _MARGIN
        if line.is_row or (is_inside and line.size < _STAMPED * usual):
            continue
        # Places are compared in fiftieths of the page: fonts differ by a hair from page to page.
        place, text = round(middle * 50), line.text
        numbers: list[str] = []
        if is_page_number(text):
            numbers = [] if _SAYS_PAGE.search(text) else _DIGITS.findall(text)
            text = _ALONE
        elif _is_spread(line):
            numbers = [word for word in text.split() if _NUMBER.match(word)]
            text = " ".join(_ALONE if _NUMBER.match(word) else word for word in text.split())
        yield _Marginal(sheet.number, at, (place, text), tuple(map(_value, numbers)))


def _running(group: list[_Marginal]) -> Iterator[_Marginal]:
    """Those whose numbers go with the pages, or stay the same."""
    farthest = _FARTHEST if group[0].key[1] == _ALONE else _FARTHEST_BESIDE
    steps = Counter(step for each in group for step in _steps(each))
    values = Counter(pair for each in group for pair in enumerate(each.numbers))
    for each in group:
        goes_on = (
            (steps[step] > 1 and _is_near(number, step[1], farthest))
            or values[step[0], number] > _MOST * len(group)
            for step, number in zip(_steps(each), each.numbers, strict=True)
        )
        if all(goes_on):
            yield each


def _steps(each: _Marginal) -> Iterable[tuple[int, int]]:
    """How far each of its numbers, counted from 0, is from the page's own."""
    return ((at, number - each.page) for at, number in enumerate(each.numbers))


def _is_near(number: int, step: int, farthest: int) -> bool:
    """Years go up with the pages too, where each has its own."""
    return abs(step) <= (_FARTHEST_BESIDE if number in _YEARS else farthest)


def _value(number: str) -> int:
    if number.isdecimal():
        return int(number)
    values = [_ROMAN[letter] for letter in number.lower()]
    following = [*values[1:], 0]
    return sum(-one if one < other else one for one, other in zip(values, following, strict=True))


def _is_spread(line: Line) -> bool:
    """A title at one edge and a page number at the other leave a wide gap between them.

    Only there a number in the line is taken for the page's: Invoice 3 on page 3 is not furniture.
    """
    return (line.x1 - line.x0) / len(line.text) > _SPREAD * line.height
