"""Decides before generation whether the passages found can answer at all.

Small models told to refuse when unsure refuse everything, so the decision is taken from what was
retrieved: `Signals`, put together by a logistic model (`rag.evidence_weights`) into the probability
that the passages answer. What its signals are worth, and on which sets, stands in ADR 0017.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rag.evidence_weights import ACROSS, ALIKE, ORDINARY, WEIGHED_FOR, WORDS, Weighing
from rag.records import Hit
from rag.sentences import content_terms, same_script
from rag.terms import codes, terms

if TYPE_CHECKING:
    from rag.ports import Embedder, Vectors

Rarity = Callable[[Collection[str]], Mapping[str, float]]
"""Gives each term how rare it is among all passages, ln(N/n)."""

_READ = 3
"""Passages whose tokens are compared; more of them cost more time than they tell."""
_WEAKEST = 4
"""A quarter of the question's tokens: those that the passage says least of."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the passages have of a question, each about 0 to 1, higher is better.

    Attributes:
        cosine: of the question and the nearest passage.
        words: share of the question's content terms, by rarity, in the document whose passages
            hold most of them together.
        first: the same in the document of the first passage.
        codes: share of the question's codes (years, invoice numbers) in the document whose
            passages hold most of them; 1 where it has none.
        tokens: how near the question's tokens come to a token of a document's first passages, on
            average, in the best document (MaxSim, as in ColBERT: Khattab and Zaharia 2020).
        weakest: as ``tokens``, over the quarter of the tokens that come least near.
        centred: as ``tokens``, in the best single passage, once what all text of a language has in
            common is taken off; 0 where question and passages are in one script.
    """

    cosine: float
    words: float
    first: float
    codes: float
    tokens: float
    weakest: float
    centred: float = 0.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """How probable it is that the passages answer the question, 0 to 1."""

    answerable: float
    signals: Signals | None = None


class Gate:
    """Judges what was found for a question; safe to call from many threads."""

    def __init__(self, embedder: Embedder, rarity: Rarity) -> None:
        self._embedder = embedder
        self._rarity = rarity
        self._centres: dict[bool, Vectors] = {}

    def evidence(self, question: str, hits: Sequence[Hit]) -> Evidence:
        """What ``hits``, best first, are worth as evidence for an answer.

        While the embedder is being changed, and with one that nothing was measured for, there is
        no nearness in meaning to go by: words decide alone.
        """
        if not hits:
            return Evidence(0.0)
        by_meaning = self._embedder.fingerprint.startswith(WEIGHED_FOR)
        if not by_meaning or any(hit.cosine is None for hit in hits):
            signals = self._words(question, hits)
            return Evidence(_probability(signals, WORDS), signals)
        signals = self.signals(question, hits)
        return Evidence(_probability(signals, ALIKE if alike(question, hits) else ACROSS), signals)

    def signals(self, question: str, hits: Sequence[Hit]) -> Signals:
        """Everything that is measured of ``hits``, which must not be empty."""
        asked = self._embedder.embed_query_tokens(question)
        read = [hit.passage.embedded_text for hit in hits[:_READ]]
        held = self._embedder.embed_passage_tokens(read)
        tokens, weakest = _nearness(asked, _by_document(hits[:_READ], held))
        centred = 0.0
        if not alike(question, hits):
            shifted = [
                _unit(vectors - self._centre(text))
                for text, vectors in zip(read, held, strict=True)
            ]
            centred, _ = _nearness(_unit(asked - self._centre(question)), shifted)
        return replace(
            self._words(question, hits),
            cosine=max(hit.cosine or 0.0 for hit in hits),
            tokens=tokens,
            weakest=weakest,
            centred=centred,
        )

    def _words(self, question: str, hits: Sequence[Hit]) -> Signals:
        wanted = content_terms(question)
        rarity = self._rarity(wanted)
        total = sum(rarity.values()) or 1.0
        # What a question names may stand on one page of a document, what it asks for on another.
        said_by: dict[str, set[str]] = {}
        for hit in hits:
            of = said_by.setdefault(hit.passage.document_id, set())
            of |= wanted & set(terms(hit.passage.embedded_text))
        held = [said_by[hit.passage.document_id] for hit in hits]
        shares = [sum(rarity[term] for term in each) / total for each in held]
        said = set(codes(list(wanted)))
        known = max(len(said & each) for each in held) / len(said) if said else 1.0
        return Signals(0.0, max(shares), shares[0], known, 0.0, 0.0)

    def _centre(self, text: str) -> Vectors:
        """The mean of the tokens of ordinary sentences in the script of ``text``."""
        chinese = same_script(text, ORDINARY[True][0])
        if chinese not in self._centres:
            vectors = [self._embedder.embed_query_tokens(each) for each in ORDINARY[chinese]]
            self._centres[chinese] = np.concatenate(vectors).mean(axis=0)
        return self._centres[chinese]


def alike(question: str, hits: Sequence[Hit]) -> bool:
    """Whether the question and the first of ``hits`` are in one script, so that words can meet."""
    return same_script(question, hits[0].passage.text)


def _nearness(asked: Vectors, held: Sequence[Vectors]) -> tuple[float, float]:
    """How near the tokens asked come in the best of ``held``: on average, and the weakest."""
    said = [vectors for vectors in held if len(vectors)]
    if not len(asked) or not said:
        return 0.0, 0.0
    best = max(((asked @ vectors.T).max(axis=1) for vectors in said), key=np.mean)
    weakest = np.sort(best)[: max(1, len(best) // _WEAKEST)]
    return float(best.mean()), float(weakest.mean())


def _by_document(hits: Sequence[Hit], held: Sequence[Vectors]) -> list[Vectors]:
    """The tokens of each document's passages together."""
    together: dict[str, list[Vectors]] = {}
    for hit, vectors in zip(hits, held, strict=True):
        together.setdefault(hit.passage.document_id, []).append(vectors)
    return [np.concatenate(each) for each in together.values()]


def _unit(vectors: Vectors) -> Vectors:
    """The rows at length 1."""
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    shortened: Vectors = vectors / np.maximum(lengths, 1e-9)
    return shortened


def _probability(signals: Signals, weighing: Weighing) -> float:
    """The logistic function of the signals' weighed sum."""
    values = asdict(signals)
    total = weighing.bias + sum(values[name] * weight for name, weight in weighing.weights)
    return 1.0 / (1.0 + math.exp(-max(min(total, 60.0), -60.0)))
