"""Compares the inbox with the catalogue; what it finds is the truth, events only hint.

A file is taken once it has stopped growing. A vanished one is `missing` until the next scan
confirms it. Where the inbox is gone, or most of it vanished at once, nothing is taken out.
"""

from __future__ import annotations

import hashlib
import logging
import os
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

from rag.records import SourceFile

if TYPE_CHECKING:
    from rag.catalog import Catalog, Location
    from rag.index import Index

log = logging.getLogger(__name__)

_OFFICE_LOCK = "~$"
_SYSTEM_FILES = frozenset({"thumbs.db", "desktop.ini"})
_UNFINISHED = (".part", ".crdownload", ".partial", ".download", ".tmp")
_GUARD_FROM_FILES = 5
_GUARD_SHARE = 0.5
_READ_BYTES = 1 << 20


@dataclass(frozen=True, slots=True)
class Seen:
    """What one file looked like, and since when (monotonic seconds)."""

    size_bytes: int
    mtime_ns: int
    since: float


@dataclass(frozen=True, slots=True)
class Found:
    """The files below the inbox, and the folders that could not be looked into."""

    files: Mapping[str, os.stat_result]
    blind: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Scan:
    """What one scan did.

    ``unsettled`` files are still growing, held by another program, or gone but not confirmed so.
    """

    reachable: bool
    arrived: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    held_back: int = 0


@dataclass(slots=True)
class _Outcome:
    arrived: list[str] = field(default_factory=list)
    unsettled: list[str] = field(default_factory=list)


