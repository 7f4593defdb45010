"""Puts questions to a search and sums up how it did."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag.evaluation import judging, measures
from rag.evaluation.questions import Question
from rag.evidence import evidence
from rag.records import Hit

Search = Callable[[str, int], list[Hit]]
"""Given a query and how many hits are wanted, best first."""

DEPTH = 10
_FALSE_ANSWERS = 0.05


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search gave for one question.

    ``rank`` is of the gold place, ``document_rank`` of its document; ``evidence`` is what the gate
    sees in the first ``gate_k`` hits, ``evidence_without`` what it would see had the gold document
    not been there.
    """

    question_id: str
    dataset: str
    answerable: bool
    has_place: bool
    rank: int | None
    document_rank: int | None
    answer_at_5: bool
    evidence: float
    evidence_without: float
    search_ms: float


def put(
    questions: Sequence[Question],
    search: Search,
    *,
    gate_k: int,
    clock: Callable[[], float] = time.perf_counter,
) -> Iterator[Outcome]:
    """One outcome a question, as they come."""
    for question in questions:
        started = clock()
        hits = search(question.text, DEPTH)
        search_ms = (clock() - started) * 1000
        others = [hit for hit in hits if not judging.in_document(question, hit)]
        yield Outcome(
            question_id=question.question_id,
            dataset=question.dataset,
            answerable=question.answerable,
            has_place=bool(question.pages or question.sheet),
            rank=judging.rank_of(question, hits),
            document_rank=judging.document_rank(question, hits),
            answer_at_5=judging.holds_answer(question, hits[:5]),
            evidence=evidence(question.text, hits[:gate_k]),
            evidence_without=evidence(question.text, others[:gate_k]),
            search_ms=search_ms,
        )


def summary(outcomes: Sequence[Outcome], *, min_evidence: float) -> dict[str, Any]:
    """The measures over ``outcomes``, ready for JSON.

    The gate is judged against the set's own unanswerable questions; where it has none, against the
    answerable ones with their gold document left out.
    """
    asked = [outcome for outcome in outcomes if outcome.answerable]
    ranks = [outcome.rank for outcome in asked]
    found: dict[str, Any] = {name: asdict(of(ranks)) for name, of in measures.RANKED.items()}
    found["document@5"] = asdict(measures.recall([outcome.document_rank for outcome in asked], 5))
    found["answer@5"] = asdict(measures.share([outcome.answer_at_5 for outcome in asked]))
    found["gate"] = _gate(outcomes, asked, min_evidence=min_evidence)
    times = [outcome.search_ms for outcome in outcomes]
    found["search_ms"] = {f"p{q}": measures.percentile(times, q) for q in (50, 95)}
    return found


def _gate(
    outcomes: Sequence[Outcome], asked: Sequence[Outcome], *, min_evidence: float
) -> dict[str, Any]:
    foreign = [outcome.evidence for outcome in outcomes if not outcome.answerable]
    left_out = not foreign
    negative = foreign or [outcome.evidence_without for outcome in asked]
    positive = [outcome.evidence for outcome in asked]
    return {
        "unanswerable": "gold document left out" if left_out else "of the set",
        "auc": measures.auc(positive, negative),
        "false_refusals": asdict(measures.share([score < min_evidence for score in positive])),
        "false_answers": asdict(measures.share([score >= min_evidence for score in negative])),
        "false_refusals_at_5_percent_false_answers": measures.false_refusals(
            positive, negative, false_answers=_FALSE_ANSWERS
        ),
    }
