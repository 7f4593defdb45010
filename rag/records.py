"""The records that flow from a file to an answer, one frozen dataclass per stage.

``SourceFile -> Element -> Passage -> Hit -> Prompt -> Answer(Citation ...)``, beside them
`Document`, `Page`, `Job` and `Failure`. Paths are relative to the inbox, with forward slashes;
times are aware UTC datetimes.
"""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from datetime import datetime
from enum import StrEnum
from typing import Literal

from rag.cells import around
from rag.tabular import Table

Via = Literal["dense", "keyword", "rerank", "neighbour"]
Mode = Literal["generated", "extractive", "catalogue", "refused", "no_model"]
FinishReason = Literal["stop", "length", "cancelled", "timeout", "refused", "no_model"]
SearchMode = Literal["hybrid", "dense", "keyword"]
ElementKind = Literal["title", "text", "list_item", "table", "header", "footer"]
PageStatus = Literal["text", "ocr", "empty", "unreadable"]
PageSource = Literal["file", "rendered", "recorded"]


class Status(StrEnum):
    """Where a document stands; the words of the ledger."""

    QUEUED = "queued"
    READING = "reading"
    EMBEDDING = "embedding"
    READY = "ready"
    PARTIAL = "partial"
    FAILED = "failed"
    MISSING = "missing"


class Reason(StrEnum):
    """Why a document (or a page of it) could not be read."""

    ENCRYPTED = "encrypted"
    CORRUPT = "corrupt"
    UNSUPPORTED = "unsupported"
    NO_TEXT = "no_text"
    UNREADABLE_FONT = "unreadable_font"
    TOO_LARGE = "too_large"
    TIMEOUT = "timeout"
    MEMORY = "memory"
    IN_USE = "in_use"
    INTERNAL = "internal"


@dataclass(frozen=True, slots=True)
class Failure:
    """What went wrong with a file, in words for the person who dropped it."""

    code: Reason
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle on a page, in fractions of its width and height as shown, origin top left."""

    page: int
    x0: float
    y0: float
    x1: float
    y1: float


@dataclass(frozen=True, slots=True)
class Locator:
    """Where inside a document a piece of text stands. Absent parts are None or empty.

    ``lines`` are the cells of each line of the text, where it holds several rows of a sheet.
    """

    page: int | None = None
    page_end: int | None = None
    page_label: str | None = None
    page_source: PageSource | None = None
    sheet: str | None = None
    cells: str | None = None
    slide: int | None = None
    section: tuple[str, ...] = ()
    boxes: tuple[Box, ...] = ()
    lines: tuple[str, ...] = ()

    @property
    def label(self) -> str:
        """The place as people write it: ``p. 3``, ``Sheet1!A2:C9``, ``Chapter 1 › Scope``."""
        if self.sheet is not None:
            return f"{self.sheet}!{self.cells}" if self.cells else self.sheet
        if self.slide is not None:
            return f"slide {self.slide}"
        section = " › ".join(self.section)
        if self.page is None:
            return section
        last = self.page_end or self.page
        page = f"p. {self.page}" if last == self.page else f"pp. {self.page}–{last}"
        if self.page_source in ("rendered", "recorded"):
            page = f"approx. {page}"
        return page if self.page_source == "file" or not section else f"{page} · {section}"


@dataclass(frozen=True, slots=True)
class Element:
    """One piece of a parsed document: a heading, a paragraph, a table row group.

    ``header`` is repeated with every part when a table is split; ``level`` is the heading
    depth from 1 (titles only).
    """

    kind: ElementKind
    text: str
    locator: Locator
    level: int = 0
    header: str = ""


@dataclass(frozen=True, slots=True)
class Page:
    """A page, sheet or slide of a document, and whether its text was read."""

    number: int
    label: str
    status: PageStatus
    chars: int


@dataclass(frozen=True, slots=True)
class Parsed:
    """What a parser makes of one file. ``failure`` beside pages means some were not read."""

    elements: tuple[Element, ...]
    pages: tuple[Page, ...]
    flags: tuple[str, ...] = ()
    failure: Failure | None = None
    tables: tuple[Table, ...] = ()


def embedded_text(context: str, text: str) -> str:
    """A passage's context and text as one, the context first."""
    return f"{context}\n{text}"


@dataclass(frozen=True, slots=True)
class Passage:
    """A piece of a document small enough to embed; the unit that is found and cited.

    ``text`` is shown and quoted; ``context`` (file name, headings, table header) is embedded and
    searched with it.
    """

    passage_id: str
    document_id: str
    ordinal: int
    text: str
    context: str
    locator: Locator

    @property
    def embedded_text(self) -> str:
        """What is embedded, searched and shown to the model."""
        return embedded_text(self.context, self.text)

    def place_of(self, quote: str) -> Locator:
        """Where words of the text stand, as near as is known: the rows that say them."""
        at = self.text.find(quote) if quote else -1
        if at < 0:
            return self.locator
        place, first = self.locator, self.text.count("\n", 0, at)
        said = slice(first, first + quote.count("\n") + 1)
        # Every element of a PDF has boxes; as many as lines of text: each has one.
        if place.page_source == "file" and len(place.boxes) == self.text.count("\n") + 1:
            place = replace(place, boxes=place.boxes[said])
        if place.lines:
            cells = around(place.lines[said])
            place = replace(place, cells=cells or place.cells, lines=())
        return place


