"""``deskside models``: list, pull, verify."""

from __future__ import annotations

import json
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, DownloadColumn, Progress, TextColumn, TransferSpeedColumn
from rich.table import Table

from rag.models import library
from rag.models.catalogue import CARDS, ModelCard, card_of, generators
from rag.models.choose import Choice
from rag.settings import load_settings

app = typer.Typer(
    help="The models: which there are, fetching them, checking them.", no_args_is_help=True
)

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@app.command("list")
def list_models(*, as_json: AsJson = False) -> None:
    """Every model of the catalogue, and which suits this computer."""
    settings = load_settings()
    choice = library.choice_here(settings.models_dir, generators(), settings.context_tokens)
    advice = {}
    if choice.best:
        advice[choice.best.card.name] = "recommended"
    if choice.better:
        advice[choice.better.card.name] = "slower, better"
    advice[settings.embedder] = "used for search"
    used = library.generator_for(settings)
    if used:
        advice[used.name] = "used for answers"
    rows = [
        {
            "name": card.name,
            "role": card.role,
            "size_bytes": card.size_bytes,
            "licence": card.licence,
            "context_tokens": card.context_tokens,
            "memory_bytes": card.memory_bytes(settings.context_tokens),
            "installed": library.is_installed(card, settings.models_dir),
            "advice": advice.get(card.name),
        }
        for card in CARDS
    ]
    if as_json:
        print(json.dumps(rows, indent=2))
    else:
        _table(rows)
        _say("Recommended", choice)
        if settings.model == "auto":
            _say("Used", library.choice_of_installed(settings))


@app.command()
def pull(name: Annotated[str | None, typer.Argument()] = None, *, as_json: AsJson = False) -> None:
    """Fetch a model, or without NAME the embedder and the generator that suit this computer."""
    settings = load_settings()
    with _Bars(shown=not as_json) as bars:
        if name:
            card = card_of(name)
            library.pull(card, settings.models_dir, lambda done, total: bars(card, done, total))
            cards: tuple[ModelCard, ...] = (card,)
        else:
            cards = library.pull_wanted(settings, bars)
    names = [card.name for card in cards]
    if as_json:
        print(json.dumps({"models": names}))
    else:
        print("Ready: " + ", ".join(names))


@app.command()
def verify(*, as_json: AsJson = False) -> None:
    """Read every byte of the installed models and compare checksums. Exit 1 if one is wrong."""
    settings = load_settings()
    found = {
        card.name: list(library.verify(card, settings.models_dir))
        for card in library.installed(settings.models_dir)
    }
    if as_json:
        print(json.dumps(found))
    else:
        for name, wrong in found.items():
            print(f"{name}: {' '.join(wrong) or 'sound'}")
        if not found:
            print("No models yet. Run `deskside models pull`.")
    if any(found.values()):
        raise typer.Exit(1)


class _Bars:
    """Progress bars, one a model."""

    def __init__(self, *, shown: bool) -> None:
        self._progress = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            DownloadColumn(),
            TransferSpeedColumn(),
            disable=not shown,
        )
        self._tasks: dict[str, Any] = {}

    def __enter__(self) -> _Bars:
        self._progress.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._progress.stop()

    def __call__(self, card: ModelCard, done: int, total: int) -> None:
        if card.name not in self._tasks:
            self._tasks[card.name] = self._progress.add_task(card.name)
        self._progress.update(self._tasks[card.name], completed=done, total=total)


def _say(word: str, choice: Choice) -> None:
    if choice.best:
        print(f"{word}: {choice.best.card.name}, {choice.why}.")


def _table(rows: list[dict[str, Any]]) -> None:
    table = Table(box=None, pad_edge=False)
    for title in ("", "model", "role", "size", ""):
        table.add_column(title, no_wrap=True)
    for row in rows:
        table.add_row(
            "✓" if row["installed"] else "",
            row["name"],
            row["role"],
            f"{row['size_bytes'] / 1e9:.1f} GB",
            row["advice"] or "",
        )
    Console().print(table)
