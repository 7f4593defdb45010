"""The schema, as numbered steps; the names of the applied ones stand in a table."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable

from rag.errors import Unavailable

Step = Callable[[sqlite3.Connection], None]


def migrate(connection: sqlite3.Connection) -> None:
    """Bring the schema up to date, each step in a transaction of its own.

    Raises:
        Unavailable: the catalogue was written by a newer Deskside.
    """
    connection.execute("CREATE TABLE IF NOT EXISTS migrations (name TEXT PRIMARY KEY)")
    applied = {row[0] for row in connection.execute("SELECT name FROM migrations")}
    unknown = applied - {step.__name__ for step in STEPS}
    if unknown:
        raise Unavailable(
            "This data folder was written by a newer version of Deskside.",
            hint="Update Deskside, or point DESKSIDE_DATA at another folder.",
        )
    for step in STEPS:
        if step.__name__ not in applied:
            connection.execute("BEGIN IMMEDIATE")
            try:
                step(connection)
                connection.execute("INSERT INTO migrations VALUES (?)", (step.__name__,))
            except BaseException:
                connection.execute("ROLLBACK")
                raise
            connection.execute("COMMIT")


def m001_documents(connection: sqlite3.Connection) -> None:
    connection.execute("CREATE TABLE meta (name TEXT PRIMARY KEY, value TEXT NOT NULL)")
    # `revision` is the content the ledger speaks of, `published` the one that answers.
    connection.execute(
        """
        CREATE TABLE documents (
            document_id TEXT PRIMARY KEY,
            media_type TEXT NOT NULL,
            size_bytes INTEGER NOT NULL,
            modified_at TEXT NOT NULL,
            revision TEXT NOT NULL,
            published TEXT,
            status TEXT NOT NULL,
            reason TEXT, message TEXT, advice TEXT,
            pages_total INTEGER NOT NULL DEFAULT 0,
            pages_done INTEGER NOT NULL DEFAULT 0,
            flags TEXT NOT NULL DEFAULT '[]',
            added_at TEXT NOT NULL,
            updated_at TEXT NOT NULL,
            trashed_path TEXT
        )
        """
    )
    connection.execute("CREATE INDEX documents_revision ON documents (revision)")
    connection.execute("CREATE INDEX documents_updated ON documents (updated_at)")
    connection.execute(
        """
        CREATE TABLE locations (
            path TEXT PRIMARY KEY,
            document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
            size_bytes INTEGER NOT NULL,
            mtime_ns INTEGER NOT NULL,
            added_at TEXT NOT NULL,
            missing INTEGER NOT NULL DEFAULT 0
        )
        """
    )
    connection.execute("CREATE INDEX locations_document ON locations (document_id, added_at)")
    connection.execute(
        """
        CREATE TABLE jobs (
            job_id INTEGER PRIMARY KEY AUTOINCREMENT,
            document_id TEXT NOT NULL UNIQUE REFERENCES documents ON DELETE CASCADE,
            revision TEXT NOT NULL,
            state TEXT NOT NULL CHECK (state IN ('queued', 'running')),
            attempts INTEGER NOT NULL DEFAULT 0,
            not_before TEXT NOT NULL
        )
        """
    )


def m002_passages(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE pages (
            document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
            number INTEGER NOT NULL,
            label TEXT NOT NULL,
            status TEXT NOT NULL,
            chars INTEGER NOT NULL,
            PRIMARY KEY (document_id, number)
        ) WITHOUT ROWID
        """
    )
    connection.execute(
        """
        CREATE TABLE passages (
            number INTEGER PRIMARY KEY,
            passage_id TEXT NOT NULL UNIQUE,
            document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            text TEXT NOT NULL,
            context TEXT NOT NULL,
            locator TEXT NOT NULL,
            vector BLOB NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX passages_document ON passages (document_id, ordinal)")
    # Contentless: the text is kept once, in `passages`. Terms come from rag.terms, blank-separated.
    connection.execute(
        """
        CREATE VIRTUAL TABLE passage_terms USING fts5 (
            terms, content='', tokenize="unicode61 remove_diacritics 0 tokenchars '-_./'"
        )
        """
    )


def m003_conversations(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE conversations (
            conversation_id TEXT PRIMARY KEY,
            title TEXT NOT NULL,
            created_at TEXT NOT NULL,
            updated_at TEXT NOT NULL
        )
        """
    )
    connection.execute(
        """
        CREATE TABLE messages (
            message_id TEXT PRIMARY KEY,
            conversation_id TEXT NOT NULL REFERENCES conversations ON DELETE CASCADE,
            question TEXT NOT NULL,
            answer TEXT NOT NULL,
            at TEXT NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX messages_conversation ON messages (conversation_id, at)")


def m006_tables(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE tables (
            table_id INTEGER PRIMARY KEY,
            document_id TEXT NOT NULL REFERENCES documents ON DELETE CASCADE,
            ordinal INTEGER NOT NULL,
            title TEXT NOT NULL,
            locator TEXT NOT NULL,
            header TEXT NOT NULL,
            row_count INTEGER NOT NULL
        )
        """
    )
    connection.execute("CREATE INDEX tables_document ON tables (document_id, ordinal)")
    # The columns of a row are one JSON list (rag.columns): that takes a third of the room of
    # a line a cell, and whole-set questions read whole rows anyway.
    connection.execute(
        """
        CREATE TABLE table_rows (
            table_id INTEGER NOT NULL REFERENCES tables ON DELETE CASCADE,
            number INTEGER NOT NULL,
            cells TEXT,
            columns TEXT NOT NULL,
            PRIMARY KEY (table_id, number)
        ) WITHOUT ROWID
        """
    )


