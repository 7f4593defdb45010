"""`VectorStore` on an embedded Chroma: opaque ids and vectors, no text, no telemetry."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from rag.errors import Unavailable
from rag.ports import Neighbour, Vectors
from rag.quiet import silence

_COLLECTION = "passages"
_EF_SEARCH = 400
"""recall@50 against brute force .999; Chroma's default reaches .995."""
_EXACT_LIMIT = 20_000
"""Chroma is asked for ids in pieces of this size when a search is restricted."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn Chroma's errors into ours.

    Raises:
        Unavailable: whatever Chroma could not do.
    """
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, RuntimeError, OSError) as error:
        raise Unavailable(
            f"The vector store can't be used: {error}.",
            hint="Run `deskside rebuild`; it needs no reading of documents.",
        ) from error


def forget(folder: Path) -> None:
    """Delete a store that can't be opened, also from Chroma's own memory of open ones.

    Raises:
        Unavailable: it can't be deleted.
    """
    from chromadb.api.shared_system_client import SharedSystemClient

    SharedSystemClient.clear_system_cache()
    with translated():
        shutil.rmtree(folder)


class ChromaStore:
    """Keeps vectors in ``folder``; for one process at a time."""

    def __init__(self, folder: Path) -> None:
        silence()
        import chromadb
        from chromadb.config import Settings

        with translated():
            folder.mkdir(parents=True, exist_ok=True)
            self._client = chromadb.PersistentClient(
                path=str(folder),
                settings=Settings(anonymized_telemetry=False),
            )
            self._collection = self._client.get_or_create_collection(
                _COLLECTION,
                embedding_function=None,
                configuration={"hnsw": {"space": "cosine", "ef_search": _EF_SEARCH}},
            )
            self._batch = self._client.get_max_batch_size()

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        with translated():
            for start in range(0, len(ids), self._batch):
                end = start + self._batch
                self._collection.upsert(ids=list(ids[start:end]), embeddings=vectors[start:end])

    def delete(self, ids: Sequence[str]) -> None:
        with translated():
            for start in range(0, len(ids), self._batch):
                self._collection.delete(ids=list(ids[start : start + self._batch]))

    def nearest(
        self, vector: Vectors, *, limit: int, among: Sequence[str] | None = None
    ) -> list[Neighbour]:
        if among is not None:
            return self._nearest_among(vector, limit=limit, among=among)
        with translated():
            held = self._collection.count()
            if not held or limit < 1:
                return []
            found = self._collection.query(
                query_embeddings=vector[np.newaxis],
                n_results=min(limit, held),
                include=["distances"],
            )
        distances = found["distances"] or [[]]
        return [(i, 1.0 - d) for i, d in zip(found["ids"][0], distances[0], strict=True)]

    def ids(self) -> set[str]:
        with translated():
            return set(self._collection.get(include=[])["ids"])

    def close(self) -> None:
        """Let the files go."""
        self._client.close()

    def _nearest_among(
        self, vector: Vectors, *, limit: int, among: Sequence[str]
    ) -> list[Neighbour]:
        """Exact, by brute force over the candidates' vectors: HNSW with a filter loses recall."""
        neighbours: list[Neighbour] = []
        with translated():
            for start in range(0, len(among), _EXACT_LIMIT):
                part = self._collection.get(
                    ids=list(among[start : start + _EXACT_LIMIT]),
                    include=["embeddings"],
                )
                if not part["ids"]:
                    continue
                cosines = np.asarray(part["embeddings"], dtype=np.float32) @ vector
                neighbours += zip(part["ids"], map(float, cosines), strict=True)
        return sorted(neighbours, key=lambda found: -found[1])[:limit]
