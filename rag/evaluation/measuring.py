"""Puts questions to a search and sums up how it did."""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rag.evaluation import judging, measures
from rag.evaluation.questions import Question
from rag.evaluation.spans import Covered, Sources
from rag.records import Hit

Search = Callable[[str, int], list[Hit]]
"""Given a query and how many hits are wanted, best first."""

Judge = Callable[[str, Sequence[Hit]], float]
"""Given a question and hits, best first: how probable it is that they answer it."""


@dataclass(frozen=True, slots=True)
class Gate:
    """The gate to be measured: its ``judge`` sees the first ``k`` hits of some ``questions``."""

    judge: Judge
    k: int
    questions: Collection[Question]


Place = Literal["page", "cells", "characters", "passage", "document"]

DEPTH = 10
_COVERED_AT = (5, 10)
_FALSE_ANSWERS = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search gave for one question.

    ``rank`` is of the gold place, ``document_rank`` of its document; ``cells_rank`` of the first
    passage that holds all the gold cells, where `rank` asks for one of them; ``covered`` is how the
    first 5 and 10 hits cover the gold characters. ``evidence`` is what the gate sees in the first
    hits, ``evidence_without`` what it would see had the gold document not been there; None where
    it was not asked, and the latter where the set has unanswerable questions of its own.
    """

    question_id: str
    dataset: str
    answerable: bool
    place: Place
    rank: int | None
    document_rank: int | None
    cells_rank: int | None
    covered: tuple[Covered, ...]
    answer_at_5: bool
    evidence: float | None
    evidence_without: float | None
    search_ms: float


def put(
    questions: Sequence[Question],
    search: Search,
    *,
    gate: Gate | None = None,
    sources: Sources | None = None,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Outcome]:
    """One outcome a question, as they come.

    Args:
        questions: what is asked.
        search: how it is searched for.
        gate: what judges the hits, where that is measured too; it takes far longer than a search.
        sources: the files that spans of characters count in; without them spans say nothing.
        clock: seconds.
    """
    foreign = {question.dataset for question in questions if not question.answerable}
    for question in questions:
        started = clock()
        hits = search(question.text, DEPTH)
        search_ms = (clock() - started) * 1000
        has_foreign = question.dataset in foreign
        evidence, without = _evidence(question, hits, gate, has_foreign=has_foreign)
        yield Outcome(
            question_id=question.question_id,
            dataset=question.dataset,
            answerable=question.answerable,
            place=_place(question),
            rank=_rank(question, hits, sources),
            document_rank=judging.document_rank(question, hits),
            cells_rank=judging.cells_rank(question, hits),
            covered=_covered(question, hits, sources),
            answer_at_5=judging.holds_answer(question, hits[:5]),
            evidence=evidence,
            evidence_without=without,
            search_ms=search_ms,
        )


def _evidence(
    question: Question, hits: Sequence[Hit], gate: Gate | None, *, has_foreign: bool
) -> tuple[float | None, float | None]:
    """What the gate sees in the hits, and in those of other documents than the gold one."""
    if gate is None or question not in gate.questions:
        return None, None
    seen = gate.judge(question.text, hits[: gate.k])
    if has_foreign:
        return seen, None
    others = [hit for hit in hits if not judging.in_document(question, hit)]
    if others[: gate.k] == hits[: gate.k]:
        return seen, seen
    return seen, gate.judge(question.text, others[: gate.k])


def summary(outcomes: Sequence[Outcome], *, min_evidence: float) -> dict[str, Any]:
    """The measures over ``outcomes``, ready for JSON.

    The gate is judged against the set's own unanswerable questions; where it has none, against the
    answerable ones with their gold document left out.
    """
    asked = [outcome for outcome in outcomes if outcome.answerable]
    ranks = [outcome.rank for outcome in asked]
    found: dict[str, Any] = {name: asdict(of(ranks)) for name, of in measures.RANKED.items()}
    found["document@5"] = asdict(measures.recall([outcome.document_rank for outcome in asked], 5))
    found |= _by_place(asked)
    found["answer@5"] = asdict(measures.share([outcome.answer_at_5 for outcome in asked]))
    if any(outcome.evidence is not None for outcome in outcomes):
        found["gate"] = _gate(outcomes, asked, min_evidence=min_evidence)
    times = [outcome.search_ms for outcome in outcomes]
    found["search_ms"] = {f"p{q}": asdict(measures.percentile(times, q)) for q in (50, 95)}
    return found


def _by_place(asked: Sequence[Outcome]) -> dict[str, Any]:
    """Page and cell accuracy, and the covering of characters, where the set tells them."""
    found: dict[str, Any] = {}
    pages = [outcome.rank for outcome in asked if outcome.place == "page"]
    cells = [outcome.cells_rank for outcome in asked if outcome.place == "cells"]
    for name, ranks in (("page", pages), ("cells", cells)):
        if ranks:
            found |= {f"{name}@{k}": asdict(measures.recall(ranks, k)) for k in (1, 5)}
    covered = [outcome.covered for outcome in asked if outcome.covered]
    if covered:
        found |= {
            f"characters@{k}": {
                name: asdict(measures.mean([getattr(each[at], name) for each in covered]))
                for name in ("recall", "precision", "iou")
            }
            for at, k in enumerate(_COVERED_AT)
        }
    return found


def _place(question: Question) -> Place:
    if question.pages:
        return "page"
    if question.sheet:
        return "cells" if question.cells else "document"
    if question.spans:
        return "characters"
    return "passage" if question.context else "document"


def _rank(question: Question, hits: Sequence[Hit], sources: Sources | None) -> int | None:
    if sources is not None and question.spans:
        return sources.rank(question, hits)
    return judging.rank_of(question, hits)


def _covered(
    question: Question, hits: Sequence[Hit], sources: Sources | None
) -> tuple[Covered, ...]:
    if sources is None or not question.spans:
        return ()
    return tuple(sources.covered(question, hits[:k]) for k in _COVERED_AT)


def _gate(
    outcomes: Sequence[Outcome], asked: Sequence[Outcome], *, min_evidence: float
) -> dict[str, Any]:
    foreign = _told(outcome.evidence for outcome in outcomes if not outcome.answerable)
    left_out = not foreign
    negative = foreign or _told(outcome.evidence_without for outcome in asked)
    positive = _told(outcome.evidence for outcome in asked)
    return {
        "unanswerable": "gold document left out" if left_out else "of the set",
        "auc": measures.auc(positive, negative),
        "false_refusals": asdict(measures.share([score < min_evidence for score in positive])),
        "false_answers": asdict(measures.share([score >= min_evidence for score in negative])),
        "false_refusals_at_5_percent_false_answers": measures.false_refusals(
            positive, negative, false_answers=_FALSE_ANSWERS
        ),
    }


def _told(scores: Iterable[float | None]) -> list[float]:
    return [score for score in scores if score is not None]
