"""From a question to an answer: retrieve, judge the evidence, prompt, generate, cite."""

from __future__ import annotations

import time
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from rag.asking import Asking, Done, Event, Found
from rag.errors import InvalidRequest, Unavailable
from rag.evidence import Evidence
from rag.following import Understood, touches, understand
from rag.generation import Generation, Limits
from rag.records import Answer, Earlier, Hit, Notice, Scope, SearchMode, Timings
from rag.second_look import LEAST, least_evidence
from rag.whole_set import WholeSet

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.ports import Generator as Model
    from rag.retrieval import Retrieval
    from rag.turns import Turns

MAX_QUESTION_CHARS = 4000
_EARLIER = 2
"""Exchanges put before the model again, where a question leans on them."""


class Engine:
    """Answers questions; safe to call from many threads.

    Args:
        generator: gives the model, or says by `Unavailable` why there is none; asked each time.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        catalog: Catalog,
        retrieval: Retrieval,
        generator: Callable[[], Model],
        turns: Turns,
        limits: Limits,
        *,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._catalog = catalog
        self._whole_set = WholeSet(catalog)
        self._retrieval = retrieval
        self._generator = generator
        self._turns = turns
        self._limits = limits
        self._clock = clock

    def search(
        self,
        query: str,
        *,
        top_k: int | None = None,
        mode: SearchMode = "hybrid",
        scope: Scope | None = None,
    ) -> list[Hit]:
        """The passages nearest to ``query``, best first.

        Raises:
            InvalidRequest: the query is empty or far too long.
        """
        with self._turns.right_of_way.question():
            return self._retrieval.search(
                _sensible(query), top_k=top_k or self._limits.top_k, mode=mode, scope=scope
            )

    def evidence(self, question: str, hits: Sequence[Hit]) -> Evidence:
        """What ``hits``, best first, are worth as evidence for an answer."""
        return self._retrieval.evidence(question, hits)

    def ask(
        self,
        question: str,
        *,
        top_k: int | None = None,
        scope: Scope | None = None,
        earlier: Sequence[Earlier] = (),
    ) -> Asking:
        """Retrieve and take a place in the queue now; generation runs as the result is iterated.

        Args:
            question: as it was typed.
            top_k: how many passages to put before the model.
            scope: which documents it is about.
            earlier: what was said before in the conversation, oldest first.

        Raises:
            InvalidRequest: the question is empty or far too long.
            Busy: too many questions are waiting.
        """
        leave = self._turns.right_of_way.enter()
        try:
            understood = understand(_sensible(question), earlier)
            asking = self._asking(understood, top_k, scope, earlier[-_EARLIER:])
        except BaseException:
            leave()
            raise
        asking.at_close(leave)
        return asking

    def _asking(
        self,
        understood: Understood,
        top_k: int | None,
        scope: Scope | None,
        earlier: Sequence[Earlier],
    ) -> Asking:
        started = self._clock()
        question = understood.question[:MAX_QUESTION_CHARS]
        whole = self._whole_set.answer(question, scope or Scope())
        if whole is not None:
            spent = Timings(retrieve_ms=_ms(self._clock() - started))
            return Asking(_only(replace(whole, timings=spent)))
        hits = tuple(self.search(question, top_k=top_k, scope=scope))
        retrieved = self._clock()
        draft = Answer(
            text="",
            mode="generated",
            finish_reason="stop",
            hits=hits,
            question_used=question,
            read=len(hits),
            total=self._catalog.passages.count(),
            warnings=self._retrieval.warnings(),
            timings=Timings(retrieve_ms=_ms(retrieved - started)),
        )
        evidence = self._retrieval.evidence(question, hits)
        draft = replace(draft, evidence=evidence.answerable)
        bar = self._limits.min_evidence
        if evidence.answerable < min(bar, LEAST) or not touches(understood, hits):
            return _refused(draft)
        try:
            generator = self._generator()
        except Unavailable as error:
            if evidence.answerable < bar:
                return _refused(draft)
            why = Notice("no_model", f"{error.detail} {error.hint}")
            draft = replace(draft, mode="no_model", finish_reason="no_model")
            draft = replace(draft, warnings=(*draft.warnings, why))
            return Asking(_only(draft))
        if evidence.answerable < least_evidence(generator, bar):
            return _refused(draft)
        turn = self._turns.take()
        run = Generation(generator, turn, self._limits, self._clock, started)
        said = earlier if understood.leans else ()
        return Asking(run.events(draft, said), cancel=run.cancel, leave=turn.leave)


def _refused(draft: Answer) -> Asking:
    return Asking(_only(replace(draft, mode="refused", finish_reason="refused")))


def _only(answer: Answer) -> Generator[Event, None, None]:
    """The events of an answer that needs no model."""
    yield Found(answer.hits)
    total = answer.timings.retrieve_ms
    yield Done(replace(answer, timings=replace(answer.timings, total_ms=total)))


def _sensible(question: str) -> str:
    text = question.replace("\0", "").strip()
    if not text:
        raise InvalidRequest("The question is empty.", hint="Type a question.")
    if any("\ud800" <= letter <= "\udfff" for letter in text):
        raise InvalidRequest("The question holds broken characters.", hint="Type it anew.")
    if len(text) > MAX_QUESTION_CHARS:
        raise InvalidRequest(
            f"The question is over {MAX_QUESTION_CHARS} characters.",
            hint="Ask a shorter one.",
        )
    return text


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
