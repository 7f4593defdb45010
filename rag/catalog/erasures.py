"""Erasures under way, so that a kill in the middle of one is made good; and what was erased."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from datetime import datetime

from rag.catalog.database import Database
from rag.catalog.jobs import iso


@dataclass(frozen=True, slots=True)
class Doomed:
    """A file to be deleted, as long as it still has those bytes."""

    path: str
    sha256: str


class Erasures:
    """Documents to be erased for good.

    A row's ``files`` are what is still to be deleted, an empty list once that is done, and NULL
    once no trace is left. The row stays: an answer that was under way must not bring text back.

    Args:
        now: gives the current time, UTC.
    """

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def begin(self, document_ids: Collection[str], files: Sequence[Doomed]) -> None:
        """From now on these will be erased, even if the power fails."""
        kept = json.dumps([[file.path, file.sha256] for file in files], ensure_ascii=False)
        with self._database.writing() as connection:
            connection.executemany(
                "INSERT INTO erasures VALUES (?1, ?2, ?3)"
                " ON CONFLICT (document_id) DO UPDATE SET files = ?3",
                [(document_id, iso(self._now()), kept) for document_id in document_ids],
            )

    def call_off(self, document_ids: Collection[str]) -> None:
        """They can't be erased just now."""
        with self._database.writing() as connection:
            connection.executemany(
                "DELETE FROM erasures WHERE document_id = ?", [(each,) for each in document_ids]
            )

    def pending(self) -> dict[str, tuple[Doomed, ...]]:
        """Documents whose traces are not all gone, with the files still to be deleted."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT document_id, files FROM erasures WHERE files IS NOT NULL"
            )
            return {
                row["document_id"]: tuple(Doomed(*file) for file in json.loads(row["files"]))
                for row in rows
            }

    def files_are_gone(self, document_ids: Collection[str]) -> None:
        """Forget the files: their names are text of the user's, too."""
        self._set(document_ids, "[]")

    def done(self, document_ids: Collection[str]) -> None:
        self._set(document_ids, None)

    def _set(self, document_ids: Collection[str], files: str | None) -> None:
        with self._database.writing() as connection:
            connection.executemany(
                "UPDATE erasures SET files = ? WHERE document_id = ?",
                [(files, document_id) for document_id in document_ids],
            )
