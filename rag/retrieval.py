"""From a query to hits: keyword and dense candidates, united and ordered by what speaks for each.

Union, never veto: a Chinese question shares no term with English text, yet must reach it. How the
order was chosen, and what it was measured against, stands in ADR 0015.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np

from rag.crossing import Across, Crossing
from rag.evidence import Evidence, Gate
from rag.headlines import LONGEST, bare, stands_as_line
from rag.records import Hit, Notice, Passage, Scope, SearchMode, Via
from rag.sentences import same_script
from rag.terms import codes, normalise, own_ordinals, terms

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.ports import Embedder, Vectors, VectorStore

Known = Mapping[str, tuple[Passage, tuple[str, ...]]]
"""Passages by id, each with the places of its document, oldest first."""

_MOST_NAMED = 20
"""More documents of the same best name than these, and the question names none of them."""
_COMPARED_EXACTLY = 20_000
"""Passages of a part of the documents that are compared one by one with a question."""
_NAMED = 0.5
"""What an article named in passing is worth beside one that begins there."""
_YEARS = 0.5
"""What a year is worth beside a code: much of a store may be of that year."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_WORDS_ONLY = Notice(
    "words_only",
    "The embedding model was changed and the documents are embedded anew; until that is done only"
    " passages that share words with the question are found.",
)


@dataclass(frozen=True, slots=True)
class Weights:
    """What a passage gains over its cosine by showing a sign in full.

    ``keyword`` for all terms of the query, ``code`` for all its numbers and codes, ``name`` for
    lying in the document that the query names, ``title`` where the query is nothing but that name,
    ``heading`` where it is nothing but a line of the passage.
    """

    keyword: float = 0.2
    code: float = 0.08
    name: float = 0.04
    title: float = 0.3
    heading: float = 0.1


@dataclass(frozen=True, slots=True)
class Signs:
    """What speaks for a passage: its cosine, or None, and the shares of `Weights`, 0 to 1.

    ``across`` is added to the cosine of a passage in another script than the query (`Across`).
    """

    cosine: float | None = None
    across: float = 0.0
    keyword: float = 0.0
    code: float = 0.0
    name: float = 0.0
    title: float = 0.0
    heading: float = 0.0

    def score(self, weights: Weights) -> float:
        """All of them as one number; higher is better."""
        gained = weights.keyword * self.keyword + weights.code * self.code
        gained += weights.name * self.name + weights.title * self.title
        gained += weights.heading * self.heading
        return (self.cosine or 0.0) + self.across + gained


@dataclass(frozen=True, slots=True)
class _Asked:
    """A query as each sign needs it; without a vector where words alone are searched."""

    text: str
    terms: Sequence[str]
    vector: Vectors | None
    across: Across | None
    named: Mapping[str, float]

    @property
    def probes(self) -> list[Vectors]:
        """What to look near to: in the query's own script, and in the other."""
        if self.vector is None:
            return []
        return [self.vector, *([self.across.probe] if self.across else [])]


class Retrieval:
    """Finds passages.

    Args:
        candidates: how many each half may bring.
        weights: how the halves are put together.
        words_only: whether the stored vectors can't be compared with a query's just now.
    """

    def __init__(
        self,
        catalog: Catalog,
        store: VectorStore,
        embedder: Embedder,
        *,
        candidates: int,
        weights: Weights,
        words_only: Callable[[], bool] = lambda: False,
    ) -> None:
        self._catalog = catalog
        self._store = store
        self._embedder = embedder
        self._crossing = Crossing(embedder)
        self._gate = Gate(embedder, catalog.keywords)
        self._candidates = candidates
        self._weights = weights
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
        asked = self._asked(query, mode)
        via = self._candidates_of(asked, scope or Scope(), top_k=top_k)
        known = self._catalog.passages.get(list(via))
        signs = self._signs(asked, known)
        return _hits(known, via, signs, self._weights, top_k=top_k)

    def evidence(self, question: str, hits: Sequence[Hit]) -> Evidence:
        """How probable it is that ``hits``, best first, answer the question."""
        return self._gate.evidence(question, hits)

    def warnings(self) -> tuple[Notice, ...]:
        """What a reader should know about the passages found now."""
        return (_WORDS_ONLY,) if self._words_only() else ()

    def _asked(self, query: str, mode: SearchMode) -> _Asked:
        by_words_only = mode == "keyword" or self._words_only()
        vector = None if by_words_only else self._embedder.embed_query(query)
        if mode == "dense":
            return _Asked(query, [], vector, None, {})
        found = self._catalog.keywords.as_written(terms(query))
        if mode == "keyword" or vector is None:
            named = self._catalog.names.named(found) if mode == "hybrid" else {}
            return _Asked(query, found, None, None, named)
        across = self._crossing.across(query, vector)
        return _Asked(query, found, vector, across, self._catalog.names.named(found))

    def _candidates_of(
        self, asked: _Asked, scope: Scope, *, top_k: int
    ) -> dict[str, tuple[Via, ...]]:
        """Ids of what either half finds, in the whole scope and in the documents named."""
        limit = max(self._candidates, top_k)
        via: dict[str, tuple[Via, ...]] = {}
        for part in (scope, *_named_part(asked.named, scope)):
            found: list[tuple[Via, Collection[str]]] = [
                ("dense", self._nearest(probe, limit=limit, scope=part)) for probe in asked.probes
            ]
            found.append(
                ("keyword", self._catalog.keywords.search(asked.terms, limit=limit, scope=part))
            )
            for half, ids in found:
                for each in ids:
                    via[each] = tuple(dict.fromkeys((*via.get(each, ()), half)))
        return via

    def _nearest(self, vector: Vectors, *, limit: int, scope: Scope) -> list[str]:
        passages = self._catalog.passages
        if scope.is_everything:
            found = self._store.nearest(vector, limit=limit)
        elif passages.count(scope) > _COMPARED_EXACTLY:
            found = self._store.nearest(vector, limit=limit, among=passages.ids(scope))
        else:
            return _exactly_nearest(*passages.vectors_within(scope), vector, limit=limit)
        return [each for each, _ in found]

    def _signs(self, asked: _Asked, known: Known) -> dict[str, Signs]:
        vectors: Mapping[str, Vectors] = {}
        if asked.vector is not None:
            vectors = self._catalog.passages.vectors_of(list(known))
        words = self._catalog.keywords.scores(asked.terms, known)
        best = self._catalog.keywords.best_possible(asked.terms)
        wanted = codes(asked.terms)
        line = bare(asked.text) if asked.across else ""
        may_head = 0 < len(line) <= LONGEST
        return {
            each: replace(
                _nearness(asked, passage, vectors.get(each)),
                keyword=min(words.get(each, 0.0) / best, 1.0) if best else 0.0,
                code=_share(wanted, passage),
                name=asked.named.get(passage.document_id, 0.0),
                title=float(_is_title(asked, passage, places)),
                heading=float(may_head and each in words and stands_as_line(line, passage.text)),
            )
            for each, (passage, places) in known.items()
        }


