"""A question reaches what answers it in the other language, among much in its own."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from desk import Desk

from rag.ports import Vectors
from rag.retrieval import Retrieval, Weights
from rag.terms import is_cjk
from rag.testing import HashEmbedder

_TOPICS = ({"租金", "rent"}, {"年假", "leave"}, {"管道", "pipe"})


class Bilingual(HashEmbedder):
    """Its vectors say the language loudly and the topic softly, as those of real models do."""

    def _vector(self, text: str) -> Vectors:
        vector = np.zeros(self.dimension, dtype=np.float32)
        vector[int(is_cjk(text))] = 3.0
        for at, words in enumerate(_TOPICS, start=2):
            vector[at] = float(any(word in text for word in words))
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit

    def embed_query(self, text: str, /) -> Vectors:
        return self._vector(text)

    def embed_passages(self, texts: Sequence[str], /) -> Vectors:
        return np.stack([self._vector(text) for text in texts])


@pytest.fixture
def mixed(desk: Desk) -> Desk:
    desk.embedder = Bilingual()
    desk.use()
    desk.publish("zh.pdf", *(f"第{n}条管道检修记录。" for n in range(1, 30)))
    desk.publish("en.pdf", *(f"Record {n} of the pipe." for n in range(1, 30)))
    desk.publish("lease.pdf", "The rent is due on Monday.")
    desk.publish("假期.pdf", "员工的年假为十天。")
    return desk


def _first(desk: Desk, query: str, **how: object) -> str:
    retrieval = Retrieval(desk.catalog, desk.store, desk.embedder, candidates=20, weights=Weights())
    hits = retrieval.search(query, top_k=5, **how)  # type: ignore[arg-type]
    return hits[0].path


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ("租金何时支付？", "lease.pdf"),
        ("How many days of leave?", "假期.pdf"),
        ("年假有几天？", "假期.pdf"),
        ("When is the rent due?", "lease.pdf"),
    ],
)
def test_what_answers_comes_first_in_whichever_language(mixed: Desk, query: str, path: str) -> None:
    assert _first(mixed, query) == path


def test_dense_search_alone_stays_as_it_is(mixed: Desk) -> None:
    """It is what ours is measured against."""
    assert _first(mixed, "租金何时支付？", mode="dense") != "lease.pdf"
