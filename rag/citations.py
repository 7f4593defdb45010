"""Ties an answer to its sources: markers read, looked up again, quoted.

A marker is a number the prompt gave to a passage. Models spell it in many ways; here each becomes
``[n]``. What a marker's passage does not say is not called supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.markers import markers_in, respelled, without_markers
from rag.records import Citation, Hit, Notice, Sentence
from rag.sentences import sentence_spans
from rag.support import Source, clear_source, quote, sources_of

_WORD = re.compile(r"[^\W\d_]")
_SIGN = re.compile(r"[^\W_]")


@dataclass(frozen=True, slots=True)
class Cited:
    """An answer's text with markers as ``[n]``, and what they stand for."""

    text: str
    sentences: tuple[Sentence, ...]
    citations: tuple[Citation, ...]
    warnings: tuple[Notice, ...]


def cite(raw: str, hits: Sequence[Hit], *, question: str = "") -> Cited:
    """Check a model's reply to ``question`` against the passages it was given.

    Marker n stands for ``hits[n - 1]``.
    """
    text, dropped = respelled(raw, len(hits))
    sources = sources_of(hits, question)
    pieces: list[str] = []
    sentences: list[Sentence] = []
    after = 0
    warnings = [Notice("unknown_marker", f"[{n}] stands for no passage.") for n in dropped]
    for start, end in sentence_spans(text):
        sentence, shown = _check(text[start:end], sources)
        pieces += [text[after:start], shown]
        warnings += [
            Notice("marker_replaced", f"[{n}] does not say this; {sentence.markers[0]} does.")
            for n in markers_in(text[start:end])
            if n not in sentence.markers
        ]
        after = end
        if _SIGN.search(sentence.text):  # not a table's rule
            sentences.append(sentence)
    # A number alone counts an item of a list, unless it is the whole answer.
    sentences = [each for each in sentences if _WORD.search(each.text)] or sentences
    return Cited(
        text="".join([*pieces, text[after:]]).strip(),
        sentences=tuple(sentences),
        citations=_citations(sentences, hits, sources),
        warnings=tuple(warnings),
    )


def _check(shown: str, sources: Sequence[Source]) -> tuple[Sentence, str]:
    """The sentence without its markers, judged; and as shown, with the marker it should have.

    A marker whose passage does not say this gives way to that of the passage that clearly does.
    """
    markers = markers_in(shown)
    text = without_markers(shown)
    if any(sources[n - 1].supports(text) for n in markers):
        return Sentence(text, markers, supported=True), shown
    found = clear_source(text, sources) if _SIGN.search(text) else None
    if found is None:
        return Sentence(text, markers, supported=False), shown
    stem = text.rstrip("。！？!?；;.")
    return Sentence(text, (found,), supported=True), f"{stem}[{found}]{text[len(stem) :]}"


def _citations(
    sentences: Sequence[Sentence], hits: Sequence[Hit], sources: Sequence[Source]
) -> tuple[Citation, ...]:
    citing: dict[int, list[str]] = {}
    for sentence in sentences:
        for marker in sentence.markers:
            citing.setdefault(marker, []).append(sentence.text)
    return tuple(
        Citation(
            marker=marker,
            hit=hits[marker - 1],
            quote=quote(" ".join(texts), hits[marker - 1].passage.text),
            supported=all(sources[marker - 1].supports(text) for text in texts),
        )
        for marker, texts in sorted(citing.items())
    )
