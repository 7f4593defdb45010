"""Kills the service again and again while files come and go, and compares what remains.

Shared by ``make kill-test`` (at least 100 kills) and the short form in the tests.
"""

from __future__ import annotations

import hashlib
import multiprocessing
import random
import shutil
import sqlite3
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import psutil
from killed import run
from samples.folder import samples

SAMPLES = (
    "lease.pdf", "租赁合同.pdf", "tokens.pdf", "差旅制度.docx", "travel-policy.docx",
    "部门汇总.xlsx", "ledger.xlsx", "broken/password.pdf",
)  # fmt: skip
STAGES = (None, "heal", "open", "parse", "embed_passages", "embed_passages", "publish", "publish")
LONGEST_S = 1.0
STAGE_S = 30.0
"""A life in which the wanted stage does not come ends then."""
PATIENCE_S = 240.0
MIN_COSINE = 0.9999
_FORKS = multiprocessing.get_context("forkserver")
_FORKS.set_forkserver_preload(["killed"])

Row = tuple[str, str, int, str, str, str]
"""Path, revision, ordinal, text, context, locator."""


# -- the inbox and what happens to it


@dataclass(frozen=True, slots=True)
class Act:
    """Something a person does to the inbox."""

    kind: str
    name: str
    other: str = ""
    text: str = ""

    def do(self, inbox: Path) -> None:
        match self.kind:
            case "write":
                _write(inbox / self.name, self.text)
            case "rename":
                (inbox / self.name).rename(inbox / self.other)
            case "copy":
                shutil.copy(inbox / self.name, inbox / self.other)
            case _:
                (inbox / self.name).unlink()


def _write(path: Path, text: str) -> None:
    draft = path.with_name(f".{path.name}")
    if path.suffix == ".pdf":
        from reportlab.pdfgen.canvas import Canvas

        canvas = Canvas(str(draft), invariant=1)
        for number in range(1, 13):
            canvas.drawString(72, 700, f"Page {number}: {text}")
            canvas.showPage()
        canvas.save()
    elif path.suffix == ".csv":
        rows = [f"{text} {number},{number * 7}" for number in range(60)]
        draft.write_text("\n".join(["Item,Count", *rows]), encoding="utf-8")
    else:
        draft.write_text("\n".join(f"{text}, line {at}." for at in range(80)), encoding="utf-8")
    draft.replace(path)


class Person:
    """Thinks of acts, the same for the same seed and the same state of the inbox."""

    def __init__(self, chance: random.Random) -> None:
        self._chance = chance
        self._count = 0

    def act(self, names: list[str]) -> Act:
        """The next act; ``names`` are the files that may be touched."""
        self._count += 1
        number = self._count
        kinds = ["edit", "rename", "copy", "delete"]
        text = f"Act {number} by the river Alder {self._chance.random():.6f}"
        suffix = self._chance.choice([".txt", ".csv", ".pdf"])
        made = [name for name in names if name.startswith("made-")]
        kind = self._chance.choice(kinds + ["write"] * max(6 - len(made), 0))
        if kind == "write" or not made:
            return Act("write", f"made-{number}{suffix}", text=text)
        name = self._chance.choice(made)
        other = f"made-{number}-{'copy' if kind == 'copy' else 'moved'}{Path(name).suffix}"
        if kind == "edit":
            return Act("write", name, text=text)
        return Act(kind, name, other=other if kind in ("rename", "copy") else "")


def fill(data: Path) -> Path:
    inbox = data / "inbox"
    inbox.mkdir(parents=True)
    for name in SAMPLES:
        shutil.copy(samples() / name, inbox)
    _write(inbox / "long.txt", "A long text that is embedded in many batches " * 8)
    return inbox


# -- the service


class Service:
    """One life of the service."""

    def __init__(self, data: Path, embedder: str) -> None:
        self._says, theirs = _FORKS.Pipe()
        self.process = _FORKS.Process(target=run, args=(data, embedder, theirs))
        self.process.start()
        theirs.close()
        self.stage = "start"

    def hears(self, wanted: str | None, timeout_s: float) -> None:
        """Follow the stages for a time, or until ``wanted`` begins."""
        deadline = time.monotonic() + timeout_s
        while (left := deadline - time.monotonic()) > 0:
            try:
                if self._says.poll(left):
                    self.stage = self._says.recv()
                    if self.stage == wanted:
                        return
            except (EOFError, OSError):
                return

    def kill(self, *, children_first: bool, leave_children: bool) -> None:
        """SIGKILL; what the children don't get they must notice themselves."""
        family = psutil.Process(self.process.pid)
        children = family.children(recursive=True)
        doomed = [] if leave_children else children
        for each in [*doomed, family] if children_first else [family, *doomed]:
            _kill(each)
        self.process.join()
        if psutil.wait_procs(children, timeout=20)[1]:
            raise AssertionError("a child outlived the service")

    def kill_child(self) -> bool:
        children = psutil.Process(self.process.pid).children()
        for child in children:
            _kill(child)
        return bool(children)

    def stop(self) -> None:
        self._says.send("stop")
        self.process.join(60)
        if self.process.exitcode != 0:
            raise AssertionError(f"the service ended with {self.process.exitcode}")


