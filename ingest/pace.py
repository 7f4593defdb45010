"""How fast documents are read, and how long what waits will take."""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace

from rag.records import Advance

_HALF_LIFE_S = 60.0
"""What happened a minute ago counts half: a scan among letters shows, and is forgotten."""

_TOO_FAR_S = 86_400.0
"""Nobody can tell over a day ahead: a small file that took long says little of a large one."""


@dataclass(frozen=True, slots=True)
class Reading:
    """The document being read: its size, when it was begun, its pages and share of work done."""

    size_bytes: int
    began: float
    done: int = 0
    share: float = 0.0


class Pace:
    """Told by the worker what it reads; asked by everybody how long it will take.

    Pages differ: a sheet of 10,000 rows is one, and so is a scan that takes 8 s. What waits has
    not been opened, so all one knows is its kind and its bytes; hence the time left is that of
    as many bytes of that kind so far, and the pages per second are for people to see.

    Args:
        clock: seconds, monotonic.
    """

    def __init__(self, *, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._bytes: Counter[str] = Counter()
        self._seconds: Counter[str] = Counter()
        self._recent_pages = 0.0
        self._recent_s = 0.0
        self._looked = 0.0
        self._reading: Reading | None = None

    def begin(self, size_bytes: int) -> None:
        """A document of that size is begun."""
        with self._lock:
            self._looked = self._clock()
            self._reading = Reading(size_bytes, self._looked)

    def advance(self, advance: Advance) -> None:
        """It has come so far."""
        with self._lock:
            if self._reading is not None and advance.pages_done >= self._reading.done:
                done = advance.pages_done
                self._count(done - self._reading.done)
                self._reading = replace(self._reading, done=done, share=advance.share)

    def end(self, kind: str, pages: int) -> None:
        """It is published, ``pages`` pages; 0 when it failed, and says nothing of the others.

        Args:
            kind: its media type.
            pages: how many it has.
        """
        with self._lock:
            read, self._reading = self._reading, None
            if read is None or not pages:
                return
            self._count(max(pages - read.done, 0))
            self._bytes[kind] += read.size_bytes
            self._seconds[kind] += self._clock() - read.began  # type: ignore[assignment]

    @property
    def pages_per_s(self) -> float | None:
        """Of late; None before anything was read."""
        with self._lock:
            return self._recent_pages / self._recent_s if self._recent_pages else None

    def seconds_for(self, waiting: Mapping[str, int]) -> float | None:
        """How long the one under way and those that wait will take; None before one can tell.

        Args:
            waiting: bytes not begun yet, by kind.
        """
        with self._lock:
            left = sum(size * self._per_byte(kind) for kind, size in waiting.items())
            if self._reading is not None:
                left += self._rest(self._reading)
            known = self._seconds or (self._reading is not None and self._reading.share)
            return left if known and left < _TOO_FAR_S else None

    def _rest(self, reading: Reading) -> float:
        spent = self._clock() - reading.began
        if reading.share:
            return spent * (1 - reading.share) / reading.share
        return max(reading.size_bytes * self._per_byte("") - spent, 0.0)

    def _per_byte(self, kind: str) -> float:
        """Seconds a byte of that kind; of all kinds, or of the one under way, where unknown."""
        if self._bytes[kind]:
            return self._seconds[kind] / self._bytes[kind]
        if self._bytes.total():
            return self._seconds.total() / self._bytes.total()
        reading = self._reading
        if reading is None or not reading.share or not reading.size_bytes:
            return 0.0
        return (self._clock() - reading.began) / (reading.share * reading.size_bytes)

    def _count(self, pages: int) -> None:
        now = self._clock()
        passed = now - self._looked
        fading = 0.5 ** (passed / _HALF_LIFE_S)
        self._recent_pages = self._recent_pages * fading + pages
        self._recent_s = self._recent_s * fading + passed
        self._looked = now
