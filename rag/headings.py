"""Tells a heading that a model gives as its answer from an answer."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.questions import asks_figure, subject_terms
from rag.sentences import content_terms, figures
from rag.terms import normalise, terms
from rag.windows import Window

_TITLES = re.compile(r"\s*[›\n]\s*")
_NUMBERED = re.compile(r"第[^\s条章节款]{1,5}[条章节款]|(?<!\S)[\d.]+(?!\S)")
_WHOLE = 0.75
"""Share of a heading that an answer repeats to be no more than the heading."""
_ASKS_HEADING = re.compile(
    r"\b(?:which|what)\b.*\b(?:section|chapter|articles?|clause|annex|documents?|files?|part|titles?"
    r"|heading|called|named?)\b|哪[一几]?[条章节款项篇份个]|第几[条章节款]|标题|题目|名称|叫什么",
    re.IGNORECASE,
)
"""Questions to which a heading or a file's name is the answer."""


def echoes_heading(sentence: str, question: str, context: str, windows: Sequence[Window]) -> bool:
    """Whether a heading is given as the answer to what stands, if at all, below it.

    One that says what is asked and more ("Managing director: Foo") is an answer, and so is the
    name of a section or a file to who asks for it.

    Args:
        sentence: of the answer.
        question: what was asked; without one nothing is an echo.
        context: the passage's headings.
        windows: the passage, piece by piece.
    """
    if not question or figures(sentence) - figures(question) or _ASKS_HEADING.search(question):
        return False
    said, asked, asks = _words(sentence), subject_terms(question), asks_figure(question)
    if asked < said and not asks:
        return False
    headings = [window.text for window in windows if window.is_heading]
    titles = map(_words, [*_TITLES.split(context), *headings])
    if not any(said <= title and len(said) >= _WHOLE * len(title) for title in titles):
        return False
    if asks or said <= set(terms(question)):
        return True
    phrase = normalise(sentence).rstrip(".。 ")
    return not any(phrase in normalise(w.text) for w in windows if not w.is_heading)


def _words(title: str) -> set[str]:
    """The terms of a heading, its number left out."""
    return content_terms(_NUMBERED.sub("", title))
