"""FIELD_CASE 65: backup, wipe, restore on another path: no embedding, the same answers."""

from __future__ import annotations

import hashlib
import json
import os
import shutil
import sqlite3
import zipfile
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from served import served as serving
from served import services_for as served_services
from served import settings_for, upload, wait_until
from starlette.testclient import TestClient

from api.deps import Services
from rag.bundle import is_safe, opened
from rag.errors import Conflict, DesksideError, DiskFull, InvalidRequest, Unavailable
from rag.restore import Restored, restore
from rag.settings import Settings

LEASE = "# Lease\nThe parties are Foo and Bar.\f# Rent\nThe rent is 3200 yuan a month."
REPLY = "The rent is 3200 yuan a month [1]."
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def services_for(settings: Settings) -> Services:
    return served_services(settings, REPLY)


@pytest.fixture(scope="module")
def bundle(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, dict[str, Any]]:
    """A backup, and what the service that made it answered."""
    folder = tmp_path_factory.mktemp("old")
    settings = settings_for(folder / "data")
    with serving(services_for(settings)) as client:
        for path, text in (
            ("leases/租约 one.pdf", LEASE),
            ("copy.pdf", LEASE),
            ("mill.pdf", "The mill stands still."),
            ("gone.pdf", "The ferry sails at nine."),
        ):
            document_id = upload(client, path, text)
        client.delete(f"/api/documents/{document_id}")
        answer = client.post("/api/ask", json={"question": "What is the rent?"}).json()
        hits = client.post("/api/search", json={"query": "rent yuan"}).json()["hits"]
        with client.stream("GET", "/api/backup") as response:
            assert response.headers["content-type"] == "application/zip"
            about = int(response.headers["deskside-about-bytes"])
            content = b"".join(response.iter_bytes())
        assert 0.1 < len(content) / about < 2
        assert list((folder / "data").glob(".backup-*")) == [], "the snapshot is gone"
    file = folder / "deskside.zip"
    file.write_bytes(content)
    return file, {"answer": answer, "hits": hits, "trashed": document_id}


def _ready(client: TestClient, document_id: str) -> dict[str, Any]:
    return wait_until(client, document_id, lambda found: found["status"] == "ready")


def run(file: Path, settings: Settings, *, force: bool = False) -> Restored:
    told: list[tuple[int, int]] = []
    with opened(file) as found:
        done = restore(
            found,
            settings,
            force=force,
            now=NOW,
            progress=lambda part, whole: told.append((part, whole)),
        )
    assert told[-1][0] == told[-1][1] > 0
    return done


def test_any_program_can_open_it(bundle: tuple[Path, dict[str, Any]]) -> None:
    with zipfile.ZipFile(bundle[0]) as archive:
        assert archive.testzip() is None
        assert archive.read("inbox/leases/租约 one.pdf").decode() == LEASE
        manifest = json.loads(archive.read("manifest.json"))
    assert (manifest["documents"], manifest["passages"]) == (2, 3)
    assert manifest["embedder"] == "hash|1"


