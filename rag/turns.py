"""One generation at a time: a bounded, fair queue with a place to show."""

from __future__ import annotations

import threading
from collections import deque

from rag.errors import Busy
from rag.right_of_way import RightOfWay

_RETRY_AFTER_S = 20
"""About one answer of a small model on two cores."""


class Turn:
    """A place in the queue; `leave` it in any case."""

    def __init__(self, turns: Turns) -> None:
        self._turns = turns

    def place(self) -> int:
        """How many are before this one; 0 when it is its turn."""
        return self._turns.place_of(self)

    def wait(self, timeout_s: float) -> int:
        """Wait for the place to change, ``timeout_s`` at most; returns the place."""
        return self._turns.wait_for(self, timeout_s)

    def leave(self) -> None:
        """Give the place up; once is enough, more does no harm."""
        self._turns.drop(self)


class Turns:
    """Lets one go at a time and ``limit`` wait.

    ``right_of_way`` is held by every question from its arrival on, whether it needs a turn or not.
    """

    def __init__(self, limit: int, right_of_way: RightOfWay | None = None) -> None:
        self._limit = limit
        self.right_of_way = right_of_way or RightOfWay()
        self._line: deque[Turn] = deque()
        self._changed = threading.Condition()

    def take(self) -> Turn:
        """Queue up.

        Raises:
            Busy: too many are waiting already.
        """
        with self._changed:
            waiting = len(self._line) - 1
            if waiting >= self._limit:
                raise Busy(
                    f"{len(self._line)} questions are waiting already.",
                    retry_after_s=_RETRY_AFTER_S,
                    hint="Ask again in a moment.",
                )
            turn = Turn(self)
            self._line.append(turn)
            return turn

    def place_of(self, turn: Turn) -> int:
        with self._changed:
            return self._line.index(turn)

    def wait_for(self, turn: Turn, timeout_s: float) -> int:
        with self._changed:
            before = self._line.index(turn)
            if before:
                self._changed.wait_for(lambda: self._line.index(turn) != before, timeout_s)
            return self._line.index(turn)

    def drop(self, turn: Turn) -> None:
        with self._changed:
            if turn in self._line:
                self._line.remove(turn)
                self._changed.notify_all()
