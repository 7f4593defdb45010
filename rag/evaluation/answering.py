"""Puts questions to the whole chain, model included, and sums up what it answered."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

from rag.evaluation import judging, measures
from rag.evaluation.questions import Question
from rag.records import Answer, Hit
from rag.sentences import overlap
from rag.support import Source, sources_of

Way = Literal["ours", "plain"]
WAYS: tuple[Way, ...] = ("ours", "plain")
"""Ours, and beside it what `rag.evaluation.plain` makes of the same model."""
BARS = (0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9)
"""Of the evidence gate, in the curve of errors."""
_LONG = 60
"""Letters of a gold answer that no other answer repeats word for word."""
_MOST_OF_IT = 0.6
"""Share of the words of such an answer that the page which holds it has. The page that northwind
gives or the one behind it, where the text often goes on, has as many for .98 of its 201 answers;
another page of the same document for .01."""


@dataclass(frozen=True, slots=True)
class Round:
    """One question put one way; ``left_out`` keeps its gold document from the search."""

    question: Question
    left_out: bool = False
    way: Way = "ours"


Ask = Callable[[Round], Answer]
PageText = Callable[[Hit], str]
"""All the text of the page that a hit stands on."""


@dataclass(frozen=True, slots=True)
class Answered:
    """What came of one question.

    ``left_out`` says that its gold document was kept from the search, so that nothing should have
    been answered; ``exact`` that a gold answer stands word for word in the answer. A marker is
    right if its passage or page holds a gold answer (most of the words of a long one), or is the
    gold place. ``wrong``: it was answered, and either nothing should have been, or a sentence is
    supported by none of the passages read, or it is not right. Right is what holds a gold answer;
    where those are too long for that, what the gold passage or page supports in every sentence.
    ``evidence`` is the gate's, put together with the model's own look.
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
    way: Way = "ours"
    wrong: bool = False
    evidence: float | None = None

    @property
    def was_answered(self) -> bool:
        return self.mode != "refused"

    @property
    def has_answer(self) -> bool:
        """Whether there was anything to answer it from."""
        return self.answerable and not self.left_out


def rounds(questions: Sequence[Question], ways: Sequence[Way] = WAYS) -> list[Round]:
    """What to ask: each question each way, and whether without its gold document.

    Where a set has no unanswerable questions, its answerable ones are also asked so.
    """
    foreign = {question.dataset for question in questions if not question.answerable}
    asked = [(question, False) for question in questions]
    asked += [(question, True) for question in questions if question.dataset not in foreign]
    return [Round(question, left_out, way) for question, left_out in asked for way in ways]


def put(asked: Sequence[Round], ask: Ask, page_text: PageText) -> Iterator[Answered]:
    """One outcome a question, as they come."""
    for each in asked:
        yield _judged(each, ask(each), page_text)


def summary(outcomes: Sequence[Answered]) -> dict[str, Any]:
    """The measures over ``outcomes``, ready for JSON.

    Exactness, markers and support are of what was answered of the answerable questions.
    """
    asked = [each for each in outcomes if each.has_answer]
    foreign = [each for each in outcomes if not each.has_answer]
    answered = [each for each in asked if each.was_answered]
    modes = sorted({each.mode for each in outcomes})
    measured = {
        "answered": measures.share([each.was_answered for each in asked]),
        "false_refusals": measures.share([not each.was_answered for each in asked]),
        "false_answers": measures.share([each.was_answered for each in foreign]),
        "wrong": measures.share([each.wrong for each in outcomes]),
        "exact": measures.share([each.exact for each in answered]),
        "cited": measures.share([each.markers > 0 for each in answered]),
        "citation_precision": measures.share(_each(answered, "markers_right", "markers")),
        "citation_recall": measures.share([each.markers_right > 0 for each in answered]),
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


def beside(outcomes: Sequence[Answered]) -> dict[str, Any]:
    """`summary` of each way, how wrong ours is for each wrong one of the plain way, and the curve.

    Ready for JSON.
    """
    of = {way: [each for each in outcomes if each.way == way] for way in WAYS}
    asked = [{(each.question_id, each.left_out): each.wrong for each in of[way]} for way in WAYS]
    both = [(asked[0][key], asked[1][key]) for key in asked[0] if key in asked[1]]
    return {
        **{way: summary(of[way]) for way in WAYS if of[way]},
        "wrong_to_plain": asdict(measures.ratio(both)),
        "curve": curve(of["ours"]),
    }


def curve(outcomes: Sequence[Answered]) -> list[dict[str, Any]]:
    """The errors had the gate stood at each of `BARS`.

    Those below the bar that the questions were asked with say nothing new.
    """
    drawn = []
    for bar in BARS:
        shown = [
            (o, o.was_answered and (o.evidence is None or o.evidence >= bar)) for o in outcomes
        ]
        measured = {
            "false_refusals": measures.share([not told for o, told in shown if o.has_answer]),
            "false_answers": measures.share([told for o, told in shown if not o.has_answer]),
            "wrong": measures.share([told and o.wrong for o, told in shown]),
        }
        drawn.append({"bar": bar, **{name: asdict(each) for name, each in measured.items()}})
    return drawn


def _judged(asked: Round, answer: Answer, page_text: PageText) -> Answered:
    question = asked.question
    right = [_is_right(question, citation.hit, page_text) for citation in answer.citations]
    return Answered(
        question_id=question.question_id,
        dataset=question.dataset,
        answerable=question.answerable,
        left_out=asked.left_out,
        mode=answer.mode,
        finish_reason=answer.finish_reason,
        exact=_is_exact(question, answer),
        markers=len(right),
        markers_right=sum(right),
        sentences=len(answer.sentences),
        sentences_supported=sum(sentence.supported for sentence in answer.sentences),
        first_token_ms=answer.timings.first_token_ms,
        total_ms=answer.timings.total_ms,
        way=asked.way,
        wrong=not answer.refused and _is_wrong(asked, answer, page_text),
        evidence=answer.evidence,
    )


def _is_exact(question: Question, answer: Answer) -> bool:
    said = judging.plain(answer.text)
    return any(gold and gold in said for gold in map(judging.plain, question.answers))


def _is_wrong(asked: Round, answer: Answer, page_text: PageText) -> bool:
    question = asked.question
    if asked.left_out or not question.answerable:
        return True
    sources = sources_of(answer.hits, question.text)
    if any(len(judging.plain(each)) <= _LONG for each in question.answers):
        return not (_is_exact(question, answer) and _is_supported(answer, sources))
    gold = [
        each
        for each in sources
        if judging.at_gold(question, each.hit) or _is_right(question, each.hit, page_text)
    ]
    return not (answer.sentences and _is_supported(answer, gold))


def _is_supported(answer: Answer, sources: Sequence[Source]) -> bool:
    """Whether each sentence is, by any of ``sources``."""
    return all(
        any(source.supports(sentence.text) for source in sources) for sentence in answer.sentences
    )


def _is_right(question: Question, hit: Hit, page_text: PageText) -> bool:
    if question.tells_place and judging.at_gold(question, hit):
        return True
    page = page_text(hit)
    return any(_holds(page, gold) for gold in question.answers)


def _holds(page: str, answer: str) -> bool:
    gold = judging.plain(answer)
    if gold and gold in judging.plain(page):
        return True
    return len(gold) > _LONG and overlap(answer, page) >= _MOST_OF_IT


def _each(answered: Sequence[Answered], of: str, among: str) -> list[bool]:
    """One truth a marker or sentence: of ``among``, the first ``of`` are good."""
    return [at < getattr(each, of) for each in answered for at in range(getattr(each, among))]
