"""FIELD_CASES 50 and 52 on the real Chroma: harm is noticed at the start and mended."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from desk import Desk

from rag.adapters.chroma import ChromaStore
from rag.catalog import Catalog
from rag.errors import Unavailable
from rag.ports import VectorStore
from rag.records import Locator, Parsed, Passage
from rag.settings import Settings
from rag.testing import HashEmbedder

COUNT = 1500
"""Chroma writes its index out from 1,000 vectors on."""


def open_store(data: Path) -> VectorStore:
    from rag.wiring import _store

    return _store(Settings(data=data))


def fill(data: Path, count: int, *, dimension: int) -> Desk:
    """One document of ``count`` passages in the catalogue and in Chroma."""
    desk = Desk(Catalog(data / "catalog.sqlite3"))
    desk.store = open_store(data)  # type: ignore[assignment]
    desk.embedder = HashEmbedder(dimension=dimension)
    desk.use()
    document_id = desk.arrive("big.xlsx", "big")
    passages = [
        Passage(
            passage_id=desk.catalog.new_id(),
            document_id=document_id,
            ordinal=at,
            text=f"row {at}",
            context="big",
            locator=Locator(sheet="S", cells=f"A{at + 1}"),
        )
        for at in range(count)
    ]
    vectors = np.random.default_rng(5).normal(size=(count, dimension)).astype(np.float32)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    assert desk.index.publish(
        desk.claim(), Parsed(elements=(), pages=()), passages=passages, vectors=vectors
    )
    return desk


def close(desk: Desk) -> None:
    desk.store.close()
    desk.catalog.close()


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    data = tmp_path_factory.mktemp("sound")
    close(fill(data, COUNT, dimension=16))
    return data


def segment(data: Path) -> Path:
    (folder,) = {file.parent for file in data.glob("chroma/*/*/header.bin")}
    return folder


def cut(data: Path, share: float) -> None:
    file = segment(data) / "data_level0.bin"
    os.truncate(file, int(file.stat().st_size * share))


def zero_header(data: Path) -> None:
    file = segment(data) / "header.bin"
    file.write_bytes(bytes(file.stat().st_size))


HARMS: dict[str, Callable[[Path], object]] = {
    "half a file": lambda data: cut(data, 0.5),
    "a cut tail": lambda data: cut(data, 0.999),
    "a zeroed header": zero_header,
    "no metadata": lambda data: (segment(data) / "index_metadata.pickle").unlink(),
    "no index folder": lambda data: shutil.rmtree(segment(data)),
    "no folder": lambda data: shutil.rmtree(data / "chroma"),
    "an older layout": lambda data: (data / "chroma" / "current").unlink(),
}


@pytest.mark.parametrize("harm", HARMS)
def test_a_damaged_chroma_is_filled_anew(sound: Path, tmp_path: Path, harm: str) -> None:
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    query = np.random.default_rng(9).normal(size=16).astype(np.float32)
    query /= np.linalg.norm(query)

    desk = opened(tmp_path)
    assert desk.index.heal() == (0, 0)
    before = desk.store.nearest(query, limit=10)
    close(desk)

    HARMS[harm](tmp_path)
    desk = opened(tmp_path)
    assert desk.index.heal() == (COUNT, 0)
    assert desk.embedder.embedded == 0
    after = desk.store.nearest(query, limit=10)
    assert [i for i, _ in after] == [i for i, _ in before]
    assert desk.index.heal() == (0, 0)
    close(desk)


@pytest.mark.parametrize("name", ["data_level0.bin", "length.bin"])
def test_a_cut_file_is_never_read(sound: Path, tmp_path: Path, name: str) -> None:
    """hnswlib would fill what is missing with what memory held, at times the right vectors."""
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    file = segment(tmp_path) / name
    os.truncate(file, file.stat().st_size - 1)
    with pytest.raises(Unavailable, match="cut off"):
        ChromaStore(tmp_path / "chroma")


@pytest.mark.parametrize("which", ["other ids", "a wrong vector"])
def test_a_store_that_differs_from_the_catalogue_is_put_right(
    sound: Path, tmp_path: Path, which: str
) -> None:
    shutil.copytree(sound, tmp_path, dirs_exist_ok=True)
    desk = opened(tmp_path)
    ids = desk.catalog.passages.ids()
    wrong = np.eye(16, dtype=np.float32)[:1]
    if which == "other ids":
        desk.store.delete(ids[:3])
        desk.store.upsert(["stray"], wrong)
        assert desk.index.heal() == (3, 1)
    else:
        desk.store.upsert([ids[COUNT // 2]], wrong)
        assert desk.index.heal() == (COUNT, 0)
    assert desk.store.ids() == set(ids)
    assert desk.index.heal() == (0, 0)
    close(desk)


def opened(data: Path) -> Desk:
    desk = Desk(Catalog(data / "catalog.sqlite3"))
    desk.store = open_store(data)  # type: ignore[assignment]
    desk.embedder = HashEmbedder(dimension=16)
    desk.use()
    return desk


@pytest.mark.slow
def test_a_document_of_fifty_thousand_passages_is_taken(tmp_path: Path) -> None:
    """FIELD_CASE 52: Chroma has a ceiling for one batch."""
    desk = fill(tmp_path, 50_000, dimension=8)
    assert len(desk.store.ids()) == 50_000
    assert desk.index.heal() == (0, 0)
    desk.index.remove(desk.catalog.ledger.documents()[0][0].document_id)
    assert desk.store.ids() == set()
    close(desk)
