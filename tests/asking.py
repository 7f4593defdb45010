"""Questions put to an engine on a desk, with a scripted model or none."""

from __future__ import annotations

from desk import Desk

from rag.engine import Engine
from rag.errors import Unavailable
from rag.generation import Limits
from rag.records import Answer
from rag.retrieval import Retrieval, Weights
from rag.testing import ScriptedGenerator
from rag.turns import Turns

LIMITS = Limits(top_k=3, answer_tokens=200, answer_timeout_s=60.0, min_evidence=0.09)


def engine(
    desk: Desk,
    model: ScriptedGenerator | None,
    *,
    turns: Turns | None = None,
    limits: Limits = LIMITS,
) -> Engine:
    retrieval = Retrieval(desk.catalog, desk.store, desk.embedder, candidates=20, weights=Weights())

    def loaded() -> ScriptedGenerator:
        if model is None:
            raise Unavailable("No model is installed.", hint="Pull one.")
        return model

    return Engine(desk.catalog, retrieval, loaded, turns or Turns(2), limits)


def ask(desk: Desk, model: ScriptedGenerator | None, question: str) -> Answer:
    return engine(desk, model).ask(question).answer()
