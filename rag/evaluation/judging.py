"""Whether a hit stands at the gold place of a question."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import PurePosixPath

from rag.evaluation.questions import Question
from rag.records import Hit
from rag.terms import normalise

_CELLS = re.compile(r"^([A-Z]+)(\d+)(?::([A-Z]+)(\d+))?$")
_BEGINNING = 40
"""Characters that tell one passage from another."""


def rank_of(question: Question, hits: Sequence[Hit]) -> int | None:
    """The rank of the first hit at the gold place.

    That is the document, and in it the page, the cells or the passage, whichever the set tells.
    """
    return next((hit.rank for hit in hits if at_gold(question, hit)), None)


def document_rank(question: Question, hits: Sequence[Hit]) -> int | None:
    """The rank of the first hit in the gold document, wherever in it."""
    return next((hit.rank for hit in hits if in_document(question, hit)), None)


def at_gold(question: Question, hit: Hit) -> bool:
    return in_document(question, hit) and (
        _on_page(question, hit) and _in_cells(question, hit) and _in_context(question, hit)
    )


def in_document(question: Question, hit: Hit) -> bool:
    gold, found = PurePosixPath(question.document), PurePosixPath(hit.path)
    return found.parts[-len(gold.parts) :] == gold.parts or found.stem == question.document


def holds_answer(question: Question, hits: Sequence[Hit]) -> bool:
    """Whether a gold answer stands word for word in a hit."""
    answers = [_plain(answer) for answer in question.answers]
    return any(answer and answer in _plain(hit.passage.text) for hit in hits for answer in answers)


def _on_page(question: Question, hit: Hit) -> bool:
    if not question.pages:
        return True
    first = hit.passage.locator.page
    if first is None:
        return False
    last = hit.passage.locator.page_end or first
    return any(first <= page <= last for page in question.pages)


def _in_cells(question: Question, hit: Hit) -> bool:
    if not question.sheet:
        return True
    place = hit.passage.locator
    if place.sheet != question.sheet:
        return False
    return not question.cells or _overlap(question.cells, place.cells or "")


def _in_context(question: Question, hit: Hit) -> bool:
    """Whether the hit begins in the gold passage, holds its beginning, or holds an answer."""
    if question.pages or question.sheet or not question.context:
        return True
    gold, found = _plain(question.context), _plain(hit.passage.text)
    return found[:_BEGINNING] in gold or gold[:_BEGINNING] in found or holds_answer(question, [hit])


def _overlap(one: str, other: str) -> bool:
    """Whether two ranges of cells, such as ``A2:C9`` and ``B7``, share a cell."""
    first, second = _CELLS.match(one), _CELLS.match(other)
    if not first or not second:
        return False
    (left, top, right, bottom), (left2, top2, right2, bottom2) = _corners(first), _corners(second)
    return left <= right2 and left2 <= right and top <= bottom2 and top2 <= bottom


def _corners(cells: re.Match[str]) -> tuple[int, int, int, int]:
    left, top, right, bottom = cells.groups()
    return _column(left), int(top), _column(right or left), int(bottom or top)


def _column(letters: str) -> int:
    number = 0
    for letter in letters:
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _plain(text: str) -> str:
    return "".join(normalise(text).split())