def _kill(process: psutil.Process) -> None:
    with suppress(psutil.NoSuchProcess):
        process.kill()


# -- what is remembered


@contextmanager
def catalogue(data: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(data / "catalog.sqlite3", timeout=60)) as connection:
        yield connection


def rows(data: Path) -> list[tuple[Row, bytes]]:
    """Every passage at each of its places, with its vector."""
    with catalogue(data) as connection:
        found = connection.execute(
            "SELECT l.path, d.published, p.ordinal, p.text, p.context, p.locator, p.vector"
            " FROM passages p JOIN documents d USING (document_id)"
            " JOIN locations l USING (document_id) ORDER BY l.path, p.ordinal"
        ).fetchall()
    return [(tuple(row[:-1]), row[-1]) for row in found]


def statuses(data: Path) -> list[tuple[str, ...]]:
    with catalogue(data) as connection:
        return connection.execute(
            "SELECT path, status, reason, revision, pages_done, pages_total, flags"
            " FROM documents JOIN locations USING (document_id) ORDER BY path"
        ).fetchall()


def known(data: Path, inbox: Path) -> set[str]:
    """Files whose present content the ledger knows, read or failed."""
    try:
        with catalogue(data) as connection:
            found = connection.execute(
                "SELECT path, l.size_bytes, mtime_ns, revision FROM locations l"
                " JOIN documents USING (document_id)"
                " WHERE missing = 0 AND document_id NOT IN (SELECT document_id FROM jobs)"
            ).fetchall()
    except sqlite3.OperationalError:  # killed before it made its tables
        return set()
    files = {path.name: path for path in inbox.iterdir() if not path.name.startswith(".")}
    return {
        name
        for name, size, mtime_ns, revision in found
        if name in files
        and (files[name].stat().st_size, files[name].stat().st_mtime_ns) == (size, mtime_ns)
        and hashlib.sha256(files[name].read_bytes()).hexdigest() == revision
    }


def is_settled(data: Path, inbox: Path) -> bool:
    """Whether everything was read, and nothing is remembered that is not there."""
    names = {path.name for path in inbox.iterdir() if not path.name.startswith(".")}
    with catalogue(data) as connection:
        places = {row[0] for row in connection.execute("SELECT path FROM locations")}
        jobs = connection.execute("SELECT count(*) FROM jobs").fetchone()[0]
    return not jobs and places == names == known(data, inbox)


@contextmanager
def undisturbed(data: Path, embedder: str) -> Iterator[Service]:
    """A service that ends in good order."""
    service = Service(data, embedder)
    try:
        service.hears("open", PATIENCE_S)
        yield service
        service.stop()
    finally:
        service.process.kill()


def settle(service: Service, data: Path) -> None:
    """Wait until it has read everything; patience begins anew with everything it gets done."""
    seen: list[tuple[str, ...]] = []
    deadline = time.monotonic() + PATIENCE_S
    while not is_settled(data, data / "inbox"):
        service.hears(None, 0.2)
        if (now := statuses(data)) != seen:
            seen, deadline = now, time.monotonic() + PATIENCE_S
        if time.monotonic() > deadline or not service.process.is_alive():
            raise AssertionError(f"not settled: {statuses(data)}")


# -- the comparison


def faults_within(data: Path) -> list[str]:
    """What may never be seen, even in the moment after a kill."""
    faults = []
    with catalogue(data) as connection:
        (sound,) = connection.execute("PRAGMA integrity_check").fetchone()
        if sound != "ok":
            faults.append(f"the catalogue is damaged: {sound}")
        count, distinct = connection.execute(
            "SELECT count(*), count(DISTINCT document_id || ' ' || ordinal) FROM passages"
        ).fetchone()
        if count != distinct:
            faults.append(f"{count - distinct} passages are doubled")
        (terms,) = connection.execute("SELECT count(*) FROM passage_terms_docsize").fetchone()
        if terms != count:
            faults.append(f"{count} passages, but {terms} in the keyword index")
        half = connection.execute(
            "SELECT count(*) FROM documents d WHERE (published IS NULL) = EXISTS"
            " (SELECT 1 FROM passages p WHERE p.document_id = d.document_id)"
        ).fetchone()[0]
        if half:
            faults.append(f"{half} documents are half published")
    return faults


def differences(calm: Path, rough: Path) -> tuple[list[str], float]:
    """How the two folders differ, and the lowest cosine between two vectors of one passage."""
    faults = faults_within(rough)
    before, after = rows(calm), rows(rough)
    lost = {row for row, _ in before} - {row for row, _ in after}
    more = {row for row, _ in after} - {row for row, _ in before}
    if lost or more or len(before) != len(after):
        faults.append(f"{len(lost)} passages lost, {len(more)} too many: {sorted(lost | more)[:3]}")
    if statuses(calm) != statuses(rough):
        faults.append(f"the ledgers differ: {set(statuses(calm)) ^ set(statuses(rough))}")
    vectors, again = dict(before), dict(after)
    shared = vectors.keys() & again.keys()
    lowest = min((_cosine(vectors[row], again[row]) for row in shared), default=1.0)
    if lowest < MIN_COSINE:
        faults.append(f"two vectors of one passage differ: cosine {lowest:.6f}")
    return faults + _store_faults(rough), lowest


