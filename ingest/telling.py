"""Tells the ledger how far a job has come, often enough to watch, seldom enough to cost nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from rag.records import Advance, Job, Status

if TYPE_CHECKING:
    from rag.catalog.jobs import Jobs

Heard = Callable[[Advance], None]
"""Told how far a job has come."""


def unheard(_advance: Advance) -> None:
    """The `Heard` of nobody."""


_EVERY_S = 0.5
"""As often as those who watch look; each time is a transaction."""


class Superseded(Exception):
    """The file changed, or vanished, since the job was queued, or another has the job."""


class Telling:
    """One job's pages done. A page that was read counts half, until its passages are embedded too.

    So the number only grows, though two stages go over the same pages; the share of the work grows
    within a page, too, passage by passage. Raises `Superseded` where
    the job is not the caller's any more: nobody waits for the rest.

    Args:
        heard: is told the same.
        clock: seconds, monotonic.
    """

    def __init__(
        self,
        jobs: Jobs,
        job: Job,
        *,
        heard: Heard = unheard,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._jobs = jobs
        self._job = job
        self._heard = heard
        self._clock = clock
        self._told_at = clock()  # most files are read before it would be time to tell
        self._total = 0
        self._read = 0

    def reading(self, done: int, total: int) -> None:
        """So many pages of ``total`` are read."""
        self._total, self._read = total, done
        self._tell(Status.READING, done // 2, done / total / 2 if total else 0.0)

    def read(self, total: int, readable: int) -> None:
        """All are; ``readable`` of ``total`` hold something to embed."""
        self._total, self._read = total, readable

    def cutting(self) -> None:
        """What was read is being cut into passages."""
        self._tell(Status.READING, self._read // 2, 0.5)

    def embedding(self, done: int, passages: int) -> None:
        """So many passages of ``passages`` are embedded."""
        half = self._total // 2
        pages = half + max(self._read - half, 0) * done // passages
        self._tell(Status.EMBEDDING, pages, 0.5 + done / passages / 2)

    def _tell(self, status: Status, pages_done: int, share: float) -> None:
        now = self._clock()
        if now - self._told_at >= _EVERY_S:
            self._told_at = now
            advance = Advance(pages_done, self._total, share)
            if not self._jobs.progress(self._job, status, advance):
                raise Superseded
            self._heard(advance)
