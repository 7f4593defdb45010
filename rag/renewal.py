"""Makes the vectors anew in the background after the embedder was changed."""

from __future__ import annotations

import logging
import threading
import time
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rag.index import Index

log = logging.getLogger(__name__)

_STOP_S = 10.0
_TELL_EVERY_S = 10.0


class Renewal:
    """One thread that runs `Index.renew` to its end, or until stopped; the next start goes on."""

    def __init__(self, index: Index) -> None:
        self._index = index
        self._stopping = threading.Event()
        self._thread = threading.Thread(target=self._run, name="renewal", daemon=True)
        self._told = 0.0
        self._progress = (0, 0)

    @property
    def progress(self) -> tuple[int, int] | None:
        """How many of how many passages are embedded anew; None when there is nothing to do."""
        return self._progress if self._index.is_renewing else None

    def start(self) -> None:
        if self._index.is_renewing:
            self._thread.start()

    def stop(self) -> None:
        self._stopping.set()
        if self._thread.is_alive():
            self._thread.join(_STOP_S)

    def _run(self) -> None:
        try:
            self._index.renew(progress=self._tell, stopped=self._stopping.is_set)
        except Exception:
            log.exception("renewal_failed")

    def _tell(self, done: int, total: int) -> None:
        self._progress = (done, total)
        now = time.monotonic()
        if now - self._told >= _TELL_EVERY_S or done == total:
            self._told = now
            log.info("embedding_anew done=%d total=%d", done, total)
