"""`VectorStore` on an embedded Chroma: opaque ids and vectors, no text, no telemetry.

Chroma only marks vectors and ids as deleted; their bytes stay in its files. So each filling lies
in a folder of its own, the file ``current`` names the one in use, and `ChromaStore.replace` makes
a fresh one beside it, switches, and deletes the old one with everything it remembers.
"""

from __future__ import annotations

import shutil
import struct
import threading
import time
import uuid
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from rag.errors import DiskFull, Unavailable
from rag.ports import Neighbour, Vectors
from rag.quiet import silence

_LOCKED = "database is locked"
_TRIES = 10
_PAUSE_S = 0.5
_COLLECTION = "passages"
_NO_ROOM = ("disk is full", "No space left on device", "os error 28")
_CURRENT = "current"
_EF_SEARCH = 2000
"""recall@50 against brute force of .999 and more (ADR 0016); Chroma's own default is 100."""
_HEADER = struct.Struct("<iQQQQ")
"""hnswlib's: version, offset, capacity, elements, bytes of an element."""
_GET_LIMIT = 20_000
"""Chroma is asked for vectors in pieces of this size."""


@contextmanager
def translated() -> Iterator[None]:
    """Turn Chroma's errors into ours.

    Raises:
        DiskFull: no room left.
        Unavailable: whatever else Chroma could not do.
    """
    from chromadb.errors import ChromaError

    try:
        yield
    except (ChromaError, RuntimeError, OSError) as error:
        if any(words in str(error) for words in _NO_ROOM):  # Chroma has no kind of its own for it
            raise DiskFull(
                "The disk is full; nothing was lost.", hint="Free some space and try again."
            ) from error
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


class _Filling:
    """One Chroma folder, open; ``users`` counts the calls under way."""

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        _refuse_cut_files(folder)
        self.folder = folder
        self.users = 0
        self._wiped: dict[Path, int] = {}
        self._open()
        if self.collection.configuration_json["hnsw"]["ef_search"] != _EF_SEARCH:
            # One filled by an older version. An index that is open goes on as it was opened.
            self._search_wider()
            self._client.close()
            self._open()
        self._batch = self._client.get_max_batch_size()

    def _open(self) -> None:
        import chromadb
        from chromadb.config import Settings

        self._client = chromadb.PersistentClient(
            path=str(self.folder), settings=Settings(anonymized_telemetry=False)
        )
        self.collection: Any = self._client.get_or_create_collection(
            _COLLECTION,
            embedding_function=None,
            configuration={"hnsw": {"space": "cosine", "ef_search": _EF_SEARCH}},
        )

    def _search_wider(self) -> None:
        """Have the index search as far as ours does; one closed just before may be let go late."""
        from chromadb.errors import InternalError

        for left in reversed(range(_TRIES)):
            try:
                self.collection.modify(configuration={"hnsw": {"ef_search": _EF_SEARCH}})
            except InternalError as error:
                if _LOCKED not in str(error) or not left:
                    raise
                time.sleep(_PAUSE_S)
            else:
                return

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        for start in range(0, len(ids), self._batch):
            end = start + self._batch
            self.collection.upsert(ids=list(ids[start:end]), embeddings=vectors[start:end])

    def nearest(self, vector: Vectors, limit: int, among: Sequence[str] | None) -> list[Neighbour]:
        from chromadb.errors import InternalError

        try:
            return self._query(vector, limit, among)
        except InternalError:
            if among is None:
                raise
            # It knows one of the ids no more, or not yet, and then gives nothing at all.
            known = self.known(among)
            return self._query(vector, limit, known) if known else []

    def _query(self, vector: Vectors, limit: int, among: Sequence[str] | None) -> list[Neighbour]:
        held = self.collection.count()
        if not held:
            return []
        found = self.collection.query(
            query_embeddings=vector[np.newaxis],
            ids=None if among is None else list(among),
            n_results=min(limit, held),
            include=["distances"],
        )
        distances = found["distances"] or [[]]
        return [(i, 1.0 - d) for i, d in zip(found["ids"][0], distances[0], strict=True)]

    def known(self, ids: Sequence[str]) -> list[str]:
        """Those of the ids that are held."""
        return [
            each
            for start in range(0, len(ids), _GET_LIMIT)
            for each in self.collection.get(ids=list(ids[start : start + _GET_LIMIT]), include=[])[
                "ids"
            ]
        ]

    def delete(self, ids: Sequence[str]) -> None:
        for start in range(0, len(ids), self._batch):
            self.collection.delete(ids=list(ids[start : start + self._batch]))

    def wipe(self) -> None:
        """Write zeros over what Chroma left in the files of an index that holds nothing yet.

        It writes a new index out as it lies in memory never cleared, and what lay there before
        may be text: pieces of our own catalogue were seen. Done after each call, since the index
        is new until 1,000 vectors are in, and made again at each opening.
        """
        for header in self.folder.glob("*/header.bin"):
            if _elements(header)[0]:
                continue
            for file in (header.with_name("data_level0.bin"), header.with_name("length.bin")):
                if file.is_file() and file.stat().st_mtime_ns != self._wiped.get(file):
                    with file.open("r+b") as opened:
                        opened.write(bytes(file.stat().st_size))
                    self._wiped[file] = file.stat().st_mtime_ns

    def close(self) -> None:
        self._client.close()

    def destroy(self) -> None:
        self.close()
        shutil.rmtree(self.folder)


