"""Looks an answer's sentences up again in the passages they are said to come from.

What a sentence adds to the question must stand in the passage, each figure in one sentence or row
of it (a `Window`), and no other window of the document with figures may be more about what the
sentence is about: "the deposit is 4,250" is not supported by the rent of 4,250.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from rag.records import Hit
from rag.sentences import (
    content_terms,
    figures,
    names,
    ordinals,
    overlap,
    same_script,
    sentence_spans,
)
from rag.terms import normalise, terms

MIN_SUPPORT = 0.35
"""Share of a sentence's terms a passage must hold to support what it is cited for."""
MIN_NEW = 0.55
"""Share of what the sentence adds to the question that must stand in the passage."""
MIN_ATTRIBUTION = 0.6
"""Share of terms for a sentence that came without a marker: only a clear source is given to it."""
_MIN_SUBJECT = 2
_BARE = 4
"""Terms of a name given as the whole answer, at most."""
_CLAUSE = re.compile(r"[，；;]|,(?=\s)|\band\b|以及|并且")
_NOT = re.compile(r"\b(?:not|never|no|cannot)\b|n't\b|并非|不是|没有|无需|不需要", re.IGNORECASE)
_ROW = " | "
_OPPOSITE = 0.6
"""Share of a clause's terms that a window which says the opposite must hold to speak against it."""
_DIGIT = re.compile(r"\d")
_UNIT = re.compile(r"\d\s*([a-z]+|[\u4e00-\u9fff])")


@dataclass(frozen=True)
class Window:
    """A sentence or row of a passage, read under the passage's headings."""

    text: str
    context: str

    @cached_property
    def figures(self) -> set[object]:
        return _figures(self.text)

    @cached_property
    def given(self) -> set[object]:
        """The figures of the headings, too: they hold for every row below."""
        return self.figures | _figures(self.context)

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(f"{self.context}\n{self.text}"))

    def denies(self, clause: str) -> bool:
        """Whether the part of it that is most like ``clause`` denies something."""
        nearest = max(_clauses(self.text), key=lambda part: overlap(clause, part), default="")
        return bool(_NOT.search(nearest))


