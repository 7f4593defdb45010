"""Issue 3, volume: many files at once, big ones, odd names, links."""

from __future__ import annotations

import tempfile
import tracemalloc
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from desk import Desk, Put
from starlette.testclient import TestClient

from api.app import create_app, open_services
from ingest.folder import walk
from ingest.pipeline import Pipeline
from ingest.scanner import Scanner
from ingest.worker import Worker
from rag.catalog import Catalog, Chosen
from rag.records import Status
from rag.settings import Settings
from rag.testing import BlankPreviewer, HashEmbedder, LineParser, MemoryStore, ScriptedGenerator
from rag.wiring import open_core

ODD_NAMES = [
    "100% #1 & 'two' \"three\"?.txt",
    "a+b=c;d,e~f!(g)[h]{i}^.txt",
    "%2e%2e%2f.txt",
    unicodedata.normalize("NFD", "résumé für Zoë.txt"),
    "  leading and trailing .txt",
    "换行\n的.txt",
    "/".join(["合同" * 20] * 5 + ["租" * 76 + ".txt"]),  # 281 characters, 243 bytes a name at most
    "🏢.txt",
]


@pytest.fixture
def in_memory() -> Iterator[Path]:
    """A folder where syncing costs nothing, if there is such a place."""
    shm = Path("/dev/shm")
    with tempfile.TemporaryDirectory(dir=shm if shm.is_dir() else None) as folder:
        yield Path(folder)


def burst(folder: Path, count: int) -> Path:
    inbox = folder / "inbox"
    for group in range(100):
        (inbox / str(group)).mkdir(parents=True)
    for number in range(count):
        (inbox / str(number % 100) / f"{number}.txt").write_text(f"fee {number}")
    return inbox


def scan_all(scanner: Scanner) -> int:
    arrived = 0
    while True:
        scan = scanner.scan()
        arrived += len(scan.arrived)
        if not scan.more:
            return arrived


def test_ten_thousand_files_at_once_are_in_the_ledger(in_memory: Path) -> None:
    inbox = burst(in_memory, 10_000)
    catalog = Catalog(in_memory / "c.sqlite3")
    desk = Desk(catalog)
    scanner = Scanner(inbox, catalog, desk.index, settle_s=0)
    assert scan_all(scanner) == 10_000
    assert scanner.scan().arrived == ()
    seen: set[str] = set()
    for offset in range(0, 10_000, 1000):
        page, total = catalog.ledger.documents(limit=1000, offset=offset)
        seen |= {document.path for document in page}
        assert total == 10_000
    assert len(seen) == 10_000
    inbox.joinpath("7").rename(inbox / "seven")
    assert scan_all(scanner) == 100
    assert catalog.ledger.documents(limit=1)[1] == 10_000
    catalog.close()


def test_the_next_of_many_jobs_is_found_without_looking_at_all(catalog: Catalog) -> None:
    with catalog.transaction() as connection:
        plan = connection.execute(  # type: ignore[attr-defined]
            "EXPLAIN QUERY PLAN SELECT job_id FROM jobs WHERE state = 'queued'"
            " AND not_before <= '' ORDER BY interruptions, job_id LIMIT 1"
        ).fetchall()
    assert ["INDEX" in step["detail"] for step in plan] == [True], "and nothing is sorted"


@pytest.mark.slow
def test_ten_thousand_files_at_once_are_read(in_memory: Path) -> None:
    inbox = burst(in_memory, 10_000)
    catalog = Catalog(in_memory / "c.sqlite3")
    desk = Desk(catalog)
    scan_all(Scanner(inbox, catalog, desk.index, settle_s=0))
    pipeline = Pipeline(inbox, catalog, desk.index, LineParser(), desk.embedder, passage_tokens=100)
    worker = Worker(catalog, pipeline, attempts=3)
    while worker.step():
        pass
    assert catalog.ledger.documents(Chosen(status=Status.READY), limit=1)[1] == 10_000
    assert catalog.passages.count() == len(desk.store.ids()) == 10_000
    catalog.close()


