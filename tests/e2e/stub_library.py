"""The library's half of the scripted server: documents, folders, uploads, trash, pages, events."""

from __future__ import annotations

import asyncio
import json
import struct
import zlib
from collections.abc import AsyncIterator, Coroutine
from typing import Annotated, Any

from fastapi import FastAPI, Form, Request, UploadFile
from fastapi.responses import (
    HTMLResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)

BOX = {"page": 3, "x0": 0.12, "y0": 0.3, "x1": 0.88, "y1": 0.36}
PAGES = 12


def document(document_id: str, path: str, status: str = "ready", **parts: Any) -> dict[str, Any]:
    return {
        "document_id": document_id,
        "name": path.rsplit("/", 1)[-1],
        "path": path,
        "locations": [path],
        "collection": path.split("/", 1)[0] if "/" in path else "",
        "media_type": "application/pdf",
        "size_bytes": 1234,
        "modified_at": "2026-01-05T08:00:00Z",
        "revision": "0" * 64,
        "status": status,
        "reason": None,
        "pages_total": 12,
        "pages_done": 12,
        "passages": 40,
        "flags": [],
        "added_at": "2026-01-05T08:00:00Z",
        "updated_at": "2026-01-05T08:00:00Z",
        **parts,
    }


def library() -> dict[str, dict[str, Any]]:
    encrypted = {
        "code": "encrypted",
        "message": "The file asks for a password.",
        "advice": "Save a copy without the password.",
    }
    unread = {
        "code": "no_text",
        "message": "第 3 页没有可读的文字。",
        "advice": "请重新清晰扫描该页。",
    }
    documents = [
        document("lease", "2024/租约/办公室租赁合同.pdf", flags=["tracked_changes"]),
        document("ledger", "2024/ledger Q1.xlsx", pages_total=3, pages_done=3),
        document("code", "Employee handbook & policies (final).docx", "reading", pages_done=5),
        document("locked", "clients/Müller GmbH/audit report 2023.pdf", "failed",
                 reason=encrypted, pages_total=0, pages_done=0),
        document("scan", "扫描件/发票.pdf", "partial", reason=unread, flags=["ocr"],
                 pages_total=4, pages_done=3),
    ]  # fmt: skip
    return {one["document_id"]: one for one in documents}


def sse(event: str, data: dict[str, Any]) -> bytes:
    return f"event: {event}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def problem(status: int, code: str, detail: str, hint: str = "") -> JSONResponse:
    body = {"status": status, "code": code, "detail": detail, "hint": hint, "title": code}
    return JSONResponse(body, status, media_type="application/problem+json")


def png(marked: bool) -> bytes:
    """A white page, with a yellow band where the passage stands."""
    width, height = 212, 300
    white, yellow = b"\xff\xff\xff", b"\xff\xe9\x8a"
    rows = b"".join(
        b"\x00" + (yellow if marked and 0.3 <= y / height < 0.36 else white) * width
        for y in range(height)
    )

    def chunk(kind: bytes, body: bytes) -> bytes:
        checked = kind + body
        return struct.pack(">I", len(body)) + checked + struct.pack(">I", zlib.crc32(checked))

    head = struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0)
    body = chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + body


def listed(state: Any, asked: dict[str, str]) -> dict[str, Any]:
    """The ledger as the real one answers: chosen, ordered, counted, cut."""
    words, prefix = asked.get("q", "").lower().split(), asked.get("path_prefix", "")
    chosen = [
        one
        for one in state.documents.values()
        if one["path"].startswith(prefix) and all(word in one["path"].lower() for word in words)
    ]
    statuses: dict[str, int] = {}
    for one in chosen:
        statuses[one["status"]] = statuses.get(one["status"], 0) + 1
    if status := asked.get("status"):
        chosen = [one for one in chosen if one["status"] == status]
    if asked.get("sort") == "name":
        chosen.sort(key=lambda one: one["name"].lower())
    offset, limit = int(asked.get("offset", 0)), int(asked.get("limit", 100))
    shown = chosen[offset : offset + limit]
    return {
        "documents": shown,
        "total": len(chosen),
        "statuses": statuses,
        "inbox": inbox(state),
    }


def inbox(state: Any) -> dict[str, Any]:
    waiting = sum(one["status"] in ("queued", "reading") for one in state.documents.values())
    link = {
        "code": "link",
        "path": "链接.pdf",
        "message": "It is a link; links are not followed.",
        "advice": "Put the file or folder itself into the inbox.",
    }
    return {
        "path": "/home/li/案头/inbox",
        "mode": "native",
        "state": "watching",
        "queued": waiting,
        "pages_per_s": 2.5,
        "eta_s": 140 * waiting,
        "unsettled": 0,
        "held": 0,
        "held_back": 0,
        "problems": [link],
        **state.inbox,
    }


REFUSED = {
    "huge": (413, "too_large", "The file is over 200 MB.", "Split it."),
    "caj": (415, "unsupported", "CAJ papers are not read.", "Save it as PDF."),
}
"""Uploads that are refused, by a word of their name."""


