"""What the evidence gate measures of many questions, for `fit_gate.py` to fit on.

A question is unanswerable where its set says so (and, in a set that has none of those, where its
gold document is left out of what was found); where it was put to a store about something else; and
where a report is asked for a year or a company that no report is of, or is the one left out.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path

import numpy as np
from tqdm import tqdm

from api.app import close_services, open_services
from ingest.chunking import chunk
from rag.catalog import Catalog
from rag.evaluation import judging
from rag.evaluation.questions import Question, read_questions, sample
from rag.evidence import Gate, alike
from rag.evidence_weights import WEIGHED_FOR
from rag.files import SourceFile
from rag.index import Index
from rag.models.catalogue import card_of
from rag.models.library import path_of
from rag.ports import Neighbour, Vectors
from rag.records import Element, Hit, Locator, Page, Parsed, Passage
from rag.retrieval import Retrieval, Weights
from rag.settings import load_settings
from rag.testing import MemoryStore

POOLS = {
    "zh": ("xquad_zh", "cmrc2018_dev_zh_half", "drcd_dev_zh_hant_half"),
    "en": ("xquad_en", "clapnq_dev_en"),
}
STRANGE = {
    "zh": ("xquad_en", "clapnq_dev_en", "zh_law_articles"),
    "en": ("xquad_zh", "cmrc2018_dev_zh_half", "northwind_en"),
}
"""Of each pool: its passages' questions in the other language, and foreign ones in either."""
FOREIGN = 30
MOST_DOCUMENTS = 250
"""Of each set: a small office's worth, and minutes rather than an hour of embedding."""
PER_SET = 70
TOP_K = 5
DEPTH = 20
REPORTS = ("--companies", "5", "--years", "3")
STAFF = "Benefit_Options Northwind_Health_Plus_Benefits_Details Northwind_Standard_Benefits_Details"
STAFF += " PerksPlus employee_handbook role_library"
NEW_YEAR, NEW_COMPANY = "2031", {"zh": "华宁重工", "en": "Redwood Textiles"}


@dataclass(frozen=True, slots=True)
class Row:
    """One judged question: which set, whether it can be answered, the rank of its gold place."""

    dataset: str
    answerable: bool
    rank: int | None
    alike: bool
    signals: dict[str, float]
    document: str = ""


class Remembering:
    """The embedder, which need not make the same passage's tokens twice."""

    def __init__(self) -> None:
        from rag.adapters.minilm import MiniLM

        folder = path_of(card_of(WEIGHED_FOR), load_settings().models_dir)
        self._embedder = MiniLM(WEIGHED_FOR, folder, revision="fit")
        self._tokens = lru_cache(maxsize=2000)(self._tokens_of)

    def __getattr__(self, name: str) -> object:
        return getattr(self._embedder, name)

    def embed_passage_tokens(self, texts: Sequence[str]) -> list[Vectors]:
        return [self._tokens(text) for text in texts]

    def _tokens_of(self, text: str) -> Vectors:
        return self._embedder.embed_passage_tokens([text])[0]


class Brute:
    """The catalogue's vectors, searched one and all."""

    def __init__(self, catalog: Catalog) -> None:
        batches = list(catalog.passages.vectors())
        self._ids = [each for ids, _ in batches for each in ids]
        self._vectors = np.concatenate([vectors for _, vectors in batches])
        self._places = {each: at for at, each in enumerate(self._ids)}

    def nearest(
        self, vector: Vectors, *, limit: int, among: Sequence[str] | None = None
    ) -> list[Neighbour]:
        found = self._vectors @ vector
        chosen = range(len(found)) if among is None else [self._places[each] for each in among]
        best = sorted(chosen, key=lambda at: -found[at])[:limit]
        return [(self._ids[at], float(found[at])) for at in best]


class Desk:
    """A store of passages, its search and its gate."""

    def __init__(self, folder: Path, embedder: Remembering) -> None:
        self.catalog = Catalog(folder / "catalog.sqlite3")
        store = Brute(self.catalog)
        self._retrieval = Retrieval(self.catalog, store, embedder, candidates=50, weights=Weights())  # type: ignore[arg-type]
        self._gate = Gate(embedder, self.catalog.keywords)  # type: ignore[arg-type]

    def found(self, question: Question) -> list[Hit]:
        return self._retrieval.search(question.text, top_k=DEPTH)

    def row(
        self, question: Question, hits: Sequence[Hit], *, answerable: bool, dataset: str
    ) -> Row:
        one_script = alike(question.text, hits)
        judged = [hit for hit in hits[:TOP_K] if alike(question.text, [hit]) is one_script]
        signals = asdict(self._gate.signals(question.text, judged))
        rank = judging.rank_of(question, hits) if answerable else None
        return Row(dataset, answerable, rank, one_script, signals, question.document)

    def rows(self, questions: Sequence[Question], dataset: str) -> Iterator[Row]:
        """Each question; in a set of answerable ones each again with its gold document left out."""
        of_both = any(not question.answerable for question in questions)
        for question in tqdm(questions, dataset):
            hits = self.found(question)
            yield self.row(question, hits, answerable=question.answerable, dataset=dataset)
            if not of_both:
                others = [hit for hit in hits if not judging.in_document(question, hit)]
                yield self.row(question, others, answerable=False, dataset=dataset)

    def near_misses(self, questions: Sequence[Question], dataset: str) -> Iterator[Row]:
        """Each question; without its report; and for another year or company than there is."""
        for at, question in enumerate(tqdm(questions, dataset)):
            hits = self.found(question)
            yield self.row(question, hits, answerable=True, dataset=dataset)
            others = [hit for hit in hits if not judging.in_document(question, hit)]
            yield self.row(question, others, answerable=False, dataset=dataset)
            company = question.document.split("/")[0]
            strange = NEW_COMPANY["en" if company.isascii() else "zh"]
            text = (
                re.sub(r"20\d\d", NEW_YEAR, question.text)
                if at % 2
                else question.text.replace(company, strange)
            )
            missed = replace(question, text=text)
            yield self.row(missed, self.found(missed), answerable=False, dataset=dataset)

    def foreign(self, questions: Sequence[Question], dataset: str) -> Iterator[Row]:
        """Questions about other documents than the store's: none can be answered."""
        for question in tqdm(questions, f"{dataset}, foreign"):
            yield self.row(question, self.found(question), answerable=False, dataset=dataset)

    def holds(self, question: Question) -> bool:
        return question.document in self._documents

    @property
    def _documents(self) -> set[str]:
        return {each.name.removesuffix(".txt") for each in self.catalog.ledger.documents()[0]}


