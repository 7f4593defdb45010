"""How jobs end, whatever their file or the child does. FIELD_CASES 27 and 28."""

from __future__ import annotations

import contextlib
import threading
import time
from collections.abc import Callable

import pytest
from desk import Desk

from ingest.failures import Unreadable
from ingest.telling import Heard, Superseded, unheard
from ingest.worker import Worker
from rag.errors import DiskFull, Unavailable
from rag.records import Advance, Document, Failure, Job, Reason, Status


class Scripted:
    """A pipeline that does as it is told, once a job."""

    def __init__(self, *endings: Exception | Callable[[Job], int]) -> None:
        self._endings = list(endings)

    def run(self, job: Job, *, progress: Heard = unheard) -> int:
        ending = self._endings.pop(0)
        if isinstance(ending, Exception):
            raise ending
        return ending(job)

    def close(self) -> None:
        """Nothing to end."""


def failure(code: Reason) -> Unreadable:
    return Unreadable(Failure(code, "It failed.", "Try again."))


def run(desk: Desk, monkeypatch: pytest.MonkeyPatch, *endings: Exception) -> list[Document]:
    """The documents after each of the endings, the waiting time left out."""
    monkeypatch.setattr("ingest.worker._BUSY_FILE_S", 0)
    monkeypatch.setattr("ingest.worker._LOST_S", 0)
    monkeypatch.setattr("ingest.worker._NO_ROOM_S", 0)
    monkeypatch.setattr("ingest.worker._BACK_OFF", 0.0)
    worker = Worker(desk.catalog, Scripted(*endings), attempts=3)  # type: ignore[arg-type]
    document_id = desk.arrive("a.pdf", "one")
    seen = []
    while worker.step():
        seen.append(desk.catalog.ledger.document(document_id))
        if len(seen) == len(endings):
            break
    return seen


def test_a_file_at_fault_fails_at_once(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    (document,) = run(desk, monkeypatch, failure(Reason.CORRUPT))
    assert document.status is Status.FAILED


def test_a_killed_child_is_given_another_chance(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = failure(Reason.INTERNAL)
    seen = run(desk, monkeypatch, killed, killed, killed)
    assert [each.status for each in seen] == [Status.QUEUED, Status.QUEUED, Status.FAILED]
    assert seen[-1].failure is not None
    assert seen[-1].failure.code is Reason.INTERNAL


def test_what_is_not_the_files_fault_is_never_given_up(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    endings = [PermissionError(), Superseded(), DiskFull("full")] * 3
    seen = run(desk, monkeypatch, *endings)
    assert {each.status for each in seen} == {Status.QUEUED}
    assert seen[0].failure is not None
    assert seen[0].failure.code is Reason.IN_USE


def test_a_file_that_kills_the_service_again_and_again_is_given_up(desk: Desk) -> None:
    document_id = desk.arrive("a.pdf", "one")
    ran: list[Job] = []

    def killed(job: Job) -> int:
        ran.append(job)
        raise SystemExit  # no code of ours runs after a kill

    for _ in range(30):
        worker = Worker(desk.catalog, Scripted(killed), attempts=3)  # type: ignore[arg-type]
        desk.catalog.jobs.take_back(all_running=True)  # as at a start
        with contextlib.suppress(SystemExit):
            worker.step()
    document = desk.catalog.ledger.document(document_id)
    assert (document.status, len(ran)) == (Status.FAILED, 10)
    assert document.failure is not None
    assert document.failure.code is Reason.INTERNAL


def test_a_stop_in_good_order_does_not_count(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")

    def stopped(job: Job) -> int:
        worker.stop(timeout_s=0)
        raise Unavailable("Deskside is shutting down.")

    worker = Worker(desk.catalog, Scripted(stopped), attempts=3)  # type: ignore[arg-type]
    worker.step()
    assert desk.catalog.jobs.take_back(all_running=True) == 0
    job = desk.claim()
    assert (job.attempts, job.interruptions) == (1, 0)


def test_a_thread_that_hangs_is_replaced(desk: Desk) -> None:
    document_id = desk.arrive("a.pdf", "one")
    hanging, done = threading.Event(), threading.Event()

    def hangs(job: Job) -> int:
        hanging.set()
        done.wait(20)
        raise Superseded

    def fails(job: Job) -> int:
        raise failure(Reason.CORRUPT)

    worker = Worker(desk.catalog, Scripted(hangs, fails), attempts=3, lease_s=-1)  # type: ignore[arg-type]
    worker.start()
    try:
        assert hanging.wait(20)
        worker.revive()
        deadline = time.monotonic() + 20
        while desk.catalog.ledger.document(document_id).status is not Status.FAILED:
            assert time.monotonic() < deadline
            time.sleep(0.02)
    finally:
        done.set()
        worker.stop(timeout_s=5)


def test_a_computer_that_slept_is_no_thread_that_hangs(desk: Desk) -> None:
    now = [0.0]
    worker = Worker(desk.catalog, Scripted(), attempts=3, lease_s=60, clock=lambda: now[0])  # type: ignore[arg-type]
    desk.arrive("a.pdf", "one")
    job = desk.catalog.jobs.claim(lease_s=-1)
    assert job is not None
    now[0] += 8 * 3600
    worker.revive()
    now[0] += 30
    worker.revive()
    assert desk.catalog.jobs.is_current(job)
    assert desk.catalog.jobs.progress(job, Status.READING, Advance(1, 2, 0.25))
