"""What a written reply is worth: checked, cited, or replaced by the documents' own words."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from rag.citations import Cited, cite
from rag.extractive import (
    OVER_DENIAL,
    OVER_NOISE,
    closest,
    extract,
    says_not_found,
    says_nothing,
    stands_nowhere,
)
from rag.markers import respelled, without_markers
from rag.questions import asks_whole
from rag.records import Answer, Hit, Notice, Prompt
from rag.writing import Writing

_HALF_A_MARKER = re.compile(r"\s*[\[［【〔][^\]］】〕\n]{0,12}\Z")
_MARKER = re.compile(r"\[\d{1,2}\]")
_SURE = 0.9
"""Evidence from which on an answer that stands nowhere is shown, marked as such. Read by eye, five
of seven such answers of the 1.5B to good questions were right, one of the eleven below (ADR 0024).
"""


def complete(draft: Answer, writing: Writing, prompt: Prompt) -> Answer:
    """The answer with its citations; in the passages' own words where the model has none.

    What the rule of `rag.extractive` finds no sentence for is refused.
    """
    text = writing.text
    if draft.finish_reason != "stop":
        text = _HALF_A_MARKER.sub("", text)
    text = _without_origins(text, prompt.hits)
    cited = cite(text, prompt.hits, question=draft.question_used)
    before = draft.warnings
    notices = (*before, *_notices(draft, writing, prompt))
    draft = replace(draft, warnings=notices, read=len(prompt.hits))
    if draft.finish_reason == "cancelled":
        return _told(draft, cited)
    if says_nothing(cited, draft.question_used, prompt.hits):
        if writing.thoughts and not text.strip():
            why = Notice("only_thinking", "The model only thought; its answer was cut off.")
            draft = replace(draft, finish_reason="length", warnings=(*draft.warnings, why))
        silent = not text.strip()
        own = (
            closest(draft.question_used, prompt.hits)
            if silent
            else extract(draft.question_used, prompt.hits, bar=OVER_NOISE)
        )
        return _in_own_words(draft, own, before)
    if not says_not_found(cited, prompt.hits):
        is_sure = (draft.evidence or 0.0) >= _SURE
        if is_sure or not stands_nowhere(text, cited, prompt.hits):
            return _told(draft, cited)
        why = Notice("answer_withdrawn", "What the model wrote, none of the passages bears out.")
        before = (*before, why)
        draft = replace(draft, warnings=(*draft.warnings, why))
    over = extract(draft.question_used, prompt.hits, bar=OVER_DENIAL)
    return _in_own_words(draft, over, before)


def _in_own_words(draft: Answer, own: Cited | None, before: tuple[Notice, ...]) -> Answer:
    """The documents' sentences as the answer; refused where there are none worth it."""
    if own is None:
        return replace(draft, mode="refused", finish_reason="refused", text="", warnings=before)
    return replace(_told(draft, own), mode="extractive")


def _without_origins(text: str, hits: Sequence[Hit]) -> str:
    """The reply without lines that only copy where passages stand: ``(lease › Rent)[1]``.

    The name of a document, or one heading, may be the answer: it stays where nothing else is said.
    """
    origins = {line for hit in hits for line in hit.passage.context.splitlines()}
    titles = {part.strip() for line in origins for part in line.split("›")}
    words = {word for title in titles for word in title.split()}
    kept = [line for line in text.splitlines() if not _copies(line, len(hits), words)]
    if len(kept) == len(text.splitlines()):
        return text
    told = "\n".join(kept).strip()
    one_title = _bare(text, len(hits)) in titles
    return text if not told and one_title else told


def _copies(line: str, count: int, words: set[str]) -> bool:
    said = _MARKER.sub(" ", _bare(line, count)).replace("›", " ").split()
    return bool(said) and words.issuperset(said)


def _bare(line: str, count: int) -> str:
    return without_markers(respelled(line, count)[0]).strip("()（） ")


def _told(draft: Answer, cited: Cited) -> Answer:
    return replace(
        draft,
        text=cited.text,
        citations=cited.citations,
        sentences=cited.sentences,
        warnings=(*draft.warnings, *cited.warnings),
    )


def _notices(draft: Answer, writing: Writing, prompt: Prompt) -> Iterator[Notice]:
    read = len(prompt.hits)
    if read < draft.total and asks_whole(draft.question_used):
        told = f"This covers {read} of {draft.total} passages, not all of your documents."
        yield Notice("part_only", told)
    if writing.looped:
        yield Notice("repetition", "The model began to repeat itself and was stopped.")
    if prompt.dropped:
        yield Notice("passages_dropped", f"{prompt.dropped} passages did not fit the model.")
