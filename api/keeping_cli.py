"""The commands that look after what is kept: purge, rebuild, backup, restore."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from api import printing
from api.options import AsJson, Data, reached, show
from rag.bundle import opened
from rag.errors import Conflict, InvalidRequest, NotFound
from rag.settings import load_settings

if TYPE_CHECKING:
    from api.client import Client


def purge(
    document: Annotated[
        str | None, typer.Argument(help="Its id, its path in the inbox, or its name.")
    ] = None,
    *,
    remains: Annotated[
        bool, typer.Option("--remains", help="What is left of files deleted in the inbox itself.")
    ] = False,
    yes: Annotated[bool, typer.Option("--yes", help="Don't ask.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Destroy a document and every byte of its text; there is no way back."""
    if remains == (document is not None):
        raise InvalidRequest("Name one document, or say --remains.")
    with reached(data) as client:
        if document is None:
            with Console(stderr=True).status("erasing"):
                cleared = client.delete("/api/remains")
            show(cleared, as_json=as_json, plainly=lambda said: print(said["detail"]))
            raise typer.Exit(0 if cleared["complete"] else 1)
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


def undelete(
    document: Annotated[str, typer.Argument(help="Its id, its path or its name.")],
    *,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Bring a deleted document back from the trash; see `documents --trash`."""
    with reached(data, watch=True) as client:
        found = find(client, document, trash_only=True)
        client.post(f"/api/documents/{found['document_id']}/restore", {})
    show(
        {"document_id": found["document_id"], "path": found["path"]},
        as_json=as_json,
        plainly=lambda back: print(f"{back['path']} is back, and will be read again."),
    )


def find(client: Client, document: str, *, trash_only: bool = False) -> dict[str, Any]:
    """The document, deleted ones too or only those, with that id, path or name.

    Raises:
        NotFound: there is none.
        Conflict: there are several of that name.
    """
    from api.ingesting import every_document

    here = [] if trash_only else every_document(client)
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
        where = "documents --trash" if trash_only else "documents"
        raise NotFound(
            f"There is no document {document}.",
            hint=f"See: deskside {where}. A file deleted in the inbox itself has left the ledger;"
            " what is left of its text goes with: deskside purge --remains",
        )
    if len(found) > 1:
        several = ", ".join(f"{each['path']} ({each['document_id']})" for each in found)
        raise Conflict(f"Several documents are named so: {several}.", hint="Give the id.")
    return found[0]


def backup(
    file: Annotated[Path, typer.Argument(help="Where to write it, such as deskside.zip.")],
    *,
    force: Annotated[bool, typer.Option("--force", help="Write over FILE.")] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Write everything into one zip: catalogue, vectors, conversations, originals, trash."""
    settings = load_settings(data=data)
    target = file.resolve()
    for folder in (settings.data_path, settings.inbox_path):
        if target.is_relative_to(folder):
            raise InvalidRequest(
                f"A backup can't lie in {folder}.", hint="Write it to another place, or drive."
            )
    if target.exists() and not force:
        raise Conflict(f"{target} is there already.", hint="Add --force to write over it.")
    draft = target.with_name(f"{target.name}.part")
    try:
        with reached(data) as client, bar("writing", shown=not as_json) as progress:
            client.download("/api/backup", draft, progress=progress)
        with opened(draft) as bundle:
            manifest = bundle.manifest
        draft.replace(target)
    except OSError as error:
        raise InvalidRequest(
            f"{target} can't be written: {error.strerror}.", hint="Choose another place, or drive."
        ) from error
    finally:
        with suppress(OSError):
            draft.unlink(missing_ok=True)
    told = {"file": str(target), **manifest.model_dump(mode="json", exclude={"entries"})}
    show(told, as_json=as_json, plainly=printing.backup)


def restore(
    file: Annotated[Path, typer.Argument(help="A backup.")],
    *,
    force: Annotated[
        bool, typer.Option("--force", help="Move what is there aside; it is not deleted.")
    ] = False,
    data: Data = None,
    as_json: AsJson = False,
) -> None:
    """Put a backup in the place of the data folder; nothing is read or embedded again."""
    from rag.lock import owning
    from rag.restore import restore as run

    settings = load_settings(data=data)
    with (
        opened(file) as bundle,
        owning(settings.data_path),
        bar("unpacking", shown=not as_json) as progress,
    ):
        done = run(bundle, settings, force=force, now=datetime.now(UTC), progress=progress)
    told = {
        "data": str(settings.data_path),
        "inbox": str(settings.inbox_path),
        "aside": str(done.aside) if done.aside else None,
        "same_embedder": done.same_embedder,
        **done.manifest.model_dump(mode="json", exclude={"entries"}),
    }
    show(told, as_json=as_json, plainly=printing.restored)


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
