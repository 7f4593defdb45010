"""What the commands share: their common options, the way to the service, and how to print."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from rag.errors import NotFound
from rag.quiet import Outbound
from rag.settings import Settings, load_settings

if TYPE_CHECKING:
    from api.client import Client

Data = Annotated[Path | None, typer.Option("--data", help="The data folder.")]
AsJson = Annotated[bool, typer.Option("--json", help="Print JSON.")]


@contextmanager
def reached(data: Path | None, *, watch: bool = False) -> Iterator[Client]:
    """A client of the service, which is started for this block where none runs.

    Args:
        data: the data folder as given on the command line.
        watch: whether a service started here reads the inbox, so may begin a data folder.

    Raises:
        NotFound: nothing was ever read into the data folder.
    """
    from api.client import reach

    settings = load_settings(data=data)
    if not watch:
        check_data(settings)
    Outbound().install()
    with reach(settings, watch=watch) as client:
        yield client


def check_data(settings: Settings) -> None:
    """Refuse a folder that is not a data folder, rather than make one of a misspelt name.

    Raises:
        NotFound: nothing was ever read into the data folder.
    """
    if not (settings.data_path / "catalog.sqlite3").is_file():
        raise NotFound(
            f"There is no Deskside data in {settings.data_path}.",
            hint="Correct --data or DESKSIDE_DATA, or begin there: deskside serve, deskside ingest",
        )


def show(what: Any, *, as_json: bool, plainly: Callable[[Any], object]) -> None:
    """Print ``what`` as JSON or for people."""
    if as_json:
        print(json.dumps(what, ensure_ascii=False, indent=2))
    else:
        plainly(what)
