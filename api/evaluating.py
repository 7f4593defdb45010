"""The command `eval`: a throw-away data folder, real ingest, then every question put to it."""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from platformdirs import user_cache_path

from api.app import close_services, open_services
from rag import __version__
from rag.evaluation import answering, corpus, judging, keeping, measuring, plain
from rag.evaluation.answering import Answered, Round
from rag.evaluation.measures import INTERVALS
from rag.evaluation.questions import Question
from rag.evaluation.resuming import WrittenDown
from rag.lock import owning
from rag.records import Scope
from rag.settings import load_settings
from rag.terms import VERSION

if TYPE_CHECKING:
    from api.deps import Services
    from rag.engine import Engine
    from rag.evaluation.corpus import Corpus
    from rag.evaluation.measuring import Outcome
    from rag.evaluation.spans import Sources
    from rag.records import Answer, Hit, SearchMode
    from rag.settings import Settings

Progress = Callable[[str, int, int], None]
"""Told what is under way, how much is done, and of how much."""

MODES: tuple[SearchMode, ...] = ("hybrid", "keyword", "dense")
"""Ours, then the plain ways beside it: BM25 alone, dense alone."""
_LOOK_EVERY_S = 0.2
_ANSWERS = "answers.jsonl"
_ALL = 2**31
"""More passages than a document has."""
_SETTINGS = frozenset(
    {"embedder", "passage_tokens", "top_k", "candidates", "min_evidence"}
    | {"keyword_weight", "code_weight", "name_weight"}
    | {"context_tokens", "answer_tokens", "temperature", "thinking"}
)
"""What decides how well is found and answered."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What to measure.

    ``questions`` are from one or several sets, all in one store: that of ``documents``, a folder,
    or of the passages that ``texts`` bring. ``judged`` are those of them that the evidence gate is
    measured on; ``answers`` asks the model as well; ``resume`` goes on with what an earlier run had
    read and answered.
    """

    questions: Sequence[Question]
    texts: Sequence[Question]
    judged: Collection[Question] = frozenset()
    documents: Path | None = None
    answers: bool = False
    resume: bool = False


def evaluate(settings: Settings, plan: Plan, progress: Progress) -> dict[str, Any]:
    """Index, search in every mode, ask the model if wanted, and measure.

    Args:
        settings: of the models and the search; its data folder is not touched.
        plan: what to measure.
        progress: told how far it is.

    Raises:
        InvalidRequest: the questions bring no text of their own, and there are no documents; or
            a question names a document that is not among them.
        NotFound: there is no such folder.
        DataInUse: answers are wanted, and another process has the model.
        Unavailable: answers are wanted, and there is no model.
    """
    held = corpus.files(plan.documents) if plan.documents else corpus.contexts(plan.texts)
    corpus.check(held, plan.questions)
    sources = corpus.sources(held, plan.questions)
    with ExitStack() as stack:
        if plan.answers:  # two models at once are more than the memory and the cores can bear
            stack.enter_context(owning(settings.data_path))
        scratch = stack.enter_context(_throw_away(settings, held, resume=plan.resume))
        stack.enter_context(owning(scratch.data_path))
        services = open_services(scratch)
        stack.callback(close_services, services)
        if plan.answers:
            services.core.generator()
        unread = _ingest(services, held, progress)
        outcomes = {mode: _search(services, plan, mode, sources, progress) for mode in MODES}
        report = _report(services, outcomes, unread)
        if plan.answers:
            _add_answers(services, report, _answer(services, plan, progress))
        return keeping.without_nan(report)  # type: ignore[no-any-return]


@contextmanager
def _throw_away(settings: Settings, held: Corpus, *, resume: bool) -> Iterator[Settings]:
    """Settings for a data folder of its own, named by what goes into it, gone when done."""
    key = hashlib.sha256(f"{settings.embedder} {settings.passage_tokens}".encode())
    for name, content in held.items():
        key.update(name.encode())
        key.update(content if isinstance(content, bytes) else _version(content).encode())
    folder = user_cache_path("deskside", appauthor=False) / "eval" / key.hexdigest()[:16]
    if not resume:
        shutil.rmtree(folder, ignore_errors=True)
    inbox = folder / "inbox"
    for name, content in held.items():
        _put(inbox / name, content)
    # Not model_copy: that would take the paths along which `Settings` worked out already.
    yield load_settings(
        **{**settings.model_dump(), "data": folder, "inbox": inbox, "settle_s": 0.0}
    )
    shutil.rmtree(folder)  # kept when it was cut short, for --resume


def _version(file: Path) -> str:
    state = file.stat()
    return f"{file} {state.st_size} {state.st_mtime_ns}"


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


