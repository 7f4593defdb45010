"""Fakes that behave: fast stand-ins for the ports, run through the same contract suites.

Part of the public surface, for tests here and elsewhere.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np

from rag.errors import InvalidRequest, NotFound, Unavailable
from rag.excerpt import Excerpt, Marks, Picture
from rag.models.offload import Offload
from rag.ports import Neighbour, Progress, Span, Vectors, unheard
from rag.records import (
    Element,
    ElementKind,
    Locator,
    Page,
    Parsed,
    Piece,
    Prompt,
)
from rag.terms import terms

_ONE_PIXEL_PNG = (
    b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\0\1\0\0\0\1\x08\x06\0\0\0\x1f\x15\xc4\x89"
    b"\0\0\0\nIDATx\x9cc\0\1\0\0\5\0\1\r\n-\xb4\0\0\0\0IEND\xaeB`\x82"
)


class HashEmbedder:
    """Texts that share terms are near: each term adds one to a coordinate chosen by its hash.

    ``embedded`` counts the passages ever embedded.
    """

    def __init__(
        self,
        *,
        dimension: int = 256,
        max_tokens: int = 128,
        fingerprint: str = "hash|1",
    ) -> None:
        self.dimension = dimension
        self.max_tokens = max_tokens
        self.fingerprint = fingerprint
        self.embedded = 0

    def token_spans(self, text: str, /) -> list[Span]:
        """One token a character that is not blank."""
        return [(at, at + 1) for at, letter in enumerate(text) if not letter.isspace()]

    def embed_passages(self, texts: Sequence[str], /) -> Vectors:
        self.embedded += len(texts)
        return np.stack([self._vector(text) for text in texts]) if texts else self._nothing()

    def embed_query(self, text: str, /) -> Vectors:
        return self._vector(text)

    def embed_passage_tokens(self, texts: Sequence[str], /) -> list[Vectors]:
        return [self.embed_query_tokens(text) for text in texts]

    def embed_query_tokens(self, text: str, /) -> Vectors:
        """One vector a term, each at its own coordinate."""
        rows = [self._vector(term) for term in terms(text)]
        return np.stack(rows) if rows else self._nothing()

    def _vector(self, text: str) -> Vectors:
        vector = np.full(self.dimension, 1e-3, dtype=np.float32)
        for term in terms(text):
            vector[zlib.crc32(term.encode()) % self.dimension] += 1.0
        unit: Vectors = vector / np.linalg.norm(vector)
        return unit

    def _nothing(self) -> Vectors:
        return np.zeros((0, self.dimension), dtype=np.float32)


class MemoryStore:
    """Vectors in a dictionary, searched by brute force."""

    def __init__(self) -> None:
        self._vectors: dict[str, Vectors] = {}

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None:
        self._vectors.update(zip(ids, vectors, strict=True))

    def delete(self, ids: Sequence[str]) -> None:
        for passage_id in ids:
            self._vectors.pop(passage_id, None)

    def replace(self, batches: Iterable[tuple[Sequence[str], Vectors]]) -> None:
        fresh = MemoryStore()
        for ids, vectors in batches:
            fresh.upsert(ids, vectors)
        self._vectors = fresh._vectors

    def nearest(
        self, vector: Vectors, *, limit: int, among: Sequence[str] | None = None
    ) -> list[Neighbour]:
        candidates = self._vectors if among is None else set(among) & self._vectors.keys()
        found = [(i, float(self._vectors[i] @ vector)) for i in candidates]
        return sorted(found, key=lambda neighbour: -neighbour[1])[:limit]

    def ids(self) -> set[str]:
        return set(self._vectors)

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        return {i: self._vectors[i] for i in ids if i in self._vectors}

    def close(self) -> None:
        """Nothing to let go."""


class ScriptedGenerator:
    """Replies with the given texts in turn, the last one again and again, a character a token.

    ``prompts`` keeps what it was asked. It leans towards the words its next reply begins with.
    """

    name = "scripted"
    offload: Offload | None = Offload(gpu_layers=0, threads=2)

    def __init__(self, *replies: str, context_tokens: int = 4096) -> None:
        self._replies = list(replies) or ["It says so. [1]"]
        self.context_tokens = context_tokens
        self.prompts: list[Prompt] = []

    def count_tokens(self, prompt: Prompt, /) -> int:
        return sum(len(message.text) for message in prompt.messages)

    def generate(
        self, prompt: Prompt, *, max_tokens: int, cancelled: Callable[[], bool]
    ) -> Iterator[Piece]:
        if self.count_tokens(prompt) >= self.context_tokens:
            raise InvalidRequest("No room for an answer.")
        self.prompts.append(prompt)
        reply = self._replies.pop(0) if len(self._replies) > 1 else self._replies[0]
        for made, letter in enumerate(reply):
            if cancelled():
                yield Piece("", tokens=0, finish="cancelled")
                return
            if made + 1 == max_tokens:
                yield Piece(letter, finish="length")
                return
            yield Piece(letter)
        yield Piece("", tokens=0, finish="stop")

    def leaning(
        self,
        prompt: Prompt,
        /,
        *,
        towards: Sequence[str],
        away: Sequence[str],
        cancelled: Callable[[], bool],
    ) -> float | None:
        if self.count_tokens(prompt) >= self.context_tokens:
            raise InvalidRequest("No room for an answer.")
        if cancelled():
            return None
        said = self._replies[0]
        return 5.0 * (said.startswith(tuple(towards)) - said.startswith(tuple(away)))

    def close(self) -> None:
        """Nothing to let go."""


class LineParser:
    """Reads UTF-8 text: a form feed starts a page, ``# `` a heading, each line is an element."""

    def __init__(self) -> None:
        self._closed = False

    def parse(self, path: Path, /, *, progress: Progress = unheard) -> Parsed:
        if self._closed:
            raise Unavailable("The parser was closed.")
        pages = path.read_text(encoding="utf-8").split("\f")
        elements: list[Element] = []
        section: tuple[str, ...] = ()
        for number, page in enumerate(pages, start=1):
            for line in filter(None, page.splitlines()):
                if line.startswith("# "):
                    section = (line[2:],)
                place = Locator(page=number, page_source="file", section=section)
                kind: ElementKind = "title" if line.startswith("# ") else "text"
                elements.append(Element(kind, line.removeprefix("# "), place))
            progress(number, len(pages))
        return Parsed(
            elements=tuple(elements),
            pages=tuple(
                Page(number, str(number), "text" if page.strip() else "empty", len(page))
                for number, page in enumerate(pages, start=1)
            ),
        )

    def close(self) -> None:
        self._closed = True


