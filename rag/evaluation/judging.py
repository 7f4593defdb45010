"""Whether a hit stands at the gold place of a question."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from functools import cache
from pathlib import PurePosixPath

from rag.cells import cell_range
from rag.evaluation.questions import Question
from rag.records import Hit
from rag.terms import normalise

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


def cells_rank(question: Question, hits: Sequence[Hit]) -> int | None:
    """The rank of the first hit whose cells hold all the gold cells."""
    return next((hit.rank for hit in hits if _holds_cells(question, hit)), None)


def at_gold(question: Question, hit: Hit) -> bool:
    return in_document(question, hit) and (
        _on_page(question, hit) and _in_cells(question, hit) and _in_context(question, hit)
    )


def in_document(question: Question, hit: Hit) -> bool:
    return is_of(question, hit.path, *hit.locations)


def is_of(question: Question, *paths: str) -> bool:
    """Whether the file at any of the ``paths`` is the gold document."""
    return any(question.document in names(path) for path in paths)


@cache
def names(path: str) -> frozenset[str]:
    """What a file may be called: with its folders or without, with its ending or without."""
    whole = PurePosixPath(unicodedata.normalize("NFC", path))
    return frozenset(
        "/".join(each.parts[at:])
        for each in (whole, whole.with_suffix(""))
        for at in range(len(each.parts))
    )


def holds_answer(question: Question, hits: Sequence[Hit]) -> bool:
    """Whether a gold answer stands word for word in a hit."""
    answers = [plain(answer) for answer in question.answers]
    return any(answer and answer in plain(hit.passage.text) for hit in hits for answer in answers)


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
    gold, found = plain(question.context), plain(hit.passage.text)
    return found[:_BEGINNING] in gold or gold[:_BEGINNING] in found or holds_answer(question, [hit])


def _overlap(one: str, other: str) -> bool:
    """Whether two ranges of cells, such as ``A2:C9`` and ``B7``, share a cell."""
    first, second = cell_range(one), cell_range(other)
    if not first or not second:
        return False
    beside = first.left > second.right or second.left > first.right
    below = first.top > second.bottom or second.top > first.bottom
    return not beside and not below


def _holds_cells(question: Question, hit: Hit) -> bool:
    inner, outer = cell_range(question.cells), cell_range(hit.passage.locator.cells)
    if not inner or not outer or hit.passage.locator.sheet != question.sheet:
        return False
    across = outer.left <= inner.left and inner.right <= outer.right
    down = outer.top <= inner.top and inner.bottom <= outer.bottom
    return across and down and in_document(question, hit)


def plain(text: str) -> str:
    return "".join(normalise(text).split())
