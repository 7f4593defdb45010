"""The SQLite file: a connection per thread, one writer at a time, errors as ours."""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from rag.catalog.migrations import migrate
from rag.errors import Busy, DiskFull, Unavailable
from rag.terms import holds_words, terms

_BUSY_TIMEOUT_S = 30.0
_KEYWORD_INDEXES = "SELECT name FROM sqlite_master WHERE sql LIKE '%USING fts5 (%'"


@contextmanager
def translated(path: Path) -> Iterator[None]:
    """Turn sqlite3's operational faults into ours; programming errors pass through.

    Raises:
        DiskFull: no room left for the catalogue.
        Unavailable: the file cannot be opened, read or written.
    """
    try:
        yield
    except sqlite3.IntegrityError:
        raise
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_FULL:
            raise DiskFull(
                "The disk is full; nothing was lost.",
                hint="Free some space and try again.",
            ) from error
        if error.sqlite_errorcode & 0xFF in (
            sqlite3.SQLITE_READONLY,
            sqlite3.SQLITE_CANTOPEN,
            sqlite3.SQLITE_IOERR,
            sqlite3.SQLITE_BUSY,
        ):
            raise Unavailable(
                f"The catalogue {path} can't be used: {error}.",
                hint="Check that the data folder exists and may be written to.",
            ) from error
        raise
    except sqlite3.DatabaseError as error:
        if error.sqlite_errorcode not in (
            sqlite3.SQLITE_CORRUPT,
            sqlite3.SQLITE_NOTADB,
        ):
            raise
        raise Unavailable(
            f"The catalogue {path} is damaged: {error}.",
            hint="Move the data folder's catalog.sqlite3 away; the inbox will be read anew.",
        ) from error


class Database:
    """Opens (and migrates) the file at ``path``; safe to share between threads."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._local = threading.local()
        self._writing = threading.RLock()
        self._idle: list[sqlite3.Connection] = []
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            self._idle.append(_connect(path, create=True))
            self._identity = _identity(path)
            with self._borrowed() as connection:
                migrate(connection)

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view: nothing a writer does meanwhile is seen."""
        with translated(self.path), self._borrowed() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN")
            try:
                yield connection
            finally:
                connection.execute("COMMIT")

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """One transaction: all of it, or none. Within another one, a part of that."""
        with translated(self.path), self._writing, self._borrowed() as connection:
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                with suppress(sqlite3.OperationalError):  # some faults have rolled it back already
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def compact(self, *, patience_s: float = _BUSY_TIMEOUT_S) -> None:
        """Leave no byte of what was deleted in the file or its write-ahead log.

        In this order: the keyword indexes forget deleted terms, the file is written anew, the log
        is cut to nothing.

        Raises:
            Busy: somebody went on reading an old state for ``patience_s``.
            DiskFull: there is no room for the second copy.
        """
        with translated(self.path), self._writing, self._borrowed() as connection:
            connection.execute(f"PRAGMA busy_timeout = {int(patience_s * 1000)}")
            try:
                for row in connection.execute(_KEYWORD_INDEXES).fetchall():
                    connection.execute(
                        f"INSERT INTO {row[0]} ({row[0]}) VALUES ('optimize')"  # noqa: S608
                    )
                connection.execute("VACUUM")
                busy = connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            finally:
                connection.execute(f"PRAGMA busy_timeout = {int(_BUSY_TIMEOUT_S * 1000)}")
        if busy:
            raise Busy("The catalogue is being read.", retry_after_s=10)

    def snapshot(self, target: Path) -> None:
        """Write a copy of the present state to ``target``, which must not exist."""
        with translated(self.path), self._borrowed() as connection:
            connection.execute("VACUUM INTO ?", (str(target),))

    def close(self) -> None:
        """Close the connections nobody uses."""
        while self._idle:
            self._idle.pop().close()

    @contextmanager
    def _borrowed(self) -> Iterator[sqlite3.Connection]:
        """This thread's connection: the one it is using already, an idle one, or a new one."""
        current: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if current is not None:
            yield current
            return
        self._check_presence()
        try:
            connection = self._idle.pop()
        except IndexError:
            connection = _connect(self.path)
        self._local.connection = connection
        try:
            yield connection
        finally:
            self._local.connection = None
            self._idle.append(connection)

    def _check_presence(self) -> None:
        """What is written to a deleted file would be lost, and nobody would be told."""
        try:
            present = _identity(self.path) == self._identity
        except OSError:
            present = False
        if not present:
            raise Unavailable(
                f"The data folder {self.path.parent} was removed while Deskside runs.",
                hint="Put it back, or stop Deskside and start it again.",
            )


def _identity(path: Path) -> tuple[int, int]:
    stat = path.stat()
    return stat.st_dev, stat.st_ino


def _connect(path: Path, *, create: bool = False) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"{path.resolve().as_uri()}?mode={'rwc' if create else 'rw'}",
        uri=True,
        timeout=_BUSY_TIMEOUT_S,
        isolation_level=None,
        check_same_thread=False,
    )
    connection.row_factory = sqlite3.Row
    connection.execute("PRAGMA journal_mode = WAL")
    connection.execute("PRAGMA synchronous = FULL")
    connection.execute("PRAGMA foreign_keys = ON")
    connection.execute("PRAGMA secure_delete = ON")
    # What the triggers of m008 call, to keep the terms of every path.
    connection.create_function(
        "terms_of_name", 1, lambda path: json.dumps(terms(path)), deterministic=True
    )
    connection.create_function("holds_words", 2, holds_words, deterministic=True)
    return connection
