"""One generation: its place in the queue, its stream, its checked answer."""

from __future__ import annotations

import threading
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.asking import Done, Event, Found, Queued, Thought, Token
from rag.completion import complete
from rag.prompting import build
from rag.records import Answer, Earlier, FinishReason, Hit, Piece, Prompt, Timings, Usage
from rag.second_look import evidence_after
from rag.thinking import speaks_of_tags
from rag.writing import Writing

if TYPE_CHECKING:
    from rag.ports import Generator as Model
    from rag.turns import Turn

_PLACE_EVERY_S = 1.0


@dataclass(frozen=True, slots=True)
class Limits:
    """What a question may cost."""

    top_k: int
    answer_tokens: int
    answer_timeout_s: float
    min_evidence: float


class Generation:
    """One question before the model.

    Args:
        started: when the question came in, by ``clock``.
    """

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

    def events(
        self, draft: Answer, earlier: Sequence[Earlier] = ()
    ) -> Generator[Event, None, None]:
        try:
            yield Found(draft.hits)
            if self._turn.place():
                while place := self._turn.wait(_PLACE_EVERY_S):
                    yield Queued(place)
                yield Queued(0)
            yield from self._generate(draft, earlier)
        finally:
            self._turn.leave()

    def _generate(self, draft: Answer, earlier: Sequence[Earlier]) -> Iterator[Event]:
        prompt = build(
            draft.question_used,
            draft.hits,
            self._generator,
            answer_tokens=self._limits.answer_tokens,
            earlier=earlier,
        )
        must_end = self._must_end(self._clock())
        draft = self._looked_at(draft, prompt.hits[0], must_end)
        if draft.refused:
            yield Done(draft)
            return
        run = _Run(self._clock)
        writing = Writing(quotable=any(speaks_of_tags(m.text) for m in prompt.messages))
        with closing(self._pieces(prompt, must_end)) as pieces:
            for piece in pieces:
                run.note(piece)
                yield from _shown(writing.feed(piece.text))
                if writing.looped:
                    break
        yield from _shown(writing.end())
        reason = run.reason
        if writing.looped:
            reason = "length"
        elif reason == "cancelled" and not self._stopped.is_set():
            reason = "timeout"
        written = replace(
            draft,
            finish_reason=reason,
            thinking=writing.thoughts,
            usage=Usage(self._generator.count_tokens(prompt), run.tokens),
            timings=run.timings(draft.timings, self._started),
        )
        yield Done(complete(written, writing, prompt))

    def _looked_at(self, draft: Answer, first: Hit, must_end: Callable[[], bool]) -> Answer:
        """The draft with what the model makes of the evidence; refused where that is too little."""
        evidence = evidence_after(
            self._generator, draft.question_used, first, draft.evidence or 0.0, must_end
        )
        draft = replace(draft, evidence=evidence)
        if evidence >= self._limits.min_evidence or self._stopped.is_set():
            return draft
        spent = replace(draft.timings, total_ms=_ms(self._clock() - self._started))
        return replace(draft, mode="refused", finish_reason="refused", timings=spent)

    def _pieces(self, prompt: Prompt, must_end: Callable[[], bool]) -> Generator[Piece, None, None]:
        yield from self._generator.generate(
            prompt, max_tokens=self._limits.answer_tokens, cancelled=must_end
        )

    def _must_end(self, began: float) -> Callable[[], bool]:
        deadline = began + self._limits.answer_timeout_s
        return lambda: self._stopped.is_set() or self._clock() > deadline


class _Run:
    """Counts what the model makes, and how fast."""

    def __init__(self, clock: Callable[[], float]) -> None:
        self._clock = clock
        self._first: float | None = None
        self.tokens = 0
        self.reason: FinishReason = "stop"

    def note(self, piece: Piece) -> None:
        if self._first is None and piece.tokens:
            self._first = self._clock()
        self.tokens += piece.tokens
        self.reason = piece.finish or self.reason

    def timings(self, before: Timings, started: float) -> Timings:
        now = self._clock()
        decoding = now - self._first if self._first is not None else 0.0
        speed = round((self.tokens - 1) / decoding, 2) if self.tokens > 1 and decoding else None
        first_ms = _ms(self._first - started) if self._first is not None else None
        return replace(
            before, first_token_ms=first_ms, total_ms=_ms(now - started), tokens_per_s=speed
        )


def _shown(parts: Iterator[tuple[str, str]]) -> Iterator[Event]:
    for kind, text in parts:
        yield Thought(text) if kind == "thinking" else Token(text)


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 1)
