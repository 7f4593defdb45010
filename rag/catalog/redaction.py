"""Answers whose source was erased: the question stays, what was said does not."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Collection
from datetime import datetime
from typing import Any

_KEPT = frozenset(
    {
        "conversation_id",
        "finish_reason",
        "mode",
        "refused",
        "scope",
        "timings",
        "usage",
    }
)
"""Parts of an answer that hold no text of a document; whatever else there is, is emptied."""


def redact(connection: sqlite3.Connection, document_ids: Collection[str], at: datetime) -> int:
    """Empty every kept answer that drew on these documents; returns how many.

    That is one that cites or found them, and all that followed it in its conversation: a model is
    given what was said before, and may have said it again.
    """
    rows = connection.execute(
        """
        SELECT later.message_id, later.question, later.answer FROM messages later
        WHERE later.at >= (
            SELECT min(first.at) FROM messages first
            WHERE first.conversation_id = later.conversation_id
            AND EXISTS (SELECT 1 FROM json_each(?) WHERE instr(first.answer, value))
        )
        """,
        (json.dumps(list(document_ids)),),
    ).fetchall()
    for row in rows:
        _rewrite(connection, row["message_id"], emptied_answer(row, at))
    return len(rows)


def emptied_answer(message: sqlite3.Row | dict[str, Any], at: datetime) -> dict[str, Any]:
    """The answer object without anything a document said."""
    given = message["answer"]
    answer: dict[str, Any] = json.loads(given) if isinstance(given, str) else given
    told = f"Removed on {at.date().isoformat()}, because its source was erased."
    empty = {
        name: value if name in _KEPT or value is None else type(value)()
        for name, value in answer.items()
    }
    return {
        **empty,
        "answer": told,
        "question_used": message["question"],
        "warnings": [{"code": "erased", "detail": told}],
    }


def uses_erased(connection: sqlite3.Connection, answer: dict[str, Any]) -> bool:
    """Whether an answer quotes what was erased while it was made."""
    row = connection.execute(
        "SELECT 1 FROM erasures WHERE instr(?, document_id)", (json.dumps(answer),)
    ).fetchone()
    return row is not None


def _rewrite(connection: sqlite3.Connection, message_id: str, answer: dict[str, Any]) -> None:
    connection.execute(
        "UPDATE messages SET answer = ? WHERE message_id = ?",
        (json.dumps(answer, ensure_ascii=False), message_id),
    )
