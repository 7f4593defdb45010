"""The command `ingest`, over the API: copy in, scan, wait until everything is read."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from api.client import Client
from rag.errors import InvalidRequest, NotFound

_LOOK_EVERY_S = 0.5
_PAGE = 500
_PATIENCE_S = 10.0
_WAITING = ("queued", "reading", "embedding")

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
            ids.append(_copy(client, file, name))
    return ids


def _copy(client: Client, file: Path, name: str) -> str:
    try:
        with file.open("rb") as content:
            document_id: str = client.upload(name, content)["document_id"]
    except OSError as error:
        raise InvalidRequest(
            f"{file} can't be read: {error.strerror}.", hint="Close other programs that use it."
        ) from error
    return document_id


def read_all(
    client: Client, progress: Progress, *, only: list[str] | None = None
) -> list[dict[str, Any]]:
    """Scan, and wait until the documents, or ``only`` those, are read; gives them.

    Files that another program holds or keeps writing to are waited for `_PATIENCE_S`, no longer.
    """
    patient_until = time.monotonic() + _PATIENCE_S
    while True:
        inbox = client.post("/api/scan", {})
        found = [d for d in every_document(client) if only is None or d["document_id"] in only]
        waiting = sum(d["status"] in _WAITING and d["reason"] is None for d in found)
        progress(waiting)
        if waiting:
            patient_until = time.monotonic() + _PATIENCE_S
        elif only is not None or not inbox["unsettled"] or time.monotonic() > patient_until:
            return found
        time.sleep(_LOOK_EVERY_S)


def every_document(client: Client, *, status: str | None = None) -> list[dict[str, Any]]:
    """The whole ledger, page by page."""
    documents: list[dict[str, Any]] = []
    while True:
        page = client.get("/api/documents", status=status, limit=_PAGE, offset=len(documents))
        documents += page["documents"]
        if not page["documents"] or len(documents) >= page["total"]:
            return documents


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
