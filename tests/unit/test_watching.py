"""FIELD_CASES 22, 24, 25 and 26: events hint, the reconcile finds, and one can tell which."""

from __future__ import annotations

import errno
import shutil
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from desk import Desk, Put

from ingest.inbox import Inbox
from ingest.scanner import Scanner
from ingest.shares import holds_remote
from ingest.watcher import Watcher
from rag.right_of_way import RightOfWay

Open = Callable[..., Inbox]


class Idle:
    """A worker that leaves the jobs to the test."""

    class pace:
        pages_per_s = None

        @staticmethod
        def seconds_for(_size: Any) -> None:
            return None

    def start(self) -> None: ...
    def wake(self) -> None: ...
    def revive(self) -> None: ...
    def stop(self, *, timeout_s: float) -> None: ...


@pytest.fixture
def watching(inbox: Path, desk: Desk) -> Iterator[Open]:
    opened: list[Inbox] = []

    def open_(*, every_s: float = 600, settle_s: float = 0, polling: bool = False) -> Inbox:
        scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=settle_s)
        watched = Inbox(
            inbox, desk.catalog, scanner, Idle(),  # type: ignore[arg-type]
            every_s=every_s, settle_s=settle_s, polling=polling,
        )  # fmt: skip
        watched.start()
        opened.append(watched)
        until(lambda: watched.status().state == "watching")
        return watched

    yield open_
    for each in opened:
        each.stop()


def until(true: Callable[[], object]) -> None:
    for _ in range(400):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it never came true")


def test_a_change_is_hinted(watching: Open, desk: Desk, put: Put) -> None:
    watched = watching()
    until(lambda: watched.status().mode == "native")
    put("deep/er/a.pdf", "one")
    until(lambda: "deep/er/a.pdf" in desk.statuses())


