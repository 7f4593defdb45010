"""FIELD_CASES 19 and 20: nothing old answers, and nothing old is lost before the new is there."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from desk import Put

from ingest.pipeline import Pipeline
from ingest.scanner import Scanner
from ingest.worker import Worker
from rag.adapters.chroma import ChromaStore
from rag.catalog import Catalog
from rag.index import Index
from rag.ports import Vectors
from rag.records import Reason, Status
from rag.retrieval import Retrieval, Weights
from rag.testing import HashEmbedder, LineParser

OLD, NEW = "the fee is 100 flamingos", "the fee is 200 pelicans"


class Moody(HashEmbedder):
    """Fails after so many passages, when told to."""

    fails_after: int | None = None

    def embed_passages(self, texts: Sequence[str], /) -> Vectors:
        if self.fails_after is not None:
            self.fails_after -= len(texts)
            if self.fails_after < 0:
                raise RuntimeError("out of memory")
        return super().embed_passages(texts)


class Office:
    """Inbox, worker and search on a real vector store."""

    def __init__(self, inbox: Path, catalog: Catalog, folder: Path) -> None:
        self.catalog = catalog
        self.embedder = Moody()
        self.store = ChromaStore(folder)
        self.index = Index(catalog, self.store, self.embedder)
        self.scanner = Scanner(inbox, catalog, self.index, settle_s=0)
        pipeline = Pipeline(
            inbox, catalog, self.index, LineParser(), self.embedder, passage_tokens=32
        )
        self.worker = Worker(catalog, pipeline, attempts=2)
        self.retrieval = Retrieval(
            catalog, self.store, self.embedder, candidates=9, weights=Weights()
        )

    def settle(self) -> None:
        self.scanner.scan()
        self.scanner.scan()
        while self.worker.step():
            pass

    def found(self, query: str) -> str:
        """All that any way of searching finds."""
        return "\n".join(
            hit.passage.text
            for mode in ("dense", "keyword", "hybrid")
            for hit in self.retrieval.search(query, top_k=9, mode=mode)  # type: ignore[arg-type]
        )


@pytest.fixture
def office(inbox: Path, catalog: Catalog, tmp_path: Path) -> Iterator[Office]:
    opened = Office(inbox, catalog, tmp_path / "chroma")
    yield opened
    opened.store.close()


def test_case_19_a_replaced_or_deleted_file_answers_no_more(office: Office, put: Put) -> None:
    file = put("fees.txt", OLD)
    office.settle()
    assert OLD in office.found("fee flamingos")
    put("fees.txt", NEW)
    office.settle()
    found = office.found("fee flamingos")
    assert NEW in found
    assert "flamingos" not in found
    assert len(office.store.ids()) == office.catalog.passages.count() == 1
    file.unlink()
    office.settle()
    assert office.found("fee flamingos pelicans") == ""
    assert (office.store.ids(), office.catalog.passages.count()) == (set(), 0)


def test_case_20_a_revision_that_fails_halfway_leaves_the_old_one_answering(
    office: Office, put: Put, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ingest.worker._BACK_OFF", 0.0)
    put("fees.txt", OLD)
    office.settle()
    before = office.store.ids()
    put("fees.txt", "\n".join(f"{NEW} in year {year}" for year in range(2000, 2040)))
    office.embedder.fails_after = 20
    office.settle()
    (document,), _ = office.catalog.ledger.documents()
    assert document.status is Status.FAILED
    assert document.failure is not None
    assert document.failure.code is Reason.INTERNAL
    assert OLD in office.found("fee")
    assert "pelicans" not in office.found("fee")
    assert office.store.ids() == before

    office.embedder.fails_after = None
    office.catalog.jobs.retry(document.document_id)
    office.settle()
    (document,), _ = office.catalog.ledger.documents()
    assert document.status is Status.READY
    assert "pelicans" in office.found("fee")
    assert "flamingos" not in office.found("fee")
    assert len(office.store.ids()) == document.passages


def test_a_revision_that_can_not_be_read_leaves_the_old_one_answering(
    office: Office, put: Put, inbox: Path
) -> None:
    put("fees.txt", OLD)
    office.settle()
    (inbox / "fees.txt").write_bytes(b"\xff\xfe damaged while it was saved")
    for _ in range(3):
        office.settle()
    assert OLD in office.found("fee")
    put("fees.txt", NEW)
    office.settle()
    assert "flamingos" not in office.found("fee")
    assert NEW in office.found("fee")