def test_half_a_gigabyte_is_compared_within_little_memory(
    scanner: Scanner, desk: Desk, inbox: Path
) -> None:
    for number in range(5):
        with (inbox / f"{number}.pdf").open("wb") as file:
            file.write(b"%d" % number)
            file.truncate(100 * 2**20)  # a hole: it takes no room
    tracemalloc.start()
    assert scan_all(scanner) == 5
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 4 * 2**20
    assert {each.size_bytes for each in desk.catalog.ledger.documents()[0]} == {100 * 2**20}


def test_a_scan_ends_in_time_and_the_next_goes_on(
    inbox: Path, desk: Desk, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    time = [0.0]

    def slowly(folder: Path, path: str) -> Any:
        time[0] += 2.0  # each file takes that long
        from ingest.folder import read_source

        return read_source(folder, path)

    monkeypatch.setattr("ingest.scanner.read_source", slowly)
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=0, clock=lambda: time[0])
    for number in range(7):
        put(f"{number}.pdf", str(number))
    first = scanner.scan()
    assert (len(first.arrived), len(first.unsettled), first.more) == (3, 4, True)
    assert (len(scanner.scan().arrived), len(scanner.scan().arrived)) == (3, 1)
    assert scanner.scan().more is False


def test_links_are_not_followed_and_told(scanner: Scanner, inbox: Path, put: Put) -> None:
    put("a.pdf", "one")
    put("deep/b.pdf", "two")
    outside = inbox.parent / "secret.pdf"
    outside.write_text("not for the inbox")
    (inbox / "loop").symlink_to(inbox, target_is_directory=True)
    (inbox / "deep" / "up").symlink_to("..", target_is_directory=True)
    (inbox / "out.pdf").symlink_to(outside)
    (inbox / "itself.pdf").symlink_to("itself.pdf")
    (inbox / "nowhere.pdf").symlink_to("nothing.pdf")
    scan = scanner.scan()
    assert scan.arrived == ("a.pdf", "deep/b.pdf")
    assert [problem.path for problem in scan.problems] == [
        "deep/up", "itself.pdf", "loop", "nowhere.pdf", "out.pdf",
    ]  # fmt: skip
    assert {problem.message for problem in scan.problems} == {
        "It is a link; links are not followed."
    }


def test_a_file_replaced_by_a_link_is_not_read_through_it(
    scanner: Scanner, desk: Desk, inbox: Path, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = put("a.pdf", "one")
    secret = inbox.parent / "secret.pdf"
    secret.write_text("not for the inbox")

    def walk_then_swap(folder: Path) -> Any:
        seen = walk(folder)
        file.unlink()
        file.symlink_to(secret)
        return seen

    monkeypatch.setattr("ingest.scanner.walk", walk_then_swap)
    assert scanner.scan().arrived == ()
    assert desk.catalog.jobs.claim() is None


@pytest.mark.parametrize("name", ODD_NAMES, ids=range(len(ODD_NAMES)))
def test_odd_names_are_read_told_and_served(tmp_path: Path, name: str) -> None:
    settings = Settings(data=tmp_path / "data", settle_s=0, reconcile_every_s=0.2)
    file = settings.inbox_path / name
    file.parent.mkdir(parents=True)
    file.write_text("The rent is 3200 yuan a month.", encoding="utf-8")
    core = open_core(
        settings, embedder=HashEmbedder(), store=MemoryStore(), generator=ScriptedGenerator()
    )
    services = open_services(settings, core=core, parser=LineParser(), previewer=BlankPreviewer())
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        for _ in range(200):
            listed = client.get(
                "/api/documents", params={"path_prefix": name, "status": "ready"}
            ).json()
            if listed["documents"]:
                break
        (document,) = listed["documents"]
        assert (document["path"], document["name"]) == (name, name.rsplit("/", 1)[-1])
        (hit,) = client.post("/api/search", json={"query": "rent"}).json()["hits"]
        assert hit["path"] == name
        served = client.get(f"/api/documents/{document['document_id']}/file")
        assert served.content == file.read_bytes()
        picture = f"/api/documents/{document['document_id']}/pages/1.png"
        assert client.get(picture, params={"passage": hit["passage_id"]}).status_code == 200
        assert client.delete(f"/api/documents/{document['document_id']}").status_code == 204
        assert not file.exists()