def fill(folder: Path, questions: Sequence[Question], embedder: Remembering) -> None:
    """Put the questions' own passages into a store."""
    texts = {question.document: question.context for question in questions if question.context}
    folder.mkdir(parents=True, exist_ok=True)
    catalog = Catalog(folder / "catalog.sqlite3")
    index = Index(catalog, MemoryStore(), embedder)  # type: ignore[arg-type]
    for name, text in tqdm(texts.items(), folder.name):
        source = SourceFile(f"{name}.txt", len(text), 1_700_000_000_000_000_000, name)
        catalog.ledger.arrive(source)
        job = catalog.jobs.claim()
        if job is None:
            continue
        drafts = chunk(
            [Element("text", line, Locator()) for line in text.splitlines() if line.strip()],
            document_name=name,
            token_spans=embedder.token_spans,  # type: ignore[arg-type]
            target_tokens=220,
            max_tokens=embedder.max_tokens,  # type: ignore[arg-type]
        )
        passages = [
            Passage(catalog.new_id(), job.document_id, at, d.text, d.context, d.locator)
            for at, d in enumerate(drafts)
        ]
        parsed = Parsed((), (Page(1, "1", "text", len(text)),))
        index.publish(job, parsed, passages=passages, vectors=index.embed(passages))
    catalog.close()


def measure(sets: Path, stores: Path) -> Iterator[Row]:
    embedder = Remembering()
    asked = {path.stem: read_questions(path) for path in sets.glob("*.jsonl") if _is_whole(path)}
    for pool, names in POOLS.items():
        if not (stores / pool / "catalog.sqlite3").exists():
            fill(stores / pool, [q for name in names for q in _few(asked[name])], embedder)
        desk = Desk(stores / pool, embedder)
        for name in names:
            held = [question for question in asked[name] if desk.holds(question)]
            of_both = any(not question.answerable for question in held)
            yield from desk.rows(_some(held, 180 if of_both else PER_SET), name)
        other, far, home = STRANGE[pool]
        # By the document alone: the gold passage is in another language than the context.
        translated = [replace(each, context="") for each in asked[other] if desk.holds(each)]
        yield from desk.rows(_some(translated, PER_SET), f"across, {pool}")
        yield from desk.foreign(_some(asked[far], FOREIGN), f"across, {pool}, foreign")
        yield from desk.foreign(_some(asked[home], FOREIGN), "foreign")
    pages = stores / "pages"
    if not (pages / "catalog.sqlite3").exists():
        folder = sets.parent / "cases" / "files" / "en_pdf"
        read(pages, [folder / f"{name}.pdf" for name in STAFF.split()])
    desk = Desk(pages, embedder)
    staff = asked["northwind_en"]
    yield from desk.rows(
        [each for each in staff if not each.answerable]
        + _some([each for each in staff if each.answerable], PER_SET),
        "northwind_en",
    )
    yield from desk.foreign(_some(asked["xquad_en"], FOREIGN), "foreign")
    reports = stores / "reports"
    if not (reports / "catalog.sqlite3").exists():
        made = reports / "made"
        script = str(Path(__file__).with_name("make_reports.py"))
        subprocess.run([sys.executable, script, str(made), *REPORTS], check=True)
        read(reports, [made / "documents"])
    desk = Desk(reports, embedder)
    questions = read_questions(reports / "made" / "questions.jsonl")
    yield from desk.near_misses(_some(questions, PER_SET), "reports")
    yield from desk.foreign(_some(asked["xquad_zh"], FOREIGN), "foreign")


def read(folder: Path, documents: Sequence[Path]) -> None:
    """Make a data folder of documents as the service does."""
    inbox = folder / "inbox"
    inbox.mkdir(parents=True)
    for each in documents:
        if each.is_dir():
            shutil.copytree(each, inbox, dirs_exist_ok=True)
        else:
            shutil.copy(each, inbox)
    services = open_services(load_settings(data=folder, inbox=inbox, settle_s=0.0))
    try:
        services.inbox.scan()
        services.inbox.start()
        while (status := services.inbox.status()).queued + status.unsettled:
            time.sleep(1.0)
    finally:
        close_services(services)


def _is_whole(path: Path) -> bool:
    return not path.stem.startswith("chunking")


def _few(questions: Sequence[Question]) -> list[Question]:
    documents = dict.fromkeys(question.document for question in questions)
    step = max(1, len(documents) // MOST_DOCUMENTS)
    kept = set(list(documents)[::step])
    return [question for question in questions if question.document in kept]


def _some(questions: Sequence[Question], size: int) -> list[Question]:
    return sample(questions, size=size, seed=1)
