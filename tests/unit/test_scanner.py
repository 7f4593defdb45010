"""FIELD_CASES 21, 23, 24, 27: the scan is the truth."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import Desk, Put

from ingest.folder import is_ignored, walk
from ingest.scanner import Scanner
from rag.records import Status


def test_the_same_scan_twice_changes_nothing(scanner: Scanner, desk: Desk, put: Put) -> None:
    put("a.pdf", "one")
    put("deep/er/b.docx", "two")
    assert scanner.scan().arrived == ("a.pdf", "deep/er/b.docx")
    assert desk.read_all() == ["a.pdf", "deep/er/b.docx"]
    before = desk.catalog.ledger.documents()
    again = scanner.scan()
    assert (again.arrived, again.left, again.unsettled) == ((), (), ())
    assert desk.catalog.ledger.documents() == before


@pytest.mark.parametrize(
    "name",
    ["~$合同.docx", ".DS_Store", "Thumbs.db", "x.pdf.part", "y.crdownload", ".~lock.a.docx#"],
)
def test_lock_and_system_files_are_ignored(name: str) -> None:
    assert is_ignored(name)


@pytest.mark.parametrize("name", ["Template.docx", "temperature.xlsx", "临时.docx", "~合同.docx"])
def test_names_that_only_look_temporary_are_read(name: str) -> None:
    assert not is_ignored(name)


def test_a_growing_file_waits_until_it_stands_still(inbox: Path, desk: Desk, put: Put) -> None:
    time = [0.0]
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=2.0, clock=lambda: time[0])
    for part in range(4):
        put("a.pdf", "x" * (part + 1))
        assert scanner.scan().unsettled == ("a.pdf",)
        time[0] += 1.0
    assert scanner.scan().unsettled == ("a.pdf",)
    time[0] += 1.0
    assert scanner.scan().arrived == ("a.pdf",)
    assert desk.read_all() == ["a.pdf"]


def test_a_changed_file_is_queued_under_its_id(scanner: Scanner, desk: Desk, put: Put) -> None:
    put("a.pdf", "fee 100")
    scanner.scan()
    desk.read_all()
    (before,), _ = desk.catalog.ledger.documents()
    put("a.pdf", "fee 2000")
    scanner.scan()
    assert desk.read_all() == ["a.pdf"]
    (after,), _ = desk.catalog.ledger.documents()
    assert after.document_id == before.document_id
    assert after.revision != before.revision


def test_a_vanished_file_is_missing_then_gone(scanner: Scanner, desk: Desk, put: Put) -> None:
    file = put("a.pdf", "one")
    scanner.scan()
    desk.read_all()
    file.unlink()
    assert scanner.scan().unsettled == ("a.pdf",)
    assert desk.statuses() == {"a.pdf": Status.MISSING}
    assert scanner.scan().left == ("a.pdf",)
    assert desk.statuses() == {}
    assert desk.store.ids() == set()


def test_a_renamed_file_keeps_document_and_vectors(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path
) -> None:
    file = put("a.pdf", "one")
    scanner.scan()
    desk.read_all()
    (before,), _ = desk.catalog.ledger.documents()
    embedded = desk.embedder.embedded
    file.rename(inbox / "新名.pdf")
    scanner.scan()
    (after,), _ = desk.catalog.ledger.documents()
    assert (after.document_id, after.path) == (before.document_id, "新名.pdf")
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)


def test_an_inbox_that_is_gone_deletes_nothing(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path
) -> None:
    for number in range(10):
        put(f"{number}.pdf", str(number))
    scanner.scan()
    desk.read_all()
    embedded = desk.embedder.embedded
    away = inbox.rename(inbox.with_name("away"))
    for _ in range(3):
        assert scanner.scan().reachable is False
    inbox.mkdir()  # an empty mount point
    for _ in range(3):
        assert scanner.scan().held_back == 10
    assert set(desk.statuses().values()) == {Status.READY}
    inbox.rmdir()
    away.rename(inbox)
    assert scanner.scan().reachable
    assert (len(desk.statuses()), desk.embedder.embedded) == (10, embedded)


def test_a_mass_deletion_is_carried_out_when_accepted(
    scanner: Scanner, desk: Desk, put: Put
) -> None:
    files = [put(f"{number}.pdf", str(number)) for number in range(6)]
    scanner.scan()
    desk.read_all()
    for file in files[:5]:
        file.unlink()
    assert scanner.scan().held_back == 5
    scanner.scan(accept_deletions=True)
    assert list(desk.statuses()) == ["5.pdf"]


def test_moving_everything_into_a_folder_is_no_mass_deletion(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path
) -> None:
    files = [put(f"{number}.pdf", str(number)) for number in range(6)]
    scanner.scan()
    desk.read_all()
    (inbox / "2024").mkdir()
    for file in files:
        file.rename(inbox / "2024" / file.name)
    scan = scanner.scan()
    assert (scan.reachable, scan.held_back) == (True, 0)
    assert list(desk.statuses()) == [f"2024/{number}.pdf" for number in range(6)]


def test_links_to_folders_are_not_followed(inbox: Path, put: Put) -> None:
    put("a.pdf", "one")
    (inbox / "loop").symlink_to(inbox, target_is_directory=True)
    assert list(walk(inbox).files) == ["a.pdf"]


@pytest.mark.parametrize(
    "name", ["合" * 80 + ".pdf", "100% #1 & 'two' \"three\".pdf", "re\u0301sume\u0301.pdf"]
)
def test_long_and_odd_names_survive(scanner: Scanner, desk: Desk, put: Put, name: str) -> None:
    put(name, "one")
    scanner.scan()
    assert desk.read_all() == [name]
    assert list(desk.statuses()) == [name]
