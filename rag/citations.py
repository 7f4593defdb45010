"""Ties an answer to its sources: markers read, looked up again, quoted.

A marker is a number the prompt gave to a passage. Models spell it in many ways; here each becomes
``[n]``. What a marker's passage does not say is not called supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.records import Citation, Hit, Notice, Sentence
from rag.sentences import figures, names, overlap, same_script, sentence_spans

_MARKER = re.compile(
    r"[\[［【〔]\s*(?:(?:ID|passage|source|doc|资料|来源|段落)\s*[:：]?\s*)?"
    r"(\d{1,2}(?:\s*[,，、;；]\s*\d{1,2})*)\s*[\]］】〕]",
    re.IGNORECASE,
)
_NUMBER = re.compile(r"\d+")
_OURS = re.compile(r"\s*\[(\d{1,2})\]")
# A marker after the full stop belongs to the sentence before it.
_LATE = re.compile(r"([。！？!?；;.]+)(\s*(?:\[\d{1,2}\])+)")
# One at the start of a line, set off like a heading, belongs to what follows it.
_EARLY = re.compile(r"^(\s*(?:\[\d{1,2}\])+)[.:：、]\s*", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]")

MIN_SUPPORT = 0.35
"""Share of a sentence's terms a passage must hold to support what it is cited for."""
MIN_ATTRIBUTION = 0.6
"""The same for a sentence that came without a marker: only a clear source is given to it."""


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer's text with markers as ``[n]``, and what they stand for."""

    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    warnings: tuple[Notice, ...]


def cite(raw: str, hits: Sequence[Hit]) -> Cited:
    """Check a model's reply against the passages it was given; marker n is ``hits[n - 1]``."""
    text, dropped = _normalise(raw, len(hits))
    pieces: list[str] = []
    sentences: list[Sentence] = []
    after = 0
    warnings = [Notice("unknown_marker", f"[{n}] stands for no passage.") for n in dropped]
    for start, end in sentence_spans(text):
        sentence, shown = _check(text[start:end], hits)
        pieces += [text[after:start], shown]
        warnings += [
            Notice("marker_replaced", f"[{n}] does not say this; {sentence.markers[0]} does.")
            for n in _markers(text[start:end])
            if n not in sentence.markers
        ]
        after = end
        if _WORD.search(sentence.text):  # not a table's rule, nor a number alone
            sentences.append(sentence)
    return Cited(
        text="".join([*pieces, text[after:]]).strip(),
        sentences=tuple(sentences),
        citations=_citations(sentences, hits),
        warnings=tuple(warnings),
    )


def quote(sentence: str, passage: str) -> str:
    """The sentence of ``passage``, word for word, that says most of what ``sentence`` says."""
    spans = sentence_spans(passage)
    if not spans:
        return ""
    wanted = figures(sentence)

    def closeness(span: tuple[int, int]) -> float:
        words = passage[span[0] : span[1]]
        shared = len(wanted & figures(words)) / len(wanted) if wanted else 0.0
        return overlap(sentence, words) + shared

    start, end = max(spans, key=closeness)
    return passage[start:end]


def supports(sentence: str, hit: Hit) -> bool:
    """Whether the figures, dates and names of the sentence stand in the passage, and enough else.

    Across languages only figures and Latin names can be looked up.
    """
    passage = hit.passage.embedded_text
    if not figures(sentence) <= figures(passage):
        return False
    folded = passage.casefold()
    if not all(name in folded for name in names(sentence)):
        return False
    return not same_script(sentence, passage) or overlap(sentence, passage) >= MIN_SUPPORT


def _normalise(raw: str, count: int) -> tuple[str, list[int]]:
    """Every spelling as ``[n]``, before the full stop; the numbers that stand for nothing."""
    dropped: list[int] = []

    def respell(match: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(match.group(1))]
        dropped.extend(n for n in numbers if not 1 <= n <= count)
        return "".join(f"[{n}]" for n in numbers if 1 <= n <= count)

    text = _MARKER.sub(respell, raw)
    text = _EARLY.sub(r"\1 ", text)
    return _LATE.sub(lambda late: late.group(2).strip() + late.group(1), text), dropped


def _check(shown: str, hits: Sequence[Hit]) -> tuple[Sentence, str]:
    """The sentence without its markers, judged; and as shown, with the marker it should have.

    A marker whose passage does not say this gives way to that of the passage that clearly does.
    """
    markers = _markers(shown)
    text = _OURS.sub("", shown).strip()
    if any(supports(text, hits[n - 1]) for n in markers):
        return Sentence(text, markers, supported=True), shown
    found = _source_of(text, hits) if _WORD.search(text) else None
    if found is None:
        return Sentence(text, markers, supported=False), shown
    stem = text.rstrip("。！？!?；;.")
    return Sentence(text, (found,), supported=True), f"{stem}[{found}]{text[len(stem) :]}"


def _markers(shown: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(n) for n in _OURS.findall(shown)))


def _source_of(text: str, hits: Sequence[Hit]) -> int | None:
    """The marker of the passage that clearly says this, if any."""
    shares = [
        (overlap(text, hit.passage.embedded_text), -number)
        for number, hit in enumerate(hits, start=1)
        if supports(text, hit)
    ]
    best = max(shares, default=(0.0, 0))
    return -best[1] if best[0] >= MIN_ATTRIBUTION else None


def _citations(sentences: Sequence[Sentence], hits: Sequence[Hit]) -> tuple[Citation, ...]:
    citing: dict[int, list[str]] = {}
    for sentence in sentences:
        for marker in sentence.markers:
            citing.setdefault(marker, []).append(sentence.text)
    return tuple(
        Citation(
            marker=marker,
            hit=hits[marker - 1],
            quote=quote(" ".join(texts), hits[marker - 1].passage.text),
            supported=all(supports(text, hits[marker - 1]) for text in texts),
        )
        for marker, texts in sorted(citing.items())
    )
