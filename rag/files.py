"""Files in the inbox, as found on disk."""

from __future__ import annotations

from dataclasses import dataclass

from rag.records import Failure


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells without reading it whether a file is still the one that was read.

    ``ctime_ns`` and ``file_id`` see what size and time don't: another file of the same size and
    time put in its place.
    """

    size_bytes: int
    mtime_ns: int
    ctime_ns: int = 0
    file_id: str = ""


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A file in the inbox as found on disk; ``mount`` is the folder of the drive it lies on.

    That is a path within the inbox, empty for the drive of the inbox itself.
    """

    path: str
    size_bytes: int
    mtime_ns: int
    sha256: str
    ctime_ns: int = 0
    file_id: str = ""
    mount: str = ""

    @property
    def stamp(self) -> Stamp:
        return Stamp(self.size_bytes, self.mtime_ns, self.ctime_ns, self.file_id)


@dataclass(frozen=True, slots=True)
class HeldFile:
    """A file in the inbox that can't be opened now, and why."""

    path: str
    size_bytes: int
    mtime_ns: int
    failure: Failure
