"""Measures how well passages are found, ours beside BM25 alone and dense alone.

    python scripts/eval_sets.py [--sample 60] [--full]

Runs ``deskside eval`` on generated sets, and, where they lie beside the project, on a sample of the
sets in ``../shared/eval``; ``--full`` takes all of them, with all their questions. Ends with one
table over all; the numbers are kept in ``eval-results/``, a file a commit.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from rich.console import Console
from rich.table import Table

_ROOT = Path(__file__).resolve().parents[1]
_SETS = _ROOT.parent / "shared" / "eval"
_FILES = _ROOT.parent / "shared" / "cases" / "files"
_NOT_TO_READ = frozenset({"broken", "encrypted"})
_MODES = ("hybrid", "keyword", "dense")
_MEASURES = ("recall@1", "recall@5")
_JUDGED = 20
"""Questions of a sample that the gate is measured on: it takes ten times as long as the search."""


@dataclass(frozen=True, slots=True)
class Run:
    """One store: the sets asked of it, and what they are about if not their own passages."""

    sets: tuple[Path, ...]
    documents: Path | None = None
    across: Path | None = None


def main() -> None:
    """Measure all and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sample", type=int, default=60, help="questions of each set")
    parser.add_argument("--full", action="store_true", help="every set, every question")
    given = parser.parse_args()
    found: dict[str, dict[str, Any]] = {}
    with tempfile.TemporaryDirectory() as scratch:
        runs = [*_generated(Path(scratch)), *_shared(Path(scratch), full=given.full)]
        for run in runs:
            found |= _measured(run, size=None if given.full else given.sample)
    _print(found)


def _generated(scratch: Path) -> Iterator[Run]:
    for script, sizes in (
        ("make_reports.py", ("--companies", "5", "--years", "2")),
        ("make_books.py", ("--books", "4", "--rows", "40")),
    ):
        name = script.removeprefix("make_").removesuffix(".py")
        folder = scratch / name
        made = (sys.executable, str(_ROOT / "scripts" / script), str(folder), *sizes)
        subprocess.run(made, check=True)
        named = folder / f"{name}.jsonl"  # the set is called what it is about
        (folder / "questions.jsonl").rename(named)
        yield Run((named,), folder / "documents")


def _shared(scratch: Path, *, full: bool) -> Iterator[Run]:
    """The sets beside the project, those of one language pooled in one store."""
    if not _SETS.is_dir():
        print("There is no ../shared/eval; only generated sets are measured.")
        return
    zh, en, law, benefits = (
        _SETS / f"{name}.jsonl"
        for name in ("xquad_zh", "xquad_en", "zh_law_articles", "northwind_en")
    )
    more_zh = [
        _SETS / f"{name}.jsonl" for name in ("cmrc2018_dev_zh_half", "drcd_dev_zh_hant_half")
    ]
    yield Run((zh, *(more_zh if full else ())))
    yield Run((en, *([_SETS / "clapnq_dev_en.jsonl"] if full else ())))
    yield Run((zh,), across=en)
    sections = _SETS / "debian_parallel_sections.jsonl"
    for dataset in (benefits, law, *((sections,) if full else ())):
        yield Run((dataset,), _linked(dataset, scratch / dataset.stem))
    if full:
        yield Run((_SETS / "chunking_eval_en.jsonl",), _SETS / "chunking_eval_corpora")


def _linked(dataset: Path, folder: Path) -> Path:
    """A folder of the documents that a set names, PDFs first."""
    lines = dataset.read_text(encoding="utf-8").splitlines()
    named = {json.loads(line).get("doc_id") for line in lines} - {None, ""}
    files = sorted(_FILES.rglob("*"), key=lambda file: (file.suffix != ".pdf", file))
    folder.mkdir()
    for name in sorted(named):
        fits = (
            file
            for file in files
            if name in (file.name, file.stem) and file.parent.name not in _NOT_TO_READ
        )
        if file := next(fits, None):
            (folder / file.name).symlink_to(file)
    return folder


def _measured(run: Run, *, size: int | None) -> dict[str, dict[str, Any]]:
    """The measures of each set of the run, by its name."""
    command = [sys.executable, "-c", "from api.cli import main; main()", "eval", "--json"]
    command += ["--gate", str(_JUDGED)] if size else []
    command += map(str, run.sets)
    for option, value in (
        ("--documents", run.documents), ("--across", run.across), ("--sample", size),
    ):  # fmt: skip
        command += [option, str(value)] if value else []
    names = " + ".join(path.stem for path in run.sets)
    print(f"{names}{' across' if run.across else ''} …", flush=True)
    path = os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")])
    environment = {**os.environ, "PYTHONPATH": path}
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True, env=environment)
    report = json.loads(done.stdout)
    print(f"  {report['documents']} documents, {report['passages']} passages; {report['kept']}")
    measures: dict[str, dict[str, Any]] = report["datasets"]
    return measures


def _print(found: dict[str, dict[str, Any]]) -> None:
    table = Table(title="ours / BM25 alone / dense alone, ± half of the 95 % interval of ours")
    for column in ("set", "n", *_MEASURES, "page@1", "cells@1", "p95 ms"):
        table.add_column(column, justify="left" if column == "set" else "right")
    for name, modes in found.items():
        ours = modes["hybrid"]
        cells = [_three(modes, measure) for measure in _MEASURES]
        places = [_three(modes, place) if place in ours else "" for place in ("page@1", "cells@1")]
        p95 = f"{ours['search_ms']['p95']['value']:.0f}"
        table.add_row(name, str(ours["recall@1"]["n"]), *cells, *places, p95)
    Console(width=110).print(table)


def _three(modes: dict[str, Any], name: str) -> str:
    measures: Sequence[dict[str, float]] = [modes[mode][name] for mode in _MODES]
    half = (measures[0]["high"] - measures[0]["low"]) / 2
    values = " ".join(f"{measure['value']:.3f}" for measure in measures)
    return f"{values} ±{half:.3f}".replace("0.", ".")


if __name__ == "__main__":
    main()
