"""Decides before generation whether the passages found can answer at all.

Small models told to refuse when unsure refuse everything, so the decision is taken from what was
retrieved. This is the plain gate; its calibration on answerable and unanswerable questions is
work of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from rag.records import Hit
from rag.sentences import overlap


def sufficient(question: str, hits: Sequence[Hit], *, min_cosine: float) -> bool:
    """Whether the best passage is near in meaning, or near enough and shares the words."""
    return any(_speaks_to(question, hit, min_cosine) for hit in hits)


def _speaks_to(question: str, hit: Hit, min_cosine: float) -> bool:
    return (hit.cosine or 0.0) >= min_cosine or overlap(question, hit.passage.embedded_text) >= 0.5
