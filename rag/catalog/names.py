"""Which documents a question names: their paths as terms, kept in step by the database itself."""

from __future__ import annotations

import json
import math
import sqlite3
from collections import defaultdict
from collections.abc import Mapping, Sequence

from rag.catalog.database import Database
from rag.terms import codes

Holders = Mapping[str, set[str]]
"""Terms of the query, each with the ids of the documents whose path holds it."""

_OWN = 0.7
"""Of the passages that hold a word, the share in documents called so that makes it their name.

"Health" in "What does Northwind Health cover?" names no document of a health insurer, though one
of them is called "Health Plus" (half of the passages; "Plus" 99 %). ADR 0016.
"""


class Names:
    """Finds documents by the words of their folders and file names."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def named(self, query_terms: Sequence[str]) -> dict[str, float]:
        """How much of what a query says of names each document's path holds, by document id.

        Words that stand elsewhere, too, name nothing, unless the query is all name. Terms count by
        how rare they are among paths (ln N/n); the document that holds the most gets 1, one
        without any is left out.
        """
        asked = list(dict.fromkeys(query_terms))
        with self._database.reading() as connection:
            total = connection.execute("SELECT count(*) FROM locations").fetchone()[0]
            holders = _holders(connection, asked)
            if not holders:
                return {}
            if not set.intersection(*(holders.get(term, set()) for term in asked)):
                holders = _telling(connection, holders)
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


def _holders(connection: sqlite3.Connection, asked: Sequence[str]) -> Holders:
    rows = connection.execute(
        """
        SELECT n.term, l.document_id FROM json_each(?) q
        JOIN name_terms n ON n.term = q.value JOIN locations l ON l.path = n.path
        """,
        (json.dumps(asked),),
    )
    holders: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        holders[row["term"]].add(row["document_id"])
    return holders


def _telling(connection: sqlite3.Connection, holders: Holders) -> Holders:
    """Those terms that stand in the documents called so and hardly elsewhere, and all codes."""
    held = dict(
        connection.execute(
            "SELECT term, doc FROM term_counts WHERE term IN (SELECT value FROM json_each(?))",
            (json.dumps(list(holders)),),
        ).fetchall()
    )
    sizes = dict(
        connection.execute(
            """
            SELECT document_id, count(*) FROM passages
            WHERE document_id IN (SELECT value FROM json_each(?)) GROUP BY document_id
            """,
            (json.dumps(list(set().union(*holders.values()))),),
        ).fetchall()
    )
    return {
        term: documents
        for term, documents in holders.items()
        # Their passages all hold it in their context.
        if sum(sizes.get(each, 0) for each in documents) >= _OWN * held.get(term, 0)
        or codes([term])
    }
