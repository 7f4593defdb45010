"""Lines of a page gathered into paragraphs, however the lines were read."""

from __future__ import annotations

import re
import statistics
from dataclasses import dataclass
from itertools import pairwise

from ingest.parsers.characters import HYPHENS, needs_blank
from ingest.parsers.headings import starts_item

_NEW_PARAGRAPH_GAP = 0.6
"""Share of a line's height: a wider gap than usual between lines starts a paragraph."""
_SIZE_CHANGE = 1.06
_HEIGHT_CHANGE = 2.5
_INDENT = 0.8
_SHORT_LINE = 0.9
_FULL_LINE = 0.95
_END_OF_SENTENCE = re.compile(r"[。！？；：.!?;:][”’\"')）】」』]*$")
_FACT = re.compile(r"[^\W\d][\w（）()]{0,11}[：:]")
"""How a line of a form begins: 合同编号：, 出租方（甲方）：."""
_CUT_BEFORE = re.compile(r"[\u4e00-\u9fff（(¥￥][\d.,]*\d[.,]?$")
_CUT_AFTER = re.compile(r"\d[\d.,]*[\u4e00-\u9fff%，。；）)]")
"""The halves of a number within a Chinese sentence; in lists of contents blanks stand around."""
_CUT_AT_HYPHEN = re.compile(r"\d-$")


@dataclass(frozen=True, slots=True)
class Line:
    """One line of text; ``size`` is that of its font in points, ``bold`` what the font says.

    ``is_row`` where it is the row of a table, whole and by itself; ``pieces`` are what wide white
    space parts it into, where it does. What text recognition read is ``recognised``: the size is
    that of its letters in the picture then.
    """

    text: str
    x0: float
    y0: float
    x1: float
    y1: float
    size: float
    bold: bool
    is_row: bool = False
    pieces: tuple[Line, ...] = ()
    recognised: bool = False

    @property
    def height(self) -> float:
        return self.y1 - self.y0


@dataclass(frozen=True, slots=True)
class Block:
    """A paragraph: lines that belong together."""

    lines: tuple[Line, ...]

    @property
    def text(self) -> str:
        return join(self.lines)

    @property
    def size(self) -> float:
        return statistics.median(line.size for line in self.lines)

    @property
    def is_row(self) -> bool:
        return self.lines[0].is_row

    @property
    def recognised(self) -> bool:
        return self.lines[0].recognised

    @property
    def bold(self) -> bool:
        return all(line.bold for line in self.lines)


def to_blocks(lines: list[Line]) -> list[Block]:
    """Gather lines into paragraphs by gaps, sizes, indents and item numbers."""
    usual = _usual_gap([line for line in lines if not line.is_row])
    edge = max((line.x1 for line in lines), default=0.0)
    blocks: list[list[Line]] = []
    right = 0.0
    for line in lines:
        alone = line.is_row or not blocks or blocks[-1][0].is_row
        if not (alone or _are_facts(blocks[-1][-1], line, edge)) and not _breaks(
            blocks[-1], line, usual, right
        ):
            turned = line.y0 < blocks[-1][-1].y0 - line.height
            right = line.x1 if turned else max(right, line.x1)
            blocks[-1].append(line)
        else:
            blocks.append([line])
            right = line.x1
    return [Block(tuple(block)) for block in blocks]


def join(lines: tuple[Line, ...]) -> str:
    """Lines as one text: no blank between Chinese characters, hyphens at line ends healed."""
    text = ""
    edge = max((line.x1 for line in lines), default=0.0)
    for before, line in pairwise([*lines[:1], *lines]):
        full = before.x1 > before.x0 + (edge - before.x0) * _FULL_LINE
        if text.endswith(tuple(HYPHENS)):
            text = text[:-1] + line.text
        elif (
            text
            and needs_blank(text[-1], line.text[0])
            and not (full and _cuts_number(text, line.text))
        ):
            text += " " + line.text
        else:
            text += line.text
    return text.rstrip(HYPHENS)


def _cuts_number(before: str, after: str) -> bool:
    """Whether a line ends within a number: Chinese lines end anywhere, others after a hyphen."""
    if _CUT_AT_HYPHEN.search(before):
        return after[0].isdecimal()
    return bool(_CUT_BEFORE.search(before) and _CUT_AFTER.match(after))


def _usual_gap(lines: list[Line]) -> float:
    """The usual gap between two lines under each other, as a share of the line height."""
    gaps = [
        (below.y0 - line.y1) / line.height
        for line, below in pairwise(lines)
        if line.height > 0 and abs(below.y0 - line.y1) < line.height
    ]
    return statistics.quantiles(gaps, n=4)[0] if len(gaps) > 1 else 0.0


def _breaks(block: list[Line], line: Line, usual: float, right: float) -> bool:
    """Whether ``line`` starts a paragraph of its own."""
    last = block[-1]
    tall = max(last.height, line.height)
    large, small = max(last.size, line.size), min(last.size, line.size)
    is_taller = tall > _HEIGHT_CHANGE * min(last.height, line.height)
    if large > small * _SIZE_CHANGE or last.bold != line.bold or is_taller or tall <= 0:
        return True
    if starts_item(line.text):
        return True
    ended = bool(_END_OF_SENTENCE.search(last.text))
    column = _column(block)
    left = min(each.x0 for each in column)
    short = last.x1 < left + (right - left) * _SHORT_LINE
    if line.y0 < last.y0 - tall:  # the top of the next column
        return ended or short or len(column) == 1
    gap = (line.y0 - last.y1) / tall
    if gap > usual + _NEW_PARAGRAPH_GAP or line.x1 < last.x0 or line.x0 > last.x1:
        return True
    indented = line.x0 > left + _INDENT * line.height
    if len(column) > 1:
        return indented or (ended and short)
    return ended and indented


def _are_facts(before: Line, line: Line, edge: float) -> bool:
    """Whether two lines each tell a fact of a form: the first ends short of the page's ``edge``."""
    short = before.x1 < before.x0 + (edge - before.x0) * _SHORT_LINE
    return short and bool(_FACT.match(before.text) and _FACT.match(line.text))


def _column(block: list[Line]) -> list[Line]:
    """The lines of the block since it last went up the page to a new column."""
    start = 0
    for at in range(1, len(block)):
        if block[at].y0 < block[at - 1].y0 - block[at].height:
            start = at
    return block[start:]
