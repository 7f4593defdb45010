"""What the API takes and gives; the names are a contract with other programs."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import TYPE_CHECKING, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from api.moments import LastMoment, Moment
from rag.catalog import Chosen, Order
from rag.records import (
    Answer,
    Citation,
    Document,
    FinishReason,
    Hit,
    Locator,
    Mode,
    PageSource,
    Scope,
    SearchMode,
    Status,
    Via,
)

if TYPE_CHECKING:
    from ingest.erasure import Erased


MAX_QUOTE_CHARS = 2000
PAGE_WIDTH_PX = 1240
"""A4 at 150 dpi."""


class _Filters(BaseModel):
    model_config = ConfigDict(extra="forbid")

    top_k: int | None = Field(default=None, ge=1, le=50)
    collection: str | None = None
    document_ids: list[str] | None = None
    path_prefix: str | None = None
    date_from: Moment | None = None
    date_to: LastMoment | None = None

    def scope(self) -> Scope:
        return Scope(
            collection=self.collection,
            document_ids=None if self.document_ids is None else tuple(self.document_ids),
            path_prefix=self.path_prefix,
            date_from=self.date_from,
            date_to=self.date_to,
        )


class AskRequest(_Filters):
    question: str
    conversation_id: str | None = None
    stream: bool = False


class SearchRequest(_Filters):
    query: str
    mode: SearchMode = "hybrid"


class LedgerQuery(BaseModel):
    """What of the ledger is asked for; ``q`` is looked for in names and folders."""

    status: Status | None = None
    path_prefix: str = ""
    q: str = ""
    sort: Order = "path"
    limit: int = Field(default=100, ge=1, le=1000)
    offset: int = Field(default=0, ge=0)

    def chosen(self) -> Chosen:
        return Chosen(self.status, self.path_prefix, self.q, self.sort)


class PictureQuery(BaseModel):
    """How a page is drawn: what of it is marked, and how wide, in pixels."""

    passage: str | None = None
    quote: str = Field(default="", max_length=MAX_QUOTE_CHARS)
    width: int = Field(default=PAGE_WIDTH_PX, ge=200, le=2 * PAGE_WIDTH_PX)


class ScanRequest(BaseModel):
    model_config = ConfigDict(extra="forbid")

    accept_deletions: bool = False


class BoxOut(BaseModel):
    page: int
    x0: float
    y0: float
    x1: float
    y1: float


class LocatorOut(BaseModel):
    label: str
    page: int | None
    page_end: int | None
    page_label: str | None
    page_source: PageSource | None
    sheet: str | None
    cells: str | None
    slide: int | None
    section: list[str]
    boxes: list[BoxOut]

    @classmethod
    def of(cls, locator: Locator, *, fallback: str) -> LocatorOut:
        return cls(label=locator.label or fallback, **asdict(locator))


class HitOut(BaseModel):
    passage_id: str
    document_id: str
    document_name: str
    path: str
    locations: list[str]
    text: str
    score: float
    rank: int
    via: list[Via]
    locator: LocatorOut

    @classmethod
    def of(cls, hit: Hit) -> HitOut:
        return cls(
            passage_id=hit.passage.passage_id,
            document_id=hit.passage.document_id,
            document_name=hit.document_name,
            path=hit.path,
            locations=list(hit.locations),
            text=hit.passage.text,
            score=hit.score,
            rank=hit.rank,
            via=list(hit.via),
            locator=LocatorOut.of(hit.passage.locator, fallback=hit.document_name),
        )


class CitationOut(BaseModel):
    marker: int
    passage_id: str
    document_id: str
    document_name: str
    path: str
    locations: list[str]
    locator: LocatorOut
    quote: str
    supported: bool

    @classmethod
    def of(cls, citation: Citation) -> CitationOut:
        hit = citation.hit
        return cls(
            marker=citation.marker,
            passage_id=hit.passage.passage_id,
            document_id=hit.passage.document_id,
            document_name=hit.document_name,
            path=hit.path,
            locations=list(hit.locations),
            locator=LocatorOut.of(citation.locator, fallback=hit.document_name),
            quote=citation.quote,
            supported=citation.supported,
        )


class SentenceOut(BaseModel):
    text: str
    markers: list[int]
    supported: bool


class WarningOut(BaseModel):
    code: str
    detail: str


class UsageOut(BaseModel):
    prompt_tokens: int
    completion_tokens: int


class TimingsOut(BaseModel):
    retrieve_ms: float
    first_token_ms: float | None
    total_ms: float
    tokens_per_s: float | None


class ScopeOut(BaseModel):
    read: int
    total: int


class AnswerOut(BaseModel):
    answer: str
    mode: Mode
    refused: bool
    grounded: bool
    finish_reason: FinishReason
    citations: list[CitationOut]
    sentences: list[SentenceOut]
    hits: list[HitOut]
    question_used: str
    scope: ScopeOut
    thinking: str
    warnings: list[WarningOut]
    conversation_id: str
    usage: UsageOut
    timings: TimingsOut

    @classmethod
    def of(cls, answer: Answer, conversation_id: str) -> AnswerOut:
        return cls(
            answer=answer.text,
            mode=answer.mode,
            refused=answer.refused,
            grounded=answer.grounded,
            finish_reason=answer.finish_reason,
            citations=[CitationOut.of(citation) for citation in answer.citations],
            sentences=[SentenceOut(**asdict(sentence)) for sentence in answer.sentences],
            hits=[HitOut.of(hit) for hit in answer.hits],
            question_used=answer.question_used,
            scope=ScopeOut(read=answer.read, total=answer.total),
            thinking=answer.thinking,
            warnings=[WarningOut(**asdict(warning)) for warning in answer.warnings],
            conversation_id=conversation_id,
            usage=UsageOut(**asdict(answer.usage)),
            timings=TimingsOut(**asdict(answer.timings)),
        )


class ReasonOut(BaseModel):
    code: str
    message: str
    advice: str


class DocumentOut(BaseModel):
    document_id: str
    name: str
    path: str
    locations: list[str]
    collection: str
    media_type: str
    size_bytes: int
    modified_at: datetime
    revision: str
    status: str
    reason: ReasonOut | None
    pages_total: int
    pages_done: int
    progress: float
    passages: int
    flags: list[str]
    added_at: datetime
    updated_at: datetime

    @classmethod
    def of(cls, document: Document) -> DocumentOut:
        parts: dict[str, Any] = asdict(document)
        failure = parts.pop("failure")
        reason = ReasonOut(**failure) if failure else None
        return cls(**parts, reason=reason, collection=document.collection)


class PageOut(BaseModel):
    number: int
    label: str
    status: Literal["text", "ocr", "empty", "unreadable"]
    chars: int


class DocumentWithPages(DocumentOut):
    pages: list[PageOut]


class ProblemOut(BaseModel):
    code: str
    path: str
    message: str
    advice: str


class InboxOut(BaseModel):
    path: str
    mode: Literal["native", "polling"]
    state: Literal["watching", "unreachable"]
    queued: int
    pages_per_s: float | None
    eta_s: float | None
    unsettled: int
    held: int
    held_back: int
    problems: list[ProblemOut]


class DocumentsOut(BaseModel):
    documents: list[DocumentOut]
    total: int
    statuses: dict[str, int]
    inbox: InboxOut


class FolderOut(BaseModel):
    path: str
    documents: int


class FoldersOut(BaseModel):
    folders: list[FolderOut]


class TrashOut(BaseModel):
    documents: list[DocumentOut]
    total: int


class ErasedOut(BaseModel):
    """``complete`` is false when traces are left until the next start; ``detail`` says why."""

    document_id: str
    complete: bool
    files: int
    missing: int
    answers: int
    detail: str

    @classmethod
    def of(cls, erased: Erased) -> ErasedOut:
        said = ["The document and its text were destroyed."]
        if erased.answers:
            said.append(f"Kept answers that quoted it, now emptied: {erased.answers}.")
        if erased.missing:
            said.append("A file of it was not in the inbox; if it comes back, it is read anew.")
        if erased.not_yet:
            said = [
                f"Nothing finds the document any more, but traces are left: {erased.not_yet}.",
                "They go at the next start of Deskside, or when it is purged again.",
            ]
        said.append("Backups, and copies outside of Deskside, are not covered.")
        return cls(
            document_id=erased.document_id,
            complete=not erased.not_yet,
            files=erased.files,
            missing=erased.missing,
            answers=erased.answers,
            detail=" ".join(said),
        )


class StoredOut(BaseModel):
    document_id: str


class UploadedOut(StoredOut):
    """``known`` when the very bytes were there before, as all ``locations`` tell."""

    known: bool
    locations: list[str]


class RetriedOut(BaseModel):
    queued: int


class ClearedOut(BaseModel):
    """``complete`` is false when traces are left; ``detail`` says why."""

    complete: bool
    detail: str

    @classmethod
    def of(cls, not_yet: str) -> ClearedOut:
        if not_yet:
            return cls(complete=False, detail=f"Traces are left: {not_yet}. Try it again.")
        told = "No text is left of documents that are not in the ledger or in the trash."
        return cls(complete=True, detail=f"{told} Kept answers, and backups, are not covered.")
