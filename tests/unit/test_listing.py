"""Looking through the ledger: by folder, name and status, ordered and counted."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from desk import Desk
from served import served, services_for, settings_for, upload

from rag.catalog import Chosen, Folder, Order
from rag.files import HeldFile
from rag.records import Failure, Reason, Status

_WRONG = Failure(Reason.CORRUPT, "damaged", "copy it anew")


@pytest.fixture
def shelf(desk: Desk) -> Desk:
    """Four documents in three folders; one failed, one has two places, one waits."""
    desk.publish("2024/租约/Zebra 合同.pdf", "a")
    desk.arrive("bad.pdf", "r2")
    desk.catalog.jobs.fail(desk.claim(), _WRONG)
    desk.publish("2024/apple.pdf", "b")
    desk.arrive("copies/苹果.pdf", desk.at("2024/apple.pdf").revision)
    desk.arrive("2024/wait.pdf", "r4")
    return desk


@pytest.mark.parametrize(
    ("chosen", "paths"),
    [
        (Chosen(words="合同 zebra"), ["2024/租约/Zebra 合同.pdf"]),
        (Chosen(words="ＡＰＰＬＥ"), ["2024/apple.pdf"]),
        (Chosen(words="蘋果"), ["2024/apple.pdf"]),
        (Chosen(words="租约 apple"), []),
        (Chosen(path_prefix="copies/"), ["2024/apple.pdf"]),
        (Chosen(status=Status.FAILED), ["bad.pdf"]),
        (Chosen(status=Status.QUEUED, path_prefix="2024/"), ["2024/wait.pdf"]),
    ],
)
def test_documents_are_chosen_by_name_folder_and_status(
    shelf: Desk, chosen: Chosen, paths: list[str]
) -> None:
    found, total = shelf.catalog.ledger.documents(chosen)
    assert [document.path for document in found] == paths
    assert total == len(paths)


@pytest.mark.parametrize(
    ("order", "names"),
    [
        ("path", ["apple.pdf", "wait.pdf", "Zebra 合同.pdf", "bad.pdf"]),
        ("name", ["apple.pdf", "bad.pdf", "wait.pdf", "Zebra 合同.pdf"]),
        ("status", ["bad.pdf", "wait.pdf", "apple.pdf", "Zebra 合同.pdf"]),
    ],
)
def test_documents_are_ordered_and_cut_in_that_order(
    shelf: Desk, order: Order, names: list[str]
) -> None:
    ledger = shelf.catalog.ledger
    assert [each.name for each in ledger.documents(Chosen(order=order))[0]] == names
    (third,), total = ledger.documents(Chosen(order=order), limit=1, offset=2)
    assert (third.name, total) == (names[2], 4)


def test_each_status_is_counted_whichever_is_shown(shelf: Desk) -> None:
    ledger = shelf.catalog.ledger
    assert ledger.counts(Chosen(status=Status.FAILED)) == {"ready": 2, "failed": 1, "queued": 1}
    assert ledger.counts(Chosen(path_prefix="2024/")) == {"ready": 2, "queued": 1}
    ledger.hold([HeldFile("2024/apple.pdf", 1, 1, Failure(Reason.IN_USE, "open", "close it"))])
    assert ledger.counts() == {"ready": 1, "failed": 1, "queued": 2}


def test_folders_tell_what_lies_in_them(shelf: Desk) -> None:
    assert shelf.catalog.ledger.folders() == [
        Folder("", 1),
        Folder("2024", 2),
        Folder("2024/租约", 1),
        Folder("copies", 1),
    ]


def test_the_ledger_is_searched_over_http(tmp_path: Path) -> None:
    with served(services_for(settings_for(tmp_path / "data"), "")) as client:
        first = upload(client, "2024/Lease.txt", "The rent is 3200 yuan.")
        listed = client.get("/api/documents", params={"q": "LEASE", "sort": "name"}).json()
        assert [document["document_id"] for document in listed["documents"]] == [first]
        assert listed["statuses"] == {"ready": 1}
        assert client.get("/api/documents?q=invoice").json()["total"] == 0
        assert client.get("/api/documents?sort=colour").status_code == 422
        assert client.get("/api/folders").json() == {"folders": [{"path": "2024", "documents": 1}]}


def test_an_upload_says_what_was_there_already(tmp_path: Path) -> None:
    with served(services_for(settings_for(tmp_path / "data"), "")) as client:

        def send(path: str) -> dict[str, Any]:
            files = {"file": ("x", b"The rent is 3200 yuan.")}
            said: dict[str, Any] = client.post(
                "/api/documents", files=files, data={"path": path}
            ).json()
            return said

        assert send("a.txt")["known"] is False
        assert send("a.txt")["known"] is True
        copy = send("b.txt")
        assert (copy["known"], copy["locations"]) == (True, ["a.txt", "b.txt"])


def test_all_that_failed_is_queued_again_at_once(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path / "data"), "")
    with served(services, watch=False) as client:
        for name in ("a.txt", "b.txt", "c.txt"):
            client.post("/api/documents", files={"file": (name, name.encode())})
        for _ in range(2):
            job = services.core.catalog.jobs.claim()
            assert job is not None
            services.core.catalog.jobs.fail(job, _WRONG)
        response = client.post("/api/retry")
        assert (response.status_code, response.json()) == (202, {"queued": 2})
        assert client.get("/api/documents").json()["statuses"] == {"queued": 3}