def m007_vectors_beside(connection: sqlite3.Connection) -> None:
    connection.execute(
        """
        CREATE TABLE vectors_beside (
            number INTEGER PRIMARY KEY REFERENCES passages ON DELETE CASCADE,
            vector BLOB NOT NULL
        )
        """
    )


def m005_leases(connection: sqlite3.Connection) -> None:
    # A job is its holder's until `lease_until`, and only to the last of its `claims`.
    connection.execute("ALTER TABLE jobs ADD COLUMN claims INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE jobs ADD COLUMN lease_until TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE jobs ADD COLUMN interruptions INTEGER NOT NULL DEFAULT 0")


def m004_locations(connection: sqlite3.Connection) -> None:
    # A file is read again when any of these differs; see rag.records.Stamp. `held_message` says
    # why it can't be opened now; null when it can.
    connection.execute("ALTER TABLE locations ADD COLUMN ctime_ns INTEGER NOT NULL DEFAULT 0")
    connection.execute("ALTER TABLE locations ADD COLUMN file_id TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE locations ADD COLUMN mount TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE locations ADD COLUMN held_message TEXT")
    connection.execute("ALTER TABLE locations ADD COLUMN held_advice TEXT")


def m008_turns(connection: sqlite3.Connection) -> None:
    # The next of ten thousand jobs without looking at all of them; the order is that of `claim`.
    connection.execute("CREATE INDEX jobs_turn ON jobs (state, interruptions, job_id)")


def m009_erasures(connection: sqlite3.Connection) -> None:
    connection.execute(
        "CREATE TABLE erasures (document_id TEXT PRIMARY KEY, at TEXT NOT NULL, files TEXT)"
    )


def m010_names(connection: sqlite3.Connection) -> None:
    # The terms of every path, followed by triggers, so that no change of a place is forgotten.
    connection.execute(
        """
        CREATE TABLE name_terms (
            term TEXT NOT NULL, path TEXT NOT NULL, PRIMARY KEY (term, path)
        ) WITHOUT ROWID
        """
    )
    connection.execute("CREATE INDEX name_terms_path ON name_terms (path)")
    connection.execute(
        """
        CREATE TRIGGER names_arrive AFTER INSERT ON locations BEGIN
            INSERT OR IGNORE INTO name_terms
                SELECT value, new.path FROM json_each(terms_of_name(new.path));
        END
        """
    )
    connection.execute(
        """
        CREATE TRIGGER names_leave AFTER DELETE ON locations BEGIN
            DELETE FROM name_terms WHERE path = old.path;
        END
        """
    )
    connection.execute(
        """
        CREATE TRIGGER names_move AFTER UPDATE OF path ON locations BEGIN
            DELETE FROM name_terms WHERE path = old.path;
            INSERT OR IGNORE INTO name_terms
                SELECT value, new.path FROM json_each(terms_of_name(new.path));
        END
        """
    )
    connection.execute(
        "INSERT INTO name_terms SELECT DISTINCT t.value, l.path"
        " FROM locations l, json_each(terms_of_name(l.path)) t"
    )


def m011_rarity(connection: sqlite3.Connection) -> None:
    # In how many passages each term stands.
    connection.execute("CREATE VIRTUAL TABLE term_counts USING fts5vocab (passage_terms, row)")


def m012_told_tables(connection: sqlite3.Connection) -> None:
    # What tells the rows of a table apart, and the passage each of them stands in.
    connection.execute("ALTER TABLE tables ADD COLUMN unit TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE tables ADD COLUMN units TEXT NOT NULL DEFAULT '[]'")
    connection.execute("ALTER TABLE tables ADD COLUMN hidden_columns TEXT NOT NULL DEFAULT '[]'")
    connection.execute("ALTER TABLE table_rows ADD COLUMN marks TEXT NOT NULL DEFAULT ''")
    connection.execute("ALTER TABLE table_rows ADD COLUMN page INTEGER")
    connection.execute("ALTER TABLE table_rows ADD COLUMN ordinal INTEGER")


def m013_progress(connection: sqlite3.Connection) -> None:
    connection.execute("ALTER TABLE documents ADD COLUMN progress REAL NOT NULL DEFAULT 0")
    connection.execute("UPDATE documents SET progress = 1 WHERE status IN ('ready', 'partial')")


STEPS: tuple[Step, ...] = (
    m001_documents,
    m002_passages,
    m003_conversations,
    m006_tables,
    m007_vectors_beside,
    m005_leases,
    m004_locations,
    m008_turns,
    m009_erasures,
    m010_names,
    m011_rarity,
    m012_told_tables,
    m013_progress,
)
