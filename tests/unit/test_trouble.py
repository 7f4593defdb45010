"""Issue 3: disk full, read-only or vanished data folder, a catalogue of a newer version.

Each is told in plain words, and damages nothing.
"""

from __future__ import annotations

import errno
import os
import shutil
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from desk import Desk
from starlette.testclient import TestClient

from api.app import create_app, open_services
from rag.catalog import Catalog
from rag.errors import DiskFull, Unavailable
from rag.settings import Settings
from rag.testing import BlankPreviewer, HashEmbedder, LineParser, MemoryStore, ScriptedGenerator
from rag.wiring import open_core

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "disk"
    folder.mkdir()
    made = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=1m", "none", folder], check=False, capture_output=True
    )
    if made.returncode:
        pytest.skip("no drive can be mounted here")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


def client_of(settings: Settings) -> TestClient:
    core = open_core(
        settings, embedder=HashEmbedder(), store=MemoryStore(), generator=ScriptedGenerator()
    )
    services = open_services(settings, core=core, parser=LineParser(), previewer=BlankPreviewer())
    return TestClient(create_app(services), base_url="http://127.0.0.1")


def until(true: Callable[[], Any]) -> None:
    for _ in range(300):
        if true():
            return
        time.sleep(0.05)
    pytest.fail("it never came true")


def documents(client: TestClient) -> dict[str, str]:
    found = client.get("/api/documents", params={"limit": 1000}).json()["documents"]
    return {each["path"]: each["status"] for each in found}


def serve(data: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-c", "from api.cli import main; main()", "serve", "--port", "0"],
        cwd=ROOT, env={**os.environ, "DESKSIDE_DATA": str(data), **environment},
        capture_output=True, text=True, check=False, timeout=60,
    )  # fmt: skip


# -- disk full


def test_a_full_disk_stops_a_publication_and_keeps_the_old_revision(desk: Desk) -> None:
    desk.publish("a.pdf", "fee 100")
    before = desk.catalog.passages.ids()
    with desk.catalog.transaction() as connection:
        pages = connection.execute("PRAGMA page_count").fetchone()[0]  # type: ignore[attr-defined]
    desk.arrive("a.pdf", "fee 200")
    job = desk.claim()
    with desk.catalog.transaction() as connection:
        connection.execute(f"PRAGMA max_page_count = {pages}")  # type: ignore[attr-defined]
    with pytest.raises(DiskFull, match="disk is full"):
        desk.publish_job(job, *(f"fee 200 {'x' * 3000} {n}" for n in range(50)))
    assert desk.catalog.passages.ids() == before
    with desk.catalog.transaction() as connection:
        connection.execute("PRAGMA max_page_count = 1000000")  # type: ignore[attr-defined]
        assert connection.execute("PRAGMA integrity_check").fetchone()[0] == "ok"  # type: ignore[attr-defined]
    assert desk.publish_job(job, "fee 200")


def test_on_a_full_disk_answers_go_on_and_reading_goes_on_once_there_is_room(
    small_disk: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.worker._NO_ROOM_S", 0.2)
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "a.txt").write_text("The rent is 3200 yuan.")
    settings = Settings(data=small_disk / "data", inbox=inbox, settle_s=0, reconcile_every_s=0.2)
    with client_of(settings) as client:
        until(lambda: documents(client) == {"a.txt": "ready"})
        filler = small_disk / "filler"
        with pytest.raises(OSError, match="No space"):
            filler.write_bytes(b"x" * 2**20)
        for number in range(20):
            (inbox / f"{number}.txt").write_text(f"Fee {number}. " * 2000)
        until(lambda: client.get("/api/documents").json()["inbox"]["problems"])
        (problem,) = client.get("/api/documents").json()["inbox"]["problems"]
        assert problem["code"] == "disk_full"
        hits = client.post("/api/search", json={"query": "rent"}).json()["hits"]
        assert [hit["path"] for hit in hits] == ["a.txt"]
        filler.unlink()
        subprocess.run(
            ["mount", "-o", "remount,size=64m", small_disk], check=True, capture_output=True
        )
        until(lambda: list(documents(client).values()) == ["ready"] * 21)
        assert client.get("/api/documents").json()["inbox"]["problems"] == []
    with sqlite3.connect(settings.data_path / "catalog.sqlite3") as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize(
    "fault",
    [OSError(errno.ENOSPC, os.strerror(errno.ENOSPC)), RuntimeError("database or disk is full")],
)
def test_a_full_disk_is_no_damaged_store(fault: Exception) -> None:
    from rag.adapters.chroma import translated

    with pytest.raises(DiskFull), translated():
        raise fault


def test_an_upload_to_a_full_disk_is_refused_as_that(small_disk: Path) -> None:
    settings = Settings(data=small_disk / "data", settle_s=0)
    with client_of(settings) as client:
        answer = client.post("/api/documents", files={"file": ("a.txt", b"x" * 2**21)})
        assert (answer.status_code, answer.json()["code"]) == (507, "disk_full")
        assert [p for p in settings.inbox_path.rglob("*") if p.is_file()] == []


# -- read only


def test_a_read_only_data_folder_is_told_at_the_start(small_disk: Path) -> None:
    data = small_disk / "data"
    Catalog(data / "catalog.sqlite3").close()
    before = (data / "catalog.sqlite3").read_bytes()
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    done = serve(data)
    assert (done.returncode, len(done.stderr.splitlines())) == (1, 2)
    assert "can't be written to: Read-only file system" in done.stderr
    assert (data / "catalog.sqlite3").read_bytes() == before


