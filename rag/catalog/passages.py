"""Passages with their vectors."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from itertools import takewhile

from rag.catalog import keywords
from rag.catalog.database import Database
from rag.catalog.rows import (
    pack_locator,
    pack_vector,
    passage_of,
    unpack_vectors,
    vector_batches,
)
from rag.catalog.scopes import within
from rag.ports import Vectors
from rag.records import Passage, Scope


class Passages:
    """The text that answers; every change happens within the caller's transaction, if any."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def replace(self, document_id: str, passages: Sequence[Passage], vectors: Vectors) -> list[str]:
        """Put a document's new passages in the place of its old ones.

        Args:
            document_id: whose they are.
            passages: the new ones, in order.
            vectors: one a passage, shape (n, dimension).

        Returns:
            The ids of the old ones.
        """
        with self._database.writing() as connection:
            old = self._remove(connection, document_id)
            for passage, vector in zip(passages, vectors, strict=True):
                self._add(connection, passage, vector)
            return old

    def remove(self, document_id: str) -> list[str]:
        """Take a document's passages out; returns their ids."""
        with self._database.writing() as connection:
            return self._remove(connection, document_id)

    def get(self, passage_ids: Sequence[str]) -> dict[str, tuple[Passage, tuple[str, ...]]]:
        """The passages that still answer, by id, with their documents' places, oldest first."""
        with self._database.reading() as connection:
            rows = connection.execute(
                """
                SELECT p.*, (SELECT json_group_array(path) FROM (SELECT path FROM locations o
                    WHERE o.document_id = p.document_id ORDER BY o.added_at, o.path)) AS places
                FROM json_each(?) wanted JOIN passages p ON p.passage_id = wanted.value
                WHERE p.document_id IN (SELECT document_id FROM locations)
                """,
                (json.dumps(list(passage_ids)),),
            )
            return {
                row["passage_id"]: (passage_of(row), tuple(json.loads(row["places"])))
                for row in rows
            }

    def around(self, passage: Passage, *, reach: int) -> list[Passage]:
        """The passage with up to ``reach`` neighbours on each side, in order."""
        return self.stretch(passage.document_id, passage.ordinal - reach, passage.ordinal + reach)

    def beside(self, passage: Passage, *, reach: int) -> list[Passage]:
        """The passage with what stands right beside it under the same headings, in order.

        Args:
            passage: one of the catalogue's.
            reach: how many neighbours on each side; on a sheet, of the same table.
        """
        around = self.around(passage, reach=reach)
        here = next((at for at, each in enumerate(around) if each.ordinal == passage.ordinal), None)
        if here is None:  # replaced meanwhile
            return []
        before = takewhile(lambda each: _together(each, passage), reversed(around[:here]))
        after = takewhile(lambda each: _together(each, passage), around[here + 1 :])
        return [*reversed(list(before)), around[here], *after]

    def stretch(self, document_id: str, first: int, last: int) -> list[Passage]:
        """A document's passages from ordinal ``first`` to ``last``, both included, in order."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM passages WHERE document_id = ? AND ordinal BETWEEN ? AND ?"
                " ORDER BY ordinal",
                (document_id, first, last),
            )
            return [passage_of(row) for row in rows]

    def ids(self, scope: Scope | None = None) -> list[str]:
        """Ids of all passages, or of those within ``scope``."""
        where, values = within(scope or Scope())
        with self._database.reading() as connection:
            rows = connection.execute(
                f"SELECT p.passage_id FROM passages p WHERE {where}",  # noqa: S608 (constants)
                values,
            )
            return [row["passage_id"] for row in rows]

    def count(self, scope: Scope | None = None) -> int:
        """How many there are, in all or within ``scope``."""
        where, values = within(scope or Scope())
        with self._database.reading() as connection:
            counted = connection.execute(
                f"SELECT count(*) FROM passages p WHERE {where}",  # noqa: S608 (constants)
                values,
            )
            number: int = counted.fetchone()[0]
            return number

    def vectors_within(self, scope: Scope) -> tuple[list[str], Vectors]:
        """Ids and vectors, shape (n, dimension), of the passages in ``scope`` that have one."""
        where, values = within(scope)
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT p.passage_id, p.vector FROM passages p"  # noqa: S608 (constants)
                f" WHERE length(p.vector) > 0 AND {where}",
                values,
            ).fetchall()
        return [row["passage_id"] for row in rows], unpack_vectors([row["vector"] for row in rows])

    def vectors(self) -> Iterator[tuple[list[str], Vectors]]:
        """All ids and vectors, in batches; passages that have none yet are left out."""
        return vector_batches(
            self._database,
            "SELECT number, passage_id, vector FROM passages WHERE number > ?"
            " AND length(vector) > 0 ORDER BY number LIMIT ?",
        )

    def vectors_of(self, passage_ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those of the passages that have one, each of shape (dimension,), by id."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT passage_id, vector FROM passages WHERE length(vector) > 0"
                " AND passage_id IN (SELECT value FROM json_each(?))",
                (json.dumps(list(passage_ids)),),
            ).fetchall()
        return {row["passage_id"]: unpack_vectors([row["vector"]])[0] for row in rows}

    def without_vectors(self) -> list[str]:
        """Documents with passages published while the embedder was being changed."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT DISTINCT document_id FROM passages WHERE length(vector) = 0"
            )
            return [row["document_id"] for row in rows]

    def _remove(self, connection: sqlite3.Connection, document_id: str) -> list[str]:
        rows = connection.execute(
            "SELECT * FROM passages WHERE document_id = ?", (document_id,)
        ).fetchall()
        for row in rows:
            keywords.forget(connection, row["number"], passage_of(row))
        connection.execute("DELETE FROM passages WHERE document_id = ?", (document_id,))
        return [row["passage_id"] for row in rows]

    @staticmethod
    def _add(connection: sqlite3.Connection, passage: Passage, vector: Vectors) -> None:
        number = connection.execute(
            """
            INSERT INTO passages (passage_id, document_id, ordinal, text, context, locator, vector)
            VALUES (?, ?, ?, ?, ?, ?, ?) RETURNING number
            """,
            (
                passage.passage_id,
                passage.document_id,
                passage.ordinal,
                passage.text,
                passage.context,
                pack_locator(passage.locator),
                pack_vector(vector),
            ),
        ).fetchone()[0]
        keywords.add(connection, number, passage)


def _together(one: Passage, other: Passage) -> bool:
    """Whether two passages stand under the same headings, on the same sheet or slide."""
    here, there = one.locator, other.locator
    return (here.sheet, here.slide, here.section) == (there.sheet, there.slide, there.section)
