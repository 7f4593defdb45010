"""What was asked before, with its citations."""

from __future__ import annotations

import re
from dataclasses import asdict
from datetime import datetime
from typing import Annotated, Any, Literal
from urllib.parse import quote

from fastapi import APIRouter
from fastapi.responses import PlainTextResponse, Response
from pydantic import BaseModel, StringConstraints

from api.deps import Given
from rag.catalog import Conversation, Exchange

_NO_ANSWER = {
    "refused": "*The documents don't answer this. · 文件中没有这个问题的答案。*",
    "no_model": "*There was no model to answer with. · 当时没有可用的模型。*",
    "extractive": "*Quoted from the documents. · 摘自文件原文。*",
    "catalogue": "*Counted over all documents. · 根据全部文件的清单。*",
}
_CUT = {
    "length": "*Cut off at the length limit. · 未写完：已到长度上限。*",
    "timeout": "*Cut off: it took too long. · 未写完：作答超时。*",
    "cancelled": "*Cut off: it was stopped. · 未写完：作答被中止。*",
}
_TAG = re.compile(r"<(?=[A-Za-z/!?])")
_NO_FILE_NAME = re.compile(r'[\x00-\x1f\\/:*?"<>|]+')
_NAME_CHARS = 60

router = APIRouter(prefix="/api/conversations", tags=["conversations"])


class TitleRequest(BaseModel):
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)]


class ConversationOut(BaseModel):
    conversation_id: str
    title: str
    created_at: datetime
    updated_at: datetime


class ConversationsOut(BaseModel):
    conversations: list[ConversationOut]
    total: int


class MessageOut(BaseModel):
    message_id: str
    question: str
    answer: dict[str, Any]
    at: datetime


class ConversationWithMessages(ConversationOut):
    messages: list[MessageOut]


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
        return PlainTextResponse(
            _markdown(found, exchanges),
            media_type="text/markdown",
            headers={"Content-Disposition": _named(found.title)},
        )
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


def _named(title: str) -> str:
    name = " ".join(_NO_FILE_NAME.sub(" ", title).split())[:_NAME_CHARS] or "deskside"
    return f"attachment; filename=\"deskside.md\"; filename*=UTF-8''{quote(name)}.md"


def _markdown(conversation: Conversation, exchanges: list[Exchange]) -> str:
    parts = [f"# {_line(conversation.title)}"]
    for exchange in exchanges:
        parts += _told(exchange)
    return "\n\n".join(part for part in parts if part) + "\n"


def _told(exchange: Exchange) -> list[str]:
    """One question: how it was understood, its answer, what is amiss with it, its sources."""
    answer = exchange.answer
    used = answer.get("question_used") or exchange.question
    understood = f"*Understood as · 理解为: {_line(used)}*" if used != exchange.question else ""
    doubted = [
        f"- ⚠ {_line(each['text'])}"
        for each in answer.get("sentences", [])
        if not each["supported"] and any(map(str.isalnum, each["text"]))
    ]
    sources = [_source(cited) for cited in answer["citations"]]
    return [
        f"## {_line(exchange.question)}",
        f"{exchange.at:%Y-%m-%d %H:%M} UTC",
        understood,
        _NO_ANSWER.get(answer["mode"], ""),
        _harmless(answer["answer"]),
        _CUT.get(answer.get("finish_reason", ""), ""),
        _listed("Not found in the sources · 出处中未找到", doubted),
        _listed("Sources · 出处", sources),
    ]


def _listed(title: str, lines: list[str]) -> str:
    return "\n".join([f"**{title}**\n", *lines]) if lines else ""


def _line(text: str) -> str:
    return _harmless(" ".join(text.split()))


def _harmless(text: str) -> str:
    """A document's own tags stay words in whatever shows the file."""
    return _TAG.sub(r"\\<", text)


def _source(cited: dict[str, Any]) -> str:
    place = _line(f"{cited['path']}, {cited['locator']['label']}")
    return f"- [{cited['marker']}] {place}: “{_line(cited['quote'])}”"