def test_a_catalogue_that_becomes_read_only_goes_on_answering(desk: Desk) -> None:
    desk.publish("a.pdf", "fee 100")
    with desk.catalog.transaction() as connection:  # as when a disk with errors is remounted
        connection.execute("PRAGMA query_only = ON")  # type: ignore[attr-defined]
    with pytest.raises(Unavailable, match="can't be used: attempt to write a readonly database"):
        desk.arrive("b.pdf", "fee 200")
    assert list(desk.statuses()) == ["a.pdf"]
    assert desk.catalog.passages.count() == 1


def test_a_read_only_inbox_is_read_and_refuses_uploads(small_disk: Path, tmp_path: Path) -> None:
    (small_disk / "a.txt").write_text("The rent is 3200 yuan.")
    (small_disk / f".{'0' * 32}.part").write_text("left by a kill")
    subprocess.run(["mount", "-o", "remount,ro", small_disk], check=True)
    settings = Settings(data=tmp_path / "data", inbox=small_disk, settle_s=0, reconcile_every_s=0.2)
    with client_of(settings) as client:
        until(lambda: documents(client) == {"a.txt": "ready"})
        answer = client.post("/api/documents", files={"file": ("b.txt", b"x")})
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "Read-only" in answer.json()["detail"]


# -- of a newer version, or damaged


@pytest.mark.parametrize("kind", ["newer", "damaged"])
def test_a_catalogue_that_can_not_be_used_is_told_and_left_as_it_is(
    tmp_path: Path, kind: str
) -> None:
    file = tmp_path / "data" / "catalog.sqlite3"
    Catalog(file).close()
    if kind == "newer":
        with sqlite3.connect(file) as connection:
            connection.execute("INSERT INTO migrations VALUES ('m999_later')")
        connection.close()
    else:
        file.write_bytes(b"no catalogue at all" * 1000)
    before = file.read_bytes()
    done = serve(tmp_path / "data")
    assert done.returncode == 1
    what, advice = done.stderr.splitlines()
    assert {"newer": "newer version", "damaged": "damaged"}[kind] in what
    assert advice
    assert file.read_bytes() == before


# -- gone


def test_a_data_folder_removed_under_way_is_told_and_not_begun_anew(tmp_path: Path) -> None:
    inbox = tmp_path / "inbox"
    inbox.mkdir()
    (inbox / "a.txt").write_text("The rent is 3200 yuan.")
    settings = Settings(data=tmp_path / "data", inbox=inbox, settle_s=0, reconcile_every_s=0.2)
    with client_of(settings) as client:
        until(lambda: documents(client) == {"a.txt": "ready"})
        away = settings.data_path.rename(tmp_path / "away")
        answer = client.post("/api/search", json={"query": "rent"})
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert "was removed while Deskside runs" in answer.json()["detail"]
        ready = client.get("/health/ready").json()
        alarms = [each for each in ready["checks"] if each["name"] in ("store", "inbox")]
        assert [each["status"] for each in alarms] == ["fail"], "one alarm, and none against it"
        assert "was removed" in alarms[0]["detail"]
        (inbox / "b.txt").write_text("The fee is 100 yuan.")
        time.sleep(1)
        assert not settings.data_path.exists(), "nothing was made in its place"
        away.rename(settings.data_path)
        until(lambda: documents(client) == {"a.txt": "ready", "b.txt": "ready"})


def test_an_upload_does_not_make_a_missing_inbox_anew(tmp_path: Path) -> None:
    settings = Settings(data=tmp_path / "data", settle_s=0)
    with client_of(settings) as client:
        shutil.rmtree(settings.inbox_path)
        answer = client.post("/api/documents", files={"file": ("a.txt", b"x")})
        assert (answer.status_code, answer.json()["code"]) == (503, "unavailable")
        assert not settings.inbox_path.exists()


def test_an_inbox_on_a_share_that_is_not_connected_is_not_made_at_the_start(
    tmp_path: Path,
) -> None:
    share = tmp_path / "share"
    settings = Settings(
        data=tmp_path / "data", inbox=share / "inbox", settle_s=0, reconcile_every_s=0.2
    )
    with client_of(settings) as client:
        (share / "inbox" / "a.txt").write_text("The rent is 3200 yuan.")
        until(lambda: documents(client) == {"a.txt": "ready"})
    share.rename(tmp_path / "unplugged")
    with client_of(settings) as client:
        until(lambda: client.get("/api/documents").json()["inbox"]["state"] == "unreachable")
        assert not share.exists()
        checks = client.get("/health/ready").json()["checks"]
        assert {each["name"]: each["status"] for each in checks}["inbox"] == "warn"
        assert documents(client) == {"a.txt": "ready"}


def test_a_catalogue_file_swapped_under_way_is_not_written_to(tmp_path: Path) -> None:
    catalog = Catalog(tmp_path / "c.sqlite3")
    (tmp_path / "c.sqlite3").rename(tmp_path / "old.sqlite3")
    Catalog(tmp_path / "c.sqlite3").close()
    with pytest.raises(Unavailable, match="was removed"):
        catalog.set_note("a", "b")
