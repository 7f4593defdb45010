"""A question under way, as the events it is made of."""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterator
from dataclasses import dataclass

from rag.records import Answer, Hit


@dataclass(frozen=True, slots=True)
class Queued:
    """Waiting for the model; ``place`` questions are before this one, 0 ends the wait."""

    place: int


@dataclass(frozen=True, slots=True)
class Found:
    hits: tuple[Hit, ...]


@dataclass(frozen=True, slots=True)
class Thought:
    """A piece of what the model thinks before it answers; never part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class Token:
    text: str


@dataclass(frozen=True, slots=True)
class Done:
    answer: Answer


Event = Queued | Found | Thought | Token | Done


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
        self._leave = [leave]
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

    def at_close(self, leave: Callable[[], None]) -> None:
        """Give up one thing more, in the end."""
        self._leave.append(leave)

    def close(self) -> None:
        """Stop generating and give the place up. Not while another thread iterates."""
        self.cancel()
        self._events.close()
        for leave in self._leave:
            leave()
