"""A plain delete keeps the original and can be undone, whatever happens in between."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk

from ingest.inbox import Inbox
from ingest.pipeline import Pipeline
from ingest.scanner import Scanner
from ingest.trash import Trash
from ingest.worker import Worker
from rag.errors import Conflict, DiskFull, NotFound, Unavailable
from rag.testing import LineParser


class Office:
    """An inbox on the desk, read by hand."""

    def __init__(self, root: Path, desk: Desk) -> None:
        self.desk = desk
        self.path = root / "inbox"
        self.path.mkdir(exist_ok=True)
        self.ledger = desk.catalog.ledger
        pipeline = Pipeline(
            self.path, desk.catalog, desk.index, LineParser(), desk.embedder, passage_tokens=64
        )
        self.inbox = Inbox(
            self.path,
            desk.catalog,
            Scanner(self.path, desk.catalog, desk.index, settle_s=0),
            Worker(desk.catalog, pipeline, attempts=1),
            every_s=60,
            settle_s=0,
        )
        self.folder = root / "trash"
        self.trash = Trash(self.folder, self.inbox, desk.catalog, desk.index)

    def put(self, path: str, text: str) -> str:
        file = self.path / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        document_id = self.inbox.take(path)
        self.read()
        return document_id

    def read(self) -> None:
        while self.inbox._worker.step():
            pass

    def scan(self) -> None:
        for _ in range(2):
            self.inbox.scan()
        self.read()

    def files(self) -> dict[str, str]:
        found = (file for file in self.path.rglob("*") if file.is_file())
        return {str(f.relative_to(self.path)): f.read_text(encoding="utf-8") for f in found}

    def texts(self) -> list[str]:
        catalog = self.desk.catalog
        return sorted(p.text for p, _ in catalog.passages.get(catalog.passages.ids()).values())


@pytest.fixture
def office(tmp_path: Path, desk: Desk) -> Iterator[Office]:
    opened = Office(tmp_path, desk)
    yield opened
    opened.inbox.stop()


def test_all_places_come_back(office: Office) -> None:
    document_id = office.put("x/a.txt", "rent")
    assert office.put("b.txt", "rent") == document_id
    office.trash.delete(document_id)
    assert (office.files(), office.texts()) == ({}, [])
    assert [d.document_id for d in office.trash.documents()] == [document_id]
    office.trash.restore(document_id)
    office.read()
    assert office.files() == {"x/a.txt": "rent", "b.txt": "rent"}
    assert office.texts() == ["rent"]
    assert office.trash.documents() == []
    assert set(office.ledger.document(document_id).locations) == {"x/a.txt", "b.txt"}
    office.scan()
    assert len(office.ledger.documents()[0]) == 1


def test_a_path_taken_meanwhile_is_a_conflict_and_nothing_moves(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.put("b.txt", "rent")
    office.trash.delete(document_id)
    other = office.put("b.txt", "something else")
    with pytest.raises(Conflict, match=r"b\.txt"):
        office.trash.restore(document_id)
    assert office.files() == {"b.txt": "something else"}
    assert len(office.trash.documents()) == 1
    (office.path / "b.txt").rename(office.path / "c.txt")
    office.scan()
    office.trash.restore(document_id)
    office.read()
    assert office.files() == {"a.txt": "rent", "b.txt": "rent", "c.txt": "something else"}
    assert office.ledger.document(other).path == "c.txt"


def test_the_same_file_put_back_by_hand_is_no_conflict(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.trash.delete(document_id)
    again = office.put("a.txt", "rent")
    assert again != document_id
    office.trash.restore(document_id)
    office.scan()
    assert [d.document_id for d in office.ledger.documents()[0]] == [document_id]
    assert office.texts() == ["rent"]


def test_one_copy_deleted_needs_no_place_in_the_trash(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.put("b.txt", "rent")
    office.trash.delete(document_id, path="a.txt")
    assert office.files() == {"b.txt": "rent"}
    office.trash.delete(document_id)
    office.trash.restore(document_id)
    assert office.files() == {"b.txt": "rent"}, "the copy deleted before stays so"


def test_a_copy_whose_twin_was_just_edited_is_kept(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.put("b.txt", "rent")
    (office.path / "b.txt").write_text("other", encoding="utf-8")
    office.trash.delete(document_id, path="a.txt")
    assert (office.folder / document_id / "a.txt").read_text(encoding="utf-8") == "rent"


def test_deleting_before_it_was_read_can_be_undone(office: Office) -> None:
    (office.path / "a.txt").write_text("rent", encoding="utf-8")
    document_id = office.inbox.take("a.txt")
    job = office.desk.claim()
    office.trash.delete(document_id)
    assert not office.desk.publish_job(job, "rent"), "what was under way is not published"
    assert office.texts() == []
    office.trash.restore(document_id)
    office.read()
    assert office.texts() == ["rent"]


def test_a_full_disk_leaves_the_files_where_they_were(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = office.put("a.txt", "rent")
    office.put("b.txt", "rent")
    real = shutil.move

    def move(source: Path, target: Path) -> object:
        if Path(source) == office.path / "b.txt":
            target.write_text("re", encoding="utf-8")
            raise OSError(28, "No space left on device")
        return real(source, target)

    monkeypatch.setattr(shutil, "move", move)
    with pytest.raises(DiskFull):
        office.trash.delete(document_id)
    assert office.files() == {"a.txt": "rent", "b.txt": "rent"}
    assert [file for file in office.folder.rglob("*") if file.is_file()] == []
    assert office.texts() == ["rent"]


def test_a_kill_between_moving_and_shelving_is_mended(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    (office.folder / document_id).mkdir(parents=True)
    shutil.move(office.path / "a.txt", office.folder / document_id / "a.txt")
    office.trash.mend()
    office.scan()
    assert [d.document_id for d in office.trash.documents()] == [document_id]
    assert office.texts() == []
    office.trash.restore(document_id)
    assert office.files() == {"a.txt": "rent"}


def test_a_kill_while_restoring_is_mended(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.trash.delete(document_id)
    shutil.move(office.folder / document_id / "a.txt", office.path / "a.txt")
    office.trash.mend()
    office.scan()
    assert [d.document_id for d in office.ledger.documents()[0]] == [document_id]
    assert office.texts() == ["rent"]


def test_a_trash_emptied_by_hand_is_forgotten(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.trash.delete(document_id)
    shutil.rmtree(office.folder)
    assert office.trash.documents() == []
    office.trash.mend()
    with pytest.raises(NotFound):
        office.ledger.document(document_id)


def test_nothing_is_mended_while_the_inbox_is_away(office: Office) -> None:
    document_id = office.put("a.txt", "rent")
    office.trash.delete(document_id)
    shutil.move(office.folder / document_id / "a.txt", office.path / "a.txt")
    away = office.path.rename(office.path.with_name("away"))
    office.trash.mend()
    away.rename(office.path)
    office.trash.mend()
    assert [d.document_id for d in office.ledger.documents()[0]] == [document_id]


def test_without_its_folder_nothing_is_deleted_nor_brought_back(office: Office) -> None:
    """A folder made anew would look as if everything else had been deleted."""
    kept, gone = office.put("a.txt", "rent"), office.put("b.txt", "fee")
    office.trash.delete(gone)
    office.path.rename(office.path.with_name("away"))
    with pytest.raises(Unavailable):
        office.trash.delete(kept)
    with pytest.raises(Unavailable):
        office.trash.restore(gone)
    assert not office.path.exists()
    office.path.with_name("away").rename(office.path)
    office.trash.restore(gone)
    office.scan()
    assert office.files() == {"a.txt": "rent", "b.txt": "fee"}
    assert office.texts() == ["fee", "rent"]


def test_a_disk_full_in_the_middle_of_a_delete_leaves_everything_as_it_was(
    office: Office, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = office.put("x/a.txt", "rent")

    def full(*_: object) -> None:
        raise DiskFull("The disk is full; nothing was lost.")

    with monkeypatch.context() as disk:
        disk.setattr(office.desk.index, "shelve", full)
        with pytest.raises(DiskFull):
            office.trash.delete(document_id)
    assert (office.files(), office.texts()) == ({"x/a.txt": "rent"}, ["rent"])
    office.trash.delete(document_id)
    assert [each.document_id for each in office.trash.documents()] == [document_id]
