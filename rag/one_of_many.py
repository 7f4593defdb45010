"""Tells a row given as the answer to a question for the sum of many from one that says the sum."""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from rag.sentences import content_terms
from rag.spelled import spelled
from rag.terms import normalise, terms
from rag.whole_set.dates import Said, said_in
from rag.windows import Window

_ALL = re.compile(
    r"一共|总共|共计|合计|小计|总计|总和|总额|总数|加起来|平均|均值"
    r"|\b(?:(?:sub-?)?totals?|in all|altogether|sum|combined|average|mean)\b",
    re.IGNORECASE,
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
    return any(
        other.context == row.context
        and other.text != row.text
        and len(other.cells) == len(row.cells)
        and not _says_all(other)
        and all(other.cells[at] == row.cells[at] for at in named)
        and _is_of(other, when)
        for other in others
    )


def _asks_all(row: Window, question: str) -> bool:
    asked = normalise(question)
    for label in {normalise(cell.column) for cell in row.cells}:
        if label and not _ALL.fullmatch(label):
            asked = asked.replace(label, " ")
    return bool(_ALL.search(asked))


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
