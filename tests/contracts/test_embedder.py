"""What every `Embedder` must do, real or fake."""

from __future__ import annotations

import numpy as np
import pytest

from rag.models.catalogue import card_of
from rag.models.library import path_of
from rag.ports import Embedder
from rag.settings import Settings
from rag.testing import HashEmbedder

NAME = "multilingual-e5-small"


def real() -> Embedder:
    from rag.adapters.minilm import MiniLM

    return MiniLM(NAME, path_of(card_of(NAME), Settings().models_dir), revision="test")


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(HashEmbedder, id="fake"),
        pytest.param(real, id="minilm", marks=pytest.mark.real_models),
    ],
)
def embedder(request: pytest.FixtureRequest) -> Embedder:
    made: Embedder = request.param()
    return made


TEXTS = [
    "公司每月房租为3200元，押一付三。",
    "Staff may work from home two days a week.",
    "DN80 管道",
]


def test_vectors_are_unit_rows_of_the_dimension(embedder: Embedder) -> None:
    vectors = embedder.embed_passages(TEXTS)
    assert vectors.shape == (3, embedder.dimension)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1.0, abs=1e-4)


def test_nothing_gives_no_rows(embedder: Embedder) -> None:
    assert embedder.embed_passages([]).shape == (0, embedder.dimension)


def test_a_batch_gives_what_each_alone_gives(embedder: Embedder) -> None:
    together = embedder.embed_passages(TEXTS)
    for row, text in enumerate(TEXTS):
        assert together[row] @ embedder.embed_passages([text])[0] == pytest.approx(1.0, abs=1e-3)


@pytest.mark.parametrize(
    ("query", "nearest"), [("每月房租3200元", 0), ("work from home how many days", 1)]
)
def test_a_query_is_nearest_to_what_it_asks_for(
    embedder: Embedder, query: str, nearest: int
) -> None:
    vector = embedder.embed_query(query)
    assert vector.shape == (embedder.dimension,)
    assert int(np.argmax(embedder.embed_passages(TEXTS) @ vector)) == nearest


def test_token_spans_cover_the_text_in_order(embedder: Embedder) -> None:
    text = "房租 is 3,200 yuan。\n第二行 😀"
    spans = embedder.token_spans(text)
    assert all(start <= end for start, end in spans)
    assert [start for start, _ in spans] == sorted(start for start, _ in spans)
    covered = {at for start, end in spans for at in range(start, end)}
    assert all(at in covered or letter.isspace() for at, letter in enumerate(text))


def test_a_passage_of_max_tokens_is_seen_whole(embedder: Embedder) -> None:
    """FIELD_CASE 47: what is past the window would be ignored without a word."""
    filler = "word " * embedder.max_tokens
    end = embedder.token_spans(filler)[embedder.max_tokens - 2][1]
    fits = filler[:end]
    one = embedder.embed_passages([fits + "x", fits + "9"])
    assert len(embedder.token_spans(fits + "x")) <= embedder.max_tokens
    assert one[0] @ one[1] < 1 - 1e-6, "the last token counts"


def test_the_fingerprint_tells_embedders_apart(embedder: Embedder) -> None:
    assert embedder.fingerprint
    assert embedder.max_tokens > 100
