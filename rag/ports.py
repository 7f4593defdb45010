"""The seams of Deskside: small protocols, each with one real implementation and one fake.

Real ones live in `rag.adapters`, `ingest.parsers` and `ingest.previews`; fakes with the same
behaviour in `rag.testing`. `tests/contracts` runs one suite over both.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rag.excerpt import Excerpt, Marks, Picture
from rag.models.offload import Offload
from rag.records import Parsed, Piece, Prompt

Vectors = NDArray[np.float32]
"""Shape (n, dimension), float32, rows of unit length."""

Span = tuple[int, int]
"""Character offsets, end exclusive."""

Neighbour = tuple[str, float]
"""A passage id and its cosine similarity, higher is better."""


Progress = Callable[[int, int], None]
"""Told how many pages are done, and how many there are."""


def unheard(_done: int, _total: int) -> None:
    """The `Progress` nobody listens to."""


class Parser(Protocol):
    """Reads one family of file formats."""

    def parse(self, path: Path, /, *, progress: Progress = unheard) -> Parsed:
        """Read the file at ``path``.

        Args:
            path: the file.
            progress: told of pages done as they come, never fewer than before; the last time
                of all of them. What it raises ends the reading and passes through.

        Raises:
            ingest.failures.Unreadable: the file is at fault (encrypted, corrupt, ...).
            rag.errors.Unavailable: it was closed.
        """
        ...

    def close(self) -> None:
        """End reading, also one under way in another thread."""
        ...


class Previewer(Protocol):
    """Shows where a citation stands.

    Pages are drawn in a process of their own, since a hostile file must not reach the service.
    """

    def page_picture(self, path: Path, page: int, marks: Marks, *, width_px: int) -> Picture:
        """Page ``page`` (from 1) as a PNG ``width_px`` wide with what ``marks`` says highlighted.

        Raises:
            rag.errors.NotFound: there is no such page.
            rag.errors.Unsupported: the file has no pages to draw.
        """
        ...

    def excerpt_html(self, excerpt: Excerpt, /) -> str:
        """The passages as a whole HTML document, the words cited in ``<mark id="cited">``.

        It is escaped, and needs neither scripts nor anything from outside itself.
        """
        ...

    def close(self) -> None: ...


class Embedder(Protocol):
    """Turns text into unit vectors. Passages and queries differ by prefix."""

    @property
    def fingerprint(self) -> str:
        """Name, revision, dimension, pooling and prefixes in one string; vectors never mix."""
        ...

    @property
    def dimension(self) -> int: ...

    @property
    def max_tokens(self) -> int:
        """Tokens of passage text that fit the window, prefix and special tokens taken off."""
        ...

    def token_spans(self, text: str, /) -> list[Span]:
        """Character span of each token of ``text``, in order, without special tokens."""
        ...

    def embed_passages(self, texts: Sequence[str], /) -> Vectors: ...

    def embed_query(self, text: str, /) -> Vectors:
        """Shape (dimension,)."""
        ...

    def embed_passage_tokens(self, texts: Sequence[str], /) -> list[Vectors]:
        """Of each text a unit vector a token, shape (tokens, dimension), prefix left out."""
        ...

    def embed_query_tokens(self, text: str, /) -> Vectors:
        """A unit vector a token, shape (tokens, dimension); prefix and bare marks left out."""
        ...


class VectorStore(Protocol):
    """Holds opaque ids and vectors, nothing else."""

    def upsert(self, ids: Sequence[str], vectors: Vectors) -> None: ...

    def delete(self, ids: Sequence[str]) -> None:
        """Forget the ids; unknown ones are no error. Their bytes may stay: see `replace`."""
        ...

    def replace(self, batches: Iterable[tuple[Sequence[str], Vectors]]) -> None:
        """Hold these and nothing else; searches see the old ones until all are in.

        Afterwards no byte of the old ones is on the disk.
        """
        ...

    def nearest(
        self, vector: Vectors, *, limit: int, among: Sequence[str] | None = None
    ) -> list[Neighbour]:
        """The ``limit`` nearest ids, best first; ``among`` restricts the candidates."""
        ...

    def ids(self) -> set[str]: ...

    def vectors(self, ids: Sequence[str]) -> dict[str, Vectors]:
        """The vectors of those ids that are held, each of shape (dimension,)."""
        ...

    def close(self) -> None: ...


class Generator(Protocol):
    """A chat model. One generation at a time; the caller takes care of that."""

    @property
    def name(self) -> str: ...

    @property
    def context_tokens(self) -> int: ...

    @property
    def offload(self) -> Offload | None:
        """How it sits on the machine; None where it does not sit on this one."""
        ...

    def count_tokens(self, prompt: Prompt, /) -> int:
        """Tokens of the whole rendered prompt, template included."""
        ...

    def generate(
        self, prompt: Prompt, *, max_tokens: int, cancelled: Callable[[], bool]
    ) -> Iterator[Piece]:
        """Stream the reply, whole characters only; the last piece carries ``finish``.

        Raises:
            rag.errors.InvalidRequest: the prompt leaves no room for a reply.
        """
        ...

    def leaning(
        self,
        prompt: Prompt,
        /,
        *,
        towards: Sequence[str],
        away: Sequence[str],
        cancelled: Callable[[], bool],
    ) -> float | None:
        """How much rather its reply begins like one of ``towards`` than like one of ``away``.

        As the logarithm of the odds. None where it was cancelled, or where looking would cost the
        reading of the prompt twice, as the state after its beginning can't be kept.

        Raises:
            rag.errors.InvalidRequest: the prompt leaves no room for a reply.
        """
        ...

    def close(self) -> None: ...
