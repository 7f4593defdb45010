"""An operating system lock on the data folder: one process owns the store and the models.

The lock itself lies on ``data/.lock``; who holds it, and the address of its API, stand beside it
in ``data/.holder.json``, since a locked file can't be read on Windows. The lock dies with its
process, so a stale holder file does no harm.
"""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

from rag.errors import DataInUse, Unavailable


@contextmanager
def owning(data: Path, *, serving: bool = False) -> Iterator[DataLock]:
    """Own the folder while the block runs; ``serving`` promises to `announce` an API soon.

    Raises:
        DataInUse: another process owns it; says which.
        Unavailable: the folder can't be written to.
    """
    lock = DataLock(data)
    lock.acquire(serving=serving)
    try:
        yield lock
    finally:
        lock.release()


class DataLock:
    """The lock of one data folder."""

    def __init__(self, data: Path) -> None:
        self._data = data
        self._file: IO[bytes] | None = None

    def acquire(self, *, serving: bool = False) -> None:
        try:
            self._data.mkdir(parents=True, exist_ok=True)
            file = (self._data / ".lock").open("a+b")
        except OSError as error:
            raise Unavailable(
                f"The data folder {self._data} can't be written to: {error.strerror}.",
                hint="Choose another with --data or DESKSIDE_DATA, or mend its rights.",
            ) from error
        if not _try_lock(file):
            file.close()
            raise self._in_use()
        self._file = file
        try:
            self._write_holder(None, starting=serving)
        except OSError as error:
            self.release()
            raise Unavailable(
                f"The data folder {self._data} can't be written to: {error.strerror}.",
                hint="Free some space, or choose another folder with --data.",
            ) from error

    def announce(self, url: str) -> None:
        """Tell other processes where this one's API answers."""
        self._write_holder(url)

    def release(self) -> None:
        if self._file is not None:
            with suppress(OSError):
                self._holder.unlink(missing_ok=True)
            self._file.close()
            self._file = None

    @property
    def _holder(self) -> Path:
        return self._data / ".holder.json"

    def _write_holder(self, url: str | None, *, starting: bool = False) -> None:
        draft = self._holder.with_suffix(".new")
        told = {"pid": os.getpid(), "url": url, "starting": starting}
        draft.write_text(json.dumps(told), encoding="utf-8")
        draft.replace(self._holder)

    def _in_use(self) -> DataInUse:
        try:
            holder = json.loads(self._holder.read_text(encoding="utf-8"))
        except (OSError, ValueError):  # it is just starting or ending
            holder = {"pid": None, "url": None, "starting": True}
        pid, url = holder.get("pid"), holder.get("url")
        where = f" at {url}" if url else ""
        return DataInUse(
            f"Deskside already runs on {self._data}: process {pid or 'unknown'}{where}.",
            pid=pid,
            url=url,
            starting=bool(holder.get("starting")),
            hint="Use that one, or stop it first.",
        )


def _try_lock(file: IO[bytes]) -> bool:
    try:
        if sys.platform == "win32":
            import msvcrt  # noqa: PLC0415

            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        else:
            import fcntl  # noqa: PLC0415

            fcntl.flock(file.fileno(), fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
