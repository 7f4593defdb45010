"""How long a call to a child may take: from one sign of life to the next, and in all."""

from __future__ import annotations

import time
from collections.abc import Callable

_LONGEST_LOOK_S = 1.0
"""Looks are closer together than this, unless the computer slept: sleep is nobody's time."""


class Patience:
    """Runs out ``timeout_s`` after the last page done, and ``page_s`` a page later in any case.

    Args:
        timeout_s: for a call that tells nothing, and between two pages done.
        page_s: what a page may take on average, on top of ``timeout_s``.
        clock: seconds, monotonic.
    """

    def __init__(
        self, timeout_s: float, page_s: float, *, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._timeout_s = timeout_s
        self._page_s = page_s
        self._clock = clock
        self._looked = clock()
        self._spent_s = 0.0
        self._quiet_since_s = 0.0
        self._done = 0
        self._total = 0

    def hear(self, done: int, total: int) -> None:
        """So many pages are done. Only more of them than ever before are a sign of life."""
        self._total = max(self._total, total)
        if self._done < done <= self._total:
            self._done = done
            self._quiet_since_s = self._spent()

    def stand_still(self) -> None:
        """The child was made to wait until now; that time was not its own."""
        self._looked = self._clock()

    @property
    def is_over(self) -> bool:
        """Whether it ran out; to be asked several times a second."""
        spent = self._spent()
        longest = self._timeout_s + self._page_s * self._total
        return spent - self._quiet_since_s > self._timeout_s or spent > longest

    def _spent(self) -> float:
        now = self._clock()
        self._spent_s += min(now - self._looked, _LONGEST_LOOK_S)
        self._looked = now
        return self._spent_s
