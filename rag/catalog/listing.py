"""The ledger as people look through it: chosen by folder, name and status, ordered and counted."""

from __future__ import annotations

import sqlite3
from dataclasses import dataclass
from typing import Literal

from rag.catalog.rows import document_of
from rag.catalog.scopes import as_place, lies_at
from rag.records import Document, Status

Order = Literal["path", "name", "newest", "status"]

COLUMNS = """
    d.*, (SELECT count(*) FROM passages p WHERE p.document_id = d.document_id) AS passage_count,
    (SELECT json_group_array(path) FROM (SELECT path FROM locations o
     WHERE o.document_id = d.document_id ORDER BY o.added_at, o.path)) AS places,
    (SELECT json_array(o.held_message, o.held_advice) FROM locations o
     WHERE o.document_id = d.document_id AND o.held_message IS NOT NULL LIMIT 1) AS held
"""
# A file that can't be opened waits, whatever became of it before: see `document_of`.
_CHOSEN = f"""
    SELECT d.document_id, min(l.path) AS first_path, d.modified_at,
        iif(max(EXISTS (SELECT 1 FROM locations o WHERE o.document_id = d.document_id
            AND o.held_message IS NOT NULL)), 'queued', d.status) AS shown
    FROM documents d JOIN locations l USING (document_id)
    WHERE {lies_at("prefix")}
      AND (:words = '' OR holds_words(l.path, :words))
    GROUP BY d.document_id
"""  # noqa: S608 (constants)
# SQLite knows no last slash: what is left of it is what a trim of all other letters leaves.
_FOLDER = "rtrim({0}, replace({0}, '/', ''))"
_NAME = f"substr(first_path, length({_FOLDER.format('first_path')}) + 1)"
_ATTENTION = ("failed", "partial", "missing", "reading", "embedding", "queued", "ready")
_ORDERS: dict[Order, str] = {
    "path": "first_path",
    "name": f"{_NAME} COLLATE NOCASE, first_path",
    "newest": "modified_at DESC, first_path",
    "status": f"instr('{' '.join(_ATTENTION)}', shown), first_path",
}


@dataclass(frozen=True, slots=True)
class Chosen:
    """Which documents, and in what order.

    Attributes:
        status: only those.
        path_prefix: those with a location in this folder, however deep, or that is this file.
        words: those with a location that holds each of these, however they are written.
        order: ``status`` puts first what needs somebody.
    """

    status: Status | None = None
    path_prefix: str = ""
    words: str = ""
    order: Order = "path"


@dataclass(frozen=True, slots=True)
class Folder:
    """A folder of the inbox (``""`` for itself), and how many documents lie in it directly."""

    path: str
    documents: int


def listed(
    connection: sqlite3.Connection, chosen: Chosen, *, limit: int, offset: int
) -> tuple[list[Document], int]:
    """A stretch of the chosen documents, and how many there are in all."""
    given = {**_given(chosen), "status": chosen.status, "limit": limit, "offset": offset}
    of_status = f"SELECT * FROM ({_CHOSEN}) WHERE :status IS NULL OR shown = :status"  # noqa: S608
    total: int = connection.execute(
        f"SELECT count(*) FROM ({of_status})",  # noqa: S608
        given,
    ).fetchone()[0]
    order = _ORDERS[chosen.order]
    rows = connection.execute(
        f"""
        SELECT {COLUMNS} FROM
            (SELECT *, row_number() OVER (ORDER BY {order}) AS place
             FROM ({of_status}) ORDER BY place LIMIT :limit OFFSET :offset) chosen
        JOIN documents d USING (document_id) ORDER BY place
        """,  # noqa: S608 (constants)
        given,
    )
    return [document_of(row) for row in rows], total


def counted(connection: sqlite3.Connection, chosen: Chosen) -> dict[str, int]:
    """How many of the chosen have which status; the chosen status itself counts for nothing."""
    rows = connection.execute(
        f"SELECT shown, count(*) FROM ({_CHOSEN}) GROUP BY shown",  # noqa: S608
        _given(chosen),
    )
    return dict(rows.fetchall())


def folders(connection: sqlite3.Connection) -> list[Folder]:
    """All folders that hold documents, in order."""
    folder = _FOLDER.format("path")
    rows = connection.execute(
        f"SELECT rtrim({folder}, '/') AS path, count(DISTINCT document_id) AS documents"  # noqa: S608
        " FROM locations GROUP BY 1 ORDER BY 1"
    )
    return [Folder(**row) for row in rows]


def _given(chosen: Chosen) -> dict[str, str]:
    return {"prefix": as_place(chosen.path_prefix), "words": chosen.words.strip()}
