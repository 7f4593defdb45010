"""FIELD_CASES 21: a drive that is missing is no deletion."""

from __future__ import annotations

import errno
import os
import shutil
import subprocess
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from desk import Desk, Put

from ingest.folder import walk
from ingest.scanner import Scanner
from rag.records import Scope, Status
from rag.terms import terms

Fill = Callable[[int], list[Path]]


@pytest.fixture
def fill(scanner: Scanner, desk: Desk, put: Put) -> Fill:
    """Put so many documents into the inbox, and read them."""

    def fill_(count: int) -> list[Path]:
        files = [put(f"{number}.pdf", str(number)) for number in range(count)]
        scanner.scan()
        desk.read_all()
        return files

    return fill_


@pytest.fixture
def mounted(inbox: Path) -> Iterator[Path]:
    """A folder of the inbox on another drive."""
    folder = inbox / "nas"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("no drive can be mounted here")
    yield folder
    subprocess.run(["umount", folder], check=False, capture_output=True)


def answers(desk: Desk) -> int:
    found = desk.catalog.keywords.search(terms("text"), limit=99, scope=Scope())
    return len(desk.catalog.passages.get(list(found)))


@pytest.mark.parametrize("number", [1, 4, 10])
def test_an_inbox_that_is_gone_deletes_nothing_however_few_files_there_are(
    scanner: Scanner, desk: Desk, fill: Fill, inbox: Path, number: int
) -> None:
    fill(number)
    embedded = desk.embedder.embedded
    away = inbox.rename(inbox.with_name("away"))
    for _ in range(3):
        scan = scanner.scan()
        assert scan.reachable is False
        assert "can't be reached" in scan.problems[0].message
    inbox.mkdir()  # an empty mount point
    for _ in range(3):
        scan = scanner.scan()
        assert (scan.reachable, scan.held_back) == (False, number)
    assert set(desk.statuses().values()) == {Status.READY}
    assert answers(desk) == number
    inbox.rmdir()
    away.rename(inbox)
    assert scanner.scan().reachable
    assert (desk.read_all(), desk.embedder.embedded, answers(desk)) == ([], embedded, number)


@pytest.mark.parametrize("number", [3, 6])
def test_what_arrives_in_an_empty_folder_in_its_place_lets_nothing_go(
    scanner: Scanner, desk: Desk, fill: Fill, inbox: Path, put: Put, number: int
) -> None:
    fill(number)
    before = {at: place.document_id for at, place in desk.catalog.ledger.locations().items()}
    away = inbox.rename(inbox.with_name("away"))
    inbox.mkdir()
    assert scanner.scan().held_back == number
    for new in [*(f"other {at}" for at in range(number + 1)), "z"]:  # the last of the same size
        put(f"new {new}.pdf", new)
        for _ in range(3):
            scan = scanner.scan()
            desk.read_all()
        assert (scan.reachable, scan.held_back) == (False, number)
    shutil.rmtree(inbox)
    away.rename(inbox)
    scanner.scan()
    after = {at: place.document_id for at, place in desk.catalog.ledger.locations().items()}
    assert before.items() <= after.items()


def test_the_guard_holds_over_a_restart(
    scanner: Scanner, desk: Desk, fill: Fill, inbox: Path
) -> None:
    fill(2)
    inbox.rename(inbox.with_name("away"))
    inbox.mkdir()
    for _ in range(3):
        again = Scanner(inbox, desk.catalog, desk.index, settle_s=0)
        assert again.scan().held_back == 2
    assert len(desk.statuses()) == 2


@pytest.mark.parametrize(
    ("known", "lost", "held_back"), [(4, 3, 0), (5, 2, 0), (5, 3, 3), (10, 5, 0), (10, 6, 6)]
)
def test_the_guard_asks_when_more_than_half_of_five_go_at_once(
    scanner: Scanner, desk: Desk, fill: Fill, known: int, lost: int, held_back: int
) -> None:
    for file in fill(known)[:lost]:
        file.unlink()
    for _ in range(3):
        scan = scanner.scan()
        assert scan.held_back == held_back
    assert len(desk.statuses()) == (known if held_back else known - lost)


def test_deletions_that_trickle_count_until_they_are_confirmed(
    inbox: Path, desk: Desk, put: Put
) -> None:
    time = [0.0]
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=10, clock=lambda: time[0])
    files = [put(f"{number}.pdf", str(number)) for number in range(10)]
    scanner.scan()
    time[0] += 10
    scanner.scan()
    desk.read_all()
    held_back = []
    for pair in range(4):  # two a second, as when a share goes away bit by bit
        for file in files[2 * pair : 2 * pair + 2]:
            file.unlink()
        held_back.append(scanner.scan().held_back)
        time[0] += 1
    assert held_back == [0, 0, 6, 8]
    time[0] += 60
    assert (scanner.scan().held_back, len(desk.statuses()), answers(desk)) == (8, 10, 10)


