"""Publishes documents: passages and vectors into the catalogue, ids and vectors into the store.

The catalogue is the truth. New vectors go to the store first, then one transaction makes the new
passages the ones that answer, then the old vectors leave the store; a crash between leaves strays
that `Index.heal` finds at the next start, and that no search shows meanwhile.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np

from rag.errors import Unavailable
from rag.records import Job, Parsed, Passage

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.ports import Embedder, Vectors, VectorStore

log = logging.getLogger(__name__)

_BATCH = 16
_FINGERPRINT = "embedder"


class Index:
    """Keeps catalogue and vector store in step."""

    def __init__(self, catalog: Catalog, store: VectorStore, embedder: Embedder) -> None:
        self._catalog = catalog
        self._store = store
        self._embedder = embedder

    def embed(
        self,
        passages: Sequence[Passage],
        *,
        progress: Callable[[int], None] = lambda _done: None,
    ) -> Vectors:
        """Vectors of the passages, shape (n, dimension); ``progress`` is told how many are done."""
        parts = [np.zeros((0, self._embedder.dimension), dtype=np.float32)]
        for start in range(0, len(passages), _BATCH):
            batch = passages[start : start + _BATCH]
            parts.append(self._embedder.embed_passages([p.embedded_text for p in batch]))
            progress(start + len(batch))
        return np.concatenate(parts)

    def publish(
        self, job: Job, parsed: Parsed, *, passages: Sequence[Passage], vectors: Vectors
    ) -> bool:
        """Make a revision the one that answers; readers see the old one or the new, never a mix.

        Returns:
            False when the job was superseded meanwhile; then nothing changed.
        """
        new = [passage.passage_id for passage in passages]
        self._store.upsert(new, vectors)
        with self._catalog.transaction():
            current = self._catalog.jobs.finish(
                job, pages=parsed.pages, flags=parsed.flags, failure=parsed.failure
            )
            old = (
                self._catalog.passages.replace(job.document_id, passages, vectors)
                if current
                else new
            )
            if current:
                self._catalog.tables.replace(job.document_id, parsed.tables)
        self._store.delete(old)
        return current

    def remove(self, document_id: str) -> None:
        """Take a document out of every answer and out of the ledger."""
        with self._catalog.transaction():
            old = self._catalog.passages.remove(document_id)
            self._catalog.tables.remove(document_id)
            self._catalog.ledger.drop(document_id)
        self._store.delete(old)

    def shelve(self, document_id: str, trashed_path: str) -> None:
        """Take a document out of every answer; its original lies in the trash."""
        with self._catalog.transaction():
            old = self._catalog.passages.remove(document_id)
            self._catalog.tables.remove(document_id)
            self._catalog.ledger.trash(document_id, trashed_path)
        self._store.delete(old)

    def heal(self) -> tuple[int, int]:
        """Bring the store in step with the catalogue, without embedding.

        Returns:
            How many vectors were put back, and how many strays removed.

        Raises:
            Unavailable: the vectors were made by another embedder.
        """
        self._check_fingerprint()
        wanted = set(self._catalog.passages.ids())
        held = self._store.ids()
        strays = held - wanted
        self._store.delete(sorted(strays))
        lacking = wanted - held
        if lacking:
            self._put_back(lacking)
        if lacking or strays:
            log.info("store_healed put_back=%d strays=%d", len(lacking), len(strays))
        return len(lacking), len(strays)

    def rebuild(self, *, embed: bool) -> int:
        """Fill the store from the catalogue; returns how many vectors it holds.

        Args:
            embed: make the vectors anew with the present embedder, too.
        """
        if embed:
            self._reembed()
        self._store.delete(sorted(self._store.ids()))
        self.heal()
        return self._catalog.passages.count()

    def _reembed(self) -> None:
        for passages in self._catalog.passages.texts():
            self._catalog.passages.set_vectors(
                [passage.passage_id for passage in passages], self.embed(passages)
            )
        self._catalog.set_note(_FINGERPRINT, self._embedder.fingerprint)

    def _put_back(self, lacking: set[str]) -> None:
        for ids, vectors in self._catalog.passages.vectors():
            rows = [row for row, passage_id in enumerate(ids) if passage_id in lacking]
            if rows:
                self._store.upsert([ids[row] for row in rows], vectors[rows])

    def _check_fingerprint(self) -> None:
        known = self._catalog.note(_FINGERPRINT)
        if known is None or not self._catalog.passages.ids():
            self._catalog.set_note(_FINGERPRINT, self._embedder.fingerprint)
        elif known != self._embedder.fingerprint:
            raise Unavailable(
                "The embedding model was changed; the stored vectors belong to another one.",
                hint="Run `deskside rebuild --embed`, or set DESKSIDE_EMBEDDER back.",
            )
