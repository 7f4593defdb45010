"""The ledger's rules for documents, locations and jobs."""

import sqlite3
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest
from desk import Desk

from rag.catalog import Catalog, Chosen
from rag.errors import NotFound, Unavailable
from rag.records import Advance, Failure, Job, Locator, Parsed, Passage, Reason, Scope, Status
from rag.terms import terms


def statuses(desk: Desk) -> dict[str, Status]:
    return {each.path: each.status for each in desk.catalog.ledger.documents()[0]}


def test_a_new_file_is_queued_and_claimed_once(desk: Desk) -> None:
    document_id = desk.arrive("a.pdf", "one")
    assert statuses(desk) == {"a.pdf": Status.QUEUED}
    job = desk.claim()
    assert (job.document_id, job.path, job.revision, job.attempts) == (
        document_id, "a.pdf", "one", 1,
    )  # fmt: skip
    assert desk.catalog.jobs.claim() is None


def test_the_same_file_again_changes_nothing(desk: Desk) -> None:
    first = desk.publish("a.pdf", "one")
    assert desk.arrive("a.pdf", "one") == first
    assert desk.catalog.jobs.claim() is None


def test_a_changed_file_keeps_its_document_and_is_queued(desk: Desk) -> None:
    first = desk.publish("a.pdf", "fee 100")
    assert desk.arrive("a.pdf", "fee 200") == first
    assert desk.catalog.passages.count() == 1, "the old text answers until the new is published"
    desk.publish_job(desk.claim(), "fee 200")
    found = desk.catalog.keywords.search(terms("100"), limit=5, scope=Scope())
    assert not found


def test_equal_bytes_are_one_document_with_two_locations(desk: Desk) -> None:
    first = desk.publish("a.pdf", "same")
    assert desk.arrive("copy/副本.pdf", "same") == first
    document = desk.catalog.ledger.document(first)
    assert document.locations == ("a.pdf", "copy/副本.pdf")
    assert document.collection == ""


def test_an_edited_copy_splits_off(desk: Desk) -> None:
    first = desk.publish("a.pdf", "same")
    desk.arrive("b.pdf", "same")
    second = desk.arrive("b.pdf", "edited")
    assert second != first
    assert desk.catalog.ledger.document(first).locations == ("a.pdf",)


def test_a_failed_document_is_read_again_under_another_name(desk: Desk) -> None:
    desk.arrive("memo", "text")
    unsupported = Failure(Reason.UNSUPPORTED, "No ending.", "Give it one.")
    desk.catalog.jobs.fail(desk.claim(), unsupported)
    desk.arrive("memo.txt", "text")
    desk.catalog.jobs.fail(desk.claim(), unsupported)
    desk.catalog.ledger.leave(["memo"])
    assert desk.claim().path == "memo.txt"


def test_a_restored_document_takes_the_places_of_an_equal_one(desk: Desk) -> None:
    old = desk.publish("a.pdf", "same")
    desk.index.shelve(old, "a.pdf")
    young = desk.publish("b.pdf", "same")
    desk.catalog.ledger.restore(old, desk.source("a.pdf", "same"))
    assert desk.catalog.ledger.orphans() == [young]
    assert set(desk.catalog.ledger.document(old).locations) == {"a.pdf", "b.pdf"}


def test_one_name_in_two_folders_is_two_documents(desk: Desk) -> None:
    assert desk.arrive("2023/合同.docx", "rent 1") != desk.arrive("2024/合同.docx", "rent 2")


def test_a_missing_file_that_comes_back_is_ready_without_a_job(desk: Desk) -> None:
    desk.publish("a.pdf", "one")
    desk.catalog.ledger.miss(["a.pdf"])
    assert statuses(desk) == {"a.pdf": Status.MISSING}
    desk.arrive("a.pdf", "one")
    assert statuses(desk) == {"a.pdf": Status.READY}
    assert desk.catalog.jobs.claim() is None


def test_a_failed_revision_leaves_the_old_one_answering(desk: Desk) -> None:
    desk.publish("a.pdf", "fee 100")
    desk.arrive("a.pdf", "broken")
    desk.catalog.jobs.fail(desk.claim(), Failure(Reason.CORRUPT, "Broken.", "Save it anew."))
    (document,), _ = desk.catalog.ledger.documents()
    assert document.status is Status.FAILED
    assert document.failure is not None and document.failure.code is Reason.CORRUPT
    assert desk.catalog.passages.count() == 1


def test_a_superseded_job_publishes_nothing(desk: Desk) -> None:
    desk.arrive("a.pdf", "fee 100")
    old = desk.claim()
    desk.arrive("a.pdf", "fee 200")
    assert desk.publish_job(old, "fee 100") is False
    assert desk.catalog.passages.count() == 0
    assert desk.store.ids() == set()
    assert desk.publish_job(desk.claim(), "fee 200") is True


