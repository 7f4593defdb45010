"""The command `eval`: a throw-away data folder, real ingest, then every question searched."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from api.app import close_services, open_services
from rag import __version__
from rag.errors import InvalidRequest, NotFound
from rag.evaluation.measuring import Outcome, put, summary
from rag.evaluation.questions import Question
from rag.lock import owning

if TYPE_CHECKING:
    from api.deps import Services
    from rag.records import SearchMode
    from rag.settings import Settings

Progress = Callable[[str, int, int], None]
"""Told what is under way, how much is done, and of how much."""

MODES: tuple[SearchMode, ...] = ("hybrid", "keyword", "dense")
"""Ours, then the plain ways beside it."""
_LOOK_EVERY_S = 0.2


def evaluate(
    settings: Settings,
    questions: Sequence[Question],
    *,
    documents: Path | None,
    resume: bool,
    progress: Progress,
) -> dict[str, Any]:
    """Index the texts of the questions (or ``documents``), search, and measure every mode.

    Args:
        settings: of the embedder and the search; its data folder is not touched.
        questions: from one or several sets, all in one store.
        documents: a folder of the documents the questions are about.
        resume: go on with what an earlier run had read already.
        progress: told how far it is.

    Raises:
        InvalidRequest: the questions bring no text of their own, and there are no documents.
        NotFound: there is no such folder.
    """
    corpus = _documents(documents) if documents else _contexts(questions)
    with _throw_away(settings, corpus, resume=resume) as scratch, owning(scratch.data_path):
        services = open_services(scratch)
        try:
            unread = _ingest(services, corpus, progress)
            outcomes = {mode: _search(services, questions, mode, progress) for mode in MODES}
            return _report(services, questions, outcomes, unread)
        finally:
            close_services(services)


def _contexts(questions: Sequence[Question]) -> dict[str, bytes | Path]:
    """The sets' own passages as text files, named after their documents."""
    lacking = next((question for question in questions if not question.context), None)
    if lacking is not None:
        raise InvalidRequest(
            f"The set {lacking.dataset} brings no texts to search in.",
            hint="Give the folder of its documents with --documents.",
        )
    corpus: dict[str, bytes | Path] = {}
    for question in questions:
        content = question.context.encode()
        known = corpus.setdefault(f"{question.document}.txt", content)
        if known != content:
            raise InvalidRequest(
                f"{question.dataset} has several passages of {question.document}.",
                hint="Give the documents themselves with --documents.",
            )
    return corpus


def _documents(folder: Path) -> dict[str, bytes | Path]:
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.")
    files = sorted(file for file in folder.rglob("*") if file.is_file())
    return {file.relative_to(folder).as_posix(): file.resolve() for file in files}


@contextmanager
def _throw_away(
    settings: Settings, corpus: Mapping[str, bytes | Path], *, resume: bool
) -> Iterator[Settings]:
    """Settings for a data folder of its own, named by what goes into it, gone when done."""
    key = hashlib.sha256(f"{settings.embedder} {settings.passage_tokens}".encode())
    for name, content in corpus.items():
        key.update(name.encode())
        key.update(content if isinstance(content, bytes) else str(content).encode())
    folder = user_cache_path("deskside", appauthor=False) / "eval" / key.hexdigest()[:16]
    if not resume:
        shutil.rmtree(folder, ignore_errors=True)
    inbox = folder / "inbox"
    for name, content in corpus.items():
        _put(inbox / name, content)
    yield settings.model_copy(update={"data": folder, "inbox": inbox, "settle_s": 0.0})
    shutil.rmtree(folder)  # kept when it was cut short, for --resume


def _put(target: Path, content: bytes | Path) -> None:
    if target.exists():
        return
    target.parent.mkdir(parents=True, exist_ok=True)
    if isinstance(content, bytes):
        target.write_bytes(content)
        return
    try:
        os.link(content, target)
    except OSError:  # another disk
        shutil.copy2(content, target)


def _ingest(
    services: Services, corpus: Mapping[str, bytes | Path], progress: Progress
) -> list[str]:
    """Read everything; returns the paths that could not be read."""
    services.inbox.scan()
    services.inbox.start()
    status = services.inbox.status()
    while waiting := status.queued + status.unsettled:
        progress("reading", len(corpus) - waiting, len(corpus))
        time.sleep(_LOOK_EVERY_S)
        status = services.inbox.status()
    found, _ = services.core.catalog.ledger.documents()
    return [document.path for document in found if document.failure]


def _search(
    services: Services, questions: Sequence[Question], mode: SearchMode, progress: Progress
) -> list[Outcome]:
    engine, gate_k = services.core.engine, services.settings.top_k
    outcomes: list[Outcome] = []
    for outcome in put(
        questions, lambda text, top_k: engine.search(text, top_k=top_k, mode=mode), gate_k=gate_k
    ):
        outcomes.append(outcome)
        progress(mode, len(outcomes), len(questions))
    return outcomes


def _report(
    services: Services,
    questions: Sequence[Question],
    outcomes: Mapping[SearchMode, Sequence[Outcome]],
    unread: Sequence[str],
) -> dict[str, Any]:
    datasets = list(dict.fromkeys(question.dataset for question in questions))
    bar = services.settings.min_evidence
    return {
        "version": __version__,
        "embedder": services.core.embedder.fingerprint,
        "documents": services.core.catalog.ledger.documents(limit=0)[1],
        "passages": services.core.catalog.passages.count(),
        "unread": list(unread),
        "datasets": {
            dataset: {
                mode: summary([o for o in of if o.dataset == dataset], min_evidence=bar)
                for mode, of in outcomes.items()
            }
            for dataset in datasets
        },
        "outcomes": {mode: [asdict(outcome) for outcome in of] for mode, of in outcomes.items()},
    }