class BlankPreviewer:
    """One white pixel a page, for documents of ``pages`` pages."""

    def __init__(self, *, pages: int = 10) -> None:
        self._pages = pages

    def page_picture(
        self,
        path: Path,
        page: int,
        marks: Marks,
        *,
        width_px: int,  # noqa: ARG002
    ) -> Picture:
        if not 1 <= page <= self._pages:
            raise NotFound(f"{path.name} has no page {page}.")
        return Picture(_ONE_PIXEL_PNG, marks.boxes)

    def excerpt_html(self, excerpt: Excerpt, /) -> str:
        rows = excerpt.window.table.rows if excerpt.window else ()
        cells = " ".join(escape(shown) for row in rows for shown in row.shown)
        words = [
            _with_mark(passage.text, excerpt.quote)
            if passage.passage_id == excerpt.cited
            else escape(passage.text)
            for passage in excerpt.passages
        ]
        title = f"<!doctype html>\n<title>{escape(excerpt.document_name)}</title>"
        return title + "<br>".join([*words, cells])

    def close(self) -> None:
        """Nothing to let go."""


def _with_mark(text: str, quote: str) -> str:
    before, cited, after = text.partition(quote) if quote and quote in text else ("", text, "")
    return f'{escape(before)}<mark id="cited">{escape(cited)}</mark>{escape(after)}'