def _elements(header: Path) -> tuple[int, int]:
    """How many vectors the index with that header holds, and how many bytes each takes."""
    packed = header.read_bytes()
    if len(packed) < _HEADER.size:
        return 0, 0
    *_, count, size = _HEADER.unpack_from(packed)
    return count, size


def _refuse_cut_files(folder: Path) -> None:
    """Refuse what hnswlib reads without complaint: where a file is cut, it takes what memory held.

    In a process that had the whole file open before, that is often the right vectors, so nobody
    can tell from what is read.

    Raises:
        OSError: a file is shorter than its header says.
    """
    for header in folder.glob("*/header.bin"):
        count, size = _elements(header)
        for name, each in (("data_level0.bin", size), ("length.bin", 4)):
            if header.with_name(name).stat().st_size < count * each:
                raise OSError(f"{name} is cut off")


class ChromaStore:
    """Keeps vectors below ``folder``; for one process at a time."""

    def __init__(self, folder: Path) -> None:
        silence()
        self._folder = folder
        self._turn = threading.Condition()
        with translated():
            folder.mkdir(parents=True, exist_ok=True)
            self._filling = self._open_current()

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        with self._using() as filling:
            filling.upsert(ids, vectors)

    def delete(self, ids: Sequence[str]) -> None:
        with self._using() as filling:
            filling.delete(ids)

    def replace(self, batches: Iterable[tuple[Sequence[str], Vectors]]) -> None:
        with translated():
            fresh = _Filling(self._folder / uuid.uuid4().hex)
            try:
                for ids, vectors in batches:
                    fresh.upsert(ids, vectors)
                fresh.wipe()
                self._point_at(fresh.folder.name)
            except BaseException:
                fresh.destroy()
                raise
            with self._turn:
                old, self._filling = self._filling, fresh
                self._turn.wait_for(lambda: not old.users)
            old.destroy()

    def nearest(
        self, vector: Vectors, *, limit: int, among: Sequence[str] | None = None
    ) -> list[Neighbour]:
        with self._using() as filling:
            if limit < 1 or (among is not None and not among):
                return []
            return filling.nearest(vector, limit, among)

    def ids(self) -> set[str]:
        with self._using() as filling:
            return set(filling.collection.get(include=[])["ids"])

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        found: dict[str, Vectors] = {}
        with self._using() as filling:
            for start in range(0, len(ids), _GET_LIMIT):
                part = filling.collection.get(
                    ids=list(ids[start : start + _GET_LIMIT]), include=["embeddings"]
                )
                held = np.asarray(part["embeddings"], dtype=np.float32)
                found.update(zip(part["ids"], held, strict=True))
        return found

    def close(self) -> None:
        """Let the files go."""
        self._filling.close()

    @contextmanager
    def _using(self) -> Iterator[_Filling]:
        """The filling in use, not deleted before the block ends."""
        with self._turn:
            filling = self._filling
            filling.users += 1
        try:
            with translated():
                yield filling
                filling.wipe()
        finally:
            with self._turn:
                filling.users -= 1
                self._turn.notify_all()

    def _open_current(self) -> _Filling:
        current = self._folder / _CURRENT
        name = current.read_text(encoding="utf-8") if current.is_file() else ""
        if not name.isalnum() or not (self._folder / name).is_dir():
            name = uuid.uuid4().hex
        for other in self._folder.iterdir():  # an unfinished filling, or one of an older version
            if other.name not in (name, _CURRENT):
                shutil.rmtree(other) if other.is_dir() else other.unlink()
        filling = _Filling(self._folder / name)
        self._point_at(name)
        return filling

    def _point_at(self, name: str) -> None:
        draft = self._folder / f"{_CURRENT}.new"
        draft.write_text(name, encoding="utf-8")
        draft.replace(self._folder / _CURRENT)
