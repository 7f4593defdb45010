"""Decides before generation whether the passages found can answer at all.

Small models told to refuse when unsure refuse everything, so the decision is taken from what was
retrieved: `Signals`, put together by a logistic model (`rag.evidence_weights`) into the probability
that the passages answer. What its signals are worth, and on which sets, stands in ADR 0017.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rag.evidence_subject import stand_together, terms_by_document
from rag.evidence_weights import ACROSS, ALIKE, ORDINARY, WEIGHED_FOR, WORDS, Weighing
from rag.records import Hit, Scope
from rag.sentences import content_terms, same_script
from rag.terms import codes

if TYPE_CHECKING:
    from rag.catalog.keywords import Keywords
    from rag.ports import Embedder, Vectors

_READ = 3
"""Passages whose tokens are compared; more of them cost more time than they tell."""
_MUST_BE_CLEARER = 1.4
"""In the logistic model's own unit: at the bar of 0.5, what was 0.8 without."""
APART = 0.1
"""What evidence is worth where the years and numbers don't stand beside the subject."""
_WEAKEST = 4
"""A quarter of the question's tokens: those that the passage says least of."""


@dataclass(frozen=True, slots=True)
class Signals:
    """What the passages have of a question, each about 0 to 1, higher is better.

    Attributes:
        cosine: of the question and the nearest passage.
        first: share of the question's content terms, by rarity, in the passages of the first one's
            document.
        codes: share of the question's codes (years, invoice numbers) in the document whose
            passages hold most of them; 1 where it has none.
        together: whether the years, numbers of things and firms it names stand in a document about
            its subject, 1 or 0; see `rag.evidence_subject`. Always 1 across scripts, where words
            can't tell what a document is about.
        tokens: how near the question's tokens come to a token of a document's first passages, on
            average, in the best document (MaxSim, as in ColBERT: Khattab and Zaharia 2020).
        weakest: as ``tokens``, over the quarter of the tokens that come least near.
        centred: as ``tokens``, in the best single passage, once what all text of a language has in
            common is taken off; 0 where question and passages are in one script.
    """

    cosine: float
    first: float
    codes: float
    tokens: float
    weakest: float
    centred: float = 0.0
    together: float = 1.0


@dataclass(frozen=True, slots=True)
class Evidence:
    """How probable it is that the passages answer the question, 0 to 1."""

    answerable: float
    signals: Signals | None = None


class Gate:
    """Judges what was found for a question; safe to call from many threads."""

    def __init__(self, embedder: Embedder, keywords: Keywords) -> None:
        self._embedder = embedder
        self._keywords = keywords
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
        own = [hit for hit in hits if alike(question, [hit])]
        others = [hit for hit in hits if hit not in own]
        judged = [
            self._in_one_script(question, own, ALIKE),
            self._in_one_script(question, others, _sterner(ACROSS) if own else ACROSS),
        ]
        return max(judged, key=lambda each: each.answerable)

    def _in_one_script(self, question: str, hits: Sequence[Hit], weighing: Weighing) -> Evidence:
        if not hits:
            return Evidence(0.0)
        signals = self.signals(question, hits)
        return Evidence(_probability(signals, weighing), signals)

    def signals(self, question: str, hits: Sequence[Hit]) -> Signals:
        """Everything that is measured of ``hits``: some, and all in one script."""
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
        rarity = self._keywords.rarity(wanted)
        total = sum(rarity.values()) or 1.0
        said_by = terms_by_document(hits)
        held = [wanted & said_by[hit.passage.document_id] for hit in hits]
        first = sum(rarity[term] for term in held[0]) / total
        said = set(codes(list(wanted)))
        known = max(len(said & each) for each in held) / len(said) if said else 1.0
        together = not alike(question, hits) or stand_together(
            question, wanted, hits, rarity, self._holds
        )
        return Signals(0.0, first, known, 0.0, 0.0, together=float(together))

    def _holds(self, term: str, document: str) -> bool:
        return bool(self._keywords.holding([term], Scope(document_ids=(document,))))

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


def _sterner(weighing: Weighing) -> Weighing:
    """Where a document in the question's own language was found, too, the others must be clearer.

    Over stores in two languages, put together from those of XQuAD, that lets 55 % of the questions
    through that only the other language answers (12 % when the first passage's script decided),
    and 24 % instead of 12 % of those for which there is but the rest of the article.
    """
    return replace(weighing, bias=weighing.bias - _MUST_BE_CLEARER)


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
    """The logistic function of the weighed sum; little where a year or number is foreign."""
    values = asdict(signals)
    total = weighing.bias + sum(values[name] * weight for name, weight in weighing.weights)
    probability = 1.0 / (1.0 + math.exp(-max(min(total, 60.0), -60.0)))
    return probability if signals.together else APART * probability
