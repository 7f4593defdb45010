"""From a question to an answer: retrieve, judge the evidence, prompt, generate, cite."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.citations import cite
from rag.errors import InvalidRequest, Unavailable
from rag.evidence import sufficient
from rag.prompting import build
from rag.records import (
    Answer,
    FinishReason,
    Hit,
    Mode,
    Notice,
    Prompt,
    Scope,
    SearchMode,
    Timings,
    Usage,
)
from rag.support import quote

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.ports import Generator as Model
    from rag.retrieval import Retrieval
    from rag.turns import Turn, Turns

MAX_QUESTION_CHARS = 4000
_PLACE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Queued:
    """Waiting for the model; ``place`` questions are before this one, 0 ends the wait."""

    place: int


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Token:
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    answer: Answer


Event = Queued | Found | Token | Done


@dataclass(frozen=True, slots=True)
class Limits:
    """What a question may cost."""

    top_k: int
    answer_tokens: int
    answer_timeout_s: float
    min_evidence: float


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
        return self._retrieval.search(
            _sensible(query), top_k=top_k or self._limits.top_k, mode=mode, scope=scope
        )

    def ask(self, question: str, *, top_k: int | None = None, scope: Scope | None = None) -> Asking:
        """Retrieve and take a place in the queue now; generation runs as the result is iterated.

        Raises:
            InvalidRequest: the question is empty or far too long.
            Busy: too many questions are waiting.
        """
        started = self._clock()
        question = _sensible(question)
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
        if not sufficient(question, hits, min_evidence=self._limits.min_evidence):
            return Asking(_only(replace(draft, mode="refused", finish_reason="refused")))
        try:
            generator = self._generator()
        except Unavailable as error:
            why = Notice("no_model", f"{error.detail} {error.hint}")
            draft = replace(draft, mode="no_model", finish_reason="no_model")
            draft = replace(draft, warnings=(*draft.warnings, why))
            return Asking(_only(draft))
        turn = self._turns.take()
        run = _Run(generator, turn, self._limits, self._clock, started)
        return Asking(run.events(draft), cancel=run.cancel, leave=turn.leave)


class Asking:
    """A question under way: iterate it for its events, close it in any case.

    Args:
        events: what happens, ending with `Done`.
        cancel: makes the running step end soon; may be called from another thread.
        leave: gives up whatever the question holds; called last, once or more.
    """

    def __init__(
        self,
        events: Generator[Event, None, None],
        *,
        cancel: Callable[[], None] = lambda: None,
        leave: Callable[[], None] = lambda: None,
    ) -> None:
        self._events = events
        self._leave = leave
        self.cancel = cancel

    def __iter__(self) -> Iterator[Event]:
        return self._events

    def answer(self) -> Answer:
        """Run to the end and give the answer."""
        try:
            done = [event for event in self if isinstance(event, Done)]
            return done[-1].answer
        finally:
            self.close()

    def close(self) -> None:
        """Stop generating and give the place up. Not while another thread iterates."""
        self.cancel()
        self._events.close()
        self._leave()


class _Run:
    """One generation, from its place in the queue to its answer."""

    def __init__(
        self,
        generator: Model,
        turn: Turn,
        limits: Limits,
        clock: Callable[[], float],
        started: float,
    ) -> None:
        self._generator = generator
        self._turn = turn
        self._limits = limits
        self._clock = clock
        self._started = started
        self._stopped = threading.Event()

    def cancel(self) -> None:
        self._stopped.set()

    def events(self, draft: Answer) -> Generator[Event, None, None]:
        try:
            yield Found(draft.hits)
            if self._turn.place():
                while place := self._turn.wait(_PLACE_EVERY_S):
                    yield Queued(place)
                yield Queued(0)
            yield from self._generate(draft)
        finally:
            self._turn.leave()

    def _generate(self, draft: Answer) -> Iterator[Event]:
        prompt = build(
            draft.question_used,
            draft.hits,
            self._generator,
            answer_tokens=self._limits.answer_tokens,
        )
        began = self._clock()
        first: float | None = None
        parts: list[str] = []
        tokens = 0
        reason: FinishReason = "stop"
        for piece in self._generator.generate(
            prompt,
            max_tokens=self._limits.answer_tokens,
            cancelled=self._must_end(began),
        ):
            first = self._clock() if first is None else first
            tokens += piece.tokens
            reason = piece.finish or reason
            if piece.text:
                parts.append(piece.text)
                yield Token(piece.text)
        if reason == "cancelled" and not self._stopped.is_set():
            reason = "timeout"
        timings = self._timings(draft.timings, first, tokens)
        usage = Usage(self._generator.count_tokens(prompt), tokens)
        yield Done(
            _complete(
                replace(draft, finish_reason=reason, timings=timings, usage=usage),
                "".join(parts),
                prompt,
            )
        )

    def _must_end(self, began: float) -> Callable[[], bool]:
        deadline = began + self._limits.answer_timeout_s
        return lambda: self._stopped.is_set() or self._clock() > deadline

    def _timings(self, before: Timings, first: float | None, tokens: int) -> Timings:
        now = self._clock()
        decoding = now - first if first is not None else 0.0
        return replace(
            before,
            first_token_ms=_ms(first - self._started) if first is not None else None,
            total_ms=_ms(now - self._started),
            tokens_per_s=round((tokens - 1) / decoding, 2) if tokens > 1 and decoding else None,
        )


def _complete(draft: Answer, raw: str, prompt: Prompt) -> Answer:
    """The answer with its citations; the best passage's own words where the model said nothing."""
    mode: Mode = "generated"
    cited = cite(raw, prompt.hits, question=draft.question_used)
    if not cited.sentences and draft.finish_reason == "stop":
        mode = "extractive"
        best = prompt.hits[0].passage.text
        cited = cite(f"{quote(draft.question_used, best)} [1]", prompt.hits)
    warnings = [*draft.warnings, *cited.warnings]
    if prompt.dropped:
        warnings.append(
            Notice("passages_dropped", f"{prompt.dropped} passages did not fit the model.")
        )
    return replace(
        draft,
        text=cited.text,
        mode=mode,
        citations=cited.citations,
        sentences=cited.sentences,
        warnings=tuple(warnings),
        read=len(prompt.hits),
    )


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