class Scanner:
    """Reconciles the inbox with the catalogue; safe to call from many threads."""

    def __init__(
        self,
        inbox: Path,
        catalog: Catalog,
        index: Index,
        *,
        settle_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._inbox = inbox
        self._catalog = catalog
        self._index = index
        self._settle_s = settle_s
        self._clock = clock
        self._seen: dict[str, Seen] = {}
        self._lock = threading.Lock()

    def scan(self, *, accept_deletions: bool = False) -> Scan:
        """One reconcile. ``accept_deletions`` carries out a mass deletion that was held back."""
        with self._lock:
            try:
                found = walk(self._inbox)
            except OSError as error:
                log.warning("inbox_unreachable error=%s", error.strerror)
                return Scan(reachable=False)
            known = self._catalog.ledger.locations()
            outcome = self._take(found.files, known)
            vanished = _vanished(found, known)
            lost = vanished.keys() - self._moved(vanished)
            lost = vanished.keys() - self._moved(vanished)
            if not accept_deletions and _suspicious(len(lost), len(known)):
                log.warning("mass_deletion_held_back lost=%d known=%d", len(lost), len(known))
                return Scan(
                    reachable=False,
                    arrived=tuple(outcome.arrived),
                    unsettled=tuple(outcome.unsettled),
                    held_back=len(lost),
                )
            left = self._let_go(vanished, at_once=accept_deletions)
            return Scan(
                reachable=True,
                arrived=tuple(outcome.arrived),
                left=tuple(left),
                unsettled=(*outcome.unsettled, *(vanished.keys() - left)),
            )

    def take(self, path: str) -> str:
        """Take note of one file now, as after an upload; returns the document's id.

        Raises:
            OSError: it can't be read.
        """
        with self._lock:
            return self._catalog.ledger.arrive(read_source(self._inbox, path))

    def restore(self, document_id: str, path: str) -> None:
        """A document's file was put back at ``path``."""
        with self._lock:
            self._catalog.ledger.restore(document_id, read_source(self._inbox, path))

    def _take(self, files: Mapping[str, os.stat_result], known: Mapping[str, Location]) -> _Outcome:
        outcome = _Outcome()
        for path, stat in files.items():
            here = known.get(path)
            if here and not here.missing and _same(here, stat):
                continue
            if not self._settled(path, stat):
                outcome.unsettled.append(path)
                continue
            try:
                self._catalog.ledger.arrive(read_source(self._inbox, path))
            except OSError as error:  # open elsewhere, or just gone: the next scan tries again
                log.info("file_in_use error=%s", error.strerror)
                outcome.unsettled.append(path)
                continue
            outcome.arrived.append(path)
        self._seen = {path: seen for path, seen in self._seen.items() if path in outcome.unsettled}
        return outcome

    def _settled(self, path: str, stat: os.stat_result) -> bool:
        """Whether size and time have stood still for long enough; mtime alone can be old."""
        now = self._clock()
        seen = self._seen.get(path)
        if seen and (seen.size_bytes, seen.mtime_ns) == (
            stat.st_size,
            stat.st_mtime_ns,
        ):
            return now - seen.since >= self._settle_s
        self._seen[path] = Seen(stat.st_size, stat.st_mtime_ns, now)
        return self._settle_s == 0

    def _moved(self, vanished: Mapping[str, Location]) -> set[str]:
        """Vanished places of documents that lie elsewhere, too."""
        places = self._catalog.ledger.locations().values()
        elsewhere = {at.document_id for at in places if at.path not in vanished}
        return {path for path, place in vanished.items() if place.document_id in elsewhere}

    def _let_go(self, vanished: Mapping[str, Location], *, at_once: bool) -> set[str]:
        moved = self._moved(vanished)
        sure = {
            path for path, place in vanished.items() if at_once or place.missing or path in moved
        }
        self._catalog.ledger.miss(path for path in vanished if path not in sure)
        self._catalog.ledger.leave(sure)
        for document_id in self._catalog.ledger.orphans():
            self._index.remove(document_id)
        return sure


def walk(inbox: Path) -> Found:
    """Every file that counts, by path relative to ``inbox``; links to folders are not followed.

    Raises:
        OSError: the inbox itself can't be read.
    """
    files: dict[str, os.stat_result] = {}
    blind: list[str] = []
    folders = [""]
    while folders:
        folder = folders.pop()
        try:
            with os.scandir(inbox / folder) as entries:
                for entry in entries:
                    _sort_in(entry, folder, files, folders)
        except OSError:
            if not folder:
                raise
            blind.append(f"{folder}/")
    return Found(dict(sorted(files.items())), tuple(blind))


def is_ignored(name: str) -> bool:
    """Lock files of Office, hidden and system files, and downloads under way."""
    return (
        name.startswith((_OFFICE_LOCK, "."))
        or name.lower() in _SYSTEM_FILES
        or name.lower().endswith(_UNFINISHED)
    )


def read_source(inbox: Path, path: str) -> SourceFile:
    """The file's size, time and SHA-256.

    Raises:
        OSError: it can't be opened or read.
    """
    digest = hashlib.sha256()
    with (inbox / path).open("rb") as file:
        stat = os.fstat(file.fileno())
        for block in _blocks(file.read):
            digest.update(block)
    return SourceFile(path, stat.st_size, stat.st_mtime_ns, digest.hexdigest())


def _blocks(read: Callable[[int], bytes]) -> Iterator[bytes]:
    while block := read(_READ_BYTES):
        yield block


def _sort_in(
    entry: os.DirEntry[str],
    folder: str,
    files: dict[str, os.stat_result],
    folders: list[str],
) -> None:
    if is_ignored(entry.name):
        return
    path = f"{folder}/{entry.name}" if folder else entry.name
    try:
        path.encode()
        if entry.is_dir(follow_symlinks=False):
            folders.append(path)
        elif entry.is_file():
            files[path] = entry.stat()
    except UnicodeEncodeError:
        log.warning("name_not_unicode folder=%s", folder)
    except OSError:  # it vanished between the two looks
        return


def _same(here: Location, stat: os.stat_result) -> bool:
    return (here.size_bytes, here.mtime_ns) == (stat.st_size, stat.st_mtime_ns)


def _vanished(found: Found, known: Mapping[str, Location]) -> dict[str, Location]:
    return {
        path: place
        for path, place in known.items()
        if path not in found.files and not path.startswith(found.blind)
    }


def _suspicious(vanished: int, known: int) -> bool:
    return known >= _GUARD_FROM_FILES and vanished > known * _GUARD_SHARE
