"""Hints from the operating system that something in the inbox changed."""

from __future__ import annotations

import logging
from collections.abc import Callable
from pathlib import Path
from typing import Literal

log = logging.getLogger(__name__)

_POLL_S = 2.0


class Watcher:
    """Calls ``hint`` whenever something below ``inbox`` changes, until stopped.

    ``mode`` says how: ``native`` by events, ``polling`` where there are none to be had.
    """

    mode: Literal["native", "polling"]

    def __init__(self, inbox: Path, hint: Callable[[], None], *, polling: bool = False) -> None:
        from watchdog.events import FileSystemEvent, FileSystemEventHandler  # noqa: PLC0415
        from watchdog.observers import Observer  # noqa: PLC0415
        from watchdog.observers.polling import PollingObserver  # noqa: PLC0415

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type not in ("opened", "closed_no_write"):
                    hint()

        self.mode = "polling" if polling else "native"
        self._observer = PollingObserver(timeout=_POLL_S) if polling else Observer()
        self._observer.schedule(Handler(), str(inbox), recursive=True)
        try:
            self._observer.start()
        except OSError as error:  # the system's limit of watches is reached
            log.warning("watch_falls_back_to_polling error=%s", error.strerror)
            self.mode = "polling"
            self._observer = PollingObserver(timeout=_POLL_S)
            self._observer.schedule(Handler(), str(inbox), recursive=True)
            self._observer.start()

    def stop(self) -> None:
        self._observer.stop()
        self._observer.join()
