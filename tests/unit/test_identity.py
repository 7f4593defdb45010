"""FIELD_CASES 23, 29 and 30: content decides which document a file is."""

from __future__ import annotations

import os
import unicodedata
from pathlib import Path
from typing import Any

import pytest
from desk import Desk, Put

from ingest.folder import read_source, walk
from ingest.scanner import Scanner
from rag.records import Scope, Status
from rag.terms import terms


def ids(desk: Desk) -> dict[str, str]:
    documents = desk.catalog.ledger.documents()[0]
    return {path: each.document_id for each in documents for path in each.locations}


def found(desk: Desk, words: str, scope: Scope | None = None) -> list[str]:
    """The paths under which the passages with these words are cited."""
    found = desk.catalog.keywords.search(terms(words), limit=9, scope=scope or Scope())
    return [places[0] for _, places in desk.catalog.passages.get(list(found)).values()]


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The paths whose content the scanner looks into."""
    looked: list[str] = []

    def read_(inbox: Path, path: str) -> Any:
        looked.append(path)
        return read_source(inbox, path)

    monkeypatch.setattr("ingest.scanner.read_source", read_)
    return looked


# -- another file in a file's place


@pytest.mark.parametrize("how", ["rename", "in place"])
def test_other_content_of_the_same_size_and_time_is_noticed(
    scanner: Scanner, desk: Desk, put: Put, how: str
) -> None:
    file = put("a.pdf", "fee 100")
    scanner.scan()
    desk.read_all()
    before = file.stat()
    if how == "rename":  # as `mv`, or restoring an old copy
        put("b.tmp", "fee 200").replace(file)
    else:  # as `cp -p`
        put("a.pdf", "fee 200")
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert file.stat().st_mtime_ns == before.st_mtime_ns
    assert scanner.scan().arrived == ("a.pdf",)
    assert desk.read_all() == ["a.pdf"]


def test_a_touch_is_looked_into_once_and_read_never(
    scanner: Scanner, desk: Desk, put: Put, read: list[str]
) -> None:
    file = put("a.pdf", "one")
    scanner.scan()
    desk.read_all()
    before, embedded = desk.at("a.pdf"), desk.embedder.embedded
    os.utime(file, ns=(1, 86_400_000_000_000))
    for _ in range(3):
        scanner.scan()
    after = desk.at("a.pdf")
    assert read == ["a.pdf", "a.pdf"]
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)
    assert (after.status, after.revision) == (Status.READY, before.revision)
    assert after.modified_at.isoformat() == "1970-01-02T00:00:00+00:00"


def test_a_start_looks_into_no_unchanged_file(
    inbox: Path, desk: Desk, put: Put, read: list[str]
) -> None:
    for number in range(20):
        put(f"{number}.pdf", str(number))
    Scanner(inbox, desk.catalog, desk.index, settle_s=0).scan()
    read.clear()
    Scanner(inbox, desk.catalog, desk.index, settle_s=0).scan()
    assert read == []


def test_on_a_share_the_file_ids_say_nothing(
    inbox: Path, desk: Desk, put: Put, read: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    put("a.pdf", "one")
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=0, remote=lambda _: True)
    scanner.scan()
    with desk.catalog.transaction() as connection:
        connection.execute("UPDATE locations SET file_id = 'of another session'")  # type: ignore[attr-defined]
    scanner.scan()
    assert read == ["a.pdf"]


# -- renamed and moved


def test_a_renamed_folder_keeps_documents_and_vectors(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path
) -> None:
    for number in range(8):
        put(f"2023/{number}.pdf", str(number))
    scanner.scan()
    desk.read_all()
    before, embedded = ids(desk), desk.embedder.embedded
    (inbox / "2023").rename(inbox / "2024")
    scan = scanner.scan()
    assert (scan.held_back, scan.unsettled) == (0, ())
    assert ids(desk) == {path.replace("2023", "2024"): i for path, i in before.items()}
    assert set(desk.statuses().values()) == {Status.READY}
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)
    assert found(desk, "text")[0].startswith("2024/"), "cited where it lies now"


def test_a_rename_is_seen_at_once_though_files_must_settle(
    inbox: Path, desk: Desk, put: Put
) -> None:
    time = [0.0]
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=5, clock=lambda: time[0])
    for number in range(6):
        put(f"{number}.pdf", str(number))
    scanner.scan()
    time[0] += 5
    scanner.scan()
    before = ids(desk)
    (inbox / "all").mkdir()
    for number in range(6):
        (inbox / f"{number}.pdf").rename(inbox / "all" / f"{number}.pdf")
    scan = scanner.scan()
    assert (scan.reachable, scan.unsettled, scan.held_back) == (True, (), 0)
    assert ids(desk) == {f"all/{path}": i for path, i in before.items()}


def test_a_copy_that_still_settles_keeps_the_vanished_original(
    inbox: Path, desk: Desk, put: Put
) -> None:
    """A move to another drive copies, then deletes: the new one is not read yet by then."""
    time = [0.0]
    scanner = Scanner(inbox, desk.catalog, desk.index, settle_s=1, clock=lambda: time[0])
    file = put("a.pdf", "one")
    scanner.scan()
    time[0] += 1
    scanner.scan()
    desk.read_all()
    before = ids(desk)
    file.unlink()
    copy = put("b.pdf", "one")
    for tick in range(4):  # its time goes on changing
        os.utime(copy, ns=(tick, tick))
        scanner.scan()
        time[0] += 1
    assert desk.statuses() == {"a.pdf": Status.MISSING}
    time[0] += 1
    scanner.scan()
    assert ids(desk) == {"b.pdf": before["a.pdf"]}
    assert desk.read_all() == []


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("Vertrag.pdf", "VERTRAG.pdf"),
        (unicodedata.normalize("NFC", "résumé.pdf"), unicodedata.normalize("NFD", "résumé.pdf")),
        ("100% #1.pdf", "100% & 'two' \"three\" #2?.pdf"),
    ],
    ids=["case", "normal form", "signs"],
)
def test_a_name_that_hardly_changes_is_a_rename(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path, before: str, after: str
) -> None:
    put(before, "one")
    scanner.scan()
    desk.read_all()
    known = ids(desk)
    (inbox / before).rename(inbox / after)
    scanner.scan()
    assert ids(desk) == {after: known[before]}
    assert desk.read_all() == []


def test_a_folder_renamed_during_the_scan_is_found_by_the_next(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for number in range(6):
        put(f"old/{number}.pdf", str(number))
    scanner.scan()
    desk.read_all()
    before, embedded = ids(desk), desk.embedder.embedded
    for number in range(6):
        put(f"old/{number}.pdf", f"{number} edited")

    def walk_then_rename(folder: Path) -> Any:
        seen = walk(folder)
        (inbox / "old").rename(inbox / "new")
        monkeypatch.undo()
        return seen

    monkeypatch.setattr("ingest.scanner.walk", walk_then_rename)
    assert scanner.scan().arrived == ()
    for _ in range(3):
        scanner.scan()
    assert sorted(desk.read_all()) == [f"new/{number}.pdf" for number in range(6)]
    assert sorted(ids(desk)) == [f"new/{number}.pdf" for number in range(6)]
    assert desk.embedder.embedded == embedded + len(before)


def test_the_twin_may_come_before_the_old_name_goes(scanner: Scanner, desk: Desk, put: Put) -> None:
    old = put("a.pdf", "one")
    scanner.scan()
    desk.read_all()
    before = ids(desk)["a.pdf"]
    put("b.pdf", "one")
    scanner.scan()
    assert ids(desk) == {"a.pdf": before, "b.pdf": before}
    old.unlink()
    scanner.scan()
    assert ids(desk) == {"b.pdf": before}
    assert desk.read_all() == []


@pytest.mark.parametrize("names", ["ab", "abc", "cab"])
def test_swapped_names_keep_ids_with_their_content(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path, names: str
) -> None:
    for name in names:
        put(f"{name}.pdf", f"content of {name}")
    scanner.scan()
    desk.read_all()
    before, embedded = ids(desk), desk.embedder.embedded
    for name in names:
        (inbox / f"{name}.pdf").rename(inbox / f"{name}.tmp")
    moved = dict(zip(names, names[1:] + names[0], strict=True))
    for name, to in moved.items():
        (inbox / f"{name}.tmp").rename(inbox / f"{to}.pdf")
    scanner.scan()
    assert ids(desk) == {f"{to}.pdf": before[f"{name}.pdf"] for name, to in moved.items()}
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)


@pytest.mark.parametrize("aside", ["a old.pdf", "z.pdf"])
def test_a_file_put_aside_keeps_its_document_though_its_name_was_taken(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path, aside: str
) -> None:
    put("a.pdf", "2023")
    scanner.scan()
    desk.read_all()
    before = ids(desk)["a.pdf"]
    (inbox / "a.pdf").rename(inbox / aside)
    put("a.pdf", "2024, longer")
    scanner.scan()
    assert desk.read_all() == ["a.pdf"]
    after = ids(desk)
    assert after[aside] == before
    assert after["a.pdf"] != before


# -- saved by programs


@pytest.mark.parametrize(
    ("draft", "aside"),
    [
        ("~WRD0000.tmp", "~WRL0001.tmp"),  # Word
        ("~WRD0000.docx", "~WRL0001.docx"),
        ("A1B2C300.tmp", "D4E5F600.tmp"),  # Excel
        (".~wps1234.tmp", "a.docx.bak"),  # WPS
        (".goutputstream-X1", "a.docx~"),
        ("lu12345.tmp", "a.bak"),  # LibreOffice
    ],
)
def test_a_document_saved_the_long_way_round_keeps_its_id_and_answers_throughout(
    scanner: Scanner, desk: Desk, put: Put, inbox: Path, draft: str, aside: str
) -> None:
    file = put("a.docx", "old fee")
    put("~$a.docx", "lock")
    put(".~lock.a.docx#", "lock")
    scanner.scan()
    desk.read_all()
    before = ids(desk)["a.docx"]

    def step() -> None:
        scanner.scan()
        assert ids(desk) == {"a.docx": before}
        assert found(desk, "text") == ["a.docx"]

    put(draft, "new fee, longer")
    step()
    file.rename(inbox / aside)
    step()
    (inbox / draft).rename(file)
    step()
    (inbox / aside).unlink()
    step()
    assert desk.read_all() == ["a.docx"]


# -- the same, twice


def test_case_29_equal_bytes_are_found_once_and_told_at_both_places(
    scanner: Scanner, desk: Desk, put: Put
) -> None:
    put("2023/a.pdf", "the rent is 3200")
    scanner.scan()
    desk.read_all()
    copy = put("2024/副本.pdf", "the rent is 3200")
    scanner.scan()
    assert (desk.read_all(), desk.embedder.embedded) == ([], 1)
    assert desk.at("2024/副本.pdf").locations == ("2023/a.pdf", "2024/副本.pdf")
    assert found(desk, "text") == ["2023/a.pdf"]
    for scope in (Scope(path_prefix="2024/"), Scope(collection="2024"), Scope(collection="2023")):
        assert len(found(desk, "text", scope)) == 1, "filters match any place"
    copy.unlink()
    scanner.scan()
    assert desk.at("2023/a.pdf").locations == ("2023/a.pdf",)
    assert found(desk, "text") == ["2023/a.pdf"]


def test_a_filter_by_date_matches_the_file_at_any_place(
    scanner: Scanner, desk: Desk, put: Put
) -> None:
    os.utime(put("a.pdf", "one"), (86_400, 86_400))
    scanner.scan()
    desk.read_all()
    os.utime(put("b.pdf", "one"), (8_640_000, 8_640_000))
    scanner.scan()
    from datetime import UTC, datetime

    def at(day: int) -> datetime:
        return datetime.fromtimestamp(day * 86_400, UTC)

    assert found(desk, "text", Scope(date_from=at(99), date_to=at(101)))
    assert found(desk, "text", Scope(date_from=at(1), date_to=at(1)))
    assert not found(desk, "text", Scope(date_from=at(2), date_to=at(99)))


def test_the_oldest_copy_may_go_first(scanner: Scanner, desk: Desk, put: Put) -> None:
    first = put("a.pdf", "one")
    scanner.scan()
    put("b.pdf", "one")
    scanner.scan()
    desk.read_all()
    before = ids(desk)["a.pdf"]
    first.unlink()
    scanner.scan()
    assert ids(desk) == {"b.pdf": before}
    assert found(desk, "text") == ["b.pdf"]


@pytest.mark.parametrize("edited", ["a.pdf", "b.pdf"])
def test_an_edited_copy_gets_an_id_of_its_own(
    scanner: Scanner, desk: Desk, put: Put, edited: str
) -> None:
    put("a.pdf", "one")
    put("b.pdf", "one")
    scanner.scan()
    desk.read_all()
    before = ids(desk)["a.pdf"]
    put(edited, "one, edited")
    scanner.scan()
    assert desk.read_all() == [edited]
    after = ids(desk)
    assert after.pop(edited) != before
    assert list(after.values()) == [before]


@pytest.mark.parametrize("edited", ["older.pdf", "younger.pdf"])
def test_documents_that_become_equal_go_on_under_the_older_id(
    scanner: Scanner, desk: Desk, put: Put, edited: str
) -> None:
    put("older.pdf", "the old fee")
    scanner.scan()
    put("younger.pdf", "the young fee, longer")
    scanner.scan()
    desk.read_all()
    before, embedded = ids(desk), desk.embedder.embedded
    other = "younger.pdf" if edited == "older.pdf" else "older.pdf"
    text = {"older.pdf": "the old fee", "younger.pdf": "the young fee, longer"}[other]
    revision = desk.at(other).revision
    put(edited, text)
    scanner.scan()
    older = before["older.pdf"]
    assert ids(desk) == {"older.pdf": older, "younger.pdf": older}
    assert (desk.read_all(), desk.embedder.embedded) == ([], embedded)
    document = desk.at("older.pdf")
    assert (document.revision, document.status, document.passages) == (revision, Status.READY, 1)
    assert found(desk, "text") == ["older.pdf"]
    assert desk.store.ids() == set(desk.catalog.passages.ids())


def test_becoming_equal_to_one_that_is_being_read_restarts_that(
    scanner: Scanner, desk: Desk, put: Put
) -> None:
    put("older.pdf", "the old fee")
    scanner.scan()
    desk.read_all()
    put("younger.pdf", "the young fee, longer")
    scanner.scan()
    under_way = desk.claim()
    put("older.pdf", "the young fee, longer")
    scanner.scan()
    assert desk.publish_job(under_way, "too late") is False
    assert desk.read_all() == ["older.pdf"]
    assert (len(desk.catalog.ledger.documents()[0]), desk.catalog.passages.count()) == (1, 1)


def test_case_30_the_same_name_in_two_folders_is_two_documents(
    scanner: Scanner, desk: Desk, put: Put
) -> None:
    put("2023/合同.docx", "rent 3000")
    put("2024/合同.docx", "rent 3200")
    scanner.scan()
    desk.read_all()
    known = ids(desk)
    assert len(set(known.values())) == 2
    put("2024/合同.docx", "rent 3400, from May")
    scanner.scan()
    assert desk.read_all() == ["2024/合同.docx"]
    assert ids(desk) == known


def test_an_update_from_before_stamps_looks_into_each_file_once_and_embeds_nothing(
    scanner: Scanner, desk: Desk, put: Put, read: list[str]
) -> None:
    for number in range(3):
        put(f"{number}.pdf", str(number))
    scanner.scan()
    desk.read_all()
    before, embedded = ids(desk), desk.embedder.embedded
    with desk.catalog.transaction() as connection:  # as the migration leaves it
        connection.execute("UPDATE locations SET ctime_ns = 0, file_id = ''")  # type: ignore[attr-defined]
    read.clear()
    for _ in range(3):
        scanner.scan()
    assert read == ["0.pdf", "1.pdf", "2.pdf"]
    assert (ids(desk), desk.read_all(), desk.embedder.embedded) == (before, [], embedded)
