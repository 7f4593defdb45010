"""The durable queue: one job a document, finished together with what it publishes."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable, Iterable
from dataclasses import astuple
from datetime import UTC, datetime, timedelta

from rag.catalog.database import Database
from rag.errors import NotFound
from rag.records import Advance, Failure, Job, Page, Status

LEASE_S = 3600.0
"""Longer than a file may be read without a page more; see `parse_timeout_s`."""


def iso(moment: datetime) -> str:
    """ISO 8601 UTC, always with microseconds, so that text order is time order."""
    return moment.astimezone(UTC).isoformat(timespec="microseconds")


def enqueue(connection: sqlite3.Connection, document_id: str, revision: str, time: str) -> None:
    """Queue a document's revision, instead of any job it had."""
    connection.execute("DELETE FROM jobs WHERE document_id = ?", (document_id,))
    connection.execute(
        "INSERT INTO jobs (document_id, revision, state, not_before) VALUES (?, ?, 'queued', ?)",
        (document_id, revision, time),
    )
    set_status(connection, document_id, Status.QUEUED, time)


def set_status(
    connection: sqlite3.Connection,
    document_id: str,
    status: Status,
    time: str,
    failure: Failure | None = None,
) -> None:
    """Set a document's status and the reason for it."""
    told = (failure.code, failure.message, failure.advice) if failure else (None, None, None)
    connection.execute(
        "UPDATE documents SET status = ?, updated_at = ?, reason = ?, message = ?, advice = ?"
        " WHERE document_id = ?",
        (status, time, *told, document_id),
    )