def test_case_26_polling_finds_a_file_without_events(
    watching: Open, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.inbox._POLL_S", 0.1)
    monkeypatch.setattr("ingest.inbox.Watcher", None)
    watched = watching(polling=True)
    assert watched.status().mode == "polling"
    put("a.pdf", "one")
    until(lambda: "a.pdf" in desk.statuses())


def test_a_share_is_polled(
    watching: Open, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.inbox._POLL_S", 0.1)
    monkeypatch.setattr("ingest.inbox.is_remote", lambda _: True)
    monkeypatch.setattr("ingest.inbox.Watcher", None)
    assert watching().status().mode == "polling"
    put("a.pdf", "one")
    until(lambda: "a.pdf" in desk.statuses())


@pytest.mark.parametrize(
    ("inbox", "mounts", "remote"),
    [
        ("/home/u/inbox", [("/", "ext4")], False),
        ("/home/u/inbox", [("/", "ext4"), ("/home", "nfs4")], True),
        ("/home/u/inbox", [("/", "nfs4"), ("/home", "ext4")], False),
        ("/home/u/inbox", [("/", "ext4"), ("/home/u/inbox/nas", "cifs")], True),
        ("/home/u/inbox", [("/", "ext4"), ("/home/u/inbox2", "cifs")], False),
        ("/home/u/inbox", [("/", "ext4"), ("/home/u/inbox", "cifs"), ("/home/u/inbox", "xfs")],
         False),
        ("/mnt/c/inbox", [("/", "ext4"), ("/mnt/c", "9p")], True),
        ("/mnt/c/inbox", [("/", "ext4"), ("/mnt/c", "drvfs")], True),
        ("/mnt/s/inbox", [("/", "ext4"), ("/mnt/s", "fuse.sshfs")], True),
        ("/media/stick", [("/", "ext4"), ("/media/stick", "fuseblk")], False),
        ("/Volumes/office/inbox", [("/", "apfs"), ("/Volumes/office", "smbfs")], True),
        ("/Volumes/old/inbox", [("/", "apfs"), ("/Volumes/old", "afpfs")], True),
    ],
)  # fmt: skip
def test_shares_are_told_from_drives(
    inbox: str, mounts: list[tuple[str, str]], remote: bool
) -> None:
    assert holds_remote(Path(inbox), mounts) is remote


def test_when_the_system_gives_no_more_watches_it_polls_and_says_so(
    watching: Open, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    def no_room(*_: object) -> None:
        raise OSError(errno.ENOSPC, "inotify watch limit reached")

    monkeypatch.setattr("ingest.inbox._POLL_S", 0.1)
    monkeypatch.setattr("ingest.inbox.Watcher", no_room)
    watched = watching()
    until(lambda: watched.status().problems)
    assert watched.status().mode == "polling"
    assert "inotify watch limit reached" in watched.status().problems[0].message
    put("a.pdf", "one")
    until(lambda: "a.pdf" in desk.statuses())


def test_a_folder_that_found_no_watch_is_noticed(
    inbox: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    inotify = pytest.importorskip("watchdog.observers.inotify_c", exc_type=Exception)
    put("one/a.pdf", "one")
    real = inotify.InotifyFD.add_callback

    def add(self: Any, path: bytes, *given: Any) -> Any:
        if path != str(inbox).encode():
            raise OSError(errno.ENOSPC, "inotify watch limit reached")
        return real(self, path, *given)

    monkeypatch.setattr(inotify.InotifyFD, "add_callback", add)
    with pytest.raises(OSError, match="limit"):
        Watcher(inbox, lambda: None)


def test_an_inbox_removed_and_made_anew_is_followed_again(
    watching: Open, desk: Desk, put: Put, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.inbox._POLL_S", 0.1)
    put("a.pdf", "one")
    watched = watching()
    until(lambda: "a.pdf" in desk.statuses())
    shutil.rmtree(inbox)
    until(lambda: watched.status().state == "unreachable")
    assert watched.status().mode == "polling"
    inbox.mkdir()
    put("a.pdf", "one")
    until(lambda: watched.status().state == "watching" and watched.status().mode == "native")
    put("b.pdf", "two")
    until(lambda: "b.pdf" in desk.statuses())


def test_an_inbox_moved_away_is_noticed_though_nothing_tells(
    watching: Open, desk: Desk, put: Put, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.inbox._POLL_S", 0.1)
    put("a.pdf", "one")
    watched = watching()
    until(lambda: "a.pdf" in desk.statuses())
    inbox.rename(inbox.with_name("away"))
    until(lambda: watched.status().state == "unreachable")
    assert watched.status().held_back == 0
    inbox.with_name("away").rename(inbox)
    until(lambda: watched.status().state == "watching" and watched.status().mode == "native")
    assert set(desk.statuses()) == {"a.pdf"}


def test_a_watch_whose_thread_died_is_begun_anew(inbox: Path) -> None:
    hinted = threading.Event()
    watcher = Watcher(inbox, hinted.set)
    assert watcher.follows
    for emitter in watcher._observer.emitters:
        emitter.stop()
        emitter.join()
    assert not watcher.follows
    watcher.stop()


def test_case_24_a_file_written_in_parts_is_taken_once_and_whole(
    watching: Open, desk: Desk, inbox: Path
) -> None:
    watching(settle_s=1.0)
    with (inbox / "a.pdf").open("wb") as file:
        for part in range(20):
            file.write(f"part {part}\n".encode())
            file.flush()
            time.sleep(0.2)
    whole = (inbox / "a.pdf").read_bytes()
    taken = []

    def ready() -> bool:
        taken.extend(desk.read_all())
        return bool(taken)

    until(ready)
    time.sleep(1.5)
    assert (desk.read_all(), taken) == ([], ["a.pdf"])
    assert desk.at("a.pdf").size_bytes == len(whole)


def test_a_file_written_to_while_it_is_read_waits(
    inbox: Path, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put("a.pdf", "one")
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=0)
    from ingest import folder

    real = folder.hashlib.file_digest

    def digest(opened: Any, name: Any) -> Any:
        made = real(opened, name)
        monkeypatch.undo()
        with file.open("a") as more:
            more.write(" more")
        return made

    monkeypatch.setattr(folder.hashlib, "file_digest", digest)
    assert scanner.scan().unsettled == ("a.pdf",)
    assert scanner.scan().arrived == ("a.pdf",)
    assert desk.at("a.pdf").size_bytes == len("one more")


def test_case_25_a_thousand_files_are_found_though_every_event_is_lost(
    watching: Open, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.inbox.Watcher", lambda _path, _hint: Deaf())
    watching(every_s=0.5)
    for number in range(1000):
        put(f"{number % 10}/{number}.pdf", str(number))
    until(lambda: desk.catalog.jobs.waiting()[0] == 1000)


class Deaf:
    """A watcher whose every event is lost."""

    follows = True

    def stop(self) -> None: ...


def test_two_scans_and_uploads_at_once_agree(inbox: Path, desk: Desk, put: Put) -> None:
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=0)
    for number in range(100):
        put(f"{number}.pdf", str(number))
    failures: list[BaseException] = []

    def run(work: Callable[[], object]) -> None:
        try:
            work()
        except BaseException as error:  # told by the test itself
            failures.append(error)

    work = [scanner.scan, scanner.scan, lambda: [scanner.take(f"{n}.pdf") for n in range(100)]]
    threads = [threading.Thread(target=run, args=(each,)) for each in work]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert len(desk.read_all()) == 100
    assert desk.catalog.ledger.documents(limit=0)[1] == 100


def test_a_download_under_way_is_no_reason_to_look(inbox: Path) -> None:
    hints: list[None] = []
    watcher = Watcher(inbox, lambda: hints.append(None))
    draft = inbox / "big.pdf.crdownload"
    for part in range(5):
        with draft.open("a") as file:
            file.write(str(part))
        time.sleep(0.05)
    time.sleep(0.3)
    assert hints == []
    draft.rename(inbox / "big.pdf")
    until(lambda: hints)
    watcher.stop()


def test_a_scan_stops_reading_for_a_question(inbox: Path, desk: Desk, put: Put) -> None:
    asked = [False]
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=0, must_wait=lambda: asked[0])
    put("a.pdf", "one")
    asked[0] = True
    scan = scanner.scan()
    assert (scan.arrived, scan.unsettled, scan.more) == ((), ("a.pdf",), True)
    asked[0] = False
    assert scanner.scan().arrived == ("a.pdf",)


def test_the_watch_stands_still_during_a_question(inbox: Path, desk: Desk, put: Put) -> None:
    way = RightOfWay()
    leave = way.enter()
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=0)
    watched = Inbox(
        inbox, desk.catalog, scanner, Idle(),  # type: ignore[arg-type]
        every_s=0.1, settle_s=0, way_is_free=way.wait,
    )  # fmt: skip
    put("a.pdf", "one")
    watched.start()
    time.sleep(0.5)
    assert desk.statuses() == {}
    leave()
    until(lambda: "a.pdf" in desk.statuses())
    watched.stop()
