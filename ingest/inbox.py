"""The watched folder: what lies in it is read, what leaves it is forgotten."""

from __future__ import annotations

import logging
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from ingest.scanner import Scan, Scanner
from ingest.watcher import Watcher

if TYPE_CHECKING:
    from ingest.worker import Worker
    from rag.catalog import Catalog

log = logging.getLogger(__name__)

_STOP_S = 5.0
_SOON_S = 0.2


@dataclass(frozen=True, slots=True)
class InboxStatus:
    """How the inbox does.

    ``pages_per_s`` and ``eta_s`` are None until some pages were read; ``unsettled`` counts files
    still growing and deletions not yet confirmed; ``held_back`` the files of a mass deletion.
    """

    path: str
    mode: Literal["native", "polling"]
    state: Literal["watching", "unreachable"]
    queued: int
    pages_per_s: float | None
    eta_s: float | None
    unsettled: int
    held_back: int


class Inbox:
    """Scans at start, upon hints and every ``every_s`` seconds; the worker reads what is new."""

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
    ) -> None:
        self.path = path
        self._catalog = catalog
        self._scanner = scanner
        self._worker = worker
        self._every_s = every_s
        self._settle_s = settle_s
        self._polling = polling
        self._last = Scan(reachable=True)
        self._hinted = threading.Event()
        self._stopping = threading.Event()
        self._watcher: Watcher | None = None
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
        if self._watcher is not None:
            self._watcher.stop()
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

    def retry(self, document_id: str) -> None:
        """Queue a document again."""
        self._catalog.jobs.retry(document_id)
        self._worker.wake()

    def status(self) -> InboxStatus:
        last = self._last  # before the queue: what a scan settles is queued by then
        queued, unread = self._catalog.jobs.waiting()
        pace = self._worker.pace
        return InboxStatus(
            path=str(self.path),
            mode=self._watcher.mode if self._watcher else "polling",
            state="watching" if last.reachable else "unreachable",
            queued=queued,
            pages_per_s=pace.pages_per_s,
            eta_s=pace.seconds_for(unread) if queued else 0.0,
            unsettled=len(last.unsettled),
            held_back=last.held_back,
        )

    def _watch(self) -> None:
        while not self._stopping.is_set():
            try:
                self._follow()
                scan = self._reconcile()
                self._worker.revive()
            except Exception:
                log.exception("scan_failed")
                scan = Scan(reachable=False)
            soon = max(self._settle_s, _SOON_S)
            self._hinted.wait(soon if scan.unsettled else self._every_s)
            if self._hinted.is_set() and not self._stopping.is_set():
                self._hinted.clear()
                self._stopping.wait(_SOON_S)  # let a burst of events pass

    def _reconcile(self, *, accept_deletions: bool = False) -> Scan:
        self._last = self._scanner.scan(accept_deletions=accept_deletions)
        self._worker.wake()
        return self._last

    def _follow(self) -> None:
        """Listen for events once the folder is there."""
        if self._watcher is None and self.path.is_dir():
            self._watcher = Watcher(self.path, self._hinted.set, polling=self._polling)
