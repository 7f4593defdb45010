"""The commands that look after what is kept: purge, rebuild, backup, restore."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from api.options import AsJson, Data, reached, show
from rag.errors import Conflict, InvalidRequest, NotFound
from rag.settings import load_settings

if TYPE_CHECKING:
    from api.client import Client


def purge(
    document: Annotated[str, typer.Argument(help="Its id, its path in the inbox, or its name.")],
    *,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Destroy a document and every byte of its text; there is no way back."""
    with reached(data) as client:
        found = find(client, document)
        places = "\n".join(
            f"  {path}" for path in found["locations"] or [f"{found['path']} (trash)"]
        )
        if not yes:
            if as_json or not sys.stdin.isatty():
                raise InvalidRequest(
                    "A purge asks before it destroys, and nobody can be asked here.",
                    hint="Add --yes if you are sure.",
                )
            print(f"This destroys, for good:\n{places}")
            typer.confirm("Are you sure?", abort=True)
        with Console(stderr=True).status("erasing"):
            erased = client.delete(f"/api/documents/{found['document_id']}", purge=True)
    show(erased, as_json=as_json, plainly=lambda said: print(said["detail"]))
    if not erased["complete"]:
        raise typer.Exit(1)


def find(client: Client, document: str) -> dict[str, Any]:
    """The document, deleted ones too, with that id, path or name.

    Raises:
        NotFound: there is none.
        Conflict: there are several of that name.
    """
    from api.ingesting import every_document

    here = every_document(client)
    known: list[dict[str, Any]] = [*here, *client.get("/api/trash")["documents"]]
    if exact := [d for d in known if d["document_id"] == document]:
        return exact[0]
    wanted = document.replace("\\", "/")
    found = (
        [d for d in here if wanted in d["locations"]]
        or [d for d in known if d["path"] == wanted]
        or [d for d in known if any(p.endswith(f"/{wanted}") for p in (d["path"], *d["locations"]))]
    )
    if not found:
        raise NotFound(f"There is no document {document}.", hint="See: deskside documents")
    if len(found) > 1:
        several = ", ".join(f"{each['path']} ({each['document_id']})" for each in found)
        raise Conflict(f"Several documents are named so: {several}.", hint="Give the id.")
    return found[0]


def rebuild(
    *,
    embed: Annotated[bool, typer.Option(help="Make the vectors anew, too.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Fill the vector store from the catalogue; no document is read again."""
    from api.options import check_data
    from api.serving import rebuilt

    settings = load_settings(data=data)
    check_data(settings)
    with bar("embedding" if embed else "filling", shown=not as_json) as progress:
        count = rebuilt(settings, embed=embed, progress=progress)
    show({"vectors": count}, as_json=as_json, plainly=lambda _: print(f"{count} vectors rebuilt."))


@contextmanager
def bar(what: str, *, shown: bool) -> Iterator[Callable[[int, int], None]]:
    """A bar to be told how many of how many are done."""
    console = Console(stderr=True)
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.percentage:>3.0f} %"),
        TimeRemainingColumn(),
        console=console,
        transient=True,
        disable=not (shown and console.is_terminal),
    ) as progress:
        task = progress.add_task(what, total=None)
        yield lambda done, total: progress.update(task, completed=done, total=total)
