"""The tables of documents as data: headers and typed rows, for questions about all of them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from rag.catalog.database import Database
from rag.catalog.rows import pack_locator, unpack_locator
from rag.catalog.scopes import within
from rag.cells import cell_range
from rag.columns import pack_columns, pack_marks, unpack_columns, unpack_marks
from rag.excerpt import Window
from rag.placing import Placing
from rag.records import Locator, Passage, Scope
from rag.tabular import Table, TableRow

_BATCH = 1000


@dataclass(frozen=True, slots=True)
class TableEntry:
    """A table in the catalogue, its rows left there; see `Tables.rows`."""

    table_id: int
    document_id: str
    path: str
    title: str
    locator: Locator
    header: tuple[str, ...]
    row_count: int
    unit: str
    units: tuple[str, ...]
    hidden_columns: tuple[int, ...]


class Tables:
    """Tables of published documents; changes happen within the caller's transaction, if any."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def replace(
        self, document_id: str, tables: Sequence[Table], passages: Sequence[Passage]
    ) -> None:
        """Put a document's new tables in the place of its old ones.

        Args:
            document_id: whose they are.
            tables: the new ones, in order.
            passages: all of the document's, to tell in which of them each row stands.
        """
        placing = Placing(passages)
        with self._database.writing() as connection:
            self.remove(document_id)
            for ordinal, table in enumerate(tables):
                _add(connection, document_id, ordinal, table, placing)

    def remove(self, document_id: str) -> None:
        """Take a document's tables out, rows and all."""
        with self._database.writing() as connection:
            connection.execute("DELETE FROM tables WHERE document_id = ?", (document_id,))

    def find(self, scope: Scope | None = None) -> list[TableEntry]:
        """The tables of all documents in the inbox, or of those within ``scope``, by path."""
        where, values = within(scope or Scope())
        with self._database.reading() as connection:
            rows = connection.execute(
                f"""
                SELECT p.*, min(l.path) AS path FROM tables p JOIN locations l USING (document_id)
                WHERE {where} GROUP BY p.table_id ORDER BY path, p.document_id, p.ordinal
                """,  # noqa: S608 (constants)
                values,
            )
            return [_entry(row) for row in rows]

    def rows(self, table_id: int) -> Iterator[TableRow]:
        """The rows of a table in order, read in batches; none once it is replaced or removed."""
        last = -1
        while True:
            with self._database.reading() as connection:
                rows = connection.execute(
                    "SELECT * FROM table_rows"
                    " WHERE table_id = ? AND number > ? ORDER BY number LIMIT ?",
                    (table_id, last, _BATCH),
                ).fetchall()
            for row in rows:
                yield _row(row)
            if len(rows) < _BATCH:
                return
            last = rows[-1]["number"]

    def passage_ids(self, table_id: int, numbers: Sequence[int]) -> dict[int, str]:
        """The ids of the passages that rows stand in, by the rows' numbers, counted from 0.

        A row that is said in no passage is left out.
        """
        with self._database.reading() as connection:
            rows = connection.execute(
                """
                SELECT r.number, p.passage_id FROM tables t
                JOIN table_rows r USING (table_id)
                JOIN passages p ON p.document_id = t.document_id AND p.ordinal = r.ordinal
                WHERE t.table_id = ? AND r.number IN (SELECT value FROM json_each(?))
                """,
                (table_id, json.dumps(list(numbers))),
            )
            return {row["number"]: row["passage_id"] for row in rows}

    def around(self, passage: Passage, *, reach: int) -> Window | None:
        """The rows of a sheet that a passage stands in, with ``reach`` more on each side.

        None where it stands in no table whose rows have addresses.
        """
        wanted = _rows_of(passage.locator)
        with self._database.reading() as connection:
            row = connection.execute(
                """
                SELECT t.*, min(r.number) AS first, max(r.number) AS last
                FROM tables t JOIN table_rows r USING (table_id)
                WHERE t.document_id = ? AND json_extract(t.locator, '$.sheet') = ?
                  AND r.cells IN (SELECT value FROM json_each(?))
                GROUP BY t.table_id ORDER BY count(*) DESC LIMIT 1
                """,
                (passage.document_id, passage.locator.sheet, json.dumps(wanted)),
            ).fetchone()
            if row is None:
                return None
            first = max(row["first"] - reach, 0)
            rows = connection.execute(
                "SELECT * FROM table_rows WHERE table_id = ?"
                " AND number BETWEEN ? AND ? ORDER BY number",
                (row["table_id"], first, row["last"] + reach),
            ).fetchall()
            table = Table(
                title=row["title"],
                locator=unpack_locator(row["locator"]),
                header=tuple(json.loads(row["header"])),
                rows=tuple(map(_row, rows)),
                hidden_columns=tuple(json.loads(row["hidden_columns"])),
            )
            return Window(table, above=first, below=row["row_count"] - first - len(rows))


def _rows_of(place: Locator) -> list[str]:
    """The ranges of the single rows at a place on a sheet."""
    whole = cell_range(place.cells)
    if place.lines or whole is None:
        return list(place.lines)
    last = min(whole.bottom, whole.top + _BATCH)
    return [replace(whole, top=at, bottom=at).label for at in range(whole.top, last + 1)]


def _add(
    connection: sqlite3.Connection,
    document_id: str,
    ordinal: int,
    table: Table,
    placing: Placing,
) -> None:
    table_id = connection.execute(
        """
        INSERT INTO tables (document_id, ordinal, title, locator, header, row_count, unit, units,
            hidden_columns)
        VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
        """,
        (
            document_id,
            ordinal,
            table.title,
            pack_locator(table.locator),
            json.dumps(table.header, ensure_ascii=False),
            len(table.rows),
            table.unit,
            json.dumps(table.units, ensure_ascii=False),
            json.dumps(table.hidden_columns),
        ),
    ).lastrowid
    connection.executemany(
        "INSERT INTO table_rows (table_id, number, cells, columns, marks, page, ordinal)"
        " VALUES (?, ?, ?, ?, ?, ?, ?)",
        (
            (table_id, number, row.cells, pack_columns(row), pack_marks(row), row.page, at)
            for number, (row, at) in enumerate(
                zip(table.rows, placing.ordinals(table), strict=True)
            )
        ),
    )


def _row(row: sqlite3.Row) -> TableRow:
    return unpack_columns(row["cells"], row["columns"], unpack_marks(row["marks"]), row["page"])


def _entry(row: sqlite3.Row) -> TableEntry:
    return TableEntry(
        table_id=row["table_id"],
        document_id=row["document_id"],
        path=row["path"],
        title=row["title"],
        locator=unpack_locator(row["locator"]),
        header=tuple(json.loads(row["header"])),
        row_count=row["row_count"],
        unit=row["unit"],
        units=tuple(json.loads(row["units"])),
        hidden_columns=tuple(json.loads(row["hidden_columns"])),
    )