def test_a_killed_job_waits_again_and_is_not_counted(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")
    desk.claim()
    assert desk.catalog.jobs.take_back(all_running=True) == 1
    assert desk.claim().attempts == 1


def test_a_lease_that_ran_out_ends_the_holders_say(desk: Desk) -> None:
    document_id = desk.arrive("a.pdf", "one")
    hung = desk.catalog.jobs.claim(lease_s=-1)
    assert hung is not None
    assert desk.catalog.jobs.take_back() == 1
    job = desk.claim()
    assert (job.attempts, job.interruptions) == (1, 1)
    assert desk.catalog.jobs.take_back() == 0
    assert desk.catalog.jobs.progress(hung, Status.EMBEDDING, Advance(1, 1, 0.5)) is False
    desk.catalog.jobs.fail(hung, Failure(Reason.INTERNAL, "It hung.", "Try again."))
    desk.catalog.jobs.postpone(hung, delay_s=0)
    assert desk.catalog.ledger.document(document_id).status is Status.READING
    assert desk.publish_job(hung, "too late") is False
    assert desk.publish_job(job, "one") is True


def test_pages_done_extend_a_lease(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")
    job = desk.catalog.jobs.claim(lease_s=-1)
    assert job is not None
    extended = replace(job, lease_s=60)
    assert desk.catalog.jobs.progress(extended, Status.READING, Advance(1, 9, 0.1)) is True
    assert desk.catalog.jobs.take_back() == 0


def test_those_the_service_was_killed_over_come_last(desk: Desk) -> None:
    desk.arrive("suspect.pdf", "one")
    desk.arrive("good.pdf", "two")
    assert desk.claim().path == "suspect.pdf"
    desk.catalog.jobs.take_back(all_running=True)
    assert [desk.claim().path, desk.claim().path] == ["good.pdf", "suspect.pdf"]


def test_a_job_that_failed_counts(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")
    desk.catalog.jobs.retry_later(desk.claim(), delay_s=-1)
    assert desk.claim().attempts == 2


def test_a_file_in_use_waits_with_its_reason(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")
    in_use = Failure(Reason.IN_USE, "In use.", "Wait.")
    desk.catalog.jobs.postpone(desk.claim(), delay_s=60, failure=in_use)
    (document,), _ = desk.catalog.ledger.documents()
    assert (document.status, document.failure) == (Status.QUEUED, in_use)
    assert desk.catalog.jobs.claim() is None


def test_the_ledger_is_filtered_by_status_and_folder(desk: Desk) -> None:
    desk.publish("x/a.pdf", "one")
    desk.arrive("y/b.pdf", "two")
    ledger = desk.catalog.ledger
    assert [d.path for d in ledger.documents(Chosen(status=Status.READY))[0]] == ["x/a.pdf"]
    for place, found in (
        ("y/", ["y/b.pdf"]),
        ("y", ["y/b.pdf"]),
        ("y/b.pdf", ["y/b.pdf"]),
        ("y/b", []),
    ):
        assert [d.path for d in ledger.documents(Chosen(path_prefix=place))[0]] == found
    assert ledger.documents(limit=1, offset=1)[1] == 2


@pytest.mark.parametrize(
    ("scope", "found"),
    [
        (Scope(), {"rent a", "rent b", "rent c"}),
        (Scope(collection="x"), {"rent a"}),
        (Scope(collection=""), {"rent c"}),
        (Scope(path_prefix="y/z"), {"rent b"}),
        (Scope(path_prefix="y/z/"), {"rent b"}),
        (Scope(path_prefix="y/z/b.pdf"), {"rent b"}),
        (Scope(path_prefix="y/z/b"), set()),
        (Scope(path_prefix="y/"), {"rent b"}),
        (Scope(date_from=datetime(2100, 1, 1, tzinfo=UTC)), set()),
        (Scope(date_to=datetime(2100, 1, 1, tzinfo=UTC)), {"rent a", "rent b", "rent c"}),
    ],
)
def test_a_search_stays_within_its_scope(desk: Desk, scope: Scope, found: set[str]) -> None:
    desk.publish("x/a.pdf", "rent a")
    desk.publish("y/z/b.pdf", "rent b")
    desk.publish("c.pdf", "rent c")
    ids = list(desk.catalog.keywords.search(["rent"], limit=9, scope=scope))
    assert {p.text for p, _ in desk.catalog.passages.get(ids).values()} == found
    assert set(ids) == set(desk.catalog.passages.ids(scope))


def test_changes_are_told_once_asked_again(desk: Desk) -> None:
    first = desk.publish("a.pdf", "one")
    changed, ids, since = desk.catalog.ledger.changes("")
    assert ([each.document_id for each in changed], ids) == ([first], {first})
    second = desk.arrive("b.pdf", "two")
    desk.arrive("copy.pdf", "one")
    changed, ids, since = desk.catalog.ledger.changes(since)
    assert {each.document_id for each in changed} == ids == {first, second}
    desk.catalog.ledger.leave(["b.pdf"])
    assert desk.catalog.ledger.changes(since)[1] == {first}


def test_an_unknown_document_is_not_found(desk: Desk) -> None:
    with pytest.raises(NotFound):
        desk.catalog.ledger.document("nothing")


def test_quotes_and_operators_in_a_query_are_text(desk: Desk) -> None:
    desk.publish("a.pdf", "rent")
    assert desk.catalog.keywords.search(terms('rent" OR NEAR( * ^'), limit=5, scope=Scope())


def test_a_failing_transaction_leaves_nothing(desk: Desk) -> None:
    with pytest.raises(RuntimeError), desk.catalog.transaction():
        desk.arrive("a.pdf", "one")
        raise RuntimeError
    assert desk.catalog.ledger.documents() == ([], 0)


def test_a_catalogue_from_a_newer_version_is_refused_untouched(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    Catalog(path).close()
    with sqlite3.connect(path) as connection:
        connection.execute("INSERT INTO migrations VALUES ('m999_later')")
    with pytest.raises(Unavailable, match="newer version"):
        Catalog(path)


def test_a_file_that_is_no_catalogue_is_refused_in_plain_words(tmp_path: Path) -> None:
    path = tmp_path / "c.sqlite3"
    path.write_bytes(b"not a database at all" * 100)
    with pytest.raises(Unavailable, match="damaged"):
        Catalog(path)


def test_conversations_keep_their_answers(catalog: Catalog) -> None:
    conversation_id = catalog.conversations.start("What is the rent?")
    catalog.conversations.add(conversation_id, question="What?", answer={"answer": "租金 [1]"})
    conversation, (exchange,) = catalog.conversations.get(conversation_id)
    assert conversation.title == "What is the rent?"
    assert exchange.answer == {"answer": "租金 [1]"}
    catalog.conversations.rename(conversation_id, "Rent")
    assert [each.title for each in catalog.conversations.all()] == ["Rent"]
    catalog.conversations.delete(conversation_id)
    with pytest.raises(NotFound):
        catalog.conversations.get(conversation_id)


def test_what_stands_beside_a_passage_is_of_its_section(desk: Desk) -> None:
    job = _claimed(desk)
    places = [
        Locator(page=1, section=("A",)),
        *(Locator(sheet="S", cells=f"A{n}:B{n}", lines=(f"A{n}:B{n}",) * 2) for n in (1, 2, 3)),
        Locator(sheet="T", cells="A1:B1"),
    ]
    passages = [
        Passage(f"p{at}", job.document_id, at, f"text {at}", "", place)
        for at, place in enumerate(places)
    ]
    desk.index.publish(job, Parsed((), ()), passages=passages, vectors=desk.index.embed(passages))
    stored, _ = desk.catalog.passages.get(["p2"])["p2"]
    assert stored == passages[2]
    assert desk.catalog.passages.beside(stored, reach=1) == passages[1:4]
    assert desk.catalog.passages.beside(passages[1], reach=9) == passages[1:4]
    assert desk.catalog.passages.beside(passages[4], reach=2) == [passages[4]]


def _claimed(desk: Desk) -> Job:
    desk.arrive("a.xlsx", "one")
    return desk.claim()


def test_what_followed_an_answer_whose_source_is_erased_is_emptied_too(catalog: Catalog) -> None:
    talks = catalog.conversations

    def answer(said: str, document_id: str) -> dict[str, object]:
        return {"answer": said, "hits": [{"document_id": document_id}], "mode": "generated"}

    talk, other = talks.start("And before?"), talks.start("Elsewhere?")
    talks.add(talk, question="Before?", answer=answer("Tea.", "kept"))
    talks.add(talk, question="The secret?", answer=answer("It is 42.", "doomed"))
    talks.add(talk, question="Once more?", answer=answer("42, as I said.", "kept"))
    talks.add(other, question="Tea?", answer=answer("Tea.", "kept"))
    assert talks.redact(["doomed"]) == 2
    said = [exchange.answer["answer"] for exchange in talks.get(talk)[1]]
    assert said[0] == "Tea."
    assert all(each.startswith("Removed on") for each in said[1:])
    assert talks.get(other)[1][0].answer["answer"] == "Tea."
