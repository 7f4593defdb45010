"""What the signals of evidence weigh, as ``scripts/fit_gate.py`` found it; see ADR 0017.

python scripts/fit_gate.py ../shared/eval
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weighing:
    """A logistic model: the weight of each signal, and what is added to them."""

    weights: tuple[tuple[str, float], ...]
    bias: float


WEIGHED_FOR = "multilingual-e5-small"
"""The embedder whose nearness was measured; it opens the fingerprint."""
ALIKE = Weighing((("words", 5.0),), -3.0)
"""Question and passages in one script."""
ACROSS = Weighing((("cosine", 5.0),), -3.0)
"""A Chinese question over English passages or the other way round: words can't meet."""
WORDS = Weighing((("words", 1.3), ("first", 4.5), ("codes", 0.95)), -3.7)
"""Where no nearness in meaning can be told."""
