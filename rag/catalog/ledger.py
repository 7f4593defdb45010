"""Documents, and where they lie in the inbox."""

from __future__ import annotations

import mimetypes
import sqlite3
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime

from rag.catalog.arrivals import Arrivals
from rag.catalog.database import Database
from rag.catalog.jobs import iso
from rag.catalog.listing import COLUMNS, Chosen, Folder, counted, folders, listed
from rag.catalog.rows import document_of
from rag.errors import NotFound
from rag.files import HeldFile, SourceFile, Stamp
from rag.records import Document, Page, Status

_ALL = Chosen()
# What Python's table lacks on some systems.
_OFFICE = "application/vnd.openxmlformats-officedocument"
_MEDIA_TYPES = {
    ".docx": f"{_OFFICE}.wordprocessingml.document",
    ".docm": "application/vnd.ms-word.document.macroEnabled.12",
    ".dotx": f"{_OFFICE}.wordprocessingml.template",
    ".dotm": "application/vnd.ms-word.template.macroEnabled.12",
    ".xlsx": f"{_OFFICE}.spreadsheetml.sheet",
    ".xlsm": "application/vnd.ms-excel.sheet.macroEnabled.12",
    ".pptx": f"{_OFFICE}.presentationml.presentation",
    ".pptm": "application/vnd.ms-powerpoint.presentation.macroEnabled.12",
    ".ppsx": f"{_OFFICE}.presentationml.slideshow",
    ".potx": f"{_OFFICE}.presentationml.template",
    ".doc": "application/msword",
    ".dot": "application/msword",
    ".ppt": "application/vnd.ms-powerpoint",
    ".pps": "application/vnd.ms-powerpoint",
    ".pot": "application/vnd.ms-powerpoint",
    ".wps": "application/vnd.ms-works",
    ".wpt": "application/vnd.ms-works",
    ".dps": "application/vnd.ms-powerpoint",
    ".odt": "application/vnd.oasis.opendocument.text",
    ".ott": "application/vnd.oasis.opendocument.text-template",
    ".ods": "application/vnd.oasis.opendocument.spreadsheet",
    ".ots": "application/vnd.oasis.opendocument.spreadsheet-template",
    ".odp": "application/vnd.oasis.opendocument.presentation",
    ".otp": "application/vnd.oasis.opendocument.presentation-template",
    ".et": "application/vnd.ms-excel",
    ".ett": "application/vnd.ms-excel",
    ".xls": "application/vnd.ms-excel",
    ".csv": "text/csv",
    ".heic": "image/heic",
    ".heif": "image/heif",
    ".webp": "image/webp",
    ".rtf": "application/rtf",
    ".epub": "application/epub+zip",
    ".eml": "message/rfc822",
    ".mht": "multipart/related",
    ".mhtml": "multipart/related",
    ".html": "text/html",
    ".htm": "text/html",
    ".xhtml": "application/xhtml+xml",
    ".md": "text/markdown",
}
"""Those that not every system's own table knows."""


@dataclass(frozen=True, slots=True)
class Location:
    """One place in the inbox where a document was seen."""

    path: str
    document_id: str
    size_bytes: int
    mtime_ns: int
    ctime_ns: int
    file_id: str
    mount: str
    missing: bool
    held: bool

    @property
    def stamp(self) -> Stamp:
        return Stamp(self.size_bytes, self.mtime_ns, self.ctime_ns, self.file_id)


def media_type_of(path: str) -> str:
    suffix = "." + path.rsplit(".", 1)[-1].lower()
    return _MEDIA_TYPES.get(suffix) or mimetypes.guess_type(path)[0] or "application/octet-stream"


