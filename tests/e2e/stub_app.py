"""A scripted server for tests of the page alone: true to the contract, no model, no parser.

The question picks the script: a word of `SCRIPTS` in it. Streams are cut every few bytes, in the
middle of events and of characters, as a network may cut them.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from fastapi import FastAPI, Request
from fastapi.responses import (
    FileResponse,
    JSONResponse,
    PlainTextResponse,
    Response,
    StreamingResponse,
)
from fastapi.staticfiles import StaticFiles
from starlette.types import Send

from tests.e2e.stub_library import BOX, install, library, problem, sse

WEB = Path(__file__).parents[2] / "api" / "web"
CSP = (
    "default-src 'self'; img-src 'self' data: blob:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'; frame-ancestors 'none'"
)
CUT_BYTES = 7
ATTACK = '<img src=x onerror="document.title=\'owned\'"><script>document.title="owned"</script>'

LEASE = (
    "第三条 租金及支付方式\n乙方应于每月5日前向甲方支付月租金人民币8,000元，"
    f"押金为人民币16,000元，合同终止后30日内退还。{ATTACK}"
)
LEDGER = "日期\t摘要\t金额\n2024-03-05\t办公室租金\t8,000.00"


@dataclass
class State:
    """What the stub remembers of its visitors."""

    key: str | None = None
    empty: bool = False
    asked: list[dict[str, Any]] = field(default_factory=list)
    attempts: int = 0
    uploads: list[str] = field(default_factory=list)
    cancelled: int = 0
    documents: dict[str, dict[str, Any]] = field(default_factory=dict)
    trash: dict[str, dict[str, Any]] = field(default_factory=dict)
    inbox: dict[str, Any] = field(default_factory=dict)
    gone: set[str] = field(default_factory=set)
    reread: set[str] = field(default_factory=set)
    full: bool = False
    talks: dict[str, dict[str, Any]] = field(default_factory=dict)
    news: list[asyncio.Queue[tuple[str, dict[str, Any]]]] = field(default_factory=list)

    def talk(self, question: str, conversation_id: str | None = None) -> dict[str, Any]:
        """The conversation of that id; without one, a new one."""
        if conversation_id is None:
            conversation_id = f"conversation-{len(self.talks) + 1}"
            now = "2026-01-05T08:00:00Z"
            self.talks[conversation_id] = {
                "conversation_id": conversation_id,
                "title": question,
                "created_at": now,
                "updated_at": now,
                "messages": [],
            }
        return self.talks[conversation_id]

    def tell(self, document: dict[str, Any]) -> None:
        self.documents[document["document_id"]] = document
        for queue in self.news:
            queue.put_nowait(("document", document))


def locator(**parts: Any) -> dict[str, Any]:
    absent = dict.fromkeys(
        ["page", "page_end", "page_label", "page_source", "sheet", "cells", "slide"]
    )
    return {"label": "", **absent, "section": [], "boxes": [], **parts}


def hit(document_id: str, path: str, text: str, where: dict[str, Any]) -> dict[str, Any]:
    return {
        "passage_id": f"passage-{document_id}",
        "document_id": document_id,
        "document_name": path.rsplit("/", 1)[-1],
        "path": path,
        "text": text,
        "score": 0.8,
        "rank": 1,
        "via": ["dense", "keyword"],
        "locator": where,
    }


HITS = [
    hit("lease", "2024/租约/办公室租赁合同.pdf", LEASE,
        locator(label="p. 3", page=3, page_source="file", boxes=[BOX])),
    hit("ledger", "2024/ledger Q1.xlsx", LEDGER,
        locator(label="租金!A2:C3", sheet="租金", cells="A2:C3")),
]  # fmt: skip


def citation(marker: int, quote: str, *, supported: bool = True) -> dict[str, Any]:
    source = HITS[marker - 1]
    kept = ("passage_id", "document_id", "document_name", "path", "locator")
    parts = {name: source[name] for name in kept}
    return {"marker": marker, "quote": quote, "supported": supported, **parts}


def answer(text: str, **parts: Any) -> dict[str, Any]:
    return {
        "answer": text,
        "citations": [],
        "hits": HITS,
        "grounded": True,
        "refused": False,
        "finish_reason": "stop",
        "mode": "generated",
        "sentences": [],
        "question_used": "",
        "scope": {"read": 2, "total": 340},
        "thinking": "",
        "warnings": [],
        "conversation_id": "conversation-1",
        "usage": {"prompt_tokens": 900, "completion_tokens": 80},
        "timings": {
            "retrieve_ms": 41.0,
            "first_token_ms": 1830.0,
            "total_ms": 7420.0,
            "tokens_per_s": 12.4,
        },
        **parts,
    }


RENT = answer(
    "月租金为 **8,000 元**，应于每月 5 日前支付[1]。押金为 16,000 元[1]。\n\n"
    "| 日期 | 摘要 | 金额 |\n|---|---|---:|\n| 2024-03-05 | 办公室租金 | 8,000.00 [2] |\n\n"
    "1. 押金在合同终止后 30 日内退还[1]\n2. Late payment costs 5 % a month.\n\n"
    f"{ATTACK} javascript:[x](javascript:alert(1)) [2024]",
    citations=[
        citation(1, "乙方应于每月5日前向甲方支付月租金人民币8,000元"),
        citation(2, "2024-03-05\t办公室租金\t8,000.00", supported=False),
    ],
    sentences=[
        {"text": "月租金为 **8,000 元**，应于每月 5 日前支付。", "markers": [1], "supported": True},
        {"text": "押金为 16,000 元。", "markers": [1], "supported": True},
        {"text": "|---|---|---:|", "markers": [], "supported": False},
        {"text": "2.", "markers": [], "supported": False},
        {"text": "Late payment costs 5 % a month.", "markers": [], "supported": False},
    ],
    question_used="办公室的月租金和押金是多少？",
    grounded=False,
    warnings=[{"code": "unknown_marker", "detail": "[7] stands for no passage."}],
)
SCRIPTS: dict[str, dict[str, Any]] = {
    "租金": RENT,
    "rent": RENT,
    "weather": answer("", mode="refused", refused=True, finish_reason="refused", grounded=False),
    "withdrawn": answer(
        "",
        mode="refused",
        refused=True,
        finish_reason="refused",
        grounded=False,
        warnings=[{"code": "answer_withdrawn", "detail": "None of the passages bears it out."}],
    ),
    "unsourced": answer(
        "They will be fined.",
        grounded=False,
        sentences=[{"text": "They will be fined.", "markers": [], "supported": False}],
    ),
    "modelless": answer("", mode="no_model", finish_reason="no_model", grounded=False),
    "everything": answer(
        "共有 9 份文件。\n" + "\n".join(f"- 合同 {n}.pdf [{n}]" for n in range(1, 10)),
        mode="catalogue",
        citations=[citation(1, "乙方应于每月5日前") | {"marker": n} for n in range(1, 10)],
    ),
    "cut": answer("The handbook says that every employee", finish_reason="length", grounded=False),
    "ponder": answer("It is 8,000.", thinking="The lease says 8,000 in clause 3. " * 4),
    "slow": answer("Slow and complete. " * 40),
}


CHECKS: list[dict[str, str]] = [
    {"name": "memory", "status": "ok", "detail": "15.5 GiB of memory", "fix": ""},
    {"name": "disk", "status": "ok", "detail": "120.3 GiB free", "fix": ""},
    {"name": "model", "status": "ok", "detail": "qwen2.5-coder-1.5b-instruct", "fix": ""},
    {"name": "embedder", "status": "fail", "detail": "multilingual-e5-small is not installed",
     "fix": "Run: deskside models pull multilingual-e5-small"},
    {"name": "store", "status": "ok", "detail": "340 passages", "fix": ""},
    {"name": "office", "status": "warn", "detail": "not installed: Word files have no pages",
     "fix": "Optional: apt-get install libreoffice (Debian)"},
    {"name": "browser", "status": "warn", "detail": "Chromium is not installed", "fix": "Get it."},
    {"name": "ocr", "status": "ok", "detail": "rapidocr reads scans", "fix": ""},
    {"name": "inbox", "status": "ok", "detail": "/home/li/案头/inbox", "fix": ""},
]  # fmt: skip
SYSTEM: dict[str, Any] = {
    "version": "0.1.0",
    "model": "qwen2.5-coder-1.5b-instruct-q4_k_m",
    "settings": {
        "host": "127.0.0.1", "port": 8000, "gpu_layers": "auto", "threads": None,
        "context_tokens": 4096, "answer_tokens": 400, "top_k": 5, "model": "auto",
    },
    "speed": {"answers": 12, "tokens_per_s": 11.8, "first_token_ms": 2340.0},
    "disk": {"free_bytes": 129_200_000_000, "data_bytes": 734_003_200},
    "index": {"documents": 5, "passages": 340, "size_bytes": 48_234_496,
              "embedder": "multilingual-e5-small|ee6b|384|mean", "renewal": None},
    "network": {
        "outbound_attempts": 0,
        "since": "2026-01-05T08:00:00Z",
        "watched": ["connection", "datagram", "name_lookup"],
        "opt_outs": ["ANONYMIZED_TELEMETRY", "DO_NOT_TRACK", "HF_HUB_OFFLINE"],
    },
}  # fmt: skip


def stream_of(
    question: str, conversation_id: str, keep: Callable[[dict[str, Any]], None]
) -> Iterator[tuple[bytes, float]]:
    """The bytes of the script, each piece with the pause after it."""
    pause = 0.05 if "slow" in question else 0.0
    yield b": hello\n\n" + sse("hits", {"hits": HITS}), 8 * pause
    if "queue" in question:
        yield sse("queue", {"place": 2}), 0.2
        yield sse("queue", {"place": 1}), 3.2
    if "fault" in question:
        problem = {"code": "unavailable", "status": 503, "title": "Unavailable"}
        detail = {"detail": "The model stopped working.", "hint": "Run deskside doctor."}
        yield sse("error", problem | detail), 0
        return
    script = next((made for word, made in SCRIPTS.items() if word in question), RENT)
    thought, text = script["thinking"], script["answer"]
    for at in range(0, len(thought), 5):
        yield sse("thinking", {"text": thought[at : at + 5]}), 0.1
    for at in range(0, len(text), 5):
        yield sse("token", {"text": text[at : at + 5]}), pause
        if "broken" in question and at > 20:
            return
    used = script["question_used"] or question
    given = script | {"question_used": used, "conversation_id": conversation_id}
    keep(given)
    yield sse("done", given), 0


class Closing(StreamingResponse):
    """Ends its pieces when it ends itself, rather than whenever they are swept up."""

    body_iterator: AsyncGenerator[bytes]

    async def stream_response(self, send: Send) -> None:
        try:
            await super().stream_response(send)
        finally:
            await self.body_iterator.aclose()


def build(state: State) -> FastAPI:  # noqa: C901 (one small route after the other)
    """The app over ``state``, which a test may look into and change while it is served."""
    app = FastAPI()
    state.documents = {} if state.empty else library()

    @app.middleware("http")
    async def guard(
        request: Request, proceed: Callable[[Request], Awaitable[Response]]
    ) -> Response:
        path = request.url.path
        closed = state.key is not None and request.cookies.get("deskside") != state.key
        if closed and path.startswith("/api/") and path != "/api/session":
            return problem(401, "unauthorized", "A key is needed.")
        response = await proceed(request)
        response.headers.setdefault("Content-Security-Policy", CSP)
        return response

    @app.get("/")
    def index() -> FileResponse:
        return FileResponse(WEB / "index.html")

    app.mount("/web", StaticFiles(directory=WEB))

    @app.post("/api/session")
    async def session(request: Request) -> Response:
        given = (await request.json()).get("key")
        if given != state.key:
            return problem(401, "unauthorized", "Wrong key.")
        response = Response(status_code=204)
        response.set_cookie("deskside", given, httponly=True, samesite="strict")
        return response

    @app.post("/api/ask", response_model=None)
    async def ask(request: Request) -> Response:
        body = await request.json()
        state.asked.append(body)
        question = body["question"]
        if "busy" in question:
            return problem(429, "busy", "Four questions are waiting.", "Ask again in a minute.")
        if body.get("conversation_id", "conversation-0") not in {"conversation-0", *state.talks}:
            return problem(404, "not_found", "There is no such conversation.")
        talk = state.talk(question, body.get("conversation_id"))

        def keep(given: dict[str, Any]) -> None:
            message = {"message_id": "m", "question": question, "at": talk["updated_at"]}
            talk["messages"].append(message | {"answer": given})

        async def pieces() -> AsyncGenerator[bytes]:
            try:
                for block, pause in stream_of(question, talk["conversation_id"], keep):
                    for at in range(0, len(block), CUT_BYTES):
                        yield block[at : at + CUT_BYTES]
                        await asyncio.sleep(0)
                    await asyncio.sleep(pause)
            except (asyncio.CancelledError, GeneratorExit):  # the latter if cut while sending
                state.cancelled += 1
                keep(answer("Slow and", finish_reason="cancelled", grounded=False))
                raise

        return Closing(
            pieces(),
            media_type="text/event-stream",
            headers={"Deskside-Conversation": talk["conversation_id"]},
        )

    @app.get("/api/conversations")
    def conversations() -> dict[str, Any]:
        listed = [
            {name: value for name, value in talk.items() if name != "messages"}
            for talk in reversed(state.talks.values())
            if talk["messages"]
        ]
        return {"conversations": listed, "total": len(listed)}

    @app.get("/api/conversations/{conversation_id}", response_model=None)
    def conversation(conversation_id: str, format: str = "json") -> dict[str, Any] | Response:
        talk = state.talks.get(conversation_id)
        if talk is None:
            return problem(404, "not_found", "There is no such conversation.")
        if format == "markdown":
            headers = {"Content-Disposition": 'attachment; filename="talk.md"'}
            return PlainTextResponse(f"# {talk['title']}\n", headers=headers)
        return talk

    @app.patch("/api/conversations/{conversation_id}")
    async def rename(conversation_id: str, request: Request) -> dict[str, Any]:
        state.talks[conversation_id]["title"] = (await request.json())["title"]
        return state.talks[conversation_id]

    @app.delete("/api/conversations/{conversation_id}", status_code=204)
    def forget(conversation_id: str) -> None:
        del state.talks[conversation_id]

    @app.get("/health/ready")
    def ready() -> JSONResponse:
        sound = all(check["status"] != "fail" for check in CHECKS)
        return JSONResponse({"ready": sound, "checks": CHECKS}, 200 if sound else 503)

    @app.get("/api/system")
    def system() -> dict[str, Any]:
        return SYSTEM | {"network": SYSTEM["network"] | {"outbound_attempts": state.attempts}}

    install(app, state)
    return app
