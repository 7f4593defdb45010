"""``deskside eval``: how well passages are found, beside keyword search and dense search alone."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

from api.eval_printing import show
from rag.evaluation import keeping
from rag.evaluation.questions import (
    Question,
    across,
    read_questions,
    sample,
    some_of_each,
)
from rag.settings import load_settings


def evaluate(  # noqa: PLR0913 (the options of a command)
    datasets: Annotated[list[Path], typer.Argument(help="Question sets, JSON lines.")],
    documents: Annotated[
        Path | None, typer.Option(help="The folder of the documents the questions are about.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--sample", min=1, help="Ask so many of each set.")
    ] = None,
    seed: int = 0,
    other: Annotated[
        Path | None,
        typer.Option("--across", help="Search this set in another language, by parallel_id."),
    ] = None,
    *,
    gate: Annotated[
        int, typer.Option(min=0, help="Measure the evidence gate on so many of each set.")
    ] = 100,
    out: Annotated[Path | None, typer.Option(help="Write every outcome to this JSON file.")] = None,
    keep: Annotated[
        Path, typer.Option(help="Where the measures are kept, a file a commit.")
    ] = keeping.FOLDER,
    answers: Annotated[bool, typer.Option("--answers", help="Ask the model, too.")] = False,
    resume: Annotated[bool, typer.Option(help="Go on with an earlier run.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure how well passages are found for DATASETs, all in one throw-away store.

    A store holds all passages of the sets, however few of the questions are asked.
    """
    from api.evaluating import Plan
    from api.evaluating import evaluate as run
    from rag.quiet import Outbound

    Outbound().install()
    sets = {path: read_questions(path) for path in datasets}
    asked = [each for of in sets.values() for each in sample(of, size=size, seed=seed)]
    texts = [each for of in sets.values() for each in of]
    if other is not None:
        texts = read_questions(other)
        asked = across(asked, texts)
    judged = frozenset(some_of_each(asked, size=gate, seed=seed))
    plan = Plan(asked, texts, judged, documents=documents, answers=answers, resume=resume)
    with _progress(shown=not as_json) as progress:
        report = run(load_settings(), plan, progress)
    report["sets"] = [_set(path, of) for path, of in sets.items()]
    report["sample"] = {"size": size, "seed": seed, "gate": gate}
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    measured = {name: value for name, value in report.items() if name != "outcomes"}
    kept = keeping.keep(keep, _name(datasets, size, other, answers=answers), measured)
    if as_json:
        print(json.dumps({**report, "kept": str(kept)}, ensure_ascii=False, indent=2))
    else:
        show(report)
        print(f"Kept in {kept}")


def _set(path: Path, questions: list[Question]) -> dict[str, Any]:
    return {
        "name": path.stem,
        "sha256": hashlib.sha256(path.read_bytes()).hexdigest(),
        "questions": len(questions),
    }


def _name(datasets: list[Path], size: int | None, other: Path | None, *, answers: bool) -> str:
    parts = ["+".join(path.stem for path in datasets)]
    parts += [f"across {other.stem}"] if other else []
    parts += [f"sample {size}"] if size else []
    parts += ["answers"] if answers else []
    return ", ".join(parts)


@contextmanager
def _progress(*, shown: bool) -> Iterator[Callable[[str, int, int], None]]:
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn())
    with Progress(
        *columns, TimeRemainingColumn(), console=Console(stderr=True), disable=not shown
    ) as bars:
        tasks: dict[str, Any] = {}

        def tell(what: str, done: int, total: int) -> None:
            if what not in tasks:
                tasks[what] = bars.add_task(what, total=total)
            bars.update(tasks[what], completed=done, total=total)

        yield tell
