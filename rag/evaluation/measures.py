"""Measures with their uncertainty. Ranks count from 1; None means not found."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

INTERVALS = "95 %: Wilson for shares, percentile bootstrap of 1,000 resamples for the rest"
"""How the confidence intervals are made."""
Values = NDArray[np.float64]

_Z = 1.959964
"""Two-sided 95 % of the normal distribution."""
_RESAMPLES = 1000
_SEED = 17


@dataclass(frozen=True, slots=True)
class Measure:
    """A mean over ``n`` questions and its 95 % confidence interval."""

    value: float
    low: float
    high: float
    n: int


def share(hits: Sequence[bool]) -> Measure:
    """A proportion, with Wilson's score interval (1927)."""
    n = len(hits)
    if n == 0:
        return Measure(math.nan, math.nan, math.nan, 0)
    p = sum(hits) / n
    middle = (p + _Z**2 / (2 * n)) / (1 + _Z**2 / n)
    reach = _Z / (1 + _Z**2 / n) * math.sqrt(p * (1 - p) / n + _Z**2 / (4 * n**2))
    return Measure(p, middle - reach, middle + reach, n)


def mean(values: Sequence[float]) -> Measure:
    """A mean, with the percentile bootstrap over 1,000 seeded resamples."""
    return _bootstrap(values, lambda drawn: np.mean(drawn, axis=-1))


def _bootstrap(values: Sequence[float], of: Callable[[Values], Any]) -> Measure:
    n = len(values)
    if n == 0:
        return Measure(math.nan, math.nan, math.nan, 0)
    drawn = np.asarray(values, dtype=np.float64)
    picks = np.random.default_rng(_SEED).integers(0, n, size=(_RESAMPLES, n))
    low, high = np.percentile(of(drawn[picks]), [2.5, 97.5])
    return Measure(float(of(drawn)), float(low), float(high), n)


def ratio(pairs: Sequence[tuple[bool, bool]]) -> Measure:
    """How many of the first hold for each of the second, bootstrapped over the pairs."""
    counted = np.asarray(pairs, dtype=np.float64).reshape(-1, 2)
    n = len(counted)
    if not n or not counted[:, 1].any():
        return Measure(math.nan, math.nan, math.nan, n)
    picks = np.random.default_rng(_SEED).integers(0, n, size=(_RESAMPLES, n))
    first, second = counted[picks].sum(axis=1).T
    low, high = np.percentile(first / np.maximum(second, 1.0), [2.5, 97.5])
    of_all = counted.sum(axis=0)
    return Measure(float(of_all[0] / of_all[1]), float(low), float(high), n)


def recall(ranks: Sequence[int | None], k: int) -> Measure:
    """Share of the questions whose gold place is among the first ``k``."""
    return share([rank is not None and rank <= k for rank in ranks])


def reciprocal_rank(ranks: Sequence[int | None]) -> Measure:
    """MRR: the mean of 1 / rank, 0 where nothing was found."""
    return mean([1 / rank if rank else 0.0 for rank in ranks])


def ndcg(ranks: Sequence[int | None], k: int) -> Measure:
    """nDCG@k with one relevant place a question: 1 / log2(rank + 1)."""
    return mean([1 / math.log2(rank + 1) if rank and rank <= k else 0.0 for rank in ranks])


def auc(positive: Sequence[float], negative: Sequence[float]) -> float:
    """Chance that a random positive scores over a random negative (Mann-Whitney), ties half."""
    if not positive or not negative:
        return math.nan
    below = np.sort(np.asarray(negative))
    wins = np.searchsorted(below, positive, side="left")
    ties = np.searchsorted(below, positive, side="right") - wins
    return float((wins + ties / 2).sum() / (len(positive) * len(negative)))


def false_refusals(
    positive: Sequence[float], negative: Sequence[float], *, false_answers: float
) -> float:
    """Share of positives refused by the lowest bar that lets at most that share of negatives by."""
    if not positive or not negative:
        return math.nan
    ordered = sorted(negative, reverse=True)
    bar = ordered[min(math.floor(false_answers * len(ordered)), len(ordered) - 1)]
    return sum(score <= bar for score in positive) / len(positive)


def percentile(values: Sequence[float], q: float) -> Measure:
    """The value that ``q`` per cent of them stay below, bootstrapped like `mean`."""
    return _bootstrap(values, lambda drawn: np.percentile(drawn, q, axis=-1))


RANKED: dict[str, Callable[[Sequence[int | None]], Measure]] = {
    "recall@1": lambda ranks: recall(ranks, 1),
    "recall@5": lambda ranks: recall(ranks, 5),
    "recall@10": lambda ranks: recall(ranks, 10),
    "mrr": reciprocal_rank,
    "ndcg@10": lambda ranks: ndcg(ranks, 10),
}
