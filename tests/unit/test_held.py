"""FIELD_CASES 27: what can't be opened now stands in the ledger as in use, and is tried again."""

from __future__ import annotations

import errno
import io
import os
from collections.abc import Callable
from pathlib import Path
from typing import IO, Any

import pytest
from desk import Desk, Put

from ingest.folder import Seen, walk
from ingest.scanner import Scanner
from rag.catalog import Chosen
from rag.files import Stamp
from rag.records import Reason, Scope, Status
from rag.terms import terms

Refuse = Callable[[str, OSError | None], None]


@pytest.fixture
def refuse(monkeypatch: pytest.MonkeyPatch) -> Refuse:
    """Makes opening a file of that name fail so, or work again (None)."""
    faults: dict[str, OSError] = {}

    def open_(path: Path, mode: str, **how: Any) -> IO[bytes]:
        if path.name in faults:
            raise faults[path.name]
        return io.open(path, mode, **how)  # noqa: UP020 (the built-in one is replaced)

    def set_fault(name: str, fault: OSError | None) -> None:
        if fault is None:
            del faults[name]
        else:
            faults[name] = fault

    monkeypatch.setattr("ingest.folder.open", open_, raising=False)
    return set_fault


@pytest.fixture
def clock() -> list[float]:
    return [0.0]


@pytest.fixture
def patient(inbox: Path, desk: Desk, clock: list[float]) -> Scanner:
    return Scanner(inbox, desk.catalog, desk.index, settle_s=0, clock=lambda: clock[0])


def sharing_violation() -> OSError:
    """What Windows says of a file that Word has open."""
    fault = PermissionError(errno.EACCES, "in use")
    fault.winerror = 32  # type: ignore[attr-defined]
    return fault


@pytest.mark.parametrize(
    "fault",
    [
        sharing_violation(),
        OSError(errno.EBUSY, "Device or resource busy"),
        OSError(errno.EIO, "Input/output error"),
    ],
    ids=["sharing", "busy", "io"],
)
def test_a_file_never_opened_is_in_the_ledger_as_in_use(
    patient: Scanner, desk: Desk, put: Put, refuse: Refuse, clock: list[float], fault: OSError
) -> None:
    put("合同/a.docx", "one")
    refuse("a.docx", fault)
    scan = patient.scan()
    assert (scan.held, scan.arrived) == (("合同/a.docx",), ())
    document = desk.at("合同/a.docx")
    assert (document.status, document.revision) == (Status.QUEUED, "")
    assert document.failure is not None
    assert document.failure.code is Reason.IN_USE
    assert "a.docx" in document.failure.message
    assert document.failure.advice
    assert desk.catalog.ledger.documents(Chosen(status=Status.QUEUED))[1] == 1
    assert desk.catalog.jobs.claim() is None, "there is nothing to read yet"

    refuse("a.docx", None)
    clock[0] += 2.0
    assert patient.scan().arrived == ("合同/a.docx",)
    assert desk.read_all() == ["合同/a.docx"]
    read = desk.at("合同/a.docx")
    assert (read.document_id, read.status, read.failure) == (
        document.document_id, Status.READY, None,
    )  # fmt: skip


def test_tries_grow_rarer_up_to_a_minute_and_start_anew_when_the_file_changes(
    patient: Scanner, put: Put, refuse: Refuse, clock: list[float]
) -> None:
    put("a.docx", "one")
    refuse("a.docx", PermissionError(errno.EACCES, "in use"))
    delays = []
    for _ in range(8):
        delay = patient.scan().retry_in_s
        assert delay is not None
        delays.append(delay)
        clock[0] += delay
    assert delays == [2, 4, 8, 16, 32, 60, 60, 60]
    clock[0] += 30  # in the middle of a wait of 60 s
    put("a.docx", "one and more")
    refuse("a.docx", None)
    assert patient.scan().arrived == ("a.docx",)


def test_a_file_in_use_at_the_stop_is_tried_at_the_next_start(
    inbox: Path, desk: Desk, put: Put, refuse: Refuse
) -> None:
    put("a.docx", "one")
    refuse("a.docx", PermissionError(errno.EACCES, "in use"))
    Scanner(inbox, desk.catalog, desk.index, settle_s=0).scan()
    refuse("a.docx", None)
    assert Scanner(inbox, desk.catalog, desk.index, settle_s=0).scan().arrived == ("a.docx",)


def test_when_it_turns_out_to_be_a_copy_it_joins_the_other(
    patient: Scanner, desk: Desk, put: Put, refuse: Refuse, clock: list[float]
) -> None:
    put("a.docx", "one")
    put("z.docx", "one")
    refuse("z.docx", PermissionError(errno.EACCES, "in use"))
    patient.scan()
    desk.read_all()
    assert len(desk.statuses()) == 2
    first = desk.at("a.docx").document_id
    refuse("z.docx", None)
    clock[0] += 2
    patient.scan()
    (document,), total = desk.catalog.ledger.documents()
    assert (document.document_id, document.locations) == (first, ("a.docx", "z.docx"))
    assert (total, document.status, desk.catalog.ledger.orphans()) == (1, Status.READY, [])
    assert desk.read_all() == []