def _exactly_nearest(
    ids: Sequence[str], vectors: Vectors, vector: Vectors, *, limit: int
) -> list[str]:
    """By brute force: a graph of neighbours searched with a filter loses some."""
    if not ids:
        return []
    order = np.argsort(-(vectors @ vector), kind="stable")[:limit]
    return [ids[at] for at in order]


def _named_part(named: Mapping[str, float], scope: Scope) -> list[Scope]:
    """The part of the scope that the query names best, if it names few enough."""
    best = {document_id for document_id, share in named.items() if share == 1.0}
    if scope.document_ids is not None:
        best &= set(scope.document_ids)
    return (
        [replace(scope, document_ids=tuple(sorted(best)))] if 0 < len(best) <= _MOST_NAMED else []
    )


def _nearness(asked: _Asked, passage: Passage, held: Vectors | None) -> Signs:
    """The signs of its meaning alone."""
    if asked.vector is None or held is None:
        return Signs()
    cosine = float(held @ asked.vector)
    if asked.across is None or same_script(asked.text, passage.text):
        return Signs(cosine)
    return Signs(cosine, asked.across.gain(held))


def _is_title(asked: _Asked, passage: Passage, places: Collection[str]) -> bool:
    """Whether a path of the document, named in full, says all that the query says."""
    if asked.named.get(passage.document_id) != 1.0:
        return False
    return any(set(asked.terms) <= set(terms(path)) for path in places)


def _worth(code: str, own: Collection[str]) -> float:
    """How much a code says, where the passage's ``own`` articles are those it begins."""
    if _YEAR.fullmatch(code):
        return _YEARS
    return _NAMED if code.startswith("第") and code not in own else 1.0


def _share(wanted: Sequence[str], passage: Passage) -> float:
    """The share of the codes that stand in the passage; see `_worth`."""
    if not wanted:
        return 0.0
    plain = normalise(passage.embedded_text)
    # An ordinal is written in other ways, too; for the rest, making terms is worth it seldom.
    if not any(code in plain or code.startswith("第") for code in wanted):
        return 0.0
    held = set(terms(passage.embedded_text))
    own = own_ordinals(passage.text)
    return sum(_worth(code, own) for code in wanted if code in held) / len(wanted)


def _hits(
    known: Known,
    via: Mapping[str, tuple[Via, ...]],
    signs: Mapping[str, Signs],
    weights: Weights,
    *,
    top_k: int,
) -> list[Hit]:
    """The best passages as hits; of those that say the same, the best alone."""
    scores = {each: signs[each].score(weights) for each in known}
    hits: list[Hit] = []
    said: set[str] = set()
    for each in sorted(scores, key=lambda passage_id: -scores[passage_id]):
        passage, locations = known[each]
        text = "".join(normalise(passage.text).split())
        if text in said:
            continue
        said.add(text)
        hits.append(
            Hit(
                passage=passage,
                document_name=locations[0].rsplit("/", 1)[-1],
                path=locations[0],
                locations=locations,
                score=round(scores[each], 6),
                rank=len(hits) + 1,
                via=via[each],
                cosine=signs[each].cosine,
            )
        )
        if len(hits) == top_k:
            break
    return hits
