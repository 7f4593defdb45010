"""Health, the machine, sessions, and what happens in the inbox as it happens."""

from __future__ import annotations

import asyncio
import hmac
import json
import shutil
from collections.abc import AsyncIterator
from contextlib import suppress
from dataclasses import asdict
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import JSONResponse, Response, StreamingResponse
from pydantic import BaseModel

from api.deps import COOKIE, Given, Services, session_value
from api.schemas import DocumentOut, InboxOut
from api.sse import encode
from rag import __version__
from rag.doctor import Check
from rag.errors import DesksideError, Unauthorized
from rag.quiet import OPT_OUTS, WATCHED

router = APIRouter(tags=["system"])

_LOOK_EVERY_S = 0.5
_HEARTBEAT_EVERY_S = 15.0
_SECRET = frozenset({"api_key"})
_INDEX = ("catalog.sqlite3*", "chroma/**/*")
"""What is remembered of documents: text, words and vectors."""


class SessionRequest(BaseModel):
    key: str


@router.get("/health")
async def health() -> dict[str, str]:
    """Alive. Answers without touching anything else."""
    return {"status": "ok", "version": __version__}


@router.get("/health/ready")
def ready(request: Request, services: Given) -> JSONResponse:
    """The doctor's checks; 503 when one fails."""
    seen = {check.name: check for check in _of_the_running(services)}
    found = [
        check if check.status == "fail" else seen.get(check.name, check)
        for check in request.app.state.examine(services.settings)
    ]
    named = {check.name for check in found}
    checks = [*found, *(check for check in seen.values() if check.name not in named)]
    sound = all(check.status != "fail" for check in checks)
    body = {"ready": sound, "checks": [asdict(check) for check in checks]}
    return JSONResponse(body, status_code=200 if sound else 503)


def _of_the_running(services: Services) -> list[Check]:
    """What the doctor, who looks from outside, can't see; a fault here outweighs his ok."""
    try:
        services.core.catalog.passages.count()
    except DesksideError as error:  # one alarm: without the data nothing else means much
        return [Check("store", "fail", error.detail, error.hint)]
    seen = [_inbox(services)]
    if failed := services.core.generator.failed:
        seen.append(Check("model", "warn", failed.detail, failed.hint))
    return seen


def _inbox(services: Services) -> Check:
    status = services.inbox.status()
    if status.state == "watching":
        return Check("inbox", "ok", status.path)
    detail = f"The watched folder {status.path} can't be reached; nothing is deleted meanwhile"
    return Check("inbox", "warn", detail, "Connect its drive or share, or put the folder back.")


@router.get("/api/system")
def system(services: Given) -> dict[str, Any]:
    """What runs here, how it is set, and whether anything tried to leave the computer."""
    settings = services.settings
    model = services.core.generator.loaded
    data = settings.data_path
    speed = services.core.catalog.conversations.speed()
    outbound = services.outbound
    return {
        "version": __version__,
        "model": model.name if model else None,
        "offload": asdict(model.offload) if model and model.offload else None,
        "settings": json.loads(settings.model_dump_json(exclude=set(_SECRET))),
        "speed": asdict(speed) if speed else None,
        "disk": {"free_bytes": shutil.disk_usage(data).free, "data_bytes": _size(data)},
        "index": {
            "documents": services.core.catalog.ledger.documents(limit=0)[1],
            "passages": services.core.catalog.passages.count(),
            "size_bytes": sum(_size(data, pattern) for pattern in _INDEX),
            "embedder": services.core.embedder.fingerprint,
            "renewal": _renewal(services),
        },
        "network": {
            "outbound_attempts": outbound.attempts,
            "since": outbound.since and outbound.since.isoformat(),
            "watched": list(WATCHED),
            "opt_outs": sorted(OPT_OUTS),
        },
    }


def _size(folder: Path, pattern: str = "**/*") -> int:
    """Bytes of the files there; one that vanishes meanwhile counts nothing."""
    total = 0
    for path in folder.glob(pattern):
        with suppress(OSError):
            total += path.stat().st_size if path.is_file() else 0
    return total


def _renewal(services: Services) -> dict[str, int] | None:
    """How far embedding anew has come after the embedder was changed."""
    progress = services.renewal.progress
    return progress and {"done": progress[0], "total": progress[1]}


@router.post("/api/session", status_code=204)
def session(asked: SessionRequest, services: Given) -> Response:
    """Trade the key for a cookie: pictures and event streams can't send a header."""
    key = services.settings.api_key
    if not hmac.compare_digest(asked.key.encode(errors="replace"), key.encode()):
        raise Unauthorized("That is not the key.", hint="It is the value of DESKSIDE_API_KEY.")
    response = Response(status_code=204)
    response.set_cookie(COOKIE, session_value(key), httponly=True, samesite="strict", path="/")
    return response


@router.get("/api/events")
async def events(services: Given) -> StreamingResponse:
    """Ingest progress: `document` and `inbox` whenever they change, `heartbeat` else."""
    return StreamingResponse(
        _changes(services), media_type="text/event-stream", headers={"Cache-Control": "no-store"}
    )


async def _changes(services: Services) -> AsyncIterator[bytes]:
    """Looks at the ledger, rather than being told: nothing can be missed."""
    ledger = services.core.catalog.ledger
    known: dict[str, DocumentOut] = {}
    inbox: InboxOut | None = None
    since = ""
    quiet_s = 0.0
    while True:
        first = not since  # the listener has just fetched the list
        changed, ids, since = await run_in_threadpool(ledger.changes, since)
        events = [] if first else _gone(known, ids)
        for document in map(DocumentOut.of, changed):
            if known.get(document.document_id) != document:
                known[document.document_id] = document
                events += [] if first else [_event(document)]
        status = InboxOut(**asdict(await run_in_threadpool(services.inbox.status)))
        if status != inbox:
            inbox = status
            events.append(encode("inbox", status.model_dump(mode="json")))
        quiet_s = 0.0 if events else quiet_s + _LOOK_EVERY_S
        if quiet_s >= _HEARTBEAT_EVERY_S:
            quiet_s = 0.0
            events.append(encode("heartbeat", {}))
        for event in events:
            yield event
        await asyncio.sleep(_LOOK_EVERY_S)


def _gone(known: dict[str, DocumentOut], ids: set[str]) -> list[bytes]:
    """A document that left the ledger is told as missing, once."""
    left = [known.pop(document_id) for document_id in known.keys() - ids]
    return [_event(document.model_copy(update={"status": "missing"})) for document in left]


def _event(document: DocumentOut) -> bytes:
    return encode("document", document.model_dump(mode="json"))
