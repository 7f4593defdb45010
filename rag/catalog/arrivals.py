"""What a file's present content means for the ledger: the rules of identity.

Content decides: equal bytes are one document wherever they lie. A changed file keeps its document,
unless that document also lies elsewhere; where it becomes equal to another one, both are one from
then on, under the id that is older. A file that can't be read yet is a document without a revision.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from datetime import UTC, datetime

from rag.catalog.jobs import enqueue, iso
from rag.files import HeldFile, SourceFile
from rag.records import Status

_UNREAD = ""
"""The revision of a file that could not be opened so far."""


class Arrivals:
    """Takes note of files within one transaction.

    Args:
        connection: in a transaction.
        time: now, as the catalogue writes it.
        new_id: gives a random, opaque id.
        media_type: gives a path's kind.
    """

    def __init__(
        self,
        connection: sqlite3.Connection,
        *,
        time: str,
        new_id: Callable[[], str],
        media_type: Callable[[str], str],
    ) -> None:
        self._connection = connection
        self._time = time
        self._new_id = new_id
        self._media_type = media_type

    def take(self, source: SourceFile) -> str:
        """Take note of a file's content; queue it where it must be read; gives the document's id.

        A file without a place keeps what it was if it was renamed: hand in those whose bytes are
        known (see `is_known`) before the others.
        """
        here = self._at(source.path)
        if here is not None and here["revision"] == source.sha256:
            return self.settle(source, here["document_id"])
        twin = self._twin(source.sha256)
        if twin is not None:
            document_id = self.settle(source, self._joined(here, twin))
            self.try_again(document_id)
        elif here is not None and self._is_only_place(here["document_id"]):
            document_id = self._revise(source, here["document_id"])
        else:
            document_id = self._create(source.path, source.size_bytes, source.mtime_ns)
            self._revise(source, document_id)
        return document_id

    def is_known(self, source: SourceFile) -> bool:
        """Whether some document has these very bytes."""
        return self._twin(source.sha256) is not None

    def hold(self, held: HeldFile) -> None:
        """Take note of a file that can't be opened now; what was read of it goes on answering."""
        here = self._at(held.path)
        if here is None:
            document_id = self._create(held.path, held.size_bytes, held.mtime_ns)
            self._connection.execute(
                "INSERT INTO locations (path, document_id, size_bytes, mtime_ns, added_at)"
                " VALUES (?, ?, ?, ?, ?)",
                (held.path, document_id, held.size_bytes, held.mtime_ns, self._time),
            )
        else:
            document_id = here["document_id"]
        self._connection.execute(
            "UPDATE locations SET missing = 0, held_message = ?, held_advice = ? WHERE path = ?",
            (held.failure.message, held.failure.advice, held.path),
        )
        self._touch(document_id)
        self._bring_back(document_id)

    def settle(self, source: SourceFile, document_id: str) -> str:
        """The document lies at the file's path, as the file is now."""
        self._connection.execute(
            """
            INSERT INTO locations (path, document_id, size_bytes, mtime_ns, ctime_ns, file_id,
                mount, added_at) VALUES (:path, :document, :size, :mtime, :ctime, :id, :mount, :now)
            ON CONFLICT (path) DO UPDATE SET document_id = :document, size_bytes = :size,
                mtime_ns = :mtime, ctime_ns = :ctime, file_id = :id, mount = :mount, missing = 0,
                held_message = NULL, held_advice = NULL
            """,
            {
                "path": source.path,
                "document": document_id,
                "size": source.size_bytes,
                "mtime": source.mtime_ns,
                "ctime": source.ctime_ns,
                "id": source.file_id,
                "mount": source.mount,
                "now": self._time,
            },
        )
        self._date(source, document_id)
        self._touch(document_id)
        self._bring_back(document_id)
        return document_id

    def try_again(self, document_id: str) -> None:
        """A failed document with other places than before may have a name that tells its kind."""
        row = self._connection.execute(
            "SELECT revision FROM documents WHERE document_id = ? AND status = ?"
            " AND document_id IN (SELECT document_id FROM locations)",
            (document_id, Status.FAILED),
        ).fetchone()
        if row is not None:
            enqueue(self._connection, document_id, row["revision"], self._time)

    def _joined(self, here: sqlite3.Row | None, twin: sqlite3.Row) -> str:
        """The id under which a file goes on that became equal to ``twin``."""
        twin_id: str = twin["document_id"]
        if here is None or here["revision"] == _UNREAD or here["added_at"] >= twin["added_at"]:
            return twin_id
        document_id: str = here["document_id"]
        if not self._is_only_place(document_id):
            return twin_id
        self._swap(document_id, twin_id)
        return document_id

    def _swap(self, one: str, other: str) -> None:
        """Two documents change ids, with all that hangs on them, and their places in time."""
        queued = self._connection.execute(
            "DELETE FROM jobs WHERE document_id IN (?, ?) RETURNING document_id, revision",
            (one, other),
        ).fetchall()  # a job under way must not publish under what is another one's id now
        self._connection.execute("PRAGMA defer_foreign_keys = ON")
        between = self._new_id()
        for was, becomes in ((one, between), (other, one), (between, other)):
            for table in ("documents", *self._dependents()):
                self._connection.execute(
                    f"UPDATE {table} SET document_id = ? WHERE document_id = ?",  # noqa: S608
                    (becomes, was),
                )
        self._connection.execute(
            """
            UPDATE documents SET added_at = (SELECT d.added_at FROM documents d
                WHERE d.document_id = iif(documents.document_id = ?1, ?2, ?1))
            WHERE document_id IN (?1, ?2)
            """,
            (one, other),
        )
        for job in queued:
            if job["document_id"] == other:
                enqueue(self._connection, one, job["revision"], self._time)

    def _dependents(self) -> list[str]:
        """The tables whose rows belong to documents."""
        rows = self._connection.execute(
            "SELECT m.name FROM sqlite_master m JOIN pragma_foreign_key_list(m.name) f"
            " WHERE m.type = 'table' AND f.\"table\" = 'documents'"
        )
        return [row["name"] for row in rows]

    def _create(self, path: str, size_bytes: int, mtime_ns: int) -> str:
        document_id = self._new_id()
        self._connection.execute(
            """
            INSERT INTO documents (document_id, media_type, size_bytes, modified_at, revision,
                status, added_at, updated_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?)
            """,
            (
                document_id,
                self._media_type(path),
                size_bytes,
                _iso_of(mtime_ns),
                _UNREAD,
                Status.QUEUED,
                self._time,
                self._time,
            ),
        )
        return document_id

    def _revise(self, source: SourceFile, document_id: str) -> str:
        self._connection.execute(
            "UPDATE documents SET revision = ?, size_bytes = ? WHERE document_id = ?",
            (source.sha256, source.size_bytes, document_id),
        )
        self.settle(source, document_id)
        enqueue(self._connection, document_id, source.sha256, self._time)
        return document_id

    def _bring_back(self, document_id: str) -> None:
        """A missing document's file is there again."""
        row = self._connection.execute(
            "SELECT reason, published, revision FROM documents WHERE document_id = ?"
            " AND status = ?",
            (document_id, Status.MISSING),
        ).fetchone()
        if row is None:
            return
        if row["published"] != row["revision"] and row["revision"] != _UNREAD:
            enqueue(self._connection, document_id, row["revision"], self._time)
            return
        back = Status.PARTIAL if row["reason"] else Status.READY
        if row["revision"] == _UNREAD:
            back = Status.QUEUED
        self._connection.execute(
            "UPDATE documents SET status = ?, updated_at = ? WHERE document_id = ?",
            (back, self._time, document_id),
        )

    def _date(self, source: SourceFile, document_id: str) -> None:
        """A document is as old as the file at its oldest place."""
        self._connection.execute(
            """
            UPDATE documents SET modified_at = ?1 WHERE document_id = ?2 AND ?3 =
                (SELECT path FROM locations WHERE document_id = ?2 ORDER BY added_at, path LIMIT 1)
            """,
            (_iso_of(source.mtime_ns), document_id, source.path),
        )

    def _at(self, path: str) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._connection.execute(
            "SELECT document_id, revision, d.added_at FROM locations JOIN documents d"
            " USING (document_id) WHERE path = ?",
            (path,),
        ).fetchone()
        return row

    def _twin(self, sha256: str) -> sqlite3.Row | None:
        row: sqlite3.Row | None = self._connection.execute(
            "SELECT document_id, added_at FROM documents WHERE revision = ?"
            " AND trashed_path IS NULL ORDER BY added_at LIMIT 1",
            (sha256,),
        ).fetchone()
        return row

    def _is_only_place(self, document_id: str) -> bool:
        count: int = self._connection.execute(
            "SELECT count(*) FROM locations WHERE document_id = ?", (document_id,)
        ).fetchone()[0]
        return count == 1

    def _touch(self, document_id: str) -> None:
        self._connection.execute(
            "UPDATE documents SET updated_at = ? WHERE document_id = ?", (self._time, document_id)
        )


def _iso_of(mtime_ns: int) -> str:
    return iso(datetime.fromtimestamp(mtime_ns / 1e9, tz=UTC))