def test_it_answers_the_same_elsewhere_without_embedding(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    file, before = bundle
    settings = settings_for(tmp_path / "new" / "data", tmp_path / "papers")
    assert run(file, settings).aside is None
    services = services_for(settings)
    with serving(services) as client:
        client.post("/api/scan", json={})
        assert (
            client.post("/api/search", json={"query": "rent yuan"}).json()["hits"]
            == (before["hits"])
        )
        answer = client.post("/api/ask", json={"question": "What is the rent?"}).json()
        assert answer["answer"] == before["answer"]["answer"]
        assert answer["citations"] == before["answer"]["citations"]
        talk = before["answer"]["conversation_id"]
        assert client.get(f"/api/conversations/{talk}").is_success
        client.post("/api/scan", json={})
        listed = client.get("/api/documents").json()["documents"]
        assert {d["status"] for d in listed} == {"ready"}
        assert {path for d in listed for path in d["locations"]} == {
            "leases/租约 one.pdf", "copy.pdf", "mill.pdf",
        }  # fmt: skip
        assert services.core.embedder.embedded == 0  # type: ignore[attr-defined]
        client.post(f"/api/documents/{before['trashed']}/restore")
        assert _ready(client, before["trashed"])["path"] == "gone.pdf"


def test_what_is_there_is_kept_unless_forced_and_then_moved_aside(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    settings = settings_for(tmp_path / "data")
    (tmp_path / "data" / "inbox").mkdir(parents=True)
    mine = tmp_path / "data" / "inbox" / "mine.txt"
    mine.write_text("mine")
    (tmp_path / "data" / "README.md").write_text("stays")
    with pytest.raises(Conflict, match="not empty"):
        run(bundle[0], settings)
    assert mine.read_text() == "mine"
    aside = run(bundle[0], settings, force=True).aside
    assert aside == tmp_path / "data-before-20261130-120000"
    assert (aside / "inbox" / "mine.txt").read_text() == "mine"
    assert not mine.exists()
    assert (tmp_path / "data" / "README.md").exists()
    assert (tmp_path / "data" / "inbox" / "mill.pdf").exists()


def rewritten(file: Path, target: Path, change: Callable[[str, bytes], tuple[str, bytes]]) -> Path:
    with zipfile.ZipFile(file) as old, zipfile.ZipFile(target, "w") as new:
        for info in old.infolist():
            name, content = change(info.filename, old.read(info))
            new.writestr(name, content)
    return target


def spoilt(name: str, content: bytes) -> tuple[str, bytes]:
    return name, content.replace(b"mill", b"MILL") if name.startswith("inbox") else content


def escaping(name: str, content: bytes) -> tuple[str, bytes]:
    evil = "inbox/../../evil.pdf"
    if name == "manifest.json":
        return name, content.replace(b"inbox/mill.pdf", evil.encode())
    return (evil if name == "inbox/mill.pdf" else name), content


def newer_format(name: str, content: bytes) -> tuple[str, bytes]:
    return name, content.replace(b'"format": 1', b'"format": 99')


def smuggled(name: str, content: bytes) -> tuple[str, bytes]:
    return ("inbox/other.pdf" if name == "inbox/mill.pdf" else name), content


def senseless(name: str, content: bytes) -> tuple[str, bytes]:
    return name, b"[]" if name == "manifest.json" else content


@pytest.mark.parametrize(
    ("change", "error", "told"),
    [
        (spoilt, InvalidRequest, "mill.pdf is not what it was"),
        (escaping, InvalidRequest, "outside of the data folder"),
        (newer_format, Unavailable, "newer version"),
        (smuggled, InvalidRequest, "table of contents"),
        (senseless, InvalidRequest, "no whole backup"),
    ],
)
def test_a_bad_bundle_touches_nothing(
    bundle: tuple[Path, dict[str, Any]],
    tmp_path: Path,
    change: Callable[[str, bytes], tuple[str, bytes]],
    error: type[DesksideError],
    told: str,
) -> None:
    bad = rewritten(bundle[0], tmp_path / "bad.zip", change)
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "catalog.sqlite3").write_bytes(b"mine")
    with pytest.raises(error, match=told):
        run(bad, settings_for(tmp_path / "data"), force=True)
    assert [p.name for p in (tmp_path / "data").iterdir()] == ["catalog.sqlite3"]
    assert (tmp_path / "data" / "catalog.sqlite3").read_bytes() == b"mine"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["bad.zip", "data"]


def test_a_catalogue_that_is_not_the_one_backed_up_is_refused(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    """Though its checksum is right: an empty file is a catalogue, too."""

    def emptied(name: str, content: bytes) -> tuple[str, bytes]:
        if name != "manifest.json":
            return name, b"" if name == "catalog.sqlite3" else content
        told = json.loads(content)
        for entry in told["entries"]:
            if entry["name"] == "catalog.sqlite3":
                entry |= {"size_bytes": 0, "sha256": hashlib.sha256(b"").hexdigest()}
        return name, json.dumps(told).encode()

    with pytest.raises(InvalidRequest, match="damaged"):
        run(rewritten(bundle[0], tmp_path / "bad.zip", emptied), settings_for(tmp_path / "data"))


def test_without_the_inbox_there_is_no_backup(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path / "data"))
    with serving(services) as client:
        upload(client, "lease.pdf", LEASE)
        services.inbox.path.rename(tmp_path / "away")
        assert client.get("/api/backup").status_code == 503


@pytest.mark.parametrize("share", [0.0, 0.3, 0.99])
def test_a_bundle_cut_short_is_refused(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path, share: float
) -> None:
    content = bundle[0].read_bytes()
    (tmp_path / "cut.zip").write_bytes(content[: int(len(content) * share)])
    with pytest.raises(InvalidRequest, match="no whole backup"):
        run(tmp_path / "cut.zip", settings_for(tmp_path / "data"))
    assert not (tmp_path / "data").exists()


def test_a_catalogue_of_a_newer_version_is_refused(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path
) -> None:
    from rag.catalog import Catalog

    staged = tmp_path / "catalog.sqlite3"
    with zipfile.ZipFile(bundle[0]) as archive:
        staged.write_bytes(archive.read("catalog.sqlite3"))
    with sqlite3.connect(staged) as connection:
        connection.execute("INSERT INTO migrations VALUES ('m999_future')")
    with pytest.raises(Unavailable, match="newer"):
        Catalog(staged)


def test_a_full_disk_is_told_before_anything_is_written(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "data").mkdir()
    usage = shutil.disk_usage(tmp_path)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage._replace(free=10))
    with pytest.raises(DiskFull):
        run(bundle[0], settings_for(tmp_path / "data"))
    assert list((tmp_path / "data").iterdir()) == []


