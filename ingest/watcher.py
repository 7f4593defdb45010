"""Hints from the operating system that something in the inbox changed."""

from __future__ import annotations

import os
import tempfile
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.folder import is_ignored

if TYPE_CHECKING:
    from watchdog.events import FileSystemEvent


class Watcher:
    """Calls ``hint`` whenever something below ``inbox`` changes, until stopped.

    Raises:
        OSError: the system gives no events for so many folders.
    """

    def __init__(self, inbox: Path, hint: Callable[[], None]) -> None:
        from watchdog.events import FileSystemEventHandler  # noqa: PLC0415
        from watchdog.observers import Observer  # noqa: PLC0415

        class Handler(FileSystemEventHandler):
            def on_any_event(self, event: FileSystemEvent) -> None:
                if event.event_type not in ("opened", "closed_no_write") and _counts(event):
                    hint()

        # It says this for each folder renamed within the inbox, and follows it all the same.
        warnings.filterwarnings("ignore", "Callback with id", RuntimeWarning)
        self._inbox = inbox
        self._root = _identity(inbox)
        self._observer = Observer()
        self._observer.schedule(Handler(), str(inbox), recursive=True)
        self._observer.start()
        try:
            # watchdog keeps quiet about folders within that found no watch: is one left?
            with tempfile.TemporaryDirectory() as folder:
                probe = self._observer.schedule(FileSystemEventHandler(), folder)
                self._observer.unschedule(probe)
        except OSError:
            self.stop()
            raise

    @property
    def follows(self) -> bool:
        """Whether hints still come: the folder is the same one, and the threads live."""
        try:
            same = _identity(self._inbox) == self._root
        except OSError:
            return False
        threads = (self._observer, *self._observer.emitters)
        return same and bool(self._observer.emitters) and all(each.is_alive() for each in threads)

    def stop(self) -> None:
        self._observer.stop()
        self._observer.join()


def _counts(event: FileSystemEvent) -> bool:
    """Whether it is about a file that is read; a download writes to its draft all the time."""
    if event.is_directory and event.event_type == "modified":  # what changed in it is told, too
        return False
    paths = (_text(path) for path in (event.src_path, event.dest_path) if path)
    return any(not is_ignored(Path(path).name) for path in paths)


def _text(path: object) -> str:
    return os.fsdecode(path) if isinstance(path, bytes) else str(path)


def _identity(folder: Path) -> tuple[int, int]:
    stat = folder.stat()
    return stat.st_dev, stat.st_ino