@dataclass(frozen=True, slots=True)
class Document:
    """One content, at one or several places in the inbox."""

    document_id: str
    name: str
    path: str
    locations: tuple[str, ...]
    media_type: str
    size_bytes: int
    modified_at: datetime
    revision: str
    status: Status
    failure: Failure | None
    pages_total: int
    pages_done: int
    passages: int
    flags: tuple[str, ...]
    added_at: datetime
    updated_at: datetime
    progress: float = 0.0
    """The share of the work on it that is done, 0 to 1: a sheet is a page of a hundred rows, or
    of a hundred thousand."""

    @property
    def collection(self) -> str:
        """The first folder of the path; the inbox itself is the empty string."""
        return self.path.split("/", 1)[0] if "/" in self.path else ""


@dataclass(frozen=True, slots=True)
class Advance:
    """How far a job has come: pages done, of how many, and the share of all the work, 0 to 1."""

    pages_done: int
    pages_total: int
    share: float


@dataclass(frozen=True, slots=True)
class Job:
    """One piece of ingest work on a document, claimed by the worker.

    ``claim`` numbers how often it was handed out: an earlier holder's word counts no more.
    ``attempts`` are those that failed, this one counted; ``interruptions`` those in which the
    service was killed.
    """

    job_id: int
    document_id: str
    path: str
    revision: str
    attempts: int
    claim: int
    interruptions: int
    lease_s: float


@dataclass(frozen=True, slots=True)
class Scope:
    """Which documents a question is about; everything None means all.

    ``path_prefix`` is a folder with all below it, or one file; ``collection`` a first folder.
    """

    collection: str | None = None
    document_ids: tuple[str, ...] | None = None
    path_prefix: str | None = None
    date_from: datetime | None = None
    date_to: datetime | None = None

    @property
    def is_everything(self) -> bool:
        return self == Scope()


@dataclass(frozen=True, slots=True)
class Hit:
    """A passage found for a query; higher score is better, rank counts from 1."""

    passage: Passage
    document_name: str
    path: str
    score: float
    rank: int
    via: tuple[Via, ...]
    cosine: float | None = None
    locations: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Message:
    """One turn of the chat given to a model; its text is data, never control tokens."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True)
class Earlier:
    """What was asked and answered earlier in a conversation.

    ``question_used`` is the question as it was understood, standing on its own.
    """

    question_used: str
    answer: str


@dataclass(frozen=True, slots=True)
class Prompt:
    """What the generator is given. ``hits[i]`` carries the marker ``i + 1``."""

    messages: tuple[Message, ...]
    hits: tuple[Hit, ...]
    dropped: int = 0


@dataclass(frozen=True, slots=True)
class Piece:
    """One step of generated text; the last one says why generation ended."""

    text: str
    tokens: int = 1
    finish: Literal["stop", "length", "cancelled"] | None = None


@dataclass(frozen=True, slots=True)
class Citation:
    """A marker in the answer tied to the passage it stands for."""

    marker: int
    hit: Hit
    quote: str
    supported: bool

    @property
    def locator(self) -> Locator:
        """Where the quote stands: a row rather than all the rows of the passage."""
        return self.hit.passage.place_of(self.quote)


@dataclass(frozen=True, slots=True)
class Sentence:
    """A sentence of an answer with the markers that stand behind it."""

    text: str
    markers: tuple[int, ...]
    supported: bool


@dataclass(frozen=True, slots=True)
class Notice:
    """Something about an answer its reader should know."""

    code: str
    detail: str


@dataclass(frozen=True, slots=True)
class Usage:
    prompt_tokens: int = 0
    completion_tokens: int = 0


@dataclass(frozen=True, slots=True)
class Timings:
    """Milliseconds from the request; ``tokens_per_s`` is decode speed."""

    retrieve_ms: float = 0.0
    first_token_ms: float | None = None
    total_ms: float = 0.0
    tokens_per_s: float | None = None


@dataclass(frozen=True, slots=True)
class Answer:
    """The whole outcome of a question."""

    text: str
    mode: Mode
    finish_reason: FinishReason
    hits: tuple[Hit, ...]
    question_used: str
    read: int
    total: int
    citations: tuple[Citation, ...] = ()
    sentences: tuple[Sentence, ...] = ()
    warnings: tuple[Notice, ...] = ()
    thinking: str = ""
    usage: Usage = field(default_factory=Usage)
    timings: Timings = field(default_factory=Timings)
    evidence: float | None = None
    """How probable it was, from 0 to 1, that the passages answer; None where it was not judged."""

    @property
    def refused(self) -> bool:
        return self.mode == "refused"

    @property
    def grounded(self) -> bool:
        """True when there are citations and every sentence is supported by one."""
        return bool(self.citations) and all(s.supported for s in self.sentences)
