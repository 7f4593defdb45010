"""The command `ingest`, over the API: copy in, scan, wait until everything is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from api.client import Client
from rag.errors import NotFound

_LOOK_EVERY_S = 0.5
_PAGE = 500

Progress = Callable[[int], None]
"""Told how many documents still wait."""


def copy_in(client: Client, paths: list[Path]) -> list[str]:
    """Upload files, and folders with what is in them; returns the documents' ids.

    Raises:
        NotFound: a path does not exist.
        Conflict: another file has that place in the inbox.
    """
    ids: list[str] = []
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is no file {path}.")
        for file, name in _files(path):
            with file.open("rb") as content:
                ids.append(client.upload(name, content)["document_id"])
    return ids


def read_all(
    client: Client, progress: Progress, *, only: list[str] | None = None
) -> list[dict[str, Any]]:
    """Scan, wait until nothing waits but files held by other programs; gives the documents."""
    while True:
        inbox = client.post("/api/scan", {})
        waiting = inbox["queued"]
        progress(waiting)
        if not inbox["unsettled"] and waiting == (_held(client) if waiting else 0):
            break
        time.sleep(_LOOK_EVERY_S)
    found = every_document(client)
    return [each for each in found if only is None or each["document_id"] in only]


def every_document(client: Client, *, status: str | None = None) -> list[dict[str, Any]]:
    """The whole ledger, page by page."""
    documents: list[dict[str, Any]] = []
    while True:
        page = client.get("/api/documents", status=status, limit=_PAGE, offset=len(documents))
        documents += page["documents"]
        if not page["documents"] or len(documents) >= page["total"]:
            return documents


def _held(client: Client) -> int:
    """Documents that wait for another program to let their file go."""
    return sum(each["reason"] is not None for each in every_document(client, status="queued"))


def _files(path: Path) -> list[tuple[Path, str]]:
    """Files with the names they get in the inbox; a folder keeps its own name."""
    if path.is_file():
        return [(path, path.name)]
    top = path.resolve()
    return [
        (file, file.relative_to(top.parent).as_posix())
        for file in sorted(top.rglob("*"))
        if file.is_file() and not file.name.startswith((".", "~$"))
    ]