def _ingest(services: Services, held: Corpus, progress: Progress) -> list[str]:
    """Read everything; returns the paths that could not be read."""
    services.inbox.scan()
    services.inbox.start()
    status = services.inbox.status()
    while waiting := status.queued + status.unsettled:
        progress("reading", len(held) - waiting, len(held))
        time.sleep(_LOOK_EVERY_S)
        status = services.inbox.status()
    found, _ = services.core.catalog.ledger.documents()
    return [document.path for document in found if document.failure]


def _search(
    services: Services,
    plan: Plan,
    mode: SearchMode,
    sources: Sources | None,
    progress: Progress,
) -> list[Outcome]:
    engine, outcomes = services.core.engine, []
    k = services.settings.top_k
    gate = measuring.Gate(_judge(engine), k, plan.judged) if mode == MODES[0] else None
    for outcome in measuring.put(
        plan.questions,
        lambda text, top_k: engine.search(text, top_k=top_k, mode=mode),
        gate=gate,
        sources=sources,
    ):
        outcomes.append(outcome)
        progress(mode, len(outcomes), len(plan.questions))
    return outcomes


def _judge(engine: Engine) -> measuring.Judge:
    return lambda question, hits: engine.evidence(question, hits).answerable


def _answer(services: Services, plan: Plan, progress: Progress) -> list[Answered]:
    """Every question answered by the model; each answer is written down at once."""
    core, asked = services.core, answering.rounds(plan.questions)
    by = {
        "model": core.generator().name,
        "code": keeping.commit(),
        "settings": _deciding(services.settings),
    }
    written = WrittenDown(services.settings.data_path / _ANSWERS, by)
    outcomes = [outcome for each in asked if (outcome := written.get(each))]
    left = [each for each in asked if written.get(each) is None]

    def ask(each: Round) -> Answer:
        scope = _without(services, each.question) if each.left_out else None
        if each.way == "ours":
            return core.engine.ask(each.question.text, scope=scope).answer()
        hits = core.engine.search(
            each.question.text, top_k=plain.PASSAGES, mode="dense", scope=scope
        )
        return plain.answer(
            each.question,
            hits,
            core.generator(),
            answer_tokens=services.settings.answer_tokens,
            clock=time.monotonic,
        )

    def page_text(hit: Hit) -> str:
        passages = core.catalog.passages.stretch(hit.passage.document_id, 0, _ALL)
        page = hit.passage.locator.page
        on_it = [each for each in passages if page is not None and each.locator.page == page]
        return "\n".join(each.text for each in on_it or [hit.passage])

    for each, outcome in zip(left, answering.put(left, ask, page_text), strict=True):
        written.add(each, outcome)
        outcomes.append(outcome)
        progress("answers", len(outcomes), len(asked))
    return outcomes


def _deciding(settings: Settings) -> dict[str, Any]:
    return settings.model_dump(mode="json", include=set(_SETTINGS))


def _without(services: Services, question: Question) -> Scope:
    """Everything but the question's own document."""
    found, _ = services.core.catalog.ledger.documents()
    others = [each for each in found if not judging.is_of(question, *each.locations)]
    return Scope(document_ids=tuple(each.document_id for each in others))


def _report(
    services: Services, outcomes: Mapping[SearchMode, Sequence[Outcome]], unread: Sequence[str]
) -> dict[str, Any]:
    ours = outcomes["hybrid"]
    datasets = list(dict.fromkeys(outcome.dataset for outcome in ours))
    bar = services.settings.min_evidence
    catalog = services.core.catalog
    return {
        "version": __version__,
        "intervals": INTERVALS,
        "machine": keeping.machine(),
        "settings": _deciding(services.settings),
        "fingerprints": {"embedder": services.core.embedder.fingerprint, "terms": VERSION},
        "documents": catalog.ledger.documents(limit=0)[1],
        "passages": catalog.passages.count(),
        "unread": list(unread),
        "datasets": {
            dataset: {
                mode: measuring.summary([o for o in of if o.dataset == dataset], min_evidence=bar)
                for mode, of in outcomes.items()
            }
            for dataset in datasets
        },
        "outcomes": {mode: [asdict(outcome) for outcome in of] for mode, of in outcomes.items()},
    }


def _add_answers(services: Services, report: dict[str, Any], answers: Sequence[Answered]) -> None:
    report["fingerprints"]["model"] = services.core.generator().name
    report["answers"] = {
        dataset: answering.beside([each for each in answers if each.dataset == dataset])
        for dataset in report["datasets"]
    }
    report["outcomes"]["answers"] = [asdict(each) for each in answers]
