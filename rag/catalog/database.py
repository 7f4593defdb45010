"""The SQLite file: a connection per thread, one writer at a time, errors as ours."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.catalog.migrations import migrate
from rag.errors import DiskFull, Unavailable

_BUSY_TIMEOUT_S = 30.0


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
        self._opened: list[sqlite3.Connection] = []
        with translated(path):
            path.parent.mkdir(parents=True, exist_ok=True)
            migrate(self._connection())

    def _connection(self) -> sqlite3.Connection:
        existing: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if existing is not None:
            return existing
        connection = sqlite3.connect(
            self.path,
            timeout=_BUSY_TIMEOUT_S,
            isolation_level=None,
            check_same_thread=False,
        )
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA synchronous = FULL")
        connection.execute("PRAGMA foreign_keys = ON")
        connection.execute("PRAGMA secure_delete = ON")
        self._local.connection = connection
        with self._writing:
            self._opened.append(connection)
        return connection

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """One consistent view: nothing a writer does meanwhile is seen."""
        with translated(self.path):
            connection = self._connection()
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
        """One transaction: all of it, or none."""
        with translated(self.path), self._writing:
            connection = self._connection()
            if connection.in_transaction:
                yield connection
                return
            connection.execute("BEGIN IMMEDIATE")
            try:
                yield connection
            except BaseException:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")

    def close(self) -> None:
        """Close every thread's connection."""
        with self._writing:
            for connection in self._opened:
                connection.close()
            self._opened.clear()
            self._local = threading.local()
