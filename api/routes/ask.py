"""Questions and searches."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

from fastapi import APIRouter, Request
from fastapi.concurrency import run_in_threadpool
from pydantic import BaseModel

from api import sse
from api.deps import Given, Services
from api.schemas import AnswerOut, AskRequest, HitOut, SearchRequest
from rag.asking import Asking, Done, Found, Queued, Thought, Token
from rag.records import Earlier

router = APIRouter(prefix="/api", tags=["answers"])

CONVERSATION_HEADER = "Deskside-Conversation"
"""Tells a stream's listener early where the answer will be kept, should the stream break."""


class SearchTimings(BaseModel):
    retrieve_ms: float


class SearchOut(BaseModel):
    hits: list[HitOut]
    timings: SearchTimings


@router.post("/ask", response_model=AnswerOut)
async def ask(request: AskRequest, services: Given, http: Request) -> Any:
    """An answer with citations; with ``stream`` as events."""
    asking = await run_in_threadpool(_asked, request, services)
    try:
        conversation_id = await run_in_threadpool(_conversation, request, services)
    except BaseException:
        asking.close()
        raise
    events = _events(asking, request.question, conversation_id, services)
    if request.stream:
        headers = {CONVERSATION_HEADER: conversation_id}
        return sse.respond(events, cancel=asking.cancel, headers=headers)
    return await sse.last(events, http, cancel=asking.cancel)


@router.post("/search")
def search(request: SearchRequest, services: Given) -> SearchOut:
    """The passages nearest to a query, best first."""
    started = time.monotonic()
    hits = services.core.engine.search(
        request.query, top_k=request.top_k, mode=request.mode, scope=request.scope()
    )
    elapsed = round((time.monotonic() - started) * 1000, 1)
    return SearchOut(
        hits=[HitOut.of(hit) for hit in hits], timings=SearchTimings(retrieve_ms=elapsed)
    )


def _asked(request: AskRequest, services: Services) -> Asking:
    """The question under way, after what its conversation said before."""
    earlier: list[Earlier] = []
    if request.conversation_id is not None:
        _, exchanges = services.core.catalog.conversations.get(request.conversation_id)
        earlier = [exchange.earlier for exchange in exchanges]
    return services.core.engine.ask(
        request.question, top_k=request.top_k, scope=request.scope(), earlier=earlier
    )


def _conversation(request: AskRequest, services: Services) -> str:
    return request.conversation_id or services.core.catalog.conversations.start(request.question)


def _events(
    asking: Asking, question: str, conversation_id: str, services: Services
) -> Iterator[sse.Named]:
    """The engine's events in the API's words; the answer is kept with its conversation.

    A question that failed leaves no empty conversation behind.
    """
    try:
        for event in asking:
            match event:
                case Queued(place):
                    yield "queue", {"place": place}
                case Found(hits):
                    yield "hits", {"hits": [HitOut.of(hit).model_dump(mode="json") for hit in hits]}
                case Thought(text):
                    yield "thinking", {"text": text}
                case Token(text):
                    yield "token", {"text": text}
                case Done(answer):
                    given = AnswerOut.of(answer, conversation_id).model_dump(mode="json")
                    services.core.catalog.conversations.add(
                        conversation_id, question=question, answer=given
                    )
                    yield "done", given
    finally:
        asking.close()
        services.core.catalog.conversations.discard_empty(conversation_id)
