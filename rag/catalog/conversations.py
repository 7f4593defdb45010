"""Questions and their answers, kept with their citations."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime
from statistics import median
from typing import Any

from rag.catalog.database import Database
from rag.catalog.jobs import iso
from rag.catalog.redaction import emptied_answer, redact, uses_erased
from rag.errors import NotFound
from rag.records import Earlier

_TITLE_CHARS = 60
_LATEST = 20
"""Answers enough for a median that one busy minute does not bend."""


@dataclass(frozen=True, slots=True)
class Conversation:
    conversation_id: str
    title: str
    created_at: datetime
    updated_at: datetime


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast the latest written answers came: medians over ``answers`` of them."""

    answers: int
    tokens_per_s: float
    first_token_ms: float


@dataclass(frozen=True, slots=True)
class Exchange:
    """One question with the answer object as it was given out."""

    message_id: str
    question: str
    answer: dict[str, Any]
    at: datetime

    @property
    def earlier(self) -> Earlier:
        """What a later question may lean on."""
        return Earlier(self.answer.get("question_used") or self.question, self.answer["answer"])


class Conversations:
    """Args: ``now`` gives the current time, UTC; ``new_id`` a random, opaque id."""

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

    def start(self, question: str) -> str:
        """Open a conversation titled by its first question; returns its id."""
        conversation_id = self._new_id()
        time = iso(self._now())
        with self._database.writing() as connection:
            connection.execute(
                "INSERT INTO conversations VALUES (?, ?, ?, ?)",
                (conversation_id, _title(question), time, time),
            )
        return conversation_id

    def add(self, conversation_id: str, *, question: str, answer: dict[str, Any]) -> None:
        """Keep one exchange; a conversation deleted meanwhile stays deleted."""
        time = iso(self._now())
        with self._database.writing() as connection:
            kept = connection.execute(
                "UPDATE conversations SET updated_at = ? WHERE conversation_id = ?",
                (time, conversation_id),
            ).rowcount
            if kept:
                if uses_erased(connection, answer):
                    answer = emptied_answer({"question": question, "answer": answer}, self._now())
                connection.execute(
                    "INSERT INTO messages VALUES (?, ?, ?, ?, ?)",
                    (
                        self._new_id(),
                        conversation_id,
                        question,
                        json.dumps(answer, ensure_ascii=False),
                        time,
                    ),
                )

    def discard_empty(self, conversation_id: str) -> None:
        """Forget a conversation in which nothing was answered."""
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM conversations WHERE conversation_id = ?1 AND NOT EXISTS"
                " (SELECT 1 FROM messages WHERE conversation_id = ?1)",
                (conversation_id,),
            )

    def sweep(self) -> None:
        """Forget what was asked when the service was killed before it could answer."""
        with self._database.writing() as connection:
            connection.execute(
                "DELETE FROM conversations"
                " WHERE conversation_id NOT IN (SELECT conversation_id FROM messages)"
            )

    def redact(self, document_ids: Collection[str]) -> int:
        """Empty every answer that quotes these documents; returns how many."""
        with self._database.writing() as connection:
            return redact(connection, document_ids, self._now())

    def mention(self, document_id: str) -> bool:
        """Whether an answer quotes that document, which may have left the ledger long ago."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT 1 FROM messages WHERE instr(answer, ?)", (document_id,)
            ).fetchone()
            return row is not None

    def speed(self, latest: int = _LATEST) -> Speed | None:
        """How fast the model wrote lately; None when it has written nothing yet."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT json_extract(answer, '$.timings.tokens_per_s') AS rate,"
                " json_extract(answer, '$.timings.first_token_ms') AS wait"
                " FROM (SELECT answer FROM messages ORDER BY rowid DESC LIMIT ?)"
                " WHERE rate > 0 AND wait > 0",
                (latest,),
            ).fetchall()
        if not rows:
            return None
        rates, waits = zip(*rows, strict=True)
        return Speed(len(rows), median(rates), median(waits))

    def all(self) -> list[Conversation]:
        """Newest first."""
        with self._database.reading() as connection:
            rows = connection.execute("SELECT * FROM conversations ORDER BY updated_at DESC")
            return [_conversation(row) for row in rows]

    def get(self, conversation_id: str) -> tuple[Conversation, list[Exchange]]:
        """One conversation with its exchanges in order.

        Raises:
            NotFound: there is no such conversation.
        """
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT * FROM conversations WHERE conversation_id = ?",
                (conversation_id,),
            ).fetchone()
            if row is None:
                raise _missing()
            exchanges = connection.execute(
                "SELECT * FROM messages WHERE conversation_id = ? ORDER BY at, rowid",
                (conversation_id,),
            )
            return _conversation(row), [
                Exchange(
                    message_id=each["message_id"],
                    question=each["question"],
                    answer=json.loads(each["answer"]),
                    at=datetime.fromisoformat(each["at"]),
                )
                for each in exchanges
            ]

    def rename(self, conversation_id: str, title: str) -> None:
        self._change(
            "UPDATE conversations SET title = ?2 WHERE conversation_id = ?1",
            conversation_id,
            title,
        )

    def delete(self, conversation_id: str) -> None:
        self._change("DELETE FROM conversations WHERE conversation_id = ?1", conversation_id)

    def _change(self, statement: str, *values: str) -> None:
        with self._database.writing() as connection:
            if not connection.execute(statement, values).rowcount:
                raise _missing()


def _title(question: str) -> str:
    """The question on one line, cut at a word where it is long."""
    line = " ".join(question.split())
    if len(line) <= _TITLE_CHARS:
        return line
    cut = line[:_TITLE_CHARS]
    return f"{cut.rsplit(' ', 1)[0] if line.isascii() else cut}…"


def _conversation(row: Any) -> Conversation:
    return Conversation(
        conversation_id=row["conversation_id"],
        title=row["title"],
        created_at=datetime.fromisoformat(row["created_at"]),
        updated_at=datetime.fromisoformat(row["updated_at"]),
    )


def _missing() -> NotFound:
    return NotFound("There is no such conversation.", hint="It may have been deleted.")
