"""Which documents a question names: their paths as terms, kept in step by the database itself."""

from __future__ import annotations

import json
import math
from collections import defaultdict
from collections.abc import Sequence

from rag.catalog.database import Database


class Names:
    """Finds documents by the words of their folders and file names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def named(self, query_terms: Sequence[str]) -> dict[str, float]:
        """How much of what a query says of names each document's path holds, by document id.

        Terms count by how rare they are among paths (ln N/n); the document that holds the most
        gets 1, one without any is left out.
        """
        wanted = json.dumps(list(dict.fromkeys(query_terms)))
        with self._database.reading() as connection:
            total = connection.execute("SELECT count(*) FROM locations").fetchone()[0]
            rows = connection.execute(
                """
                SELECT n.term, l.document_id FROM json_each(?) q
                JOIN name_terms n ON n.term = q.value JOIN locations l ON l.path = n.path
                """,
                (wanted,),
            ).fetchall()
        holders: dict[str, set[str]] = defaultdict(set)
        for row in rows:
            holders[row["term"]].add(row["document_id"])
        found: dict[str, float] = defaultdict(float)
        for documents in holders.values():
            weight = math.log(total / len(documents))
            for document_id in documents:
                found[document_id] += weight
        most = max(found.values(), default=0.0)
        return {each: weight / most for each, weight in found.items() if weight} if most else {}

    def rebuild(self) -> None:
        """Take the terms of every path anew, as when terms are made in another way than before."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM name_terms")
            connection.execute(
                "INSERT INTO name_terms SELECT DISTINCT t.value, l.path"
                " FROM locations l, json_each(terms_of_name(l.path)) t"
            )