class Jobs:
    """Hands out ingest work and takes note of how it ended.

    Args:
        now: gives the current time, UTC.
    """

    def __init__(self, database: Database, *, now: Callable[[], datetime]) -> None:
        self._database = database
        self._now = now

    def retry(self, document_id: str) -> None:
        """Queue a document again, its attempts forgotten."""
        with self._database.writing() as connection:
            row = connection.execute(
                "SELECT revision FROM documents WHERE document_id = ? AND trashed_path IS NULL",
                (document_id,),
            ).fetchone()
            if row is None:
                raise NotFound("There is no such document.", hint="It may have been deleted.")
            enqueue(connection, document_id, row["revision"], self._time())

    def claim(self, *, lease_s: float = LEASE_S) -> Job | None:
        """Take the oldest waiting job; it counts as an attempt from now on.

        Those during which the service was killed before come last.

        Args:
            lease_s: how long it is the caller's; `progress` extends it. Then it may be
                `take_back`, and what the caller still says of it counts no more.
        """
        with self._database.writing() as connection:
            row = connection.execute(
                """
                UPDATE jobs SET state = 'running', attempts = attempts + 1, claims = claims + 1,
                    lease_until = ? WHERE job_id =
                    (SELECT job_id FROM jobs WHERE state = 'queued' AND not_before <= ?
                     ORDER BY interruptions, job_id LIMIT 1)
                RETURNING job_id, document_id, revision, attempts, claims, interruptions
                """,
                (self._time(lease_s), self._time()),
            ).fetchone()
            if row is None:
                return None
            document_id = row["document_id"]
            place = connection.execute(
                "SELECT path FROM locations WHERE document_id = ? ORDER BY missing, added_at, path",
                (document_id,),
            ).fetchone()
            set_status(connection, document_id, Status.READING, self._time())
            connection.execute(
                "UPDATE documents SET pages_done = 0, progress = 0 WHERE document_id = ?",
                (document_id,),
            )
            return Job(
                job_id=row["job_id"],
                document_id=document_id,
                path=place["path"] if place else "",
                revision=row["revision"],
                attempts=row["attempts"],
                claim=row["claims"],
                interruptions=row["interruptions"],
                lease_s=lease_s,
            )

    def take_back(self, *, all_running: bool = False) -> int:
        """Let jobs wait again whose lease ran out; each was interrupted once more.

        Args:
            all_running: those with a lease, too; for the start, when their holder is dead.

        Returns:
            How many there were.
        """
        with self._database.writing() as connection:
            rows = connection.execute(
                "UPDATE jobs SET state = 'queued', attempts = attempts - 1,"
                " interruptions = interruptions + 1"
                " WHERE state = 'running' AND (? OR lease_until < ?) RETURNING document_id",
                (all_running, self._time()),
            ).fetchall()
            for row in rows:
                set_status(connection, row["document_id"], Status.QUEUED, self._time())
            return len(rows)

    def renew(self, *, lease_s: float) -> None:
        """Let every lease begin anew, as when the computer slept and nobody could work."""
        with self._database.writing() as connection:
            connection.execute(
                "UPDATE jobs SET lease_until = ? WHERE state = 'running'", (self._time(lease_s),)
            )

    def postpone(self, job: Job, *, delay_s: float, failure: Failure | None = None) -> None:
        """Let a job wait, by no fault of its own, so without counting it as an attempt."""
        self._put_back(job, delay_s=delay_s, failure=failure, counted=0)

    def retry_later(self, job: Job, *, delay_s: float) -> None:
        """Let a job that failed try once more."""
        self._put_back(job, delay_s=delay_s, failure=None, counted=1)

    def _put_back(self, job: Job, *, delay_s: float, failure: Failure | None, counted: int) -> None:
        with self._database.writing() as connection:
            held = connection.execute(
                "UPDATE jobs SET state = 'queued', not_before = ?, attempts = attempts - 1 + ?"
                " WHERE job_id = ? AND claims = ?",
                (self._time(delay_s), counted, job.job_id, job.claim),
            ).rowcount
            if held:
                set_status(connection, job.document_id, Status.QUEUED, self._time(), failure)

    def fail(self, job: Job, failure: Failure) -> None:
        """End a job without success. An earlier revision goes on answering."""
        with self._database.writing() as connection:
            ended = connection.execute(
                "DELETE FROM jobs WHERE job_id = ? AND claims = ?", (job.job_id, job.claim)
            ).rowcount
            if ended:
                set_status(connection, job.document_id, Status.FAILED, self._time(), failure)

    def progress(self, job: Job, status: Status, advance: Advance) -> bool:
        """Take note of how far the job has come, and extend the lease.

        Returns:
            False when the job is not the caller's any more; then nothing changed.
        """
        with self._database.writing() as connection:
            held = connection.execute(
                "UPDATE jobs SET lease_until = ? WHERE job_id = ? AND claims = ?",
                (self._time(job.lease_s), job.job_id, job.claim),
            ).rowcount
            if held:
                connection.execute(
                    "UPDATE documents SET status = ?, pages_done = ?, pages_total = ?,"
                    " progress = ?, updated_at = ? WHERE document_id = ?",
                    (status, *astuple(advance), self._time(), job.document_id),
                )
            return bool(held)

    def finish(
        self,
        job: Job,
        *,
        pages: Iterable[Page],
        flags: Iterable[str],
        failure: Failure | None,
    ) -> bool:
        """Within the publishing transaction: the job's revision is now the one that answers.

        Returns:
            False when the job was superseded or its document removed; publish nothing then.
        """
        with self._database.writing() as connection:
            ended = connection.execute(
                "DELETE FROM jobs WHERE job_id = ? AND revision = ? AND claims = ?",
                (job.job_id, job.revision, job.claim),
            ).rowcount
            if not ended:
                return False
            read = list(pages)
            connection.execute("DELETE FROM pages WHERE document_id = ?", (job.document_id,))
            connection.executemany(
                "INSERT INTO pages VALUES (?, ?, ?, ?, ?)",
                [(job.document_id, p.number, p.label, p.status, p.chars) for p in read],
            )
            connection.execute(
                "UPDATE documents SET published = ?, flags = ?, pages_total = ?, pages_done = ?,"
                " progress = 1 WHERE document_id = ?",
                (
                    job.revision,
                    json.dumps(list(flags)),
                    len(read),
                    sum(page.status != "unreadable" for page in read),
                    job.document_id,
                ),
            )
            status = Status.PARTIAL if failure else Status.READY
            set_status(connection, job.document_id, status, self._time(), failure)
            return True

    def is_current(self, job: Job) -> bool:
        """Whether it is neither superseded nor its document removed."""
        with self._database.reading() as connection:
            row = connection.execute(
                "SELECT 1 FROM jobs WHERE job_id = ? AND revision = ? AND claims = ?",
                (job.job_id, job.revision, job.claim),
            ).fetchone()
            return row is not None

    def waiting(self) -> tuple[int, dict[str, int]]:
        """How many documents are not read yet, and the bytes not begun, by media type."""
        with self._database.reading() as connection:
            rows = connection.execute(
                "SELECT media_type, count(*) AS number,"
                " sum(iif(state = 'queued', size_bytes, 0)) AS size_bytes"
                " FROM jobs JOIN documents USING (document_id) GROUP BY media_type"
            ).fetchall()
            return (
                sum(row["number"] for row in rows),
                {row["media_type"]: row["size_bytes"] for row in rows},
            )

    def _time(self, later_s: float = 0.0) -> str:
        return iso(self._now() + timedelta(seconds=later_s))
