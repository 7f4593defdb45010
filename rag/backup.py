"""Writes a backup, a piece at a time, while the service goes on."""

from __future__ import annotations

import hashlib
import io
import logging
import os
import uuid
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from typing import BinaryIO

from rag import __version__
from rag.bundle import CATALOG, FORMAT, MANIFEST, Entry, Manifest
from rag.catalog import Catalog
from rag.errors import Unavailable
from rag.index import FINGERPRINT

log = logging.getLogger(__name__)

_BLOCK = 1 << 20
_SNAPSHOTS = ".backup-*.sqlite3"


class Backup:
    """Makes bundles of a data folder.

    Args:
        data: the data folder; a snapshot of the catalogue lies there meanwhile.
        inbox: the originals.
        catalog: the truth.
    """

    def __init__(self, data: Path, inbox: Path, catalog: Catalog) -> None:
        self._data = data
        self._inbox = inbox
        self._catalog = catalog

    @property
    def is_running(self) -> bool:
        """Whether a snapshot of the catalogue lies in the data folder just now."""
        return any(self._data.glob(_SNAPSHOTS))

    def sweep(self) -> None:
        """At the start: clear away the snapshot of a backup that was killed."""
        for snapshot in self._data.glob(_SNAPSHOTS):
            snapshot.unlink()

    def size_bytes(self) -> int:
        """About how much a bundle will be."""
        catalog = [self._data / CATALOG, self._data / f"{CATALOG}-wal"]
        files = [*catalog, *(file for _, file in self._originals())]
        return sum(file.stat().st_size for file in files if file.is_file())

    def stream(self) -> Iterator[bytes]:
        """A bundle of what is there now.

        An original that is edited meanwhile goes in as it is then; the restored service sees that
        it differs from the catalogue, and reads it.

        Raises:
            Unavailable: the inbox is not there; a backup without originals is none.
        """
        if self._catalog.ledger.locations() and not self._inbox.is_dir():
            raise Unavailable(
                "The watched folder is not there, so its files can't be backed up.",
                hint="Connect the drive or share it lies on, and try again.",
            )
        with self._snapshot() as snapshot:
            documents, passages = counted(snapshot)
            pipe = _Pipe()
            with zipfile.ZipFile(pipe, "w", zipfile.ZIP_STORED) as archive:
                entries: list[Entry] = []
                left_out: list[str] = []
                for name, file in [(CATALOG, snapshot), *self._originals()]:
                    try:
                        opened = file.open("rb")
                    except OSError as error:  # gone, or held by another program
                        log.warning("backup_left_out_a_file error=%s", error.strerror)
                        left_out.append(name)
                        continue
                    with opened:
                        entries.append((yield from _copied(archive, pipe, name, opened)))
                manifest = Manifest(
                    format=FORMAT,
                    version=__version__,
                    made_at=datetime.now(UTC).isoformat(timespec="seconds"),
                    embedder=self._catalog.note(FINGERPRINT) or "",
                    documents=documents,
                    passages=passages,
                    left_out=tuple(left_out),
                    entries=tuple(entries),
                )
                archive.writestr(zipfile.ZipInfo(MANIFEST), manifest.model_dump_json(indent=1))
            yield pipe.take()

    @contextmanager
    def _snapshot(self) -> Iterator[Path]:
        snapshot = self._data / _SNAPSHOTS.replace("*", uuid.uuid4().hex)
        try:
            self._catalog.snapshot(snapshot)
            yield snapshot
        finally:
            snapshot.unlink(missing_ok=True)

    def _originals(self) -> Iterator[tuple[str, Path]]:
        for path in sorted(self._catalog.ledger.locations()):
            yield f"inbox/{path}", self._inbox / path
        trash = self._data / "trash"
        for file in sorted(trash.rglob("*")):
            if file.is_file():
                yield f"trash/{file.relative_to(trash).as_posix()}", file


def counted(file: Path) -> tuple[int, int]:
    """How many documents and passages a catalogue holds; an older one is migrated.

    Raises:
        Unavailable: it is damaged, or a newer version wrote it.
    """
    catalog = Catalog(file)
    try:
        return catalog.ledger.documents(limit=0)[1], catalog.passages.count()
    finally:
        catalog.close()


class _Pipe(io.RawIOBase):
    """What a zip is written into, to be taken out again a piece at a time."""

    def __init__(self) -> None:
        self._pieces: list[bytes] = []

    def writable(self) -> bool:
        return True

    def write(self, piece: object) -> int:
        taken = bytes(piece)  # type: ignore[call-overload]
        self._pieces.append(taken)
        return len(taken)

    def take(self) -> bytes:
        taken = b"".join(self._pieces)
        self._pieces.clear()
        return taken


def _copied(
    archive: zipfile.ZipFile, pipe: _Pipe, name: str, source: BinaryIO
) -> Generator[bytes, None, Entry]:
    """Gives the pieces of one file as it goes into the archive, then what was written."""
    digest = hashlib.sha256()
    size_bytes = 0
    mtime_ns = os.fstat(source.fileno()).st_mtime_ns
    with archive.open(zipfile.ZipInfo(name), "w", force_zip64=True) as target:
        while block := source.read(_BLOCK):
            digest.update(block)
            size_bytes += len(block)
            target.write(block)
            yield pipe.take()
    return Entry(name=name, size_bytes=size_bytes, mtime_ns=mtime_ns, sha256=digest.hexdigest())
