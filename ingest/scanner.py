"""Compares the inbox with the catalogue; what it finds is the truth, events only hint.

A file is taken once it has stopped growing. A vanished one is `missing` until a later scan
confirms it. Where the inbox is gone, or most of it vanished at once, nothing is taken out.
"""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.folder import Problem, Seen, read_source, walk
from ingest.refusals import Refusals, away
from ingest.shares import is_remote
from ingest.vanishing import Vanishing, identity
from rag.files import HeldFile, SourceFile, Stamp

if TYPE_CHECKING:
    from rag.catalog import Catalog, Location
    from rag.index import Index

log = logging.getLogger(__name__)

_BATCH = 500
_BATCH_S = 1.0
_READ_S = 5.0
"""A scan reads no longer than that, so that whoever asked for one is answered; the next goes on."""


@dataclass(frozen=True, slots=True)
class Scan:
    """What one scan did.

    ``unsettled`` files are still growing, wait to be read, are ``held`` by another program, or are
    gone but not confirmed so. ``held_back`` counts files that vanished in a way that looks like a
    missing drive. ``more`` says that files are ready to be taken; ``retry_in_s`` when one of the
    held ones may be tried again.
    """

    reachable: bool
    arrived: tuple[str, ...] = ()
    left: tuple[str, ...] = ()
    unsettled: tuple[str, ...] = ()
    held: tuple[str, ...] = ()
    held_back: int = 0
    problems: tuple[Problem, ...] = ()
    more: bool = False
    retry_in_s: float | None = None


@dataclass(slots=True)
class _Taken:
    arrived: list[str] = field(default_factory=list)
    growing: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    held: list[str] = field(default_factory=list)
    to_hold: list[HeldFile] = field(default_factory=list)

    def not_yet(self) -> tuple[str, ...]:
        return (*self.growing, *self.waiting, *self.held)


