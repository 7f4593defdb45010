"""Vectors of another embedder, made beside those that answer until all are there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rag.catalog.database import Database
from rag.catalog.rows import pack_vector, passage_of, vector_batches
from rag.ports import Vectors
from rag.records import Passage


class Beside:
    """One vector a passage at most; it goes with its passage."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def lacking(self, *, limit: int) -> list[Passage]:
        """Passages that have none yet."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT * FROM passages WHERE number NOT IN (SELECT number FROM vectors_beside)"
                " ORDER BY number LIMIT ?",
                (limit,),
            )
            return [passage_of(row) for row in rows]

    def add(self, ids: Sequence[str], vectors: Vectors) -> None:
        """Keep the vectors of those passages that are still there."""
        with self._database.writing() as connection:
            connection.executemany(
                "INSERT OR REPLACE INTO vectors_beside"
                " SELECT number, ? FROM passages WHERE passage_id = ?",
                [(pack_vector(v), i) for i, v in zip(ids, vectors, strict=True)],
            )

    def count(self) -> int:
        with self._database.reading() as connection:
            number: int = connection.execute("SELECT count(*) FROM vectors_beside").fetchone()[0]
            return number

    def vectors(self) -> Iterator[tuple[list[str], Vectors]]:
        """All ids and vectors, in batches."""
        return vector_batches(
            self._database,
            "SELECT number, passage_id, b.vector FROM vectors_beside b"
            " JOIN passages USING (number) WHERE number > ? ORDER BY number LIMIT ?",
        )

    def adopt(self) -> None:
        """Make these the vectors that answer."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE passages SET vector = b.vector FROM vectors_beside b"
                " WHERE b.number = passages.number"
            )
            self.clear()

    def clear(self) -> None:
        with self._database.writing() as connection:
            connection.execute("DELETE FROM vectors_beside")
