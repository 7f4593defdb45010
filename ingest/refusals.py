"""Files that can't be opened: why, in words, and when to try again."""

from __future__ import annotations

import errno
from collections.abc import Iterable
from dataclasses import dataclass

from rag.files import HeldFile, Stamp
from rag.records import Failure, Reason

_FIRST_S = 2.0
_LONGEST_S = 60.0
_RETRIED = "Deskside tries again on its own. Close the program that has it open; if there is none, "


@dataclass(frozen=True, slots=True)
class _Refusal:
    file: HeldFile
    stamp: Stamp
    tries: int
    retry_at: float


class Refusals:
    """Remembers who was turned away, so that a busy file is not asked for again and again."""

    def __init__(self) -> None:
        self._refused: dict[str, _Refusal] = {}

    def add(self, path: str, stamp: Stamp, error: OSError, now: float) -> None:
        """The file could not be opened at ``now``, a monotonic time in seconds."""
        before = self._refused.get(path)
        tries = before.tries + 1 if before and before.stamp == stamp else 1
        delay_s = min(_FIRST_S * 2 ** (tries - 1), _LONGEST_S)
        held = HeldFile(path, stamp.size_bytes, stamp.mtime_ns, _failure(path, error))
        self._refused[path] = _Refusal(held, stamp, tries, now + delay_s)

    def waits(self, path: str, stamp: Stamp, now: float) -> bool:
        """Whether it is too early to try again; a file that changed is tried at once."""
        refusal = self._refused.get(path)
        return refusal is not None and refusal.stamp == stamp and now < refusal.retry_at

    def __contains__(self, path: str) -> bool:
        return path in self._refused

    def file(self, path: str) -> HeldFile:
        return self._refused[path].file

    def keep(self, paths: Iterable[str]) -> None:
        """Forget all others."""
        held = set(paths)
        self._refused = {path: each for path, each in self._refused.items() if path in held}

    def hurry(self) -> None:
        """Try all of them at the next scan."""
        self._refused.clear()

    def next_s(self, now: float) -> float | None:
        """Seconds until the next try; None when nothing waits."""
        moments = [each.retry_at for each in self._refused.values()]
        return max(min(moments) - now, 0.0) if moments else None


def away(path: str, stamp: Stamp) -> HeldFile:
    """A file whose content is in the cloud only; opening it would download it."""
    failure = Failure(
        Reason.IN_USE,
        f"{_name(path)} is in the cloud only; Deskside does not download it.",
        "Choose “Always keep on this device” (OneDrive) or “Download now” (iCloud) for it.",
    )
    return HeldFile(path, stamp.size_bytes, stamp.mtime_ns, failure)


def _failure(path: str, error: OSError) -> Failure:
    name = _name(path)
    if error.errno in (errno.EACCES, errno.EPERM, errno.EBUSY, errno.ETXTBSY, errno.EAGAIN):
        return Failure(
            Reason.IN_USE,
            f"{name} can't be opened: another program uses it, or Deskside may not read it.",
            f"{_RETRIED}allow Deskside to read it.",
        )
    return Failure(
        Reason.IN_USE,
        f"{name} can't be read: {error.strerror or error}.",
        f"{_RETRIED}check the drive it lies on.",
    )


def _name(path: str) -> str:
    return path.rsplit("/", 1)[-1]
