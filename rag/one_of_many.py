"""Tells a row given as the answer for the sum, or the most, of many from one that says it."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from datetime import date
from decimal import Decimal

from rag.sentences import content_terms
from rag.spelled import spelled
from rag.terms import normalise, terms
from rag.whole_set.dates import Said, said_in
from rag.windows import Cell, Window

_ALL = re.compile(
    r"一共|总共|共计|合计|小计|总计|总和|总额|总数|加起来|平均|均值"
    r"|\b(?:(?:sub-?)?totals?|in all|altogether|sum|combined|average|mean)\b",
    re.IGNORECASE,
)
_MOST = re.compile(r"最[高大多贵]|\b(?:highest|largest|biggest|greatest|maximum|(?<!at )most)\b")
_FEWEST = re.compile(r"最[低小少]|\b(?:lowest|smallest|minimum|(?<!at )least)\b")
_NEGATIVE = re.compile(r"[-−(（△▲]\s*[¥$€£]?\s*\d")
_SEVERAL = re.compile(
    r"[各每前]|分别|[\d几两二三四五六七八九十][个笔名家项位张]|\b(?:each|every|per|by|top|two|three|five)\b"
)


def is_one_of_many(row: Window, sentence: str, question: str, others: Sequence[Window]) -> bool:
    """Whether the question asks for a sum, and ``row`` is only one of the rows it is about.

    An invoice of a customer is not the total of all of theirs, though its column may be called
    价税合计: names of columns ask for no sum. A row or a column that is called a total, or average,
    says it.

    Args:
        row: what holds the answer's figures.
        sentence: of the answer; it may name the row where the question names a group of them.
        question: what was asked.
        others: the rows and sentences of the same document that were found.
    """
    if not row.cells or _says_all(row) or not _asks_all(row, question):
        return False
    named, when = _named(row, sentence, question), said_in(normalise(question))
    rows = [other for other in _alike(row, others) if _is_of(other, when)]
    if any(all(other.cells[at] == row.cells[at] for at in named) for other in rows):
        return True
    # Of every group is asked: where one has several rows, so may the group of a row found alone.
    groups = [tuple(other.cells[at].text for at in named) for other in rows]
    return not _named(row, "", question) and len(set(groups)) < len(groups)


def is_outdone(
    row: Window, figures: Collection[object], question: str, others: Sequence[Window]
) -> bool:
    """Whether the question asks for the most, or the least, and a row found has more, or less.

    Args:
        row: what holds the answer's ``figures``.
        figures: by value; those in a column that the question names are compared.
        question: what was asked; only rows of what it names are compared.
        others: the rows and sentences of the same document that were found.
    """
    sign = _wanted(row, question)
    if not sign or _says_all(row):
        return False
    named, when = _named(row, "", question), said_in(normalise(question))
    rows = [other for other in _alike(row, others) if _is_of(other, when)]
    rows = [each for each in rows if all(each.cells[at] == row.cells[at] for at in named)]
    asked = normalise(question)
    for at, cell in enumerate(row.cells):
        value = _value(cell)
        if value is None or value not in figures or normalise(cell.column) not in asked:
            continue
        found = [_value(other.cells[at]) for other in rows if cell.column]
        if any(sign * each > sign * value for each in found if each is not None):
            return True
    return False


def _wanted(row: Window, question: str) -> int:
    """1 where one greatest figure is asked for, -1 for the least, else 0."""
    asked = _without_columns(row, question)
    if _SEVERAL.search(asked):
        return 0
    return bool(_MOST.search(asked)) - bool(_FEWEST.search(asked))


def _alike(row: Window, others: Sequence[Window]) -> list[Window]:
    """The other rows of the same columns that add up none."""
    return [
        other
        for other in others
        if other.context == row.context
        and other.text != row.text
        and len(other.cells) == len(row.cells)
        and not _says_all(other)
    ]


def _value(cell: Cell) -> Decimal | None:
    """The cell's only number; None for one below zero, as figures have no sign."""
    if _NEGATIVE.search(cell.text):
        return None
    numbers = [figure for figure in cell.figures if isinstance(figure, Decimal)]
    return numbers[0] if len(numbers) == 1 else None


def _without_columns(row: Window, question: str) -> str:
    asked = normalise(question)
    for label in {normalise(cell.column) for cell in row.cells}:
        if label and not _ALL.fullmatch(label):
            asked = asked.replace(label, " ")
    return asked


def _asks_all(row: Window, question: str) -> bool:
    return bool(_ALL.search(_without_columns(row, question)))


def _says_all(row: Window) -> bool:
    told = [cell.text for cell in row.cells if not cell.figures]
    columns = [cell.column for cell in row.cells if _ALL.fullmatch(normalise(cell.column))]
    return bool(columns) or any(map(_ALL.search, told))


def _named(row: Window, sentence: str, question: str) -> list[int]:
    """The places of the cells that are said; those said in part, where none is said whole.

    Figures choose a row only where they are asked for.
    """
    asked = set(terms(question))
    said = asked | set(terms(sentence))
    wholly, partly = [], []
    for at, cell in enumerate(row.cells):
        words = content_terms(cell.text) if cell.text.strip() else set()
        if words and words <= (asked if cell.figures else said):
            wholly.append(at)
        elif words & said and not cell.figures:
            partly.append(at)
    return wholly or partly


def _is_of(row: Window, when: Said | None) -> bool:
    """Whether the row is of the time that the question says, as far as it tells a day."""
    if when is None:
        return True
    days = [day for each in spelled(normalise(row.text)) if (day := _day(each))]
    return not days or any(when.fits((day.year, day.month)) for day in days)


def _day(spelling: str) -> date | None:
    try:
        return date.fromisoformat(spelling)
    except ValueError:
        return None
