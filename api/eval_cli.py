"""``deskside eval``: how well passages are found, beside keyword search and dense search alone."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn
from rich.table import Table

from rag.evaluation.questions import Question, read_questions, sample
from rag.settings import load_settings

_COLUMNS = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "document@5")


def evaluate(  # noqa: PLR0913 (the options of a command)
    datasets: Annotated[list[Path], typer.Argument(help="Question sets, JSON lines.")],
    documents: Annotated[
        Path | None, typer.Option(help="The folder of the documents the questions are about.")
    ] = None,
    size: Annotated[
        int | None, typer.Option("--sample", min=1, help="So many of each set.")
    ] = None,
    seed: int = 0,
    out: Annotated[Path | None, typer.Option(help="Write every outcome to this JSON file.")] = None,
    *,
    resume: Annotated[bool, typer.Option(help="Go on with an earlier run's reading.")] = False,
    as_json: Annotated[bool, typer.Option("--json", help="Print JSON.")] = False,
) -> None:
    """Measure how well passages are found for DATASETs, all in one throw-away store."""
    from api.evaluating import evaluate as run
    from rag.quiet import Outbound

    Outbound().install()
    questions: list[Question] = []
    for dataset in datasets:
        questions += sample(read_questions(dataset), size=size, seed=seed)
    with _progress(shown=not as_json) as progress:
        report = run(
            load_settings(), questions, documents=documents, resume=resume, progress=progress
        )
    if out is not None:
        out.parent.mkdir(parents=True, exist_ok=True)
        out.write_text(json.dumps(report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    if as_json:
        print(json.dumps(report, ensure_ascii=False, indent=2))
    else:
        _print(report)


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


def _print(report: dict[str, Any]) -> None:
    console = Console()
    for dataset, modes in report["datasets"].items():
        table = Table(title=f"{dataset} (95 % confidence)", box=None, padding=(0, 1))
        for column in ("", *_COLUMNS, "ms p50 p95"):
            table.add_column(column, justify="right" if column else "left")
        for mode, found in modes.items():
            times = found["search_ms"]
            cells = [_shown(found[column]) for column in _COLUMNS]
            table.add_row(mode, *cells, f"{times['p50']:.0f} {times['p95']:.0f}")
        console.print(table)
        gate = next(iter(modes.values()))["gate"]
        console.print(
            f"Evidence gate ({gate['unanswerable']}): AUC {gate['auc']:.3f}, refuses "
            f"{_shown(gate['false_refusals'])} of the answerable, lets through "
            f"{_shown(gate['false_answers'])} of the others; at 5 % false answers it would refuse "
            f"{gate['false_refusals_at_5_percent_false_answers']:.3f}.",
            highlight=False,
        )
    console.print(
        f"{report['documents']} documents, {report['passages']} passages, "
        f"{len(report['unread'])} not read.",
        highlight=False,
    )


def _shown(measure: dict[str, Any]) -> str:
    """A value and half the width of its interval."""
    return f"{measure['value']:.3f} ±{(measure['high'] - measure['low']) / 2:.3f}".replace(
        "0.", "."
    )
