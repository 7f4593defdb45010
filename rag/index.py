"""Publishes documents: passages and vectors into the catalogue, ids and vectors into the store.

The catalogue is the truth. New vectors go to the store first, then one transaction makes the new
passages the ones that answer, then the old vectors leave the store; a crash between leaves strays
that `Index.heal` finds at the next start, and that no search shows meanwhile.

Where the embedder was changed, vectors of the new one are made beside the old ones (`renew`), and
one transaction switches; until then nobody searches by meaning.
"""

from __future__ import annotations

import logging
import threading
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from rag.errors import Unavailable
from rag.records import Job, Parsed, Passage

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.ports import Embedder, Vectors, VectorStore

log = logging.getLogger(__name__)

_BATCH = 4
"""Passages a time, some tenths of a second: a question that comes meanwhile waits for them."""
_RENEWED_AT_ONCE = 16
FINGERPRINT = "embedder"
"""The catalogue's note that says whose vectors it holds."""
_FINGERPRINT_BESIDE = "embedder_beside"
_LEAST_COSINE = 0.999
"""Between a vector and itself, as the store gives it back."""
_PROBES_A_BATCH = 8
"""Searches of each 1,000 vectors compared: they must find themselves."""
_COMPARED = 50_000
"""Vectors the store is asked for at a start, about a second for 20,000."""

Progress = Callable[[int, int], None]
"""Told how many of how many are done."""


def _unheard(_done: int, _total: int) -> None:
    """Nobody listens."""


