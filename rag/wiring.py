"""Puts the parts together: one function, which takes substitutes."""

from __future__ import annotations

import logging
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.catalog import Catalog
from rag.engine import Engine
from rag.errors import DesksideError, Unavailable
from rag.generation import Limits
from rag.index import Index
from rag.models.catalogue import card_of
from rag.models.gguf import read_header
from rag.models.library import generator_for, path_of
from rag.models.machine import available_bytes
from rag.models.offload import Offload, fit
from rag.models.shelf import PINS, read_record
from rag.retrieval import Retrieval, Weights
from rag.right_of_way import RightOfWay
from rag.turns import Turns

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from rag.ports import Embedder, Generator, VectorStore
    from rag.settings import Settings

log = logging.getLogger(__name__)

_PATIENCE_S = 60.0
"""So long may questions keep files from being read."""


class LazyGenerator:
    """Loads the model at the first call, once."""

    def __init__(self, load: Callable[[], Generator]) -> None:
        self._load = load
        self._lock = threading.Lock()
        self._generator: Generator | None = None
        self._failed: Unavailable | None = None

    def __call__(self) -> Generator:
        """The model.

        Raises:
            Unavailable: it could not be loaded; it is not tried again.
        """
        with self._lock:
            if self._failed is not None:
                raise self._failed
            if self._generator is None:
                try:
                    self._generator = self._load()
                except DesksideError as error:
                    log.warning("model_not_loaded reason=%s", error.detail)
                    self._failed = Unavailable(error.detail, hint=error.hint)
                    raise self._failed from error
            return self._generator

    def warm(self) -> None:
        """Load the model ahead of the first question; what fails is told to that one."""
        with suppress(Unavailable):
            self()

    @property
    def loaded(self) -> Generator | None:
        """The model if it is loaded already."""
        return self._generator

    @property
    def failed(self) -> Unavailable | None:
        """Why it could not be loaded, if that was tried."""
        return self._failed

    def close(self) -> None:
        if self._generator is not None:
            self._generator.close()
            self._generator = None


@dataclass(frozen=True, slots=True)
class Core:
    """What remembers and answers, ready to use."""

    settings: Settings
    catalog: Catalog
    store: VectorStore
    embedder: Embedder
    index: Index
    engine: Engine
    generator: LazyGenerator
    right_of_way: RightOfWay

    def close(self) -> None:
        """Let files and models go."""
        self.right_of_way.close()
        self.generator.close()
        self.store.close()
        self.catalog.close()


def open_core(
    settings: Settings,
    *,
    embedder: Embedder | None = None,
    store: VectorStore | None = None,
    generator: Generator | None = None,
) -> Core:
    """Open the data folder; the caller owns its lock.

    Args:
        settings: where everything is and how it is tuned.
        embedder: instead of the real one.
        store: instead of Chroma.
        generator: instead of the model on disk.

    Raises:
        Unavailable: the embedding model is not there, or the data can't be used.
    """
    catalog = Catalog(settings.data_path / "catalog.sqlite3")
    embedder = embedder or _embedder(settings)
    store = store or _store(settings)
    right_of_way = RightOfWay(patience_s=_PATIENCE_S if settings.answers_first else 0.0)
    index = Index(catalog, store, embedder, give_way=right_of_way.give_way)
    lazy = LazyGenerator((lambda: generator) if generator else (lambda: _generator(settings)))
    retrieval = Retrieval(
        catalog,
        store,
        embedder,
        candidates=settings.candidates,
        weights=Weights(
            keyword=settings.keyword_weight,
            code=settings.code_weight,
            name=settings.name_weight,
        ),
        words_only=lambda: index.is_renewing,
    )
    engine = Engine(
        catalog,
        retrieval,
        lazy,
        Turns(settings.queue_limit, right_of_way),
        Limits(
            top_k=settings.top_k,
            answer_tokens=settings.reply_tokens,
            answer_timeout_s=settings.answer_timeout_s,
            min_evidence=settings.min_evidence,
        ),
    )
    return Core(settings, catalog, store, embedder, index, engine, lazy, right_of_way)


def _embedder(settings: Settings) -> Embedder:
    from rag.adapters.minilm import MiniLM  # noqa: PLC0415 (heavy)

    folder = path_of(card_of(settings.embedder), settings.models_dir)
    pins = read_record(settings.models_dir, PINS)
    revision = pins.get(f"{settings.embedder}/model.safetensors", "unpinned")
    return MiniLM(settings.embedder, folder, revision=str(revision))


def _store(settings: Settings) -> VectorStore:
    from rag.adapters.chroma import ChromaStore, forget  # noqa: PLC0415 (heavy)

    folder = settings.data_path / "chroma"
    try:
        store = ChromaStore(folder)
        store.ids()
    except Unavailable:
        # All vectors are in the catalogue, too: begin anew, and let the index put them back.
        log.warning("vector_store_damaged folder=%s", folder)
        forget(folder)
        store = ChromaStore(folder)
    return store


def _generator(settings: Settings) -> Generator:
    from rag.adapters.llama import Llama  # noqa: PLC0415 (heavy)
    from rag.adapters.llama_trial import settle  # noqa: PLC0415

    path = generator_path(settings)
    return Llama(
        path,
        settle(path, offload_of(settings, path), settings.models_dir),
        temperature=settings.temperature,
        thinking=settings.thinking,
    )


def generator_path(settings: Settings) -> Path:
    """The file of the model that answers.

    Raises:
        Unavailable: none is installed.
    """
    card = generator_for(settings)
    if card is None:
        raise Unavailable("No model is installed.", hint="Run: deskside models pull")
    return path_of(card, settings.models_dir)


def offload_of(settings: Settings, path: Path) -> Offload:
    """How the model in ``path`` sits on this machine now: as set, and as far as that fits."""
    from rag.adapters.llama_devices import gpus  # noqa: PLC0415 (heavy)

    devices = gpus()
    header = read_header(path)
    wanted = Offload(
        context_tokens=min(settings.context_tokens, header.number("context_length", 2**20)),
        batch_tokens=settings.batch_tokens,
        gpu_layers=None if settings.gpu_layers == "auto" else settings.gpu_layers,
        threads=settings.threads,
        extra_bufts=settings.extra_bufts,
        flash_attention=settings.flash_attention,
    )
    return fit(wanted, header, memory_bytes=available_bytes(), gpus=devices)
