"""Questions go first: while one is answered, ingest steps aside.

llama.cpp's threads spin while they wait for each other, so that a second busy process on the same
cores cuts an answer to a fraction of its speed. Being polite (`nice`) is not enough; ingest has to
stop for the time.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

_LOOK_EVERY_S = 0.1


class RightOfWay:
    """Known to those who answer, asked by those who read files.

    Args:
        patience_s: after so long of questions without a break, ingest gets a turn all the same.
        turn_s: how long that is; a break as long starts the time anew.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        *,
        patience_s: float = 60.0,
        turn_s: float = 5.0,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._patience_s = patience_s
        self._turn_s = turn_s
        self._clock = clock
        self._changed = threading.Condition()
        self._questions = 0
        self._since = 0.0
        self._free_since: float | None = None
        self._closed = False

    def enter(self) -> Callable[[], None]:
        """A question has arrived; call what is given when it is done, once or more."""
        with self._changed:
            now = self._clock()
            if not self._questions and self._had_a_break(now):
                self._since = now
            self._questions += 1
        left = threading.Event()

        def leave() -> None:
            with self._changed:
                if left.is_set():
                    return
                left.set()
                self._questions -= 1
                self._free_since = self._clock()
                self._changed.notify_all()

        return leave

    @contextmanager
    def question(self) -> Iterator[None]:
        """A question is under way while the block runs."""
        leave = self.enter()
        try:
            yield
        finally:
            leave()

    @property
    def is_taken(self) -> bool:
        """Whether ingest has to stand still just now."""
        with self._changed:
            return self._is_taken()

    def wait(self, timeout_s: float) -> bool:
        """Wait until the way is free, ``timeout_s`` at most; returns whether it is."""
        with self._changed:
            return self._changed.wait_for(lambda: not self._is_taken(), timeout_s)

    def give_way(self) -> None:
        """Wait until the way is free."""
        while not self.wait(_LOOK_EVERY_S):
            pass

    def close(self) -> None:
        """Let go whoever waits, now and later."""
        with self._changed:
            self._closed = True
            self._changed.notify_all()

    def _is_taken(self) -> bool:
        if not self._questions or self._closed:
            return False
        round_s = self._patience_s + self._turn_s
        return (self._clock() - self._since) % round_s < self._patience_s

    def _had_a_break(self, now: float) -> bool:
        return self._free_since is None or now - self._free_since >= self._turn_s