class Scanner:
    """Reconciles the inbox with the catalogue; safe to call from many threads.

    Args:
        inbox: the folder.
        catalog: what is known of it.
        index: from which documents are removed.
        settle_s: how long a file must have stood still.
        clock: seconds, monotonic.
        remote: whether a folder is a share, where file ids mean nothing.
        must_wait: whether reading has to stop just now, in favour of a question.
    """

    def __init__(  # noqa: PLR0913
        self,
        inbox: Path,
        catalog: Catalog,
        index: Index,
        *,
        settle_s: float,
        clock: Callable[[], float] = time.monotonic,
        remote: Callable[[Path], bool] = is_remote,
        must_wait: Callable[[], bool] = lambda: False,
    ) -> None:
        self._inbox = inbox
        self._catalog = catalog
        self._index = index
        self._settle_s = settle_s
        self._clock = clock
        self._remote = remote
        self._must_wait = must_wait
        self._still: dict[str, tuple[Stamp, float]] = {}
        self._vanishing = Vanishing(catalog, settle_s=settle_s, clock=clock)
        self._refusals = Refusals()
        self._lock = threading.RLock()

    @contextmanager
    def still(self) -> Iterator[None]:
        """Nothing arrives or leaves while the block runs, but by its own hand."""
        with self._lock:
            yield

    def scan(self, *, accept_deletions: bool = False) -> Scan:
        """One reconcile. ``accept_deletions`` carries out a mass deletion that was held back."""
        with self._lock:
            known = self._catalog.ledger.locations()  # first: what is uploaded now is not vanished
            try:
                found = walk(self._inbox)
                folder = identity(self._inbox)
            except OSError as error:
                return Scan(reachable=False, problems=(_unreachable(error),))
            taken = self._take(found.files, known)
            vanished = self._vanishing.look(found, known, taken.not_yet())
            scan = Scan(
                reachable=True,
                arrived=tuple(taken.arrived),
                unsettled=taken.not_yet(),
                held=tuple(taken.held),
                problems=(*found.problems, *vanished.problems),
                more=bool(taken.waiting),
                retry_in_s=self._refusals.next_s(self._clock()),
            )
            if accept_deletions:
                self._vanishing.remember(folder)
                at_once = {**vanished.files, **vanished.unplugged}
                return replace(scan, left=tuple(self._let_go(at_once, at_once.keys())))
            if self._vanishing.is_suspicious(vanished, folder, known=len(known)):
                held_back = len(vanished.lost) + len(vanished.unplugged)
                return replace(scan, reachable=False, held_back=held_back)
            self._vanishing.remember(folder)
            left = self._let_go(vanished.files, self._vanishing.confirmed(vanished))
            return replace(
                scan,
                left=tuple(left),
                unsettled=(*scan.unsettled, *(vanished.files.keys() - left)),
                held_back=len(vanished.unplugged),
            )

    def take(self, path: str) -> str:
        """Take note of one file now, as after an upload; returns the document's id.

        Raises:
            OSError: it can't be read.
        """
        source = read_source(self._inbox, path)
        with self._lock:
            return self._catalog.ledger.arrive(source)

    def restore(self, document_id: str, path: str) -> None:
        """A document's file was put back at ``path``."""
        source = read_source(self._inbox, path)
        with self._lock:
            self._catalog.ledger.restore(document_id, source)

    def hurry(self) -> None:
        """Try files that are in use at the next scan, however often that failed."""
        with self._lock:
            self._refusals.hurry()

    # -- what is there

    def _take(self, files: Mapping[str, Seen], known: Mapping[str, Location]) -> _Taken:
        taken = _Taken()
        ids = not self._remote(self._inbox)
        renamed = {_apart_from_ctime(at.stamp) for path, at in known.items() if path not in files}
        due = [
            (path, seen)
            for path, seen in files.items()
            if _is_due(seen, known.get(path), ids=ids)
            and self._may_be_read(path, seen, known.get(path), taken, renamed)
        ]
        # New names first: where a file was renamed and its old name given to another one, the
        # document goes with its content.
        due.sort(key=lambda each: each[0] in known)
        self._read(due, taken, ids=ids)
        self._catalog_held(taken, known)
        pending = {*taken.growing, *taken.waiting}
        self._still = {path: since for path, since in self._still.items() if path in pending}
        self._refusals.keep(taken.held)
        return taken

    def _may_be_read(
        self,
        path: str,
        seen: Seen,
        here: Location | None,
        taken: _Taken,
        renamed: Collection[Stamp],
    ) -> bool:
        """Whether it can be looked into now; else puts it where it belongs."""
        if seen.elsewhere:
            taken.held.append(path)
            if here is None or not here.held:
                taken.to_hold.append(away(path, seen.stamp))
            return False
        if self._refusals.waits(path, seen.stamp, self._clock()):
            taken.held.append(path)
            return False
        if here is None and _apart_from_ctime(seen.stamp) in renamed:
            return True  # a rename changes the ctime only
        if not self._has_settled(path, seen.stamp):
            taken.growing.append(path)
            return False
        return True

    def _has_settled(self, path: str, stamp: Stamp) -> bool:
        """Whether a file has stood still for long enough; its mtime alone can be old."""
        now = self._clock()
        before = self._still.get(path)
        if before and before[0] == stamp:
            return now - before[1] >= self._settle_s
        self._still[path] = (stamp, now)
        return self._settle_s == 0

    def _read(self, due: list[tuple[str, Seen]], taken: _Taken, *, ids: bool) -> None:
        began = written = self._clock()
        batch: list[SourceFile] = []
        for at, (path, seen) in enumerate(due):
            now = self._clock()
            if now - began > _READ_S or self._must_wait():
                taken.waiting.extend(path for path, _ in due[at:])
                break
            if len(batch) >= _BATCH or now - written > _BATCH_S:
                self._write(batch, taken)
                batch, written = [], now
            source = self._read_one(path, seen, taken, ids=ids)
            if source is not None:
                batch.append(source)
        self._write(batch, taken)

    def _read_one(self, path: str, seen: Seen, taken: _Taken, *, ids: bool) -> SourceFile | None:
        try:
            source = read_source(self._inbox, path)
        except (FileNotFoundError, NotADirectoryError):  # just gone
            taken.growing.append(path)
            return None
        except OSError as error:
            log.info("file_in_use error=%s", error.strerror)
            self._refusals.add(path, seen.stamp, error, self._clock())
            taken.held.append(path)
            return None
        if not _same(source.stamp, seen.stamp, ids=ids):  # written to while it was read
            taken.growing.append(path)
            return None
        return replace(source, mount=seen.mount)

    def _write(self, batch: list[SourceFile], taken: _Taken) -> None:
        if batch:
            self._catalog.ledger.arrive_all(batch)
            taken.arrived.extend(source.path for source in batch)

    def _catalog_held(self, taken: _Taken, known: Mapping[str, Location]) -> None:
        told = {path for path, place in known.items() if place.held and not place.missing}
        refused = [
            self._refusals.file(path)
            for path in taken.held
            if path not in told and path in self._refusals
        ]
        if taken.to_hold or refused:
            self._catalog.ledger.hold([*taken.to_hold, *refused])

    # -- what is not

    def _let_go(self, vanished: Mapping[str, Location], sure: Collection[str]) -> set[str]:
        missed = [path for path, at in vanished.items() if path not in sure and not at.missing]
        if missed:
            self._catalog.ledger.miss(missed)
        if sure:
            self._catalog.ledger.leave(sure)
        orphans = self._catalog.ledger.orphans()
        for first in range(0, len(orphans), _BATCH):
            self._index.remove(*orphans[first : first + _BATCH])
        return set(sure)


def _is_due(seen: Seen, here: Location | None, *, ids: bool) -> bool:
    """Whether a file must be looked into."""
    if here is None or here.missing or here.held or here.mount != seen.mount:
        return True
    if seen.elsewhere:  # its content went to the cloud; the same content, if all else is equal
        return _size_and_time(seen.stamp) != _size_and_time(here.stamp)
    return not _same(seen.stamp, here.stamp, ids=ids)


def _same(one: Stamp, other: Stamp, *, ids: bool) -> bool:
    if ids:
        return one == other
    return replace(one, file_id="") == replace(other, file_id="")


def _size_and_time(stamp: Stamp) -> tuple[int, int]:
    return stamp.size_bytes, stamp.mtime_ns


def _apart_from_ctime(stamp: Stamp) -> Stamp:
    return replace(stamp, ctime_ns=0)


def _unreachable(error: OSError) -> Problem:
    return Problem(
        "root",
        "",
        f"The watched folder can't be reached: {error.strerror}.",
        "Connect the drive or share it lies on, or put the folder back. Nothing is deleted.",
    )
