"""Puts questions to the whole chain, model included, and sums up what it answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rag.evaluation import judging, measures
from rag.evaluation.questions import Question
from rag.records import Answer, Hit

Ask = Callable[[Question, bool], Answer]
"""Given a question, and whether its gold document is to be left out."""
PageText = Callable[[Hit], str]
"""All the text of the page that a hit stands on."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one question.

    ``left_out`` says that its gold document was kept from the search, so that nothing should have
    been answered; ``exact`` that a gold answer stands word for word in the answer. A marker is
    right if its passage or page holds a gold answer, or is the gold place.
    """

    question_id: str
    dataset: str
    answerable: bool
    left_out: bool
    mode: str
    finish_reason: str
    exact: bool
    markers: int
    markers_right: int
    sentences: int
    sentences_supported: int
    first_token_ms: float | None
    total_ms: float


def rounds(questions: Sequence[Question]) -> list[tuple[Question, bool]]:
    """What to ask: each question, and whether without its gold document.

    Where a set has no unanswerable questions, its answerable ones are also asked so.
    """
    foreign = {question.dataset for question in questions if not question.answerable}
    asked = [(question, False) for question in questions]
    return asked + [(question, True) for question in questions if question.dataset not in foreign]


def put(
    asked: Sequence[tuple[Question, bool]], ask: Ask, page_text: PageText
) -> Iterator[Answered]:
    """One outcome a question, as they come."""
    for question, left_out in asked:
        yield _judged(question, left_out, ask(question, left_out), page_text)


def summary(outcomes: Sequence[Answered]) -> dict[str, Any]:
    """The measures over ``outcomes``, ready for JSON.

    Exactness, markers and support are of what was answered of the answerable questions.
    """
    asked = [each for each in outcomes if each.answerable and not each.left_out]
    foreign = [each for each in outcomes if each.left_out or not each.answerable]
    answered = [each for each in asked if each.mode != "refused"]
    modes = sorted({each.mode for each in outcomes})
    measured = {
        "answered": measures.share([each.mode != "refused" for each in asked]),
        "false_refusals": measures.share([each.mode == "refused" for each in asked]),
        "false_answers": measures.share([each.mode != "refused" for each in foreign]),
        "exact": measures.share([each.exact for each in answered]),
        "cited": measures.share([each.markers > 0 for each in answered]),
        "citation_precision": measures.share(_each(answered, "markers_right", "markers")),
        "supported": measures.share(_each(answered, "sentences_supported", "sentences")),
    }
    found: dict[str, Any] = {name: asdict(measure) for name, measure in measured.items()}
    found["unanswerable"] = (
        "gold document left out" if any(each.left_out for each in foreign) else "of the set"
    )
    found["modes"] = {
        mode: asdict(measures.share([each.mode == mode for each in asked])) for mode in modes
    }
    times = [each.total_ms for each in answered]
    first = [each.first_token_ms for each in answered if each.first_token_ms is not None]
    found["total_ms"] = {f"p{q}": asdict(measures.percentile(times, q)) for q in (50, 95)}
    found["first_token_ms"] = {f"p{q}": asdict(measures.percentile(first, q)) for q in (50, 95)}
    return found


def _judged(question: Question, left_out: bool, answer: Answer, page_text: PageText) -> Answered:
    said, gold = judging.plain(answer.text), [judging.plain(each) for each in question.answers]
    right = [_is_right(question, citation.hit, page_text) for citation in answer.citations]
    return Answered(
        question_id=question.question_id,
        dataset=question.dataset,
        answerable=question.answerable,
        left_out=left_out,
        mode=answer.mode,
        finish_reason=answer.finish_reason,
        exact=any(each and each in said for each in gold),
        markers=len(right),
        markers_right=sum(right),
        sentences=len(answer.sentences),
        sentences_supported=sum(sentence.supported for sentence in answer.sentences),
        first_token_ms=answer.timings.first_token_ms,
        total_ms=answer.timings.total_ms,
    )


def _is_right(question: Question, hit: Hit, page_text: PageText) -> bool:
    if question.tells_place and judging.at_gold(question, hit):
        return True
    page = judging.plain(page_text(hit))
    return any(gold and gold in page for gold in map(judging.plain, question.answers))


def _each(answered: Sequence[Answered], of: str, among: str) -> list[bool]:
    """One truth a marker or sentence: of ``among``, the first ``of`` are good."""
    return [at < getattr(each, of) for each in answered for at in range(getattr(each, among))]
