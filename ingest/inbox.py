"""The watched folder: what lies in it is read, what leaves it is forgotten."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection
from contextlib import AbstractContextManager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ingest.folder import Problem
from ingest.scanner import Scan, Scanner
from ingest.shares import is_remote
from ingest.watcher import Watcher
from rag.errors import Busy, DesksideError

if TYPE_CHECKING:
    from ingest.worker import Worker
    from rag.catalog import Catalog

log = logging.getLogger(__name__)

_STOP_S = 5.0
_SOON_S = 0.2
_POLL_S = 2.0
_POLL_SHARE = 20
"""Where there are no events, scans follow each other so fast that they take a twentieth of time."""
_NO_EVENTS_S = 600.0
"""How long to do without events before asking for them again, which walks all folders."""
_MOST_PROBLEMS = 50
_LOOK_S = 0.05


@dataclass(frozen=True, slots=True)
class InboxStatus:
    """How the inbox does.

    ``pages_per_s`` and ``eta_s`` are None until some pages were read; ``unsettled`` counts files
    still growing or in use and deletions not yet confirmed; ``held`` those in use alone;
    ``held_back`` the files of a mass deletion. ``problems`` are what people should know of: folders
    and names that can't be read, links, drives that are not there; the first of them.
    """

    path: str
    mode: Literal["native", "polling"]
    state: Literal["watching", "unreachable"]
    queued: int
    pages_per_s: float | None
    eta_s: float | None
    unsettled: int
    held: int
    held_back: int
    problems: tuple[Problem, ...]


class Inbox:
    """Scans at start, upon hints and every ``every_s`` seconds; the worker reads what is new.

    ``way_is_free`` waits so many seconds at most for questions to be answered first.
    """

    def __init__(  # noqa: PLR0913
        self,
        path: Path,
        catalog: Catalog,
        scanner: Scanner,
        worker: Worker,
        *,
        every_s: float,
        settle_s: float,
        polling: bool = False,
        way_is_free: Callable[[float], bool] = lambda _timeout_s: True,
    ) -> None:
        self.path = path
        self._catalog = catalog
        self._scanner = scanner
        self._worker = worker
        self._every_s = every_s
        self._settle_s = settle_s
        self._polling = polling
        self._way_is_free = way_is_free
        self._last = Scan(reachable=True)
        self._hinted = threading.Event()
        self._stopping = threading.Event()
        self._watcher: Watcher | None = None
        self._no_events: Problem | None = None
        self._listen_at = 0.0
        self._thread = threading.Thread(target=self._watch, name="inbox", daemon=True)

    def start(self) -> None:
        """Begin to watch and to read."""
        self._worker.start()
        self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        self._hinted.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_S)
        self._stop_watcher()
        self._worker.stop(timeout_s=_STOP_S)

    def scan(self, *, accept_deletions: bool = False) -> Scan:
        """Reconcile now, and once more soon where something is still changing."""
        scan = self._reconcile(accept_deletions=accept_deletions)
        if scan.unsettled:
            self._hinted.set()
        return scan

    def take(self, path: str) -> str:
        """Take note of one file at once, as after an upload; returns the document's id."""
        document_id = self._scanner.take(path)
        self._worker.wake()
        return document_id

    def restore(self, document_id: str, path: str) -> None:
        """A document's file was put back at ``path``; read it again."""
        self._scanner.restore(document_id, path)
        self._worker.wake()

    def still(self) -> AbstractContextManager[None]:
        """Nothing arrives or leaves while the block runs, but by its own hand."""
        return self._scanner.still()

    def await_reader(self, document_ids: Collection[str], *, timeout_s: float) -> None:
        """Wait until none of these documents, removed meanwhile, is being read any more.

        Raises:
            Busy: one still is.
        """
        deadline = time.monotonic() + timeout_s
        while self._worker.reading in document_ids:
            if time.monotonic() > deadline:
                raise Busy("The document is still being read.", retry_after_s=10)
            time.sleep(_LOOK_S)

    def retry(self, document_id: str) -> None:
        """Queue a document again; one that could not be opened is tried now."""
        if self._catalog.ledger.document(document_id).revision:
            self._catalog.jobs.retry(document_id)
        self.wake()

    def wake(self) -> None:
        """Look at once at what waits, for a turn or to be opened."""
        self._scanner.hurry()
        self._hinted.set()
        self._worker.wake()

    def status(self) -> InboxStatus:
        last = self._last  # before the queue: what a scan settles is queued by then
        queued, unread = self._catalog.jobs.waiting()
        pace = self._worker.pace
        return InboxStatus(
            path=str(self.path),
            mode="native" if self._watcher else "polling",
            state="watching" if last.reachable else "unreachable",
            queued=queued,
            pages_per_s=pace.pages_per_s,
            eta_s=pace.seconds_for(unread) if queued else 0.0,
            unsettled=len(last.unsettled),
            held=len(last.held),
            held_back=last.held_back,
            problems=self._problems(last),
        )

    def _watch(self) -> None:
        while not self._stopping.is_set():
            if not self._way_is_free(_SOON_S):  # a question is being answered
                continue
            began = time.monotonic()
            try:
                self._follow()
                scan = self._reconcile()
                self._worker.revive()
            except DesksideError as error:
                scan = self._failed(Problem(error.code, "", error.detail, error.hint))
            except Exception:
                log.exception("scan_failed")
                scan = self._failed(
                    Problem("internal", "", "The watched folder could not be compared.", "")
                )
            took_s = time.monotonic() - began
            self._rest(self._pause_s(scan, took_s))
            if self._hinted.is_set() and not self._stopping.is_set():
                self._hinted.clear()
                # Let a burst of events pass, and no more than a quarter of time go into scans.
                self._stopping.wait(max(_SOON_S, 3 * took_s))

    def _rest(self, pause_s: float) -> None:
        """Wait for a hint; that the folder itself was taken away is told by nobody."""
        until = time.monotonic() + pause_s
        while (left_s := until - time.monotonic()) > 0 and not self._hinted.wait(
            min(left_s, _POLL_S)
        ):
            if self._watcher is not None and not self._watcher.follows:
                return

    def _reconcile(self, *, accept_deletions: bool = False) -> Scan:
        before, scan = self._last, self._scanner.scan(accept_deletions=accept_deletions)
        self._last = scan
        if (scan.reachable, scan.held_back) != (before.reachable, before.held_back):
            log.warning("inbox_state reachable=%s held_back=%d", scan.reachable, scan.held_back)
        self._worker.wake()
        return scan

    def _pause_s(self, scan: Scan, took_s: float) -> float:
        """How long to wait for a hint before the next scan."""
        if scan.more:
            return 0.0
        pauses = [self._every_s]
        if self._watcher is None or not scan.reachable:  # a drive that comes back tells nobody
            pauses.append(max(_POLL_S, took_s * _POLL_SHARE))
        if len(scan.unsettled) > len(scan.held):
            pauses.append(max(self._settle_s, _SOON_S))
        if scan.retry_in_s is not None:
            pauses.append(max(scan.retry_in_s, _SOON_S))
        return min(pauses)

    def _follow(self) -> None:
        """Listen for events where there are some to be had; else scans follow each other faster."""
        if self._watcher is not None and not self._watcher.follows:
            self._stop_watcher()
        if self._polling or is_remote(self.path):
            self._stop_watcher()
        elif self._watcher is None and self.path.is_dir() and time.monotonic() >= self._listen_at:
            try:
                self._watcher = Watcher(self.path, self._hinted.set)
                self._no_events = None
            except OSError as error:
                self._fall_back(error)

    def _fall_back(self, error: OSError) -> None:
        self._listen_at = time.monotonic() + _NO_EVENTS_S
        if self._no_events is None:
            log.warning("watch_falls_back_to_polling error=%s", error.strerror)
        self._no_events = Problem(
            "events",
            "",
            f"The system tells of no more changes in so many folders ({error.strerror});"
            " the inbox is looked through every few seconds instead.",
            "Nothing must be done. On Linux, raise fs.inotify.max_user_watches to see changes"
            " at once.",
        )

    def _stop_watcher(self) -> None:
        if self._watcher is not None:
            self._watcher.stop()
            self._watcher = None

    def _failed(self, problem: Problem) -> Scan:
        scan = Scan(reachable=False, problems=(problem,))
        if self._last.problems != scan.problems:
            log.warning("scan_failed reason=%s", problem.message)
        self._last = scan
        return scan

    def _problems(self, scan: Scan) -> tuple[Problem, ...]:
        own = (self._no_events,) if self._no_events and self._watcher is None else ()
        return (*own, *scan.problems)[:_MOST_PROBLEMS]
