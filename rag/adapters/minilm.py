"""`Embedder` on sentence-transformers: a multilingual MiniLM read from a local folder."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from rag.errors import Unavailable
from rag.ports import Span, Vectors
from rag.quiet import silence

_SAYS = re.compile(r"\w")
"""A token that is more than a mark."""


@dataclass(frozen=True, slots=True)
class Prefixes:
    """What a model was trained to see before a query and before a passage."""

    query: str = ""
    passage: str = ""


PREFIXES = {
    "multilingual-e5-small": Prefixes(query="query: ", passage="passage: "),
    "paraphrase-multilingual-MiniLM-L12-v2": Prefixes(),
}


class MiniLM:
    """Embeds with the model in ``folder``.

    Args:
        name: the model's name in the catalogue; decides the prefixes.
        folder: a sentence-transformers model.
        revision: the checksum of its weights, for the fingerprint.

    Raises:
        Unavailable: the folder holds no usable model.
    """

    def __init__(self, name: str, folder: Path, *, revision: str) -> None:
        silence()
        from sentence_transformers import SentenceTransformer
        from transformers.utils import logging as chatter

        chatter.disable_progress_bar()
        try:
            self._model = SentenceTransformer(str(folder), device="cpu", local_files_only=True)
        except (OSError, ValueError, KeyError) as error:
            raise Unavailable(
                f"The embedding model {name} can't be loaded: {error}.",
                hint=f"Run `deskside models pull {name}`.",
            ) from error
        self._name = name
        self._revision = revision
        self._prefixes = PREFIXES.get(name, Prefixes())
        self._tokenizer = self._model.tokenizer
        # The tokenizers of Hugging Face are not safe to share between threads.
        self._lock = threading.Lock()
        self._dimension = int(self._model.get_embedding_dimension() or 0)
        self._taken = len(self._tokenizer(self._prefixes.passage)["input_ids"])

    @property
    def fingerprint(self) -> str:
        return "|".join(
            (
                self._name,
                self._revision,
                str(self._dimension),
                "mean",
                "normalised",
                self._prefixes.query,
                self._prefixes.passage,
            )
        )

    @property
    def dimension(self) -> int:
        return self._dimension

    @property
    def max_tokens(self) -> int:
        return int(self._model.max_seq_length or 512) - self._taken

    def token_spans(self, text: str, /) -> list[Span]:
        with self._lock:
            encoded = self._tokenizer(
                text,
                add_special_tokens=False,
                return_offsets_mapping=True,
                return_attention_mask=False,
                verbose=False,
            )
        return [(int(start), int(end)) for start, end in encoded["offset_mapping"]]

    def embed_passages(self, texts: Sequence[str], /) -> Vectors:
        if not texts:
            return np.zeros((0, self._dimension), dtype=np.float32)
        return self._encode([self._prefixes.passage + text for text in texts])

    def embed_query(self, text: str, /) -> Vectors:
        vector: Vectors = self._encode([self._prefixes.query + text])[0]
        return vector

    def embed_passage_tokens(self, texts: Sequence[str], /) -> list[Vectors]:
        return [held for held, _ in self._encode_tokens(self._prefixes.passage, texts)]

    def embed_query_tokens(self, text: str, /) -> Vectors:
        ((vectors, pieces),) = self._encode_tokens(self._prefixes.query, [text])
        says = [bool(_SAYS.search(piece)) for piece in pieces]
        return vectors[says] if any(says) else vectors

    def _encode_tokens(
        self, prefix: str, texts: Sequence[str]
    ) -> list[tuple[Vectors, tuple[str, ...]]]:
        """Unit vectors of the texts' own tokens, and the tokens as they are written."""
        with self._lock:
            encoded = self._model.encode(
                [prefix + text for text in texts],
                batch_size=4,
                output_value=None,
                convert_to_numpy=False,
                show_progress_bar=False,
            )
            lead = len(self._tokenizer(prefix.strip(), add_special_tokens=False)["input_ids"]) + 1
            found = []
            for each in encoded:
                size = int(each["attention_mask"].sum())
                own = np.asarray(each["token_embeddings"][lead : size - 1], dtype=np.float32)
                pieces = self._tokenizer.convert_ids_to_tokens(each["input_ids"][lead : size - 1])
                norms = np.linalg.norm(own, axis=1, keepdims=True)
                found.append((own / np.maximum(norms, 1e-9), tuple(pieces)))
        return found

    def _encode(self, texts: list[str]) -> Vectors:
        with self._lock:
            vectors = self._model.encode(
                texts,
                batch_size=4,  # measured: faster than 32 on two cores, less padding
                normalize_embeddings=True,
                convert_to_numpy=True,
                show_progress_bar=False,
            )
        return np.asarray(vectors, dtype=np.float32)
