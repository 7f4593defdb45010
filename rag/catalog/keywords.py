"""The keyword index: FTS5 over terms of our own making, the text itself kept elsewhere."""

from __future__ import annotations

import json
import math
import re
import sqlite3
import string
from collections.abc import Collection, Mapping, Sequence

from rag.catalog.database import Database
from rag.catalog.rows import passage_of
from rag.catalog.scopes import within
from rag.records import Passage, Scope
from rag.terms import terms

_BARE = re.compile(r"[a-z]{1,6}\d{4,}[a-z]?")
_MARKS = re.compile(r"[-_./]")
_K1 = 1.2
_LEAST = 1e-6
"""SQLite's bm25(): k1, and the least a term counts, however common it is."""


class Keywords:
    """Finds passages by the terms they hold."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def as_written(self, asked: Sequence[str]) -> list[str]:
        """The terms, in place of a code without its marks (ht20310417) those of it as held."""
        with self._database.reading() as connection:
            written = [_held(connection, term) if _BARE.fullmatch(term) else [] for term in asked]
        found = zip(asked, written, strict=True)
        return list(dict.fromkeys(each for term, held in found for each in held or [term]))

    def search(self, query_terms: Sequence[str], *, limit: int, scope: Scope) -> dict[str, float]:
        """BM25 of the ``limit`` best passages that hold any of the terms, by id, best first."""
        where, values = within(scope)
        best = f"{where} ORDER BY t.rank LIMIT :limit"
        return self._ranked(query_terms, best, {**values, "limit": limit})

    def scores(self, query_terms: Sequence[str], passage_ids: Collection[str]) -> dict[str, float]:
        """BM25 of those of the passages that hold any of the terms, by id."""
        # The plus keeps SQLite from searching anew for each passage; a condition on `p`, or an
        # order, would rank every passage that holds a term: 160 ms among 100,000, this way 9.
        where = """+t.rowid IN (SELECT number FROM passages
                    WHERE passage_id IN (SELECT value FROM json_each(:ids)))"""
        return self._ranked(query_terms, where, {"ids": json.dumps(list(passage_ids))})

    def best_possible(self, query_terms: Sequence[str]) -> float:
        """What BM25 comes near to for a passage that holds all of the terms again and again."""
        total, held = self._counts(query_terms)
        return (_K1 + 1) * sum(
            max(math.log((total - held.get(term, 0) + 0.5) / (held.get(term, 0) + 0.5)), _LEAST)
            for term in dict.fromkeys(query_terms)
        )

    def rarity(self, wanted: Collection[str]) -> dict[str, float]:
        """ln(N/n) of each term among the N passages; a term that none holds is the rarest."""
        total, held = self._counts(wanted)
        return {term: math.log((total + 1) / (held.get(term, 0) + 0.5)) for term in wanted}

    def _counts(self, wanted: Collection[str]) -> tuple[int, dict[str, int]]:
        """How many passages there are, and how many hold each of the terms."""
        with self._database.reading() as connection:
            total: int = connection.execute("SELECT count(*) FROM passages").fetchone()[0]
            rows = connection.execute(
                "SELECT term, doc FROM term_counts WHERE term IN (SELECT value FROM json_each(?))",
                (json.dumps(list(wanted)),),
            )
            return total, {row["term"]: row["doc"] for row in rows}

    def holding(self, wanted: Sequence[str], scope: Scope) -> list[Passage]:
        """Every passage that holds all of the terms, in the order of documents and places."""
        if not wanted:
            return []
        where, values = within(scope)
        all_terms = " AND ".join(f'"{term}"' for term in dict.fromkeys(wanted))
        with self._database.reading() as connection:
            rows = connection.execute(
                f"""
                SELECT p.* FROM passage_terms t JOIN passages p ON p.number = t.rowid
                WHERE passage_terms MATCH :all_terms AND {where}
                  AND p.document_id IN (SELECT document_id FROM locations)
                ORDER BY p.document_id, p.ordinal
                """,  # noqa: S608 (constants)
                {**values, "all_terms": all_terms},
            )
            return [passage_of(row) for row in rows]

    def rebuild(self) -> None:
        """Fill the index anew, as when terms are made in another way than before."""
        with self._database.writing() as connection:
            connection.execute("INSERT INTO passage_terms (passage_terms) VALUES ('delete-all')")
            for row in connection.execute("SELECT * FROM passages"):
                add(connection, row["number"], passage_of(row))

    def _ranked(
        self, query_terms: Sequence[str], where: str, values: Mapping[str, object]
    ) -> dict[str, float]:
        if not query_terms:
            return {}
        any_term = " OR ".join(f'"{term}"' for term in dict.fromkeys(query_terms))
        with self._database.reading() as connection:
            rows = connection.execute(
                f"""
                SELECT p.passage_id, t.rank FROM passage_terms t
                JOIN passages p ON p.number = t.rowid
                WHERE passage_terms MATCH :any_term AND {where}
                """,  # noqa: S608 (constants)
                {**values, "any_term": any_term},
            )
            return {row["passage_id"]: -row["rank"] for row in rows}


def _held(connection: sqlite3.Connection, code: str) -> list[str]:
    letters = code[: -len(code.lstrip(string.ascii_lowercase))]
    # After the letters a mark or a digit; all of them come before `.
    rows = connection.execute(
        "SELECT term FROM term_counts WHERE term >= ? AND term < ?", (letters, f"{letters}`")
    )
    alike = [row["term"] for row in rows if _MARKS.sub("", row["term"]) == code]
    return [each for held in alike for each in terms(held)]


def add(connection: sqlite3.Connection, number: int, passage: Passage) -> None:
    """Index a passage under its number in the table of passages."""
    connection.execute(
        "INSERT INTO passage_terms (rowid, terms) VALUES (?, ?)", (number, _terms_of(passage))
    )


def forget(connection: sqlite3.Connection, number: int, passage: Passage) -> None:
    """Take a passage out: a contentless index forgets only what it is told once more."""
    connection.execute(
        "INSERT INTO passage_terms (passage_terms, rowid, terms) VALUES ('delete', ?, ?)",
        (number, _terms_of(passage)),
    )


def _terms_of(passage: Passage) -> str:
    return " ".join(terms(passage.embedded_text))
