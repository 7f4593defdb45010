"""FIELD_CASE 63: what people see of a document's progress only grows, and costs little."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from pathlib import Path

import pytest
from desk import Desk

from ingest.pipeline import Pipeline
from ingest.scanner import read_source
from ingest.telling import Telling
from rag.catalog import Catalog
from rag.index import Index
from rag.ports import Vectors
from rag.records import Document, Job, Status
from rag.testing import HashEmbedder, LineParser, MemoryStore

PAGES, PASSAGES = 20, 60


def watched(desk: Desk, job: Job, *, step_s: float) -> list[Document]:
    """The document after each page read and each passage embedded."""
    ticks = itertools.count(step=step_s)
    telling = Telling(desk.catalog.jobs, job, clock=lambda: next(ticks))
    seen = []
    for page in range(1, PAGES + 1):
        telling.reading(page, PAGES)
        seen.append(desk.catalog.ledger.document(job.document_id))
    telling.read(PAGES, PAGES)
    for done in range(0, PASSAGES + 1, 6):
        telling.embedding(done, PASSAGES)
        seen.append(desk.catalog.ledger.document(job.document_id))
    return seen


def test_pages_done_grow_through_both_stages(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")
    seen = watched(desk, desk.claim(), step_s=1)
    done = [document.pages_done for document in seen]
    assert done == sorted(done)
    assert done[PAGES - 1] == PAGES // 2
    assert done[-1] == PAGES
    assert {document.pages_total for document in seen} == {PAGES}
    assert [document.status for document in seen] == [Status.READING] * PAGES + [
        Status.EMBEDDING
    ] * (PASSAGES // 6 + 1)


def test_within_one_huge_page_the_share_of_work_grows(desk: Desk) -> None:
    desk.arrive("a.csv", "one")
    job = desk.claim()
    ticks = itertools.count()
    telling = Telling(desk.catalog.jobs, job, clock=lambda: next(ticks))
    telling.reading(0, 1)
    shares = [desk.catalog.ledger.document(job.document_id).progress]
    telling.read(1, 1)
    telling.cutting()
    for done in (0, 20, 40, 60):
        shares.append(desk.catalog.ledger.document(job.document_id).progress)
        telling.embedding(done, 60)
    assert shares == [0, 0.5, 0.5, pytest.approx(2 / 3), pytest.approx(5 / 6)]
    assert desk.catalog.ledger.document(job.document_id).progress == 1


def test_what_is_published_is_all_done_and_a_new_revision_is_not(desk: Desk) -> None:
    document_id = desk.publish("a.pdf", "one")
    assert desk.catalog.ledger.document(document_id).progress == 1
    desk.arrive("a.pdf", "changed")
    desk.claim()
    assert desk.catalog.ledger.document(document_id).progress == 0


def test_a_file_read_in_a_moment_is_not_told_page_by_page(desk: Desk) -> None:
    desk.arrive("a.pdf", "one")
    seen = watched(desk, desk.claim(), step_s=0.001)
    assert len({document.updated_at for document in seen}) == 1


def test_a_new_revision_begins_at_no_page(desk: Desk) -> None:
    desk.publish("a.pdf", "one", "two")
    document_id = desk.arrive("a.pdf", "changed")
    desk.claim()
    assert desk.catalog.ledger.document(document_id).pages_done == 0


class Watching(HashEmbedder):
    """Looks at the ledger whenever it is given work."""

    def __init__(self, catalog: Catalog) -> None:
        super().__init__()
        self._catalog = catalog
        self.seen: list[Document] = []

    def embed_passages(self, texts: Sequence[str], /) -> Vectors:
        self.seen += self._catalog.ledger.documents()[0]
        return super().embed_passages(texts)


def test_a_document_is_seen_on_its_way_through_the_pipeline(
    catalog: Catalog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.telling._EVERY_S", 0.0)
    pages = "\f".join(f"Page {page} tells of the alder in many words." * 9 for page in range(40))
    (tmp_path / "a.txt").write_text(pages, encoding="utf-8")
    embedder = Watching(catalog)
    index = Index(catalog, MemoryStore(), embedder)
    pipeline = Pipeline(tmp_path, catalog, index, LineParser(), embedder, passage_tokens=64)
    catalog.ledger.arrive(read_source(tmp_path, "a.txt"))
    job = catalog.jobs.claim()
    assert job is not None
    heard: list[int] = []
    assert pipeline.run(job, progress=lambda advance: heard.append(advance.pages_done)) == 40
    done = [document.pages_done for document in embedder.seen]
    assert done == sorted(done)
    assert 20 == done[0] < done[-1] < 40
    assert heard == sorted(heard)
    assert heard[-1] == 40