def test_a_known_document_goes_on_answering_while_its_file_is_in_use(
    patient: Scanner, desk: Desk, put: Put, refuse: Refuse, clock: list[float]
) -> None:
    file = put("a.docx", "one")
    patient.scan()
    desk.read_all()
    before, embedded = desk.at("a.docx"), desk.embedder.embedded
    refuse("a.docx", PermissionError(errno.EACCES, "in use"))
    os.utime(file, ns=(1, 1))
    patient.scan()
    held = desk.at("a.docx")
    assert (held.status, held.revision) == (Status.QUEUED, before.revision)
    assert held.failure is not None
    assert desk.catalog.keywords.search(terms("text"), limit=5, scope=Scope())

    refuse("a.docx", None)
    clock[0] += 2
    patient.scan()
    back = desk.at("a.docx")
    assert (back.status, back.failure, back.document_id) == (
        Status.READY, None, before.document_id,
    )  # fmt: skip
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)


def test_a_file_saved_while_in_use_is_read_once_it_opens(
    patient: Scanner, desk: Desk, put: Put, refuse: Refuse, clock: list[float]
) -> None:
    put("a.docx", "one")
    patient.scan()
    desk.read_all()
    first = desk.at("a.docx")
    put("a.docx", "two, longer")
    refuse("a.docx", PermissionError(errno.EACCES, "in use"))
    patient.scan()
    refuse("a.docx", None)
    clock[0] += 2
    patient.scan()
    assert desk.read_all() == ["a.docx"]
    assert desk.at("a.docx").document_id == first.document_id
    assert desk.at("a.docx").revision != first.revision


def test_a_file_in_use_that_is_deleted_leaves_the_ledger(
    patient: Scanner, desk: Desk, put: Put, refuse: Refuse, clock: list[float]
) -> None:
    file = put("a.docx", "one")
    refuse("a.docx", PermissionError(errno.EACCES, "in use"))
    patient.scan()
    file.unlink()
    patient.scan()
    assert desk.statuses() == {"a.docx": Status.MISSING}
    patient.scan()
    assert desk.statuses() == {}


def test_a_lock_file_beside_it_is_no_document(patient: Scanner, desk: Desk, put: Put) -> None:
    put("~$合同.docx", "x" * 162)
    for name in ("Template.docx", "temperature.xlsx", "临时.docx"):
        put(name, name)
    patient.scan()
    assert sorted(desk.read_all()) == ["Template.docx", "temperature.xlsx", "临时.docx"]


def test_content_that_is_in_the_cloud_only_is_not_downloaded(
    patient: Scanner, desk: Desk, put: Put, refuse: Refuse, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.docx", "one")
    patient.scan()
    desk.read_all()
    put("b.docx", "two")
    put(".c.docx.icloud", "how macOS marks what it moved away")
    for name in ("a.docx", "b.docx", ".c.docx.icloud"):
        refuse(name, AssertionError("opened"))  # type: ignore[arg-type]
    monkeypatch.setattr("ingest.folder._is_elsewhere", lambda stat: True)
    patient.scan()
    assert desk.at("a.docx").status is Status.READY, "what was read of it is still the same"
    for path in ("b.docx", "c.docx"):
        failure = desk.at(path).failure
        assert failure is not None
        assert "cloud only" in failure.message


def test_a_folder_that_can_not_be_opened_is_told_and_nothing_below_is_deleted(
    scanner: Scanner, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("open/a.pdf", "one")
    put("shut/b.pdf", "two")
    scanner.scan()
    desk.read_all()
    real = os.scandir

    def scandir(path: Path) -> Any:
        if Path(path).name == "shut":
            raise PermissionError(errno.EACCES, "Permission denied")
        return real(path)

    monkeypatch.setattr("os.scandir", scandir)
    for _ in range(3):
        scan = scanner.scan()
    (problem,) = scan.problems
    assert (problem.path, scan.left, scan.unsettled) == ("shut", (), ())
    assert "Permission denied" in problem.message
    assert set(desk.statuses().values()) == {Status.READY}


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such names")
def test_a_name_that_is_no_text_is_told(scanner: Scanner, inbox: Path) -> None:
    (Path(os.fsdecode(os.fsencode(inbox) + b"/\xb2\xe2.txt"))).write_text("one")
    scan = scanner.scan()
    (problem,) = scan.problems
    assert (problem.path, scan.arrived) == ("??.txt", ())
    assert "Rename" in problem.advice


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes in folders here")
def test_pipes_and_sockets_are_never_opened(scanner: Scanner, inbox: Path) -> None:
    os.mkfifo(inbox / "a.pdf")  # opening it would wait for ever
    scan = scanner.scan()
    assert [problem.path for problem in scan.problems] == ["a.pdf"]
    assert (scan.arrived, scan.unsettled) == ((), ())


def test_a_file_that_became_a_pipe_between_the_looks_is_not_waited_for(
    inbox: Path, desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    os.mkfifo(inbox / "a.pdf")
    found = walk(inbox)
    stat = (inbox / "a.pdf").stat()
    files = {"a.pdf": Seen(Stamp(0, stat.st_mtime_ns, stat.st_ctime_ns, str(stat.st_ino)))}
    monkeypatch.setattr("ingest.scanner.walk", lambda _: type(found)(files, (), frozenset(), ()))
    assert Scanner(inbox, desk.catalog, desk.index, settle_s=0).scan().arrived == ()
