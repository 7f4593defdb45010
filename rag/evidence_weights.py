"""What the signals of evidence weigh, as `scripts/fit_gate.py` found it; see ADR 0017.

python scripts/fit_gate.py measure ../shared/eval STORES rows.json
python scripts/fit_gate.py fit rows.json
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
ALIKE = Weighing(
    (("words", 0.254), ("first", 3.760), ("codes", 3.596), ("tokens", 19.229), ("weakest", 9.273)),
    -28.904,
)
"""Question and passages in one script."""
ACROSS = Weighing(
    (("cosine", -27.473), ("codes", 0.402), ("tokens", 83.854), ("weakest", -17.193)), -29.728
)
"""A Chinese question over English passages or the other way round: words can't meet.

Little can be told there, so what was fitted (bias -30.578) is eased: at one half it refuses a
quarter of the good questions instead of half of them.
"""
WORDS = Weighing((("words", 0.975), ("first", 6.203), ("codes", 2.400)), -5.249)
"""Where no nearness in meaning can be told."""
