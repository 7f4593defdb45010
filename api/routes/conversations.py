"""What was asked before, with its citations."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Literal

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response

from api.deps import Given
from api.schemas import (
    ConversationOut,
    ConversationsOut,
    ConversationWithMessages,
    MessageOut,
    TitleRequest,
)
from rag.catalog import Conversation, Exchange

_NO_ANSWER = {
    "refused": "*The documents don't answer this. · 文件中没有这个问题的答案。*",
    "no_model": "*There was no model to answer with. · 当时没有可用的模型。*",
    "extractive": "*Quoted from the documents. · 摘自文件原文。*",
}

router = APIRouter(prefix="/api/conversations", tags=["conversations"])


@router.get("")
def conversations(services: Given) -> ConversationsOut:
    """Every conversation, newest first."""
    found = [ConversationOut(**asdict(each)) for each in services.core.catalog.conversations.all()]
    return ConversationsOut(conversations=found, total=len(found))


@router.get("/{conversation_id}", response_model=ConversationWithMessages)
def conversation(
    conversation_id: str,
    services: Given,
    format: Literal["json", "markdown"] = "json",
) -> ConversationWithMessages | Response:
    """One conversation with its messages, or as Markdown."""
    found, exchanges = services.core.catalog.conversations.get(conversation_id)
    if format == "markdown":
        return PlainTextResponse(_markdown(found, exchanges), media_type="text/markdown")
    messages = [MessageOut(**asdict(exchange)) for exchange in exchanges]
    return ConversationWithMessages(**asdict(found), messages=messages)


@router.patch("/{conversation_id}")
def rename(conversation_id: str, request: TitleRequest, services: Given) -> ConversationOut:
    """Give a conversation another title."""
    kept = services.core.catalog.conversations
    kept.rename(conversation_id, request.title)
    return ConversationOut(**asdict(kept.get(conversation_id)[0]))


@router.delete("/{conversation_id}", status_code=204)
def delete(conversation_id: str, services: Given) -> Response:
    """Forget a conversation."""
    services.core.catalog.conversations.delete(conversation_id)
    return Response(status_code=204)


def _markdown(conversation: Conversation, exchanges: list[Exchange]) -> str:
    parts = [f"# {_line(conversation.title)}"]
    for exchange in exchanges:
        answer = exchange.answer
        parts += [f"## {_line(exchange.question)}", _NO_ANSWER.get(answer["mode"], "")]
        parts += [answer["answer"], "\n".join(map(_source, answer["citations"]))]
    return "\n\n".join(part for part in parts if part) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())


def _source(cited: dict[str, Any]) -> str:
    place = f"{cited['path']}, {cited['locator']['label']}"
    return f"- [{cited['marker']}] {place}: “{cited['quote']}”"
