"""Fits the evidence gate: `rag/evidence_weights.py` is what this prints.

    python scripts/fit_gate.py measure SETS STORE OUT.json   # signals of every question, minutes
    python scripts/fit_gate.py fit OUT.json                  # weights, and how they do elsewhere

SETS is a folder of question sets as `deskside eval` reads them, STORE a folder for the stores made
of their passages, of the documents of ``northwind_en`` (from ``../cases/files/en_pdf`` beside SETS)
and of reports by ``scripts/make_reports.py``; they are kept for the next run.

A question is unanswerable where its set says so (and, in a set that has none of those, where its
gold document is left out of what was found); where it was put to a store about something else; and
where a report is asked for a year or a company that no report is of, or is the one left out.
Weights are fitted on all sets, each side of each set counting the same, and judged on sets they
were not fitted on; where years or numbers don't stand together (`rag.evidence_subject`) there is
nothing to weigh. The bias is then set so that at one half `EASED` of the good questions that it was
fitted on are refused.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from pathlib import Path
from zlib import crc32

import numpy as np
from tqdm import tqdm

from api.app import close_services, open_services
from ingest.chunking import chunk
from rag.catalog import Catalog
from rag.evaluation import judging
from rag.evaluation.measures import auc, false_refusals
from rag.evaluation.questions import Question, read_questions, sample
from rag.evidence import APART, Gate, alike
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
ALIKE = ("words", "first", "codes", "tokens", "weakest")
ACROSS = ("codes", "centred")
WORDS = ("words", "first", "codes")
REPORTS = ("--companies", "5", "--years", "3")
STAFF = "Benefit_Options Northwind_Health_Plus_Benefits_Details Northwind_Standard_Benefits_Details"
STAFF += " PerksPlus employee_handbook role_library"
RELATED = {"xquad_en": "xquad", "xquad_zh": "xquad"}
"""Sets of the same passages are never on both sides."""
RIDGE = 1e-3
BAR = 0.5
EASED = {"ALIKE": 0.15, "WORDS": 0.15, "ACROSS": 0.25}
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
        signals = asdict(self._gate.signals(question.text, hits[:TOP_K]))
        rank = judging.rank_of(question, hits) if answerable else None
        one_script = alike(question.text, hits)
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


class Fitted:
    """A logistic model of some signals, by Newton's method, a little held back."""

    def __init__(self, rows: Sequence[Row], names: Sequence[str]) -> None:
        self.names = names
        signals, answerable = self._matrix(rows), np.array([row.answerable for row in rows], float)
        sides = [(row.dataset, row.answerable) for row in rows]
        counted = np.array([1.0 / sides.count(side) for side in sides])
        counted /= counted.sum()
        self._mean, self._scale = signals.mean(axis=0), signals.std(axis=0) + 1e-9
        inputs = self._scaled(signals)
        held = np.diag([*[RIDGE] * len(names), 1e-9])
        self._weights = np.zeros(len(names) + 1)
        for _ in range(50):
            said = 1 / (1 + np.exp(-inputs @ self._weights))
            slope = inputs.T @ (counted * (said - answerable)) + held @ self._weights
            curve = (inputs * (counted * said * (1 - said))[:, None]).T @ inputs + held
            self._weights -= np.linalg.solve(curve, slope)

    def ease(self, good: Sequence[Row], *, refused: float) -> None:
        """Set the bias so that at `BAR` this share of the good questions is refused."""
        sums = self._scaled(self._matrix(good)) @ self._weights
        sums[[not row.signals["together"] for row in good]] = -np.inf
        self._weights[-1] -= float(np.quantile(sums, refused)) - np.log(BAR / (1 - BAR))

    def scores(self, rows: Sequence[Row]) -> list[float]:
        said = 1 / (1 + np.exp(-self._scaled(self._matrix(rows)) @ self._weights))
        apart = [APART if not row.signals["together"] else 1.0 for row in rows]
        return [float(each) for each in said * apart]

    def printed(self) -> str:
        weights = self._weights[:-1] / self._scale
        bias = self._weights[-1] - float(weights @ self._mean)
        pairs = ", ".join(
            f'("{name}", {weight:.3f})' for name, weight in zip(self.names, weights, strict=True)
        )
        return f"Weighing(({pairs},), {bias:.3f})"

    def _matrix(self, rows: Sequence[Row]) -> np.ndarray:
        return np.array([[row.signals[name] for name in self.names] for row in rows], float)

    def _scaled(self, signals: np.ndarray) -> np.ndarray:
        return np.c_[(signals - self._mean) / self._scale, np.ones(len(signals))]


