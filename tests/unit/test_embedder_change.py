"""FIELD_CASE 53: a changed embedder builds beside and switches; vectors never mix."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import pytest
import served
from desk import Desk

from rag.errors import Unavailable
from rag.index import Index
from rag.ports import Vectors
from rag.records import Hit
from rag.retrieval import Retrieval, Weights
from rag.testing import HashEmbedder, MemoryStore


class Mirrored(HashEmbedder):
    """Another model of the same dimension: its numbers mean something else."""

    def __init__(self, fingerprint: str = "mirrored|1") -> None:
        super().__init__(fingerprint=fingerprint)

    def _vector(self, text: str) -> Vectors:
        return super()._vector(text)[::-1].copy()


class Changed:
    """The desk after a restart with another embedder."""

    def __init__(self, desk: Desk, embedder: HashEmbedder) -> None:
        self.embedder = embedder
        self.index = Index(desk.catalog, desk.store, embedder)
        self.retrieval = Retrieval(
            desk.catalog,
            desk.store,
            embedder,
            candidates=20,
            weights=Weights(),
            words_only=lambda: self.index.is_renewing,
        )

    def search(self, query: str, **how: object) -> list[Hit]:
        return self.retrieval.search(query, top_k=5, **how)  # type: ignore[arg-type]


@pytest.fixture
def filled(desk: Desk) -> Desk:
    desk.index.heal()
    for number in range(40):
        desk.publish(f"{number}.pdf", f"the fee of contract {number} is {number * 7} yuan")
    return desk


def test_the_old_vectors_never_answer(filled: Desk) -> None:
    changed = Changed(filled, Mirrored())
    changed.index.heal()
    assert changed.index.is_renewing
    assert changed.search("contract 31", mode="dense") == []
    hits = changed.search("contract 31")
    assert hits, "words go on answering"
    assert {via for hit in hits for via in hit.via} == {"keyword"}
    assert [notice.code for notice in changed.retrieval.warnings()] == ["words_only"]


def test_once_all_are_made_the_new_ones_answer(filled: Desk) -> None:
    changed = Changed(filled, Mirrored())
    changed.index.heal()
    told: list[tuple[int, int]] = []
    assert changed.index.renew(progress=lambda done, total: told.append((done, total)))
    assert told[-1] == (40, 40)
    assert not changed.index.is_renewing
    (best, *_) = changed.search("the fee of contract 31 is 217 yuan", mode="dense")
    assert best.passage.text.startswith("the fee of contract 31")
    assert best.cosine == pytest.approx(1.0, abs=0.15)
    again = Changed(filled, Mirrored())
    assert again.index.heal() == (0, 0)
    assert not again.index.is_renewing
    assert again.embedder.embedded == 0


def test_a_kill_between_goes_on_where_it_was(filled: Desk) -> None:
    first = Changed(filled, Mirrored())
    first.index.heal()
    assert not first.index.renew(stopped=lambda: first.embedder.embedded >= 16)
    second = Changed(filled, Mirrored())
    second.index.heal()
    assert second.search("contract 31", mode="dense") == []
    second.index.renew()
    assert first.embedder.embedded + second.embedder.embedded == 40, "nothing is embedded twice"
    assert second.search("contract 31", mode="dense")


def test_a_kill_between_store_and_catalogue_is_mended(
    filled: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    first = Changed(filled, Mirrored())
    first.index.heal()
    monkeypatch.setattr(filled.catalog.beside, "adopt", lambda: 1 / 0)
    with pytest.raises(ZeroDivisionError):
        first.index.renew()
    monkeypatch.undo()
    back = Changed(filled, HashEmbedder())
    back.index.heal()
    assert not back.index.is_renewing
    (best, *_) = back.search("the fee of contract 31 is 217 yuan", mode="dense")
    assert best.passage.text.startswith("the fee of contract 31"), "the store was filled anew"
    assert back.embedder.embedded == 0


def test_what_is_published_meanwhile_is_taken_in(filled: Desk) -> None:
    changed = Changed(filled, Mirrored())
    changed.index.heal()
    filled.index, filled.embedder = changed.index, changed.embedder
    filled.publish("new.pdf", "the mooring fee is 12 crowns")
    assert [hit.path for hit in changed.search("mooring")] == ["new.pdf"]
    changed.index.renew()
    (best, *_) = changed.search("the mooring fee is 12 crowns", mode="dense")
    assert best.path == "new.pdf"


def test_putting_the_setting_back_costs_nothing(filled: Desk) -> None:
    """But what came meanwhile has no vector of the old embedder; it is read again."""
    changed = Changed(filled, Mirrored())
    changed.index.heal()
    filled.index, filled.embedder = changed.index, changed.embedder
    filled.publish("new.pdf", "the mooring fee is 12 crowns")
    changed.index.renew(stopped=lambda: changed.embedder.embedded > 16)
    back = Changed(filled, HashEmbedder())
    assert back.index.heal() == (0, 0)
    assert back.search("contract 31", mode="dense")
    assert back.embedder.embedded == 0
    assert filled.claim().path == "new.pdf"
    assert filled.catalog.beside.count() == 0


def test_a_rebuild_makes_vectors_anew_only_when_asked(filled: Desk) -> None:
    changed = Changed(filled, Mirrored())
    with pytest.raises(Unavailable, match="another"):
        changed.index.rebuild(embed=False)
    assert changed.index.rebuild(embed=True) == 40
    assert changed.search("contract 31", mode="dense")
    assert changed.index.rebuild(embed=True) == 40, "the same model, once more"
    assert changed.embedder.embedded == 80
    assert changed.index.rebuild(embed=False) == 40
    assert changed.embedder.embedded == 80


def test_wrong_vectors_are_noticed_and_put_right(filled: Desk) -> None:
    store: MemoryStore = filled.store
    (passage_id, *_) = sorted(store.ids())
    store.upsert([passage_id], HashEmbedder().embed_passages(["something else entirely"]))
    assert filled.index.heal() == (40, 0)
    for ids, vectors in filled.catalog.passages.vectors():
        held = store.vectors(ids)
        assert all((held[i] == vector).all() for i, vector in zip(ids, vectors, strict=True))
    assert filled.index.heal() == (0, 0)


def test_the_service_goes_on_meanwhile_and_tells_how_far_it_is(tmp_path: Path) -> None:
    settings = served.settings_for(tmp_path / "data")
    with served.served(served.services_for(settings, "The rent is 7 crowns [1].")) as client:
        for number in range(40):
            served.upload(client, f"{number}.txt", f"The rent of mill {number} is 7 crowns.")
    embedder = Mirrored()
    go_on = threading.Event()
    real = embedder.embed_passages
    embedder.embed_passages = lambda texts: (go_on.wait(20), real(texts))[1]  # type: ignore
    services = served.services_for(settings, "The rent is 7 crowns [1].", embedder=embedder)
    with served.served(services) as client:
        assert client.get("/api/system").json()["index"]["renewal"] is not None
        answer = client.post("/api/ask", json={"question": "What is the rent of mill 7?"}).json()
        assert answer["answer"].startswith("The rent is 7 crowns")
        assert {via for hit in answer["hits"] for via in hit["via"]} == {"keyword"}
        assert "words_only" in {warning["code"] for warning in answer["warnings"]}
        go_on.set()
        for _ in range(200):
            if client.get("/api/system").json()["index"]["renewal"] is None:
                break
            time.sleep(0.05)
        body = {"query": "the rent of mill 7", "mode": "dense"}
        assert client.post("/api/search", json=body).json()["hits"]
        answer = client.post("/api/ask", json={"question": "What is the rent of mill 7?"}).json()
        assert "words_only" not in {warning["code"] for warning in answer["warnings"]}
