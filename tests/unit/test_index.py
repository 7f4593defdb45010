"""Catalogue and store stay in step, whatever dies between."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from desk import Desk

from rag.ports import Vectors
from rag.records import Scope
from rag.retrieval import Retrieval, Weights


def search(desk: Desk, query: str, **how: object) -> list[str]:
    retrieval = Retrieval(desk.catalog, desk.store, desk.embedder, candidates=20, weights=Weights())
    return [hit.passage.text for hit in retrieval.search(query, top_k=5, **how)]  # type: ignore[arg-type]


def test_a_removed_document_is_nowhere(desk: Desk) -> None:
    document_id = desk.publish("a.pdf", "secret sentinel")
    desk.index.remove(document_id)
    assert desk.store.ids() == set()
    assert desk.catalog.passages.ids() == []
    assert search(desk, "secret sentinel") == []


def test_a_document_that_lies_nowhere_does_not_answer(desk: Desk) -> None:
    """Between leaving its last place and being removed it is still in the catalogue."""
    desk.publish("a.pdf", "secret sentinel")
    desk.catalog.ledger.leave(["a.pdf"])
    assert search(desk, "secret sentinel") == []


def test_failing_to_embed_a_new_revision_keeps_the_old(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    desk.publish("a.pdf", "fee 100")

    def fail(texts: Sequence[str]) -> Vectors:
        raise RuntimeError

    monkeypatch.setattr(desk.embedder, "embed_passages", fail)
    desk.arrive("a.pdf", "fee 200")
    with pytest.raises(RuntimeError):
        desk.publish_job(desk.claim(), "fee 200")
    assert search(desk, "fee") == ["fee 100"]


def test_a_crash_before_the_transaction_leaves_strays_that_heal_removes(desk: Desk) -> None:
    desk.publish("a.pdf", "fee 100")
    desk.store.upsert(["stray"], desk.embedder.embed_passages(["fee 200"]))
    assert search(desk, "fee") == ["fee 100"], "no search shows a stray"
    assert desk.index.heal() == (0, 1)
    assert desk.store.ids() == set(desk.catalog.passages.ids())


def test_lost_vectors_come_back_without_embedding(desk: Desk) -> None:
    desk.publish("a.pdf", "fee 100", "rent 200")
    before = search(desk, "rent", mode="dense")
    embedded = desk.embedder.embedded
    desk.store.delete(sorted(desk.store.ids()))
    assert desk.index.heal() == (2, 0)
    assert search(desk, "rent", mode="dense") == before
    assert desk.embedder.embedded == embedded


def test_a_search_is_bounded_by_its_scope(desk: Desk) -> None:
    desk.publish("x/a.pdf", "rent one")
    desk.publish("y/b.pdf", "rent two")
    assert search(desk, "rent", scope=Scope(collection="y")) == ["rent two"]
    assert search(desk, "rent", scope=Scope(collection="none")) == []


def test_the_dense_half_alone_reaches_what_shares_no_term(desk: Desk) -> None:
    desk.publish("a.pdf", "rent one")
    assert search(desk, "完全不同", mode="keyword") == []
    assert search(desk, "完全不同") == ["rent one"], "union, never veto"