def install(app: FastAPI, state: Any) -> None:  # noqa: C901 (one small route after another)
    """Add the routes over ``state``."""
    at_work: set[asyncio.Task[None]] = set()

    def later(work: Coroutine[Any, Any, None]) -> None:
        task = asyncio.create_task(work)
        at_work.add(task)  # a task nobody holds may vanish halfway
        task.add_done_callback(at_work.discard)

    async def farewell(gone: dict[str, Any]) -> None:
        await asyncio.sleep(0.2)
        for queue in state.news:
            queue.put_nowait(("document", gone | {"status": "missing"}))

    async def read(made: dict[str, Any]) -> None:
        for status, done in (("reading", 1), ("reading", 2), ("embedding", 3), ("ready", 3)):
            await asyncio.sleep(0.15)
            state.tell(made | {"status": status, "pages_total": 3, "pages_done": done})

    @app.get("/health")
    def health() -> dict[str, str]:
        return {"status": "ok"}

    @app.get("/api/documents")
    def documents(request: Request) -> dict[str, Any]:
        return listed(state, dict(request.query_params))

    @app.get("/api/folders")
    def folders() -> dict[str, Any]:
        counts: dict[str, int] = {}
        for one in state.documents.values():
            folder = one["path"].rpartition("/")[0]
            counts[folder] = counts.get(folder, 0) + 1
        return {"folders": [{"path": p, "documents": n} for p, n in sorted(counts.items())]}

    @app.get("/api/trash")
    def trash() -> dict[str, Any]:
        return {"documents": list(state.trash.values()), "total": len(state.trash)}

    @app.post("/api/documents", status_code=202, response_model=None)
    async def upload(
        file: UploadFile, path: Annotated[str, Form()] = ""
    ) -> dict[str, Any] | JSONResponse:
        where = path or file.filename or "unnamed"
        content = (await file.read()).decode(errors="replace")
        if state.full:
            return problem(507, "disk_full", "The disk is full.", "Free some space.")
        for word, refusal in REFUSED.items():
            if word in where:
                return problem(*refusal)
        there = next((one for one in state.documents.values() if one["path"] == where), None)
        if there and content == "same":
            return {"document_id": there["document_id"], "known": True, "locations": [where]}
        if there:
            return problem(409, "conflict", f"{where} is there already.")
        state.uploads.append(where)
        made = document(f"up{len(state.uploads)}", where, "queued", pages_total=0, pages_done=0)
        state.tell(made)
        later(read(made))
        return {"document_id": made["document_id"], "known": False, "locations": [where]}

    @app.get("/api/documents/{document_id}", response_model=None)
    def one(document_id: str) -> dict[str, Any] | JSONResponse:
        found = state.documents.get(document_id)
        pages = [{"number": 3, "label": "p. 3", "status": "unreadable", "chars": 0}]
        return found | {"pages": pages} if found else problem(404, "not_found", "No such document.")

    @app.delete("/api/documents/{document_id}", response_model=None)
    async def delete(document_id: str, *, purge: bool = False) -> Response:
        gone = state.documents.pop(document_id, None) or state.trash[document_id]
        later(farewell(gone))
        state.trash.pop(document_id, None)
        if purge:
            return JSONResponse({"complete": True})
        state.trash[document_id] = gone
        return Response(status_code=204)

    @app.post("/api/documents/{document_id}/restore", status_code=202)
    async def restore(document_id: str) -> dict[str, str]:
        state.tell(state.trash.pop(document_id) | {"status": "queued", "reason": None})
        return {"document_id": document_id}

    @app.post("/api/documents/{document_id}/retry", status_code=202)
    async def retry(document_id: str) -> dict[str, str]:
        state.tell(state.documents[document_id] | {"status": "queued", "reason": None})
        return {"document_id": document_id}

    @app.post("/api/retry", status_code=202)
    async def retry_failed() -> dict[str, int]:
        failed = [one for one in state.documents.values() if one["status"] == "failed"]
        for one in failed:
            state.tell(one | {"status": "queued", "reason": None})
        return {"queued": len(failed)}

    @app.get("/api/documents/{document_id}/pages/{page}.png", response_model=None)
    def picture(document_id: str, page: int, passage: str = "", quote: str = "") -> Response:
        reread = document_id in state.reread and passage
        if document_id in state.gone or reread or page > PAGES:
            return problem(404, "not_found", "The file is not there any more.")
        marked = bool(passage) and page == BOX["page"]
        boxes = [[BOX["x0"], BOX["y0"], BOX["x1"], BOX["y1"]]] if marked else []
        headers = {
            "Deskside-Marked": ("quote" if quote else "passage") if marked else "none",
            "Deskside-Boxes": json.dumps(boxes),
        }
        return Response(png(marked), media_type="image/png", headers=headers)

    @app.get("/api/documents/{document_id}/preview", response_model=None)
    def preview(document_id: str, passage: str = "") -> Response:
        if document_id not in state.documents or (passage and document_id in state.reread):
            return problem(404, "not_found", "That passage is not in this document any more.")
        policy = "default-src 'none'; frame-ancestors 'self'; sandbox"
        words = f'<p>{"before " * 900}</p><mark id="cited">{passage}</mark>'
        return HTMLResponse(words, headers={"Content-Security-Policy": policy})

    @app.get("/api/documents/{document_id}/file", response_model=None)
    def original(document_id: str) -> Response:
        if document_id in state.gone:
            return problem(404, "not_found", "The file is not there any more.")
        return PlainTextResponse(document_id)

    @app.get("/api/events")
    async def events() -> StreamingResponse:
        queue: asyncio.Queue[tuple[str, dict[str, Any]]] = asyncio.Queue()
        state.news.append(queue)

        async def pieces() -> AsyncIterator[bytes]:
            yield sse("inbox", inbox(state))
            while True:
                event, data = await queue.get()
                yield sse(event, data)

        return StreamingResponse(pieces(), media_type="text/event-stream")
