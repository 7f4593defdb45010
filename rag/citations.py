"""Ties an answer to its sources: markers read, looked up again, quoted.

A marker is a number the prompt gave to a passage. Models spell it in many ways; here each becomes
``[n]``. What a marker's passage does not say is not called supported.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.records import Citation, Hit, Notice, Sentence
from rag.sentences import sentence_spans
from rag.support import Source, clear_source, quote, sources_of

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
# Words that only lead to a marker: 来源是[1], 资料编号为[2].
_LEAD = re.compile(
    r"[，,（(]?\s*(?<!根据)(?<!依据)(?:资料编号|参考资料|资料|来源|依据|出处)\s*(?:是|为|[:：])?\s*(?=\[\d{1,2}\])"
)
_DANGLING = re.compile(r"[，,]\s*(?=(?:\[\d{1,2}\])+\s*$)", re.MULTILINE)
_WORD = re.compile(r"[^\W\d_]")


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
    text, dropped = _normalise(raw, len(hits))
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
            for n in _markers(text[start:end])
            if n not in sentence.markers
        ]
        after = end
        if _WORD.search(sentence.text):  # not a table's rule, nor a number alone
            sentences.append(sentence)
    return Cited(
        text="".join([*pieces, text[after:]]).strip(),
        sentences=tuple(sentences),
        citations=_citations(sentences, hits, sources),
        warnings=tuple(warnings),
    )


def _normalise(raw: str, count: int) -> tuple[str, list[int]]:
    """Every spelling as ``[n]``, before the full stop; the numbers that stand for nothing."""
    dropped: list[int] = []

    def respell(match: re.Match[str]) -> str:
        numbers = [int(number) for number in _NUMBER.findall(match.group(1))]
        dropped.extend(n for n in numbers if not 1 <= n <= count)
        return "".join(f"[{n}]" for n in numbers if 1 <= n <= count)

    text = _MARKER.sub(respell, raw)
    text = _DANGLING.sub("", _LEAD.sub("", _EARLY.sub(r"\1 ", text)))
    return _LATE.sub(lambda late: late.group(2).strip() + late.group(1), text), dropped


def _check(shown: str, sources: Sequence[Source]) -> tuple[Sentence, str]:
    """The sentence without its markers, judged; and as shown, with the marker it should have.

    A marker whose passage does not say this gives way to that of the passage that clearly does.
    """
    markers = _markers(shown)
    text = _OURS.sub("", shown).strip()
    if any(sources[n - 1].supports(text) for n in markers):
        return Sentence(text, markers, supported=True), shown
    found = clear_source(text, sources) if _WORD.search(text) else None
    if found is None:
        return Sentence(text, markers, supported=False), shown
    stem = text.rstrip("。！？!?；;.")
    return Sentence(text, (found,), supported=True), f"{stem}[{found}]{text[len(stem) :]}"


def _markers(shown: str) -> tuple[int, ...]:
    return tuple(dict.fromkeys(int(n) for n in _OURS.findall(shown)))


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