def test_a_held_back_deletion_is_carried_out_when_accepted(
    scanner: Scanner, desk: Desk, fill: Fill
) -> None:
    for file in fill(6):
        file.unlink()
    assert scanner.scan().held_back == 6
    assert len(scanner.scan(accept_deletions=True).left) == 6
    assert (desk.statuses(), answers(desk), desk.store.ids()) == ({}, 0, set())
    assert scanner.scan().reachable


def test_files_that_come_back_one_by_one_end_the_pause(
    scanner: Scanner, desk: Desk, fill: Fill
) -> None:
    files = fill(6)
    embedded = desk.embedder.embedded
    for file in files:
        file.rename(file.with_suffix(".tmp"))
    assert scanner.scan().reachable is False
    for file in files[:3]:
        file.with_suffix(".tmp").rename(file)
    assert scanner.scan().reachable
    for file in files[3:]:
        file.with_suffix(".tmp").rename(file)
    scanner.scan()
    assert set(desk.statuses().values()) == {Status.READY}
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)


def test_new_files_are_taken_while_a_deletion_is_held_back(
    scanner: Scanner, desk: Desk, fill: Fill, put: Put
) -> None:
    for file in fill(6):
        file.unlink()
    put("new.pdf", "new, and longer")
    scanner.scan()
    assert desk.read_all() == ["new.pdf"]


def test_a_last_file_deleted_by_hand_goes(scanner: Scanner, desk: Desk, fill: Fill) -> None:
    (file,) = fill(1)
    file.unlink()
    scanner.scan()
    scanner.scan()
    assert desk.statuses() == {}


def test_a_drive_within_the_inbox_that_went_away_is_told_and_kept(
    scanner: Scanner, desk: Desk, fill: Fill, put: Put, mounted: Path
) -> None:
    put("nas/a.pdf", "on the drive")
    put("nas/deep/b.pdf", "deep on the drive")
    fill(20)
    subprocess.run(["umount", mounted], check=True)
    for _ in range(3):
        scan = scanner.scan()
    assert (scan.reachable, scan.held_back, scan.left) == (True, 2, ())
    assert [problem.path for problem in scan.problems] == ["nas"]
    assert answers(desk) == 22
    scanner.scan(accept_deletions=True)
    assert (len(desk.statuses()), answers(desk)) == (20, 20)


def test_a_file_deleted_from_a_drive_that_is_there_goes(
    scanner: Scanner, desk: Desk, fill: Fill, put: Put, mounted: Path
) -> None:
    file = put("nas/a.pdf", "on the drive")
    fill(5)
    file.unlink()
    scanner.scan()
    assert scanner.scan().left == ("nas/a.pdf",)


def test_another_drive_in_the_inboxs_place_deletes_nothing(
    scanner: Scanner, desk: Desk, fill: Fill, inbox: Path, tmp_path: Path
) -> None:
    fill(3)
    done = subprocess.run(["mount", "-t", "tmpfs", "none", inbox], check=False, capture_output=True)
    if done.returncode:
        pytest.skip("no drive can be mounted here")
    try:
        for _ in range(3):
            assert scanner.scan().held_back == 3
    finally:
        subprocess.run(["umount", inbox], check=True)
    assert scanner.scan().reachable
    assert (len(desk.statuses()), desk.read_all()) == (3, [])


def test_what_is_uploaded_during_a_scan_did_not_vanish(
    scanner: Scanner, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.pdf", "same")
    scanner.scan()
    desk.read_all()

    def walk_then_upload(folder: Path) -> Any:
        seen = walk(folder)
        put("b.pdf", "same")
        scanner.take("b.pdf")
        monkeypatch.undo()
        return seen

    monkeypatch.setattr("ingest.scanner.walk", walk_then_upload)
    scanner.scan(accept_deletions=True)
    assert desk.at("b.pdf").locations == ("a.pdf", "b.pdf")


def test_a_root_that_fails_to_list_is_unreachable(
    scanner: Scanner, desk: Desk, fill: Fill, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What a share says whose server is gone."""
    fill(3)
    real = os.scandir

    def scandir(path: Any) -> Any:
        if Path(path).name == "inbox":
            raise OSError(errno.EHOSTDOWN, "Host is down")
        return real(path)

    monkeypatch.setattr("os.scandir", scandir)
    for _ in range(3):
        assert scanner.scan().reachable is False
    assert answers(desk) == 3