class Index:
    """Keeps catalogue and vector store in step; safe to use from many threads.

    Args:
        give_way: returns when nobody needs the computer more than embedding does.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: VectorStore,
        embedder: Embedder,
        *,
        give_way: Callable[[], None] = lambda: None,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self.give_way = give_way
        self._renewing = False
        # Publishing and replacing the store exclude each other: a vector put into the old one
        # while the new one is filled would be lost, or outlive its erasure.
        self._lock = threading.RLock()

    @property
    def is_renewing(self) -> bool:
        """Whether the stored vectors belong to another embedder, so can't be searched."""
        return self._renewing

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
            self.give_way()
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
        with self._lock:
            if not self._catalog.jobs.is_current(job):
                return False
            if not self._renewing:
                self._store.upsert(new, vectors)
            with self._catalog.transaction():
                current = self._catalog.jobs.finish(
                    job, pages=parsed.pages, flags=parsed.flags, failure=parsed.failure
                )
                old = self._replace(job.document_id, passages, vectors) if current else new
                if current:
                    self._catalog.tables.replace(job.document_id, parsed.tables, passages)
            self._store.delete(old)
            return current

    def remove(self, *document_ids: str) -> None:
        """Take documents out of every answer and out of the ledger."""
        with self._lock:
            with self._catalog.transaction():
                old = []
                for document_id in document_ids:
                    old += self._take_out(document_id)
                    self._catalog.ledger.drop(document_id)
            self._store.delete(old)

    def shelve(self, document_id: str, trashed_path: str) -> None:
        """Take a document out of every answer; its original lies in the trash."""
        with self._lock:
            with self._catalog.transaction():
                old = self._take_out(document_id)
                self._catalog.ledger.trash(document_id, trashed_path)
            self._store.delete(old)

    def erase(self, document_ids: Collection[str]) -> int:
        """Take documents out of the ledger and out of everything ever said about them.

        The bytes go with `Catalog.compact` and `refill`.

        Returns:
            How many answers were emptied.
        """
        with self._lock, self._catalog.transaction():
            for document_id in document_ids:
                self._take_out(document_id)
                self._catalog.ledger.drop(document_id)
            self._catalog.erasures.files_are_gone(document_ids)
            return self._catalog.conversations.redact(document_ids)

    def heal(self) -> tuple[int, int]:
        """Bring the store in step with the catalogue, without embedding.

        Returns:
            How many vectors were put back, and how many strays removed.
        """
        with self._lock:
            self._renewing = not self._settle_embedder()
            if self._renewing:
                log.warning("embedder_changed passages=%d", self._catalog.passages.count())
                return 0, 0
            wanted = set(self._catalog.passages.ids())
            held = self._held()
            lacking, strays = wanted - held, held - wanted
            self._store.delete(sorted(strays))
            self._put_back(lacking)
            if not self._is_sound():
                log.warning("vector_store_damaged vectors=%d", len(wanted))
                self._store.replace(self._catalog.passages.vectors())
                lacking = wanted
            if lacking or strays:
                log.info("store_healed put_back=%d strays=%d", len(lacking), len(strays))
            return len(lacking), len(strays)

    def rebuild(self, *, embed: bool, progress: Progress = _unheard) -> int:
        """Fill the store from the catalogue; returns how many vectors it holds.

        Args:
            embed: make the vectors anew with the present embedder, too.
            progress: told how many of how many vectors are made or put back.

        Raises:
            Unavailable: the vectors were made by another embedder, and ``embed`` is false.
        """
        with self._lock:
            self._renewing = not self._settle_embedder() or embed
        if embed:
            self.renew(progress=progress)
        elif self._renewing:
            raise Unavailable(
                "The embedding model was changed; the stored vectors belong to another one.",
                hint="Run `deskside rebuild --embed`, or set DESKSIDE_EMBEDDER back.",
            )
        else:
            self.refill(progress=progress)
        return self._catalog.passages.count()

    def refill(self, *, progress: Progress = _unheard) -> None:
        """Put the catalogue's vectors into a fresh store; the old one leaves no trace."""
        total = self._catalog.passages.count()

        def batches() -> Iterator[tuple[list[str], Vectors]]:
            done = 0
            for ids, vectors in self._catalog.passages.vectors():
                yield ids, vectors
                done += len(ids)
                progress(done, total)

        with self._lock:
            self._store.replace(iter(()) if self._renewing else batches())

    def renew(
        self, *, progress: Progress = _unheard, stopped: Callable[[], bool] = lambda: False
    ) -> bool:
        """Make vectors of the present embedder beside the stored ones, then switch.

        Goes on where it was left by a kill; what is published meanwhile is taken in.

        Returns:
            False when it was stopped before the end.
        """
        beside = self._catalog.beside
        while True:
            while passages := beside.lacking(limit=_RENEWED_AT_ONCE):
                if stopped():
                    return False
                beside.add([p.passage_id for p in passages], self.embed(passages))
                progress(beside.count(), self._catalog.passages.count())
            with self._lock:
                if beside.lacking(limit=1):
                    continue
                self._store.replace(beside.vectors())
                with self._catalog.transaction():
                    beside.adopt()
                    self._catalog.set_note(FINGERPRINT, self._embedder.fingerprint)
                    self._catalog.set_note(_FINGERPRINT_BESIDE, "")
                self._renewing = False
                log.info("embedder_switched passages=%d", self._catalog.passages.count())
                return True

    def _replace(
        self, document_id: str, passages: Sequence[Passage], vectors: Vectors
    ) -> list[str]:
        """The passages in the place of the document's old ones; gives the ids of these."""
        if not self._renewing:
            return self._catalog.passages.replace(document_id, passages, vectors)
        none = np.zeros((len(passages), 0), dtype=np.float32)  # the old embedder made none
        old = self._catalog.passages.replace(document_id, passages, none)
        self._catalog.beside.add([passage.passage_id for passage in passages], vectors)
        return old

    def _take_out(self, document_id: str) -> list[str]:
        self._catalog.tables.remove(document_id)
        return self._catalog.passages.remove(document_id)

    def _held(self) -> set[str]:
        try:
            return self._store.ids()
        except Unavailable:
            log.warning("vector_store_unreadable")
            self._store.replace(iter(()))
            return set()

    def _put_back(self, lacking: set[str]) -> None:
        if not lacking:
            return
        for ids, vectors in self._catalog.passages.vectors():
            rows = [row for row, passage_id in enumerate(ids) if passage_id in lacking]
            if rows:
                self._store.upsert([ids[row] for row in rows], vectors[rows])

    def _is_sound(self) -> bool:
        """Whether the store gives back the catalogue's vectors, and finds them.

        Chroma opens, counts and answers with half of its files gone, so it is asked for what it
        should hold, spread over all of it.
        """
        batches = self._catalog.passages.count() // _COMPARED + 1
        try:
            return all(
                self._agrees(ids, vectors)
                for ids, vectors in islice(self._catalog.passages.vectors(), 0, None, batches)
            )
        except Unavailable:
            return False

    def _agrees(self, ids: Sequence[str], vectors: Vectors) -> bool:
        held = self._store.vectors(ids)
        if held.keys() != set(ids):
            return False
        given = np.stack([held[passage_id] for passage_id in ids])
        if given.shape != vectors.shape or (given * vectors).sum(axis=1).min() < _LEAST_COSINE:
            return False
        for vector in vectors[:: max(1, len(ids) // _PROBES_A_BATCH)]:
            nearest = self._store.nearest(vector, limit=1)
            if not nearest or nearest[0][1] < _LEAST_COSINE:
                return False
        return True

    def _settle_embedder(self) -> bool:
        """Whether the stored vectors are the present embedder's; makes ready to renew them if not.

        Vectors begun beside for a third embedder, or before the setting was put back, are dropped.
        """
        present = self._embedder.fingerprint
        known = self._catalog.note(FINGERPRINT)
        with self._catalog.transaction():
            if known is None or not self._catalog.passages.count():
                known = present
                self._catalog.set_note(FINGERPRINT, present)
            if self._catalog.note(_FINGERPRINT_BESIDE) != present or known == present:
                self._catalog.beside.clear()
            self._catalog.set_note(_FINGERPRINT_BESIDE, "" if known == present else present)
            if known == present:
                for document_id in self._catalog.passages.without_vectors():
                    self._take_out(document_id)
                    self._catalog.jobs.retry(document_id)
        return known == present
