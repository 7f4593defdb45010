"""From a query to hits: keyword and dense candidates, united by reciprocal rank fusion.

Union, never veto: a Chinese question shares no term with English text, yet must reach it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.records import Hit, Notice, Scope, SearchMode, Via
from rag.terms import terms

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.ports import Embedder, VectorStore

RRF_K = 60
"""Cormack, Clarke and Buettcher (SIGIR 2009): ranks are damped by this constant."""
_WORDS_ONLY = Notice(
    "words_only",
    "The embedding model was changed and the documents are embedded anew; until that is done only"
    " passages that share words with the question are found.",
)


@dataclass(frozen=True, slots=True)
class Ranking:
    """One half's candidates, best first, and how much their order counts."""

    via: Via
    ids: Sequence[str]
    weight: float


def fuse(rankings: Sequence[Ranking]) -> list[tuple[str, float, tuple[Via, ...]]]:
    """Weighted reciprocal rank fusion.

    Returns:
        Ids with a score in (0, 1], best first; 1 means first in every ranking.
    """
    best = sum(ranking.weight for ranking in rankings) / (RRF_K + 1)
    scores: dict[str, float] = {}
    via: dict[str, tuple[Via, ...]] = {}
    for ranking in rankings:
        for place, passage_id in enumerate(ranking.ids, start=1):
            gain = ranking.weight / (RRF_K + place) / best
            scores[passage_id] = scores.get(passage_id, 0.0) + gain
            via[passage_id] = (*via.get(passage_id, ()), ranking.via)
    order = sorted(scores, key=lambda passage_id: -scores[passage_id])
    return [(passage_id, scores[passage_id], via[passage_id]) for passage_id in order]


class Retrieval:
    """Finds passages.

    Args:
        candidates: how many each half may bring.
        words_only: whether the stored vectors can't be compared with a query's just now.
    """

    def __init__(  # noqa: PLR0913
        self,
        catalog: Catalog,
        store: VectorStore,
        embedder: Embedder,
        *,
        candidates: int,
        dense_weight: float,
        keyword_weight: float,
        words_only: Callable[[], bool] = lambda: False,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self._candidates = candidates
        self._dense_weight = dense_weight
        self._keyword_weight = keyword_weight
        self._words_only = words_only

    def search(
        self,
        query: str,
        *,
        top_k: int,
        mode: SearchMode = "hybrid",
        scope: Scope | None = None,
    ) -> list[Hit]:
        """The ``top_k`` best passages, best first."""
        scope = scope or Scope()
        limit = max(self._candidates, top_k)
        cosines: dict[str, float] = {}
        rankings: list[Ranking] = []
        if mode != "keyword" and not self._words_only():
            cosines = self._dense(query, limit=limit, scope=scope)
            rankings.append(Ranking("dense", list(cosines), self._dense_weight))
        if mode != "dense":
            found = self._catalog.keywords.search(terms(query), limit=limit, scope=scope)
            rankings.append(Ranking("keyword", [each for each, _ in found], self._keyword_weight))
        return self._hits(fuse(rankings), cosines, top_k=top_k)

    def warnings(self) -> tuple[Notice, ...]:
        """What a reader should know about the passages found now."""
        return (_WORDS_ONLY,) if self._words_only() else ()

    def _dense(self, query: str, *, limit: int, scope: Scope) -> dict[str, float]:
        among = None if scope.is_everything else self._catalog.passages.ids(scope)
        if among == []:
            return {}
        vector = self._embedder.embed_query(query)
        return dict(self._store.nearest(vector, limit=limit, among=among))

    def _hits(
        self,
        fused: Sequence[tuple[str, float, tuple[Via, ...]]],
        cosines: Mapping[str, float],
        *,
        top_k: int,
    ) -> list[Hit]:
        known = self._catalog.passages.get([passage_id for passage_id, _, _ in fused])
        hits: list[Hit] = []
        for passage_id, score, via in fused:
            if passage_id not in known:  # replaced since the store was asked
                continue
            passage, locations = known[passage_id]
            hits.append(
                Hit(
                    passage=passage,
                    document_name=locations[0].rsplit("/", 1)[-1],
                    path=locations[0],
                    locations=locations,
                    score=round(score, 6),
                    rank=len(hits) + 1,
                    via=via,
                    cosine=cosines.get(passage_id),
                )
            )
            if len(hits) == top_k:
                break
        return hits
