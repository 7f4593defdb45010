"""Ties an answer to its sources: markers read, looked up again, quoted.

A marker is a number the prompt gave to a passage. Models spell it in many ways; here each becomes
``[n]``. What a marker's passage does not say loses it: a wrong page is worse than none.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.markers import Claim, claims_in, markers_in, only, respelled, without_markers
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
    checked: list[_Checked] = []
    after = 0
    warnings = [Notice("unknown_marker", f"[{n}] stands for no passage.") for n in dropped]
    for start, end in sentence_spans(text):
        one = _check(text[start:end], sources)
        pieces += [text[after:start], one.shown]
        warnings += _lost(markers_in(text[start:end]), one.sentence.markers)
        after = end
        if _SIGN.search(one.sentence.text):  # not a table's rule
            checked.append(one)
    # A number alone counts an item of a list, unless it is the whole answer.
    checked = [each for each in checked if _WORD.search(each.sentence.text)] or checked
    return Cited(
        text="".join([*pieces, text[after:]]).strip(),
        sentences=tuple(each.sentence for each in checked),
        citations=_citations([c for each in checked for c in each.claims], hits, sources),
        warnings=tuple(warnings),
    )


@dataclass(frozen=True, slots=True)
class _Checked:
    """A sentence judged, as it is shown, and what is said with which markers."""

    sentence: Sentence
    shown: str
    claims: Sequence[Claim]


def _check(shown: str, sources: Sequence[Source]) -> _Checked:
    """The sentence without its markers, judged; and as shown, with the markers it should have.

    A marker whose passage does not say this gives way to that of the passage that clearly does.
    """
    text, markers = without_markers(shown), markers_in(shown)
    if good := _saying(text, markers, sources):
        return _Checked(Sentence(text, good, supported=True), only(shown, good), [(text, good)])
    claims = claims_in(shown) if len(markers) > 1 else []
    said = [(words, _saying(words, of, sources)) for words, of in claims]
    if len(said) > 1 and all(of for _, of in said):
        return _marked(text, shown, said, supported=True)
    is_said = bool(_SIGN.search(text))
    found = clear_source(text, sources, is_marked=bool(markers)) if is_said else None
    if found is None:
        return _marked(text, shown, [each for each in said if each[1]], supported=False)
    stem = text.rstrip("。！？!?；;.")
    shown = f"{stem}[{found}]{text[len(stem) :]}"
    return _Checked(Sentence(text, (found,), supported=True), shown, [(text, (found,))])


def _marked(text: str, shown: str, said: Sequence[Claim], *, supported: bool) -> _Checked:
    """The sentence with the markers of what is said of it."""
    markers = tuple(dict.fromkeys(n for _, of in said for n in of))
    return _Checked(Sentence(text, markers, supported=supported), only(shown, markers), said)


def _saying(said: str, markers: Sequence[int], sources: Sequence[Source]) -> tuple[int, ...]:
    return tuple(n for n in markers if sources[n - 1].supports(said))


def _lost(given: Sequence[int], kept: Sequence[int]) -> list[Notice]:
    """What is to be told of the model's markers that were taken away."""
    instead = f"; [{kept[0]}] does." if kept else "."
    code = "marker_replaced" if kept else "marker_removed"
    return [Notice(code, f"[{n}] does not say this{instead}") for n in given if n not in kept]


def _citations(
    claims: Sequence[Claim], hits: Sequence[Hit], sources: Sequence[Source]
) -> tuple[Citation, ...]:
    citing: dict[int, list[str]] = {}
    for said, markers in claims:
        for marker in markers:
            citing.setdefault(marker, []).append(said)
    return tuple(
        Citation(
            marker=marker,
            hit=hits[marker - 1],
            quote=quote(
                " ".join(texts), hits[marker - 1].passage.text, sources[marker - 1].question
            ),
            supported=all(sources[marker - 1].supports(text) for text in texts),
        )
        for marker, texts in sorted(citing.items())
    )
