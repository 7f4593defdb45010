"""The command `ingest`, over the API: copy in, scan, wait until everything is read."""

from __future__ import annotations

import time
from contextlib import closing
from datetime import datetime
from pathlib import Path
from typing import Any, Protocol

from api.client import Client
from rag.errors import Conflict, InvalidRequest, NotFound, TooLarge

_PAGE = 500
_PATIENCE_S = 10.0
_WAITING = ("queued", "reading", "embedding")
_ENDED = ("ready", "partial", "failed")

Ledger = dict[str, dict[str, Any]]
"""Documents by id."""


class Show(Protocol):
    """Shows people what happens."""

    def ended(self, document: dict[str, Any]) -> None:
        """A document was read, or failed."""

    def show(
        self, documents: list[dict[str, Any]], waiting: list[dict[str, Any]], inbox: dict[str, Any]
    ) -> None:
        """``documents`` in all, of which some are ``waiting``."""


def copy_in(client: Client, paths: list[Path]) -> tuple[list[str], list[str]]:
    """Upload files, and folders with what is in them.

    Returns:
        The documents' ids, and why some files of the folders were not taken.

    Raises:
        NotFound: a path does not exist.
        DesksideError: a file that was named itself was not taken.
    """
    ids: list[str] = []
    refused: list[str] = []
    for path in paths:
        if not path.exists():
            raise NotFound(f"There is no file {path}.")
        for file, name in _files(path):
            try:
                ids.append(_copy(client, file, name))
            except (Conflict, InvalidRequest, TooLarge) as error:
                if file == path:
                    raise
                refused.append(f"{file}: {error.detail} {error.hint}".rstrip())
    return ids, refused


def _copy(client: Client, file: Path, name: str) -> str:
    try:
        with file.open("rb") as content:
            document_id: str = client.upload(name, content)["document_id"]
    except OSError as error:
        raise InvalidRequest(
            f"It can't be read: {error.strerror}.", hint="Close other programs that use it."
        ) from error
    return document_id


def read_all(
    client: Client, show: Show, *, since: datetime, only: list[str] | None = None
) -> tuple[list[dict[str, Any]], int]:
    """Scan, and wait until what that touched, or ``only`` those, is read.

    Files that another program holds or keeps writing to are waited for `_PATIENCE_S`, no longer.

    Args:
        client: of the service.
        show: is told what happens as it happens.
        since: documents that changed from then on were touched.
        only: ids of documents, instead.

    Returns:
        The documents, and how many others could not be read at an earlier time.
    """
    watched = _Watched(show, since, only)
    patient_until = time.monotonic() + _PATIENCE_S
    with closing(client.stream("/api/events")) as events:
        next(events)  # the inbox; from here on no change is missed
        inbox = client.post("/api/scan", {})
        watched.look(client)
        while True:
            show.show(watched.documents, watched.waiting, inbox)
            if watched.waiting:
                patient_until = time.monotonic() + _PATIENCE_S
            elif only or not inbox["unsettled"] or time.monotonic() > patient_until:
                watched.look(client)
                if not watched.waiting:
                    return watched.documents, watched.failed_before
            name, data = next(events)
            if name == "document":
                watched.see(data)
            elif name == "inbox":
                inbox = data


class _Watched:
    """The documents that this run is about."""

    def __init__(self, show: Show, since: datetime, only: list[str] | None) -> None:
        self._show = show
        self._since = since
        self._only = only
        self._found: Ledger = {}
        self.failed_before = 0

    @property
    def documents(self) -> list[dict[str, Any]]:
        return list(self._found.values())

    @property
    def waiting(self) -> list[dict[str, Any]]:
        return [document for document in self._found.values() if _waits(document)]

    def look(self, client: Client) -> None:
        """At the whole ledger."""
        ledger = every_document(client)
        for document in ledger:
            self.see(document)
        self.failed_before = sum(
            document["status"] == "failed" and document["document_id"] not in self._found
            for document in ledger
        )

    def see(self, document: dict[str, Any]) -> None:
        """Take note of a document, if this run is about it; tell when it ended."""
        document_id = document["document_id"]
        if not self._concerns(document):
            return
        before = self._found.get(document_id)
        self._found[document_id] = document
        if document["status"] in _ENDED and (before is None or before["status"] not in _ENDED):
            self._show.ended(document)

    def _concerns(self, document: dict[str, Any]) -> bool:
        if self._only is not None:
            return document["document_id"] in self._only
        changed = datetime.fromisoformat(document["updated_at"])
        return document["document_id"] in self._found or _waits(document) or changed >= self._since


def _waits(document: dict[str, Any]) -> bool:
    """Whether it will be read in a moment; one that another program holds will not."""
    return document["status"] in _WAITING and document["reason"] is None


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
        if file.is_file() and not _is_hidden(file.relative_to(top))
    ]


def _is_hidden(path: Path) -> bool:
    return any(part.startswith((".", "~$")) for part in path.parts)
