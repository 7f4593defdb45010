"""Rows to records and back."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from datetime import datetime
from typing import Any

import numpy as np

from rag.catalog.database import Database
from rag.ports import Vectors
from rag.records import Box, Document, Failure, Locator, Passage, Reason, Status

_BATCH = 1000


def pack_locator(locator: Locator) -> str:
    """A locator as JSON, empty parts left out."""
    return json.dumps({k: v for k, v in asdict(locator).items() if v}, ensure_ascii=False)


def unpack_locator(packed: str) -> Locator:
    parts: dict[str, Any] = json.loads(packed)
    for name in ("section", "lines"):
        parts[name] = tuple(parts.get(name, ()))
    parts["boxes"] = tuple(Box(**box) for box in parts.get("boxes", ()))
    return Locator(**parts)


def pack_vector(vector: Vectors) -> bytes:
    """Little-endian float32."""
    return vector.astype("<f4").tobytes()


def unpack_vectors(blobs: Sequence[bytes]) -> Vectors:
    """Shape (n, dimension); (0, 0) of nothing."""
    if not blobs:
        return np.zeros((0, 0), dtype=np.float32)
    return np.frombuffer(b"".join(blobs), dtype="<f4").reshape(len(blobs), -1).astype(np.float32)


def vector_batches(database: Database, select: str) -> Iterator[tuple[list[str], Vectors]]:
    """Ids and vectors in batches, each read for itself, so that writers need not wait.

    Args:
        database: where to read.
        select: gives number, passage_id and vector of rows whose number is over the first value,
            in the order of number, as many as the second value says.
    """
    last = 0
    while True:
        with database.reading() as connection:
            rows = connection.execute(select, (last, _BATCH)).fetchall()
        if not rows:
            return
        last = rows[-1]["number"]
        yield [row["passage_id"] for row in rows], unpack_vectors([row["vector"] for row in rows])


def passage_of(row: sqlite3.Row) -> Passage:
    return Passage(
        passage_id=row["passage_id"],
        document_id=row["document_id"],
        ordinal=row["ordinal"],
        text=row["text"],
        context=row["context"],
        locator=unpack_locator(row["locator"]),
    )


def document_of(row: sqlite3.Row) -> Document:
    """A document from a row of documents, and what its locations tell.

    ``places`` holds its paths, oldest first; a document in the trash has none. ``held`` says why
    the file at one of them can't be opened: the document's own status stays as it was beneath.
    """
    locations: list[str] = json.loads(row["places"])
    status, failure = Status(row["status"]), None
    if row["held"]:
        status, failure = Status.QUEUED, Failure(Reason.IN_USE, *json.loads(row["held"]))
    elif row["reason"]:
        failure = Failure(Reason(row["reason"]), row["message"], row["advice"])
    path = locations[0] if locations else row["trashed_path"]
    return Document(
        document_id=row["document_id"],
        name=path.rsplit("/", 1)[-1],
        path=path,
        locations=tuple(locations),
        media_type=row["media_type"],
        size_bytes=row["size_bytes"],
        modified_at=datetime.fromisoformat(row["modified_at"]),
        revision=row["revision"],
        status=status,
        failure=failure,
        pages_total=row["pages_total"],
        pages_done=row["pages_done"],
        passages=row["passage_count"],
        flags=tuple(json.loads(row["flags"])),
        added_at=datetime.fromisoformat(row["added_at"]),
        updated_at=datetime.fromisoformat(row["updated_at"]),
        progress=row["progress"],
    )
