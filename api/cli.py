"""The command line: ``deskside serve``, and the twins of what the API does."""

from __future__ import annotations

import json
import sys
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console

from api import eval_cli, keeping_cli, models_cli, printing, speed_cli
from api.options import AsJson, Data, reached, show
from rag import __version__
from rag.errors import DesksideError
from rag.models.library import generator_for
from rag.quiet import silence
from rag.settings import Settings, load_settings

app = typer.Typer(
    help="Deskside (案头): ask your own files, on your own computer, and be shown the page.",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
)
app.add_typer(models_cli.app, name="models")
app.command("eval")(eval_cli.evaluate)
for command in (
    keeping_cli.undelete,
    keeping_cli.purge,
    keeping_cli.backup,
    keeping_cli.restore,
    keeping_cli.rebuild,
    speed_cli.tune,
    speed_cli.bench,
):
    app.command()(command)


def main() -> None:
    """Run the command line; what goes wrong is told in plain words, exit 1."""
    silence()
    try:
        app()
    except DesksideError as error:
        console = Console(stderr=True)
        console.print(error.detail, style="red", markup=False, highlight=False, soft_wrap=True)
        if error.hint:
            console.print(error.hint, markup=False, highlight=False, soft_wrap=True)
        sys.exit(1)
    except KeyboardInterrupt:
        sys.exit(130)


@app.callback(invoke_without_command=True)
def _root(*, version: Annotated[bool, typer.Option("--version")] = False) -> None:
    if version:
        print(__version__)
        raise typer.Exit


@app.command()
def serve(host: str | None = None, port: int | None = None, data: Data = None) -> None:
    """Watch the inbox, read what is new, answer on the API and the web page."""
    settings = load_settings(host=host, port=port, data=data)
    from api.serving import run  # heavy

    run(settings, on_ready=_announce)


@app.command()
def ingest(
    paths: Annotated[list[Path] | None, typer.Argument(help="Copied into the inbox.")] = None,
    data: Data = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Read what is new in the inbox, or the PATHs; a line per file, exit 1 if any failed."""
    from api.bar import IngestBar
    from api.ingesting import copy_in, read_all

    since = datetime.now(UTC)
    with reached(data, watch=True) as client, IngestBar(shown=not as_json) as bar:
        copied, refused = copy_in(client, paths or [])
        documents, failed_before = read_all(
            client, bar, since=since, only=copied if paths else None
        )
        inbox = client.get("/api/documents", limit=1)["inbox"]
    if as_json:
        print(json.dumps(documents, ensure_ascii=False, indent=2))
    printing.remarks(documents, inbox, failed_before=failed_before)
    for reason in refused:
        print(f"Not taken: {reason}", file=sys.stderr)
    if refused or any(document["status"] == "failed" for document in documents):
        raise typer.Exit(1)


@app.command()
def ask(
    question: str,
    top_k: Annotated[int | None, typer.Option(min=1, max=50)] = None,
    data: Data = None,
    *,
    as_json: AsJson = False,
) -> None:
    """Answer a question, with citations."""
    body = {"question": question, "top_k": top_k}
    with reached(data) as client:
        if as_json:
            answer = client.post("/api/ask", body)
        else:
            answer = printing.follow(client.stream("/api/ask", {**body, "stream": True}))
    show(answer, as_json=as_json, plainly=printing.sources)


@app.command()
def search(
    query: str,
    top_k: Annotated[int | None, typer.Option(min=1, max=50)] = None,
    mode: str = "hybrid",
    data: Data = None,
    *,
    as_json: AsJson = False,
) -> None:
    """The passages nearest to a query."""
    with reached(data) as client:
        found = client.post("/api/search", {"query": query, "top_k": top_k, "mode": mode})
    show(found, as_json=as_json, plainly=printing.hits)


@app.command()
def documents(
    status: str | None = None,
    *,
    trash: Annotated[bool, typer.Option("--trash", help="The deleted ones.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """The ledger: every file, its status, pages read, why not."""
    from api.ingesting import every_document

    with reached(data) as client:
        if trash:
            found = client.get("/api/trash")["documents"]
        else:
            found = every_document(client, status=status)
    show(found, as_json=as_json, plainly=printing.trash if trash else printing.documents)


@app.command()
def doctor(data: Data = None, *, as_json: AsJson = False) -> None:
    """Check machine, models, parsers and store; each finding says its fix. Exit 0 or 1."""
    from dataclasses import asdict

    from api.doctor import examine

    checks = [asdict(check) for check in examine(load_settings(data=data))]
    show(checks, as_json=as_json, plainly=printing.checks)
    if any(check["status"] == "fail" for check in checks):
        raise typer.Exit(1)


def _announce(settings: Settings, url: str) -> None:
    console = Console()
    console.print(f"\nDeskside is ready: [bold]{url}[/bold]", highlight=False)
    console.print(f"Put files into {settings.inbox_path}", highlight=False, soft_wrap=True)
    console.print(f"Answers by {_model(settings)}", highlight=False, soft_wrap=True)
    console.print("Stop with Ctrl+C.\n")


def _model(settings: Settings) -> str:
    try:
        card = generator_for(settings)
    except DesksideError as error:
        return f"no model: {error.detail} Searching works."
    return f"{card.name}; DESKSIDE_MODEL sets another." if card else "no model; searching works."
