"""A small desk for tests: catalogue, store and embedder, with short ways to put documents in."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from ingest.chunking import chunk
from rag.catalog import Catalog
from rag.files import SourceFile
from rag.index import Index
from rag.records import Document, Job, Locator, Page, Parsed, Passage, Status
from rag.tabular import Table
from rag.testing import HashEmbedder, MemoryStore

Put = Callable[[str, str], Path]
"""Writes a file into the inbox: its path there, its text."""


class Desk:
    """Documents of short texts, a page a text."""

    def __init__(self, catalog: Catalog) -> None:
        self.catalog = catalog
        self.store = MemoryStore()
        self.embedder = HashEmbedder()
        self.use()

    def use(self) -> None:
        """Put the index together from the present store and embedder."""
        self.index = Index(self.catalog, self.store, self.embedder)
        self.tables: tuple[Table, ...] = ()

    def source(self, path: str, revision: str) -> SourceFile:
        return SourceFile(path, len(revision), 1_700_000_000_000_000_000, revision)

    def arrive(self, path: str, revision: str) -> str:
        return self.catalog.ledger.arrive(self.source(path, revision))

    def claim(self) -> Job:
        job = self.catalog.jobs.claim()
        assert job is not None
        return job

    def read_all(self) -> list[str]:
        """Publish every waiting job; gives the paths."""
        paths = []
        while job := self.catalog.jobs.claim():
            self.publish_job(job, f"text of {job.revision}")
            paths.append(job.path)
        return paths

    def statuses(self) -> dict[str, Status]:
        """What the ledger says, by path."""
        return {each.path: each.status for each in self.catalog.ledger.documents()[0]}

    def at(self, path: str) -> Document:
        """The document that lies at a path."""
        documents = self.catalog.ledger.documents()[0]
        return next(each for each in documents if path in each.locations)

    def publish(self, path: str, *texts: str) -> str:
        """Put a document in whose page n says ``texts[n - 1]``."""
        document_id = self.arrive(path, "|".join(texts))
        self.publish_job(self.claim(), *texts)
        return document_id

    def publish_parsed(self, path: str, parsed: Parsed) -> str:
        """Put a document in as it was read, cut into passages as in the service."""
        document_id = self.arrive(path, path)
        drafts = chunk(
            parsed.elements,
            document_name=path,
            token_spans=self.embedder.token_spans,
            target_tokens=300,
            max_tokens=500,
        )
        passages = [
            Passage(self.catalog.new_id(), document_id, at, each.text, each.context, each.locator)
            for at, each in enumerate(drafts)
        ]
        vectors = self.index.embed(passages)
        self.index.publish(self.claim(), parsed, passages=passages, vectors=vectors)
        return document_id

    def publish_job(self, job: Job, *texts: str) -> bool:
        passages = [
            Passage(
                passage_id=self.catalog.new_id(),
                document_id=job.document_id,
                ordinal=at,
                text=text,
                context=job.path.rsplit("/", 1)[-1].rsplit(".", 1)[0],
                locator=Locator(page=at + 1, page_source="file"),
            )
            for at, text in enumerate(texts)
        ]
        pages = tuple(Page(at + 1, str(at + 1), "text", len(text)) for at, text in enumerate(texts))
        return self.index.publish(
            job,
            Parsed((), pages, tables=self.tables),
            passages=passages,
            vectors=self.index.embed(passages),
        )