@pytest.mark.parametrize(
    ("name", "safe"),
    [
        ("inbox/a.pdf", True),
        ("inbox/合同/a b.pdf", True),
        ("trash/id/a.pdf", True),
        ("catalog.sqlite3", True),
        ("inbox", False),
        ("inbox/../x", False),
        ("inbox//x", False),
        ("/etc/passwd", False),
        ("chroma/current", False),
        ("C:/x", False),
        ("./inbox/x", False),
    ],
)
def test_names_stay_where_they_belong(name: str, safe: bool) -> None:
    assert is_safe(name, separator="/") is safe


def test_a_backslash_is_a_letter_only_where_it_parts_no_folders() -> None:
    assert is_safe("inbox/a\\b.pdf", separator="/")
    assert not is_safe("inbox/..\\..\\x", separator="\\")


def test_odd_files_come_back(tmp_path: Path) -> None:
    old, new = settings_for(tmp_path / "old"), settings_for(tmp_path / "new")
    services = services_for(old)
    file = services.inbox.path / "of \\ 1969.pdf"
    file.write_text(LEASE, encoding="utf-8")
    os.utime(file, (-86_400, -86_400))
    with serving(services) as client:
        services.inbox.take(file.name)
        bundle = tmp_path / "odd.zip"
        bundle.write_bytes(client.get("/api/backup").content)
    run(bundle, new)
    back = new.inbox_path / file.name
    assert (back.read_text(encoding="utf-8"), back.stat().st_mtime) == (LEASE, -86_400)


def test_a_restore_cut_short_is_told_at_the_next_start_and_can_be_done_again(
    bundle: tuple[Path, dict[str, Any]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = settings_for(tmp_path / "data")
    moves = iter(range(2))

    def dying(source: Path, target: Path) -> None:
        if next(moves, None) is None:
            raise KeyboardInterrupt  # as good as a kill: nothing tidies up after it
        shutil.copy2(source, target)

    with monkeypatch.context() as broken:
        broken.setattr("rag.restore.shutil.move", dying)
        with pytest.raises(KeyboardInterrupt):
            run(bundle[0], settings)
    with pytest.raises(Unavailable, match="cut short"):
        services_for(settings)
    run(bundle[0], settings, force=True)
    services_for(settings).core.close()


def test_a_restore_killed_before_it_changed_anything_is_cleared_away(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "data")
    (settings.data_path / ".restore").mkdir(parents=True)
    (settings.data_path / ".restore" / "catalog.sqlite3").write_bytes(b"half")
    services_for(settings).core.close()
    assert not (settings.data_path / ".restore").exists()


def test_a_purge_waits_for_a_backup(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path / "data"))
    with serving(services) as client:
        document_id = upload(client, "lease.pdf", LEASE)
        stream = services.backup.stream()
        next(stream)
        refused = client.delete(f"/api/documents/{document_id}", params={"purge": True})
        assert (refused.status_code, refused.json()["code"]) == (429, "busy")
        stream.close()  # type: ignore[attr-defined]
        assert client.delete(f"/api/documents/{document_id}", params={"purge": True}).is_success


def test_a_killed_backup_leaves_nothing_behind(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path / "data"))
    services.core.catalog.snapshot(tmp_path / "data" / ".backup-killed.sqlite3")
    services.core.close()
    again = services_for(settings_for(tmp_path / "data"))
    assert list((tmp_path / "data").glob(".backup-*")) == []
    again.core.close()


def test_a_disk_too_full_for_the_snapshot_is_a_status(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    services = services_for(settings_for(tmp_path / "data"))

    def full(_target: Path) -> None:
        raise DiskFull("The disk is full.")

    monkeypatch.setattr(services.core.catalog, "snapshot", full)
    with serving(services) as client:
        assert client.get("/api/backup").status_code == 507
