"""The thread that takes jobs, one at a time, and takes note of how each ended."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable
from typing import TYPE_CHECKING

from ingest.failures import Unreadable
from ingest.pace import Pace
from ingest.telling import Superseded
from rag.catalog.jobs import LEASE_S
from rag.errors import DesksideError, DiskFull, Unavailable
from rag.records import Failure, Job, Reason

if TYPE_CHECKING:
    from ingest.pipeline import Pipeline
    from rag.catalog import Catalog

log = logging.getLogger(__name__)

_IDLE_S = 5.0
_LOST_S = 1.0
_BUSY_FILE_S = 5.0
_NO_ROOM_S = 30.0
_BACK_OFF = 2.0
_ASLEEP_S = 900.0
_INTERRUPTIONS = 10
"""Power cuts are no fault of the file; so many in a row while it was read are no power cuts."""
_IN_USE = Failure(
    Reason.IN_USE,
    "Another program has the file open.",
    "It will be read as soon as that program closes it.",
)
_OUR_FAULT = Failure(
    Reason.INTERNAL,
    "Deskside failed on this file; the others are not affected.",
    "Try again; if it fails once more, save the file anew and put that copy in the inbox.",
)
_ENDED_US = Failure(
    Reason.INTERNAL,
    f"Deskside itself was ended {_INTERRUPTIONS} times while it read this file.",
    "Save it anew, or as PDF, and put that copy in the inbox; or try again.",
)


class Worker:
    """Runs jobs until stopped.

    Args:
        attempts: how often a job may fail by no fault of its file.
        lease_s: after so long without a page more its thread is taken to be dead.
        clock: seconds since whenever, the time asleep included.
    """

    def __init__(
        self,
        catalog: Catalog,
        pipeline: Pipeline,
        *,
        attempts: int,
        lease_s: float = LEASE_S,
        clock: Callable[[], float] = time.time,
    ) -> None:
        self._catalog = catalog
        self._pipeline = pipeline
        self._attempts = attempts
        self._lease_s = lease_s
        self._clock = clock
        self._revived = clock()
        self._wake = threading.Event()
        self._stopping = threading.Event()
        self._thread = self._new_thread()
        self.pace = Pace()
        self.reading: str | None = None
        """The document under way, also when it was removed meanwhile."""

    def start(self) -> None:
        self._catalog.jobs.take_back(all_running=True)
        self._thread.start()

    def revive(self) -> None:
        """Go on with another thread where a job's lease ran out: its thread hangs, or died.

        To be called at least every few minutes; if it was not, the computer slept.
        """
        before, self._revived = self._revived, self._clock()
        if self._revived - before > _ASLEEP_S:
            self._catalog.jobs.renew(lease_s=self._lease_s)
        elif self._catalog.jobs.take_back():
            log.error("worker_hung")
            self._thread = self._new_thread()
            self._thread.start()

    def wake(self) -> None:
        """There may be work."""
        self._wake.set()

    def stop(self, *, timeout_s: float) -> None:
        """Stop; a job under way is left to the next start."""
        self._stopping.set()
        self._wake.set()
        self._pipeline.close()
        if self._thread.is_alive():
            self._thread.join(timeout_s)

    def step(self) -> bool:
        """Run one job; False when none waits."""
        job = self._catalog.jobs.claim(lease_s=self._lease_s)
        if job is None:
            return False
        document = self._catalog.ledger.document(job.document_id)
        self.reading = job.document_id
        try:
            self.pace.begin(document.size_bytes)
            self.pace.end(document.media_type, self._run(job))
        finally:
            self.reading = None
        return True

    def _run(self, job: Job) -> int:
        jobs = self._catalog.jobs
        if job.interruptions >= _INTERRUPTIONS:
            jobs.fail(job, _ENDED_US)
            return 0
        try:
            return self._pipeline.run(job, progress=self.pace.advance)
        except Unreadable as error:
            log.info(
                "document_failed document=%s code=%s",
                job.document_id,
                error.failure.code,
            )
            if error.failure.code is Reason.INTERNAL:  # the child was killed, or it is our bug
                self._give_another_chance(job)
            else:
                jobs.fail(job, error.failure)
        except Superseded:
            jobs.postpone(job, delay_s=_LOST_S)
        except PermissionError:
            jobs.postpone(job, delay_s=_BUSY_FILE_S, failure=_IN_USE)
        except (DiskFull, Unavailable) as error:
            if self._stopping.is_set():  # in good order, so it doesn't count
                jobs.postpone(job, delay_s=0)
                return 0
            log.warning("ingest_waits reason=%s", error.detail)
            jobs.postpone(job, delay_s=_NO_ROOM_S)
        except Exception:
            log.exception("job_crashed document=%s attempt=%d", job.document_id, job.attempts)
            self._give_another_chance(job)
        return 0

    def _give_another_chance(self, job: Job) -> None:
        if job.attempts >= self._attempts:
            self._catalog.jobs.fail(job, _OUR_FAULT)
        else:
            self._catalog.jobs.retry_later(job, delay_s=_BACK_OFF**job.attempts)

    def _new_thread(self) -> threading.Thread:
        return threading.Thread(target=self._loop, name="ingest-worker", daemon=True)

    def _loop(self) -> None:
        while not self._stopping.is_set() and threading.current_thread() is self._thread:
            try:
                if self.step():
                    continue
            except DesksideError as error:
                log.warning("worker_waits reason=%s", error.detail)
            except Exception:
                log.exception("worker_step_failed")
            self._wake.wait(_IDLE_S)
            self._wake.clear()
