"""The truth, in one SQLite file: documents, passages with vectors, jobs, conversations."""

from __future__ import annotations

import uuid
from collections.abc import Callable
from contextlib import AbstractContextManager
from datetime import UTC, datetime
from pathlib import Path

from rag.catalog.beside import Beside
from rag.catalog.conversations import Conversation, Conversations, Exchange, Speed
from rag.catalog.database import Database
from rag.catalog.erasures import Doomed, Erasures
from rag.catalog.jobs import Jobs
from rag.catalog.keywords import Keywords
from rag.catalog.ledger import Ledger, Location
from rag.catalog.listing import Chosen, Folder, Order
from rag.catalog.names import Names
from rag.catalog.passages import Passages
from rag.catalog.tables import TableEntry, Tables
from rag.terms import VERSION

__all__ = [
    "Catalog",
    "Chosen",
    "Conversation",
    "Conversations",
    "Doomed",
    "Erasures",
    "Exchange",
    "Folder",
    "Jobs",
    "Keywords",
    "Ledger",
    "Location",
    "Names",
    "Order",
    "Passages",
    "Speed",
    "TableEntry",
    "Tables",
]


def _now() -> datetime:
    return datetime.now(UTC)


def _new_id() -> str:
    return uuid.uuid4().hex


class Catalog:
    """Opens the catalogue at ``path``, migrating it where needed.

    Args:
        path: the SQLite file, made if missing.
        now: gives the current time, UTC.
        new_id: gives a random, opaque id.
    """

    def __init__(
        self,
        path: Path,
        *,
        now: Callable[[], datetime] = _now,
        new_id: Callable[[], str] = _new_id,
    ) -> None:
        self._database = Database(path)
        self.new_id = new_id
        self.ledger = Ledger(self._database, now=now, new_id=new_id)
        self.jobs = Jobs(self._database, now=now)
        self.passages = Passages(self._database)
        self.keywords = Keywords(self._database)
        self.names = Names(self._database)
        self.beside = Beside(self._database)
        self.tables = Tables(self._database)
        self.erasures = Erasures(self._database, now=now)
        self.conversations = Conversations(self._database, now=now, new_id=new_id)
        self._renew_terms()

    def _renew_terms(self) -> None:
        """Make the indexes of terms anew where they were written by another way of making terms."""
        if self.note("terms") == VERSION:
            return
        with self.transaction():
            self.keywords.rebuild()
            self.names.rebuild()
            self.set_note("terms", VERSION)

    def transaction(self) -> AbstractContextManager[object]:
        """All writes within happen together, or not at all."""
        return self._database.writing()

    def note(self, name: str) -> str | None:
        """A value kept by `set_note`, such as the embedder's fingerprint."""
        with self._database.reading() as connection:
            row = connection.execute("SELECT value FROM meta WHERE name = ?", (name,)).fetchone()
            return row["value"] if row else None

    def set_note(self, name: str, value: str) -> None:
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO meta VALUES (?1, ?2) ON CONFLICT (name) DO UPDATE SET value = ?2",
                (name, value),
            )

    def compact(self) -> None:
        """Leave no byte of what was deleted on the disk.

        Raises:
            Busy: somebody went on reading an old state.
            DiskFull: there is no room for a second copy of the catalogue.
        """
        self._database.compact()

    def snapshot(self, target: Path) -> None:
        """Write a consistent copy to ``target``; work goes on meanwhile.

        Raises:
            DiskFull: there is no room for it.
        """
        self._database.snapshot(target)

    def close(self) -> None:
        self._database.close()