def _store_faults(data: Path) -> list[str]:
    from rag.adapters.chroma import ChromaStore

    with catalogue(data) as connection:
        wanted = dict(connection.execute("SELECT passage_id, vector FROM passages").fetchall())
    store = ChromaStore(data / "chroma")
    try:
        if (held := store.ids()) != wanted.keys():
            both = len(held & wanted.keys())
            return [f"Chroma holds {len(held)} ids, the catalogue {len(wanted)}, both {both}"]
        vectors = store.vectors(list(wanted))
        far = [
            passage_id
            for passage_id, vector in wanted.items()
            if float(vectors[passage_id] @ _vector(vector)) < MIN_COSINE
        ]
        return [f"{len(far)} vectors in Chroma are not the catalogue's"] if far else []
    finally:
        store.close()


def _vector(packed: bytes) -> np.ndarray:
    return np.frombuffer(packed, dtype=np.float32)


def _cosine(one: bytes, other: bytes) -> float:
    a, b = _vector(one), _vector(other)
    return float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))


# -- the whole of it


@dataclass
class Outcome:
    """What happened, for the summary."""

    embedder: str
    kills: Counter[str] = field(default_factory=Counter)
    during: Counter[str] = field(default_factory=Counter)
    acts: Counter[str] = field(default_factory=Counter)
    passages: int = 0
    lowest_cosine: float = 1.0
    faults: list[str] = field(default_factory=list)


def campaign(folder: Path, *, kills: int, seed: int, embedder: str) -> Outcome:
    """Kill the service ``kills`` times, let it finish, and compare with a run without kills.

    Args:
        folder: for the two data folders; empty.
        kills: how many.
        seed: of every choice; what is hit also depends on the machine's speed.
        embedder: ``fake``, or the name of the real one.
    """
    chance = random.Random(seed)
    outcome = Outcome(embedder)
    rough, calm = folder / "rough", folder / "calm"
    acts = _disturb(rough, kills, chance, outcome)
    with undisturbed(rough, embedder) as service:
        settle(service, rough)
    inbox = fill(calm)
    with undisturbed(calm, embedder) as service:
        for act in acts:
            if act.kind != "write" or (inbox / act.name).exists():
                settle(service, calm)  # so that what is renamed was read under its old name
            act.do(inbox)
        settle(service, calm)
    outcome.passages = len(rows(rough))
    faults, outcome.lowest_cosine = differences(calm, rough)
    outcome.faults += faults
    return outcome


def _disturb(data: Path, kills: int, chance: random.Random, outcome: Outcome) -> list[Act]:
    inbox = fill(data)
    person = Person(chance)
    acts: list[Act] = []
    killed = 0
    while killed < kills:
        service = Service(data, outcome.embedder)
        stage = chance.choice(STAGES)
        _await(service, stage, data)
        service.hears(None, chance.choice([chance.uniform(0, 0.05), chance.uniform(0, LONGEST_S)]))
        if chance.random() < 0.2:
            acts += _act(person, data, outcome)
        if chance.random() < 0.1 and killed + 1 < kills and service.kill_child():
            outcome.kills["child only"] += 1
            killed += 1
            service.hears(None, chance.uniform(0, LONGEST_S))
        alone = chance.random() < 0.3
        service.kill(children_first=chance.random() < 0.5, leave_children=alone)
        outcome.kills["service only" if alone else "service and child"] += 1
        outcome.during[service.stage] += 1
        killed += 1
        if (data / "catalog.sqlite3").exists() and known(data, inbox):
            outcome.faults += faults_within(data)
        if chance.random() < 0.5:
            acts += _act(person, data, outcome)
    return acts


def _await(service: Service, stage: str | None, data: Path) -> None:
    """Until the stage begins, or will not, as there is nothing left to read."""
    deadline = time.monotonic() + STAGE_S
    while stage and service.stage != stage and time.monotonic() < deadline:
        service.hears(stage, 1.0)
        if service.stage not in ("start", "heal") and is_settled(data, data / "inbox"):
            return


def _act(person: Person, data: Path, outcome: Outcome) -> list[Act]:
    """One act upon a file whose content has no twin that is not known yet."""
    inbox = data / "inbox"
    act = person.act(sorted(_free(data, inbox)))
    act.do(inbox)
    outcome.acts[act.kind] += 1
    return [act]


def _free(data: Path, inbox: Path) -> set[str]:
    unknown = {p.name for p in inbox.iterdir()} - known(data, inbox)
    twins = {_sha(inbox / name) for name in unknown}
    return {name for name in known(data, inbox) if _sha(inbox / name) not in twins}


def _sha(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()
