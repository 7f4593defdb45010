"""What `deskside ingest` waits for and tells of, against a scripted service."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from api.bar import facts
from api.client import _own_or_find
from api.ingesting import copy_in, read_all
from api.printing import remarks
from rag.errors import InvalidRequest
from rag.lock import DataLock

START = datetime(2031, 1, 1, tzinfo=UTC)
BEFORE, AFTER = "2030-12-31T00:00:00Z", "2031-01-01T00:00:05Z"


def document(name: str, status: str, at: str = AFTER, **more: Any) -> dict[str, Any]:
    pages = {"pages_done": 0, "pages_total": 0, "progress": 0.0}
    return {
        "document_id": name,
        "status": status,
        "updated_at": at,
        "reason": None,
        **pages,
        **more,
    }


def inbox(**more: Any) -> dict[str, Any]:
    return {"queued": 0, "unsettled": 0, **more}


class Service:
    """Answers from a ledger that its events change as they are told."""

    def __init__(self, *documents: dict[str, Any], events: list[dict[str, Any]]) -> None:
        self.ledger = {each["document_id"]: each for each in documents}
        self._events = events
        self.scans = 0

    def get(self, path: str, **_params: Any) -> Any:
        assert path == "/api/documents"
        return {"documents": list(self.ledger.values()), "total": len(self.ledger)}

    def post(self, path: str, _body: dict[str, Any]) -> Any:
        assert path == "/api/scan"
        self.scans += 1
        return inbox()

    def stream(self, path: str) -> Iterator[tuple[str, dict[str, Any]]]:
        assert path == "/api/events"
        yield "inbox", inbox()
        for each in self._events:
            self.ledger[each["document_id"]] = each
            yield "document", each
        raise AssertionError("nobody should wait any longer")


class Lines:
    """The names that ended, in order."""

    def __init__(self) -> None:
        self.ended_names: list[str] = []

    def ended(self, document: dict[str, Any]) -> None:
        self.ended_names.append(document["document_id"])

    def show(self, documents: Any, waiting: Any, inbox: Any) -> None:
        """Nothing to look at."""


def test_only_what_this_run_touched_is_told_of_each_once_as_it_ends() -> None:
    service = Service(
        document("old", "ready", BEFORE),
        document("broken long ago", "failed", BEFORE),
        document("a", "queued", BEFORE),
        document("quick", "ready"),
        events=[
            document("a", "reading"),
            document("b", "queued"),
            document("b", "failed"),
            document("a", "embedding"),
            document("a", "ready"),
        ],
    )
    lines = Lines()
    found, failed_before = read_all(service, lines, since=START)  # type: ignore[arg-type]
    assert lines.ended_names == ["quick", "b", "a"]
    assert {(each["document_id"], each["status"]) for each in found} == {
        ("quick", "ready"),
        ("b", "failed"),
        ("a", "ready"),
    }
    assert (failed_before, service.scans) == (1, 1)


def test_a_file_in_use_is_not_waited_for_and_others_do_not_matter() -> None:
    in_use = document("held", "queued", reason={"code": "in_use"})
    service = Service(in_use, document("a", "reading"), events=[document("a", "ready")])
    lines = Lines()
    found, _ = read_all(service, lines, since=START)  # type: ignore[arg-type]
    assert lines.ended_names == ["a"]
    assert [each["document_id"] for each in found] == ["held", "a"]
    service = Service(document("other", "queued"), document("a", "ready", BEFORE), events=[])
    found, _ = read_all(service, lines, since=START, only=["a"])  # type: ignore[arg-type]
    assert [each["document_id"] for each in found] == ["a"]


def test_the_bar_says_pages_rate_and_time_left() -> None:
    read = document("a", "ready", pages_done=3, pages_total=3, progress=1.0)
    begun = document("b", "reading", pages_done=40, pages_total=200, progress=0.2)
    told = facts([read, begun], inbox(pages_per_s=11.25, eta_s=130))
    assert told == "43 of 203 pages · 11.2 pages/s · about 2 min left"


def test_a_command_waits_for_a_service_that_is_just_starting(tmp_path: Path) -> None:
    lock = DataLock(tmp_path)
    lock.acquire(serving=True)
    found: list[object] = []

    def find() -> None:
        with ExitStack() as held:
            found.append(_own_or_find(held, tmp_path))

    finding = threading.Thread(target=find)
    finding.start()
    finding.join(0.5)
    assert found == []
    lock.announce("http://127.0.0.1:1")
    finding.join(10)
    lock.release()
    assert found == ["http://127.0.0.1:1"]


def test_what_is_not_read_and_why_is_said_in_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    problem = {"code": "link", "path": "[a].pdf", "message": "It is a link.", "advice": "Copy it."}
    remarks([], inbox(unsettled=1, held_back=7, problems=[problem]), failed_before=0)
    said = capsys.readouterr().err
    assert "[a].pdf: It is a link. Copy it." in said
    assert "Vanished, and kept in case a drive is missing: 7." in said
    assert "not to be opened yet: 1" in said


def test_one_file_of_a_folder_that_is_refused_stops_no_other(tmp_path: Path) -> None:
    class Picky:
        def upload(self, name: str, _content: Any) -> Any:
            if name.endswith(".bak"):
                raise InvalidRequest("That is a backup.", hint="Add the document itself.")
            return {"document_id": name}

    folder = tmp_path / "papers"
    (folder / ".git").mkdir(parents=True)
    for name in ("a.docx", "b.docx.bak", "c.docx", ".git/config", "~$a.docx"):
        (folder / name).write_text("text")
    ids, refused = copy_in(Picky(), [folder])  # type: ignore[arg-type]
    assert ids == ["papers/a.docx", "papers/c.docx"]
    assert len(refused) == 1
    assert "b.docx.bak: That is a backup." in refused[0]
    with pytest.raises(InvalidRequest):
        copy_in(Picky(), [folder / "b.docx.bak"])  # type: ignore[arg-type]