class Ledger:
    """What is in the inbox and how far each document has come.

    Args:
        now: gives the current time, UTC.
        new_id: gives a random, opaque id.
    """

    def __init__(
        self,
        database: Database,
        *,
        now: Callable[[], datetime],
        new_id: Callable[[], str],
    ) -> None:
        self._database = database
        self._now = now
        self._new_id = new_id

    # -- reading

    def documents(
        self, chosen: Chosen = _ALL, *, limit: int = -1, offset: int = 0
    ) -> tuple[list[Document], int]:
        """The chosen documents, and how many there are without the limit."""
        with self._database.reading() as connection:
            return listed(connection, chosen, limit=limit, offset=offset)

    def counts(self, chosen: Chosen = _ALL) -> dict[str, int]:
        """How many of the chosen documents, of whatever status, have which."""
        with self._database.reading() as connection:
            return counted(connection, chosen)

    def folders(self) -> list[Folder]:
        """The folders of the inbox that hold documents."""
        with self._database.reading() as connection:
            return folders(connection)

    def failed(self) -> list[str]:
        """The ids of the documents that could not be read."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT document_id FROM documents WHERE status = ? AND trashed_path IS NULL",
                (Status.FAILED,),
            )
            return [row["document_id"] for row in rows]

    def document(self, document_id: str) -> Document:
        """One document, in the trash or not.

        Raises:
            NotFound: there is no such document.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                f"SELECT {COLUMNS} FROM documents d WHERE document_id = ?",  # noqa: S608
                (document_id,),
            ).fetchone()
            if row is None:
                raise NotFound("There is no such document.", hint="It may have been deleted.")
            return document_of(row)

    def trashed(self) -> list[Document]:
        """The documents whose originals lie in the trash, the latest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM documents d WHERE trashed_path IS NOT NULL"  # noqa: S608
                " ORDER BY updated_at DESC, document_id"
            )
            return [document_of(row) for row in rows]

    def revisions(self) -> set[str]:
        """Of all documents, in the trash or not, what is in the inbox and what answers."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT revision FROM documents"
                " UNION SELECT published FROM documents WHERE published IS NOT NULL"
            )
            return {row[0] for row in rows}

    def alike(self, document_id: str) -> list[Document]:
        """The document and those of equal bytes, of which all but one lie in the trash."""
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM documents d WHERE revision ="  # noqa: S608
                " (SELECT revision FROM documents WHERE document_id = ?1 AND revision <> '')"
                " OR document_id = ?1",
                (document_id,),
            )
            return [document_of(row) for row in rows]

    def changes(self, since: str) -> tuple[list[Document], set[str], str]:
        """What changed, to be asked for again and again.

        Args:
            since: what the last call gave; the empty string gives everything.

        Returns:
            The documents changed since (some may be known already), the ids of all, and what to
            ask with next.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT {COLUMNS} FROM documents d WHERE updated_at >= ?"  # noqa: S608
                " AND document_id IN (SELECT document_id FROM locations) ORDER BY updated_at",
                (since,),
            ).fetchall()
            ids = connection.execute("SELECT DISTINCT document_id FROM locations")
            latest = rows[-1]["updated_at"] if rows else since
            return [document_of(row) for row in rows], {row[0] for row in ids}, latest

    def pages(self, document_id: str) -> list[Page]:
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT number, label, status, chars FROM pages WHERE document_id = ?"
                " ORDER BY number",
                (document_id,),
            )
            return [Page(**row) for row in rows]

    def locations(self) -> dict[str, Location]:
        """Every known place, by path."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT path, document_id, size_bytes, mtime_ns, ctime_ns, file_id, mount,"
                " missing, held_message IS NOT NULL AS held FROM locations"
            )
            return {
                row["path"]: Location(
                    **{**row, "missing": bool(row["missing"]), "held": bool(row["held"])}
                )
                for row in rows
            }

    # -- files come and go

    def arrive(self, source: SourceFile) -> str:
        """Take note of a file's present content; queue it where it must be read.

        Equal content elsewhere makes this one more location of that document; a changed file
        keeps its document unless the document also lies elsewhere.

        Returns:
            The document's id.
        """
        with self._arriving() as arrivals:
            return arrivals.take(source)

    def arrive_all(self, sources: Iterable[SourceFile]) -> None:
        """Take note of many files at once; names that were swapped or moved on keep their ids."""
        with self._arriving() as arrivals:
            later = []
            for source in sources:
                if arrivals.is_known(source):
                    arrivals.take(source)
                else:
                    later.append(source)
            for source in later:
                arrivals.take(source)

    def hold(self, files: Iterable[HeldFile]) -> None:
        """Mark files that can't be opened now as in use, in the ledger even if never read yet."""
        with self._arriving() as arrivals:
            for each in files:
                arrivals.hold(each)

    def miss(self, paths: Iterable[str]) -> None:
        """Mark places whose file has vanished; they still answer until `leave`."""
        with self._database.writing() as connection:
            for path in paths:
                connection.execute(
                    "UPDATE locations SET missing = 1, held_message = NULL, held_advice = NULL"
                    " WHERE path = ?",
                    (path,),
                )
                connection.execute(
                    """
                    UPDATE documents SET status = ?, updated_at = ? WHERE document_id =
                        (SELECT document_id FROM locations WHERE path = ?)
                    AND NOT EXISTS (SELECT 1 FROM locations l
                        WHERE l.document_id = documents.document_id AND l.missing = 0)
                    """,
                    (Status.MISSING, self._time(), path),
                )

    def leave(self, paths: Iterable[str]) -> None:
        """Forget places; a document that has none left is then among the `orphans`."""
        with self._database.writing() as connection, self._arriving() as arrivals:
            for path in paths:
                gone = connection.execute(
                    "DELETE FROM locations WHERE path = ? RETURNING document_id", (path,)
                ).fetchall()
                for row in gone:
                    self._touch(connection, row["document_id"])
                    arrivals.try_again(row["document_id"])

    def orphans(self) -> list[str]:
        """Documents that lie nowhere, not even in the trash; they are to be removed."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT document_id FROM documents WHERE trashed_path IS NULL AND document_id"
                " NOT IN (SELECT document_id FROM locations)"
            )
            return [row["document_id"] for row in rows]

    def trash(self, document_id: str, path: str) -> None:
        """The original now lies at ``path`` in the trash; the document leaves the ledger."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM locations WHERE document_id = ?", (document_id,))
            connection.execute("DELETE FROM jobs WHERE document_id = ?", (document_id,))
            connection.execute(
                "UPDATE documents SET trashed_path = ?, published = NULL, updated_at = ?"
                " WHERE document_id = ?",
                (path, self._time(), document_id),
            )

    def restore(self, document_id: str, source: SourceFile) -> None:
        """The document's file lies in the inbox again, to be read anew.

        A younger document of equal bytes gives its places to this one.
        """
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE locations SET document_id = ?1 WHERE document_id IN"
                " (SELECT document_id FROM documents WHERE revision = ?2 AND document_id <> ?1)",
                (document_id, source.sha256),
            )
            connection.execute(
                "UPDATE documents SET trashed_path = NULL, revision = ?, status = ?"
                " WHERE document_id = ?",
                (source.sha256, Status.MISSING, document_id),
            )
            self._arrivals(connection).settle(source, document_id)

    def drop(self, document_id: str) -> None:
        """Take a document out for good. Its passages must be gone already."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM documents WHERE document_id = ?", (document_id,))

    @contextmanager
    def _arriving(self) -> Iterator[Arrivals]:
        with self._database.writing() as connection:
            yield self._arrivals(connection)

    def _arrivals(self, connection: sqlite3.Connection) -> Arrivals:
        return Arrivals(
            connection, time=self._time(), new_id=self._new_id, media_type=media_type_of
        )

    def _touch(self, connection: sqlite3.Connection, document_id: str) -> None:
        connection.execute(
            "UPDATE documents SET updated_at = ? WHERE document_id = ?",
            (self._time(), document_id),
        )

    def _time(self) -> str:
        return iso(self._now())