def judged(rows: Sequence[Row], scores: Sequence[float]) -> str:
    """AUC, and false refusals at 5 % false answers, with a bootstrap's 95 %."""
    pairs = list(zip(scores, (row.answerable for row in rows), strict=True))
    shut = [score < BAR for score, answerable in pairs if answerable]
    through = [score >= BAR for score, answerable in pairs if not answerable]
    if not shut or not through:
        return f"lets through {np.mean(through):.3f}  n={len(pairs)}"
    draws = np.random.default_rng(17)
    found = [_figures(pairs)]
    for _ in range(300):
        found.append(_figures([pairs[at] for at in draws.integers(0, len(pairs), len(pairs))]))
    low, high = np.nanpercentile(np.array(found), [2.5, 97.5], axis=0)
    area, refused = found[0]
    return (
        f"AUC {area:.3f} [{low[0]:.3f} {high[0]:.3f}]  "
        f"refused at 5 % {refused:.3f} [{low[1]:.3f} {high[1]:.3f}]  "
        f"at {BAR} refuses {np.mean(shut):.3f}, lets through {np.mean(through):.3f}  "
        f"n={len(shut)}+{len(through)}"
    )


def _figures(pairs: Sequence[tuple[float, bool]]) -> tuple[float, float]:
    good, bad = [s for s, a in pairs if a], [s for s, a in pairs if not a]
    return auc(good, bad), false_refusals(good, bad, false_answers=0.05)


def _can_teach(row: Row) -> bool:
    """An answerable question whose answer was not found teaches nothing about evidence.

    Nor does what is refused whatever it weighs.
    """
    found = not row.answerable or (row.rank is not None and row.rank <= TOP_K)
    return found and bool(row.signals["together"])


def _learnt(rows: Sequence[Row], names: Sequence[str], refused: float) -> Fitted:
    fitted = Fitted([row for row in rows if _can_teach(row)], names)
    fitted.ease([row for row in rows if row.answerable], refused=refused)
    return fitted


def _folds(rows: Sequence[Row], *, across: bool) -> Iterator[tuple[list[Row], list[Row]]]:
    """What to learn from, and what to judge: another set's passages.

    Across languages all sets are of one family: there, the other direction and the other half of
    the documents.
    """
    if not across:
        families = dict.fromkeys(RELATED.get(row.dataset, row.dataset) for row in rows)
        for family in families:
            test = [row for row in rows if RELATED.get(row.dataset, row.dataset) == family]
            yield [row for row in rows if row not in test], test
        return
    parted: dict[tuple[str, int], list[Row]] = {}
    for row in rows:
        article = row.document.rsplit("-", 1)[0]
        direction = row.dataset.removesuffix(", foreign")
        parted.setdefault((direction, crc32(article.encode()) % 2), []).append(row)
    for (direction, half), test in parted.items():
        learn = [
            row for (d, h), held in parted.items() if d != direction and h != half for row in held
        ]
        yield learn, test


def report(rows: Sequence[Row]) -> None:
    for title, names, chosen in (
        ("ALIKE", ALIKE, [row for row in rows if row.alike]),
        ("WORDS", WORDS, [row for row in rows if row.alike]),
        ("ACROSS", ACROSS, [row for row in rows if not row.alike]),
    ):
        print(f"\n{title}")
        of_title = [
            row for row in chosen if row.dataset.startswith("across") == (title == "ACROSS")
        ]
        judgements: dict[str, list[tuple[Row, float]]] = {}
        for learn, test in _folds(of_title, across=title == "ACROSS"):
            scores = _learnt(learn, names, EASED[title]).scores(test)
            for row, score in zip(test, scores, strict=True):
                judgements.setdefault(row.dataset, []).append((row, score))
        judgements["all, by others' weights"] = [pair for of in judgements.values() for pair in of]
        for dataset, pairs in judgements.items():
            print(f"  {dataset:24s} {judged(*zip(*pairs, strict=True))}")
        print(f"{title} = {_learnt(of_title, names, EASED[title]).printed()}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(dest="command", required=True)
    measuring = commands.add_parser("measure")
    for name in ("sets", "store", "out"):
        measuring.add_argument(name, type=Path)
    commands.add_parser("fit").add_argument("rows", type=Path)
    given = parser.parse_args()
    if given.command == "measure":
        rows = []
        for row in measure(given.sets, given.store):
            rows.append(asdict(row))
            if len(rows) % 100 == 0:
                given.out.write_text(json.dumps(rows), encoding="utf-8")
        given.out.write_text(json.dumps(rows), encoding="utf-8")
    else:
        report([Row(**row) for row in json.loads(given.rows.read_text(encoding="utf-8"))])


if __name__ == "__main__":
    main()