@dataclass(frozen=True)
class Source:
    """A passage as evidence; ``rivals`` are the windows of its document that were found."""

    hit: Hit
    question: str
    rivals: tuple[Window, ...]

    @property
    def text(self) -> str:
        return self.hit.passage.embedded_text

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        return tuple(_windows(self.hit))

    def supports(self, sentence: str) -> bool:
        """Whether the passage says what the sentence says, as far as words and figures tell.

        Across languages only figures and Latin names can be looked up.
        """
        if not self._holds_names(sentence) or not all(map(self._holds, _clauses(sentence))):
            return False
        if not same_script(sentence, self.hit.passage.text):
            return True
        if not self._answers(sentence):
            return False
        return self.share(sentence) >= MIN_SUPPORT and self.news(sentence) >= MIN_NEW

    def _answers(self, sentence: str) -> bool:
        """Whether a bare name, given as the whole answer, stands beside what was asked about."""
        asked = content_terms(self.question) if self.question else set()
        new = content_terms(sentence) - asked
        if not asked or not 0 < len(new) <= _BARE or content_terms(sentence) & asked:
            return True
        holding = [window for window in self.windows if new <= window.terms]
        if any(_ROW in window.text for window in holding):
            holding = [window for window in holding if self._is_row_asked_for(window)]
            return any(asked & window.terms for window in holding)
        return not holding or any(asked & window.terms for window in holding)

    def _is_row_asked_for(self, row: Window) -> bool:
        """Whether a row holds the codes that the question names, where any row found does."""
        codes = {normalise(name) for name in names(self.question) if _DIGIT.search(name)}
        known = normalise("\n".join(window.text for window in self.rivals))
        return all(code in normalise(row.text) for code in codes if code in known)

    def share(self, sentence: str) -> float:
        """Share of the sentence's content terms that stand here, 0 to 1."""
        wanted = content_terms(sentence)
        held = set(terms(self.text)) | self._named
        return len(wanted & held) / len(wanted) if wanted else 0.0

    def news(self, sentence: str) -> float:
        """Share of the terms that the sentence adds to the question that stand here, 0 to 1."""
        new = content_terms(sentence) - set(terms(self.question))
        return len(new & set(terms(self.text))) / len(new) if new else 1.0

    @cached_property
    def _named(self) -> set[str]:
        """What the question names (a street, a year) that stands elsewhere in the document."""
        asked = names(self.question) | {str(figure) for figure in figures(self.question)}
        around = set().union(*(window.terms for window in self.rivals))
        return {term for name in asked for term in terms(name)} & around

    def _holds(self, clause: str) -> bool:
        """Whether a window holds the clause's figures, none of the others being more about it."""
        wanted = _figures(clause)
        new = wanted - _figures(self.question)
        if not wanted - new <= set().union(*(window.given for window in self.rivals)):
            return False
        alike = self._alike(clause)
        if self._is_contradicted(clause, alike):
            return False
        if not new:
            return bool(alike)
        subject = self._subject(clause)
        if not self._is_about(clause, subject, [w for w in alike if new <= w.given]):
            return False
        holding = [len(subject & window.terms) for window in alike if new <= window.given]
        others = [len(subject & w.terms) for w in self.rivals if w.figures and not new <= w.given]
        return bool(holding) and max(holding) >= max(others, default=0)

    def _is_contradicted(self, clause: str, alike: Sequence[Window]) -> bool:
        """Whether a window that says nearly the same denies it, or affirms what it denies."""
        denies = bool(_NOT.search(clause))
        against = [w for w in self.windows if w.denies(clause) != denies]
        most = max((overlap(clause, window.text) for window in against), default=0.0)
        others = (overlap(clause, w.text) for w in alike if w not in against)
        return most >= _OPPOSITE and most > max(others, default=0.0)

    def _is_about(self, clause: str, subject: set[str], holding: Sequence[Window]) -> bool:
        """Whether a window that holds the figures says a word of the subject in its own text.

        What stands in the headings is about every row below, so it tells none of them apart: a
        parking fee is not the deposit of the same contract.
        """
        if not same_script(clause, self.hit.passage.text):
            return True
        units = {term for unit in _UNIT.findall(normalise(clause)) for term in terms(unit)}
        own = subject - units - set().union(*(terms(window.context) for window in holding))
        return not own or any(own & set(terms(window.text)) for window in holding)

    def _alike(self, clause: str) -> list[Window]:
        """The windows that deny or affirm as the clause does; a denial needs one that denies."""
        denies = bool(_NOT.search(clause))
        alike = [window for window in self.windows if window.denies(clause) == denies]
        return alike or ([] if denies else list(self.windows))

    def _subject(self, clause: str) -> set[str]:
        """What the clause is about: its words without figures; with the question's if they lack."""
        subject = {term for term in content_terms(clause) if not _DIGIT.search(term)}
        if len(subject) < _MIN_SUBJECT:
            subject |= content_terms(self.question)
        return subject - self._named

    def _holds_names(self, sentence: str) -> bool:
        here, asked = normalise(self.text), normalise(self.question)
        around = normalise("\n".join(f"{w.context} {w.text}" for w in self.rivals))
        return all(
            name in here or (name in asked and name in around)
            for name in map(normalise, names(sentence))
        )


def sources_of(hits: Sequence[Hit], question: str) -> list[Source]:
    """The passages as evidence, in their order."""
    documents: dict[str, list[Window]] = {}
    for hit in hits:
        documents.setdefault(hit.passage.document_id, []).extend(_windows(hit))
    return [Source(hit, question, tuple(documents[hit.passage.document_id])) for hit in hits]


def clear_source(sentence: str, sources: Sequence[Source]) -> int | None:
    """The marker of the passage that clearly says the sentence, if any."""
    clear = [
        (source.news(sentence), overlap(sentence, source.text), -number)
        for number, source in enumerate(sources, start=1)
        if source.supports(sentence) and source.share(sentence) >= MIN_ATTRIBUTION
    ]
    return -max(clear)[-1] if clear else None


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


def _windows(hit: Hit) -> Iterator[Window]:
    text = hit.passage.text
    for start, end in sentence_spans(text):
        yield Window(text[start:end], hit.passage.context)


def _figures(text: str) -> set[object]:
    """Figures by value, and ordinals apart: 第二条 holds no 2."""
    return {*figures(text), *(("第", number) for number in ordinals(text))}


def _clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(sentence) if clause.strip()]
