"""Looks an answer's sentences up again in the passages they are said to come from."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.records import Hit
from rag.sentences import content_terms, figures, names, overlap, same_script, sentence_spans
from rag.terms import normalise, terms

MIN_SUPPORT = 0.35
"""Share of a sentence's terms a passage must hold to support what it is cited for."""
MIN_NEW = 0.5
"""Share of what the sentence adds to the question that must stand in the passage itself."""
MIN_ATTRIBUTION = 0.6
"""The same for a sentence that came without a marker: only a clear source is given to it."""


@dataclass(frozen=True, slots=True)
class Source:
    """A passage as evidence.

    What the question itself named (the contract, the year) an answer repeats; that may stand
    elsewhere in the document: ``document`` is the text of its passages that were found.
    """

    text: str
    question: str
    document: str

    def supports(self, sentence: str) -> bool:
        """Whether the sentence's figures, dates and names stand here, and enough of the rest.

        Across languages only figures and Latin names can be looked up.
        """
        return self._holds_facts(sentence) and (
            not same_script(sentence, self.text)
            or (self.share(sentence) >= MIN_SUPPORT and self.news(sentence) >= MIN_NEW)
        )

    def news(self, sentence: str) -> float:
        """Share of the terms that the sentence adds to the question that stand here, 0 to 1."""
        new = content_terms(sentence) - set(terms(self.question))
        return len(new & set(terms(self.text))) / len(new) if new else 1.0

    def share(self, sentence: str) -> float:
        """Share of the sentence's content terms that stand here, 0 to 1."""
        wanted = content_terms(sentence)
        named = set(terms(self.question)) & set(terms(self.document))
        return len(wanted & (set(terms(self.text)) | named)) / len(wanted) if wanted else 0.0

    def _holds_facts(self, sentence: str) -> bool:
        named = figures(self.question) & figures(self.document)
        if not figures(sentence) <= figures(self.text) | named:
            return False
        here, asked, around = map(normalise, (self.text, self.question, self.document))
        return all(
            name in here or (name in asked and name in around)
            for name in map(normalise, names(sentence))
        )


def sources_of(hits: Sequence[Hit], question: str) -> list[Source]:
    """The passages as evidence, in their order."""
    documents: dict[str, list[str]] = {}
    for hit in hits:
        documents.setdefault(hit.passage.document_id, []).append(hit.passage.embedded_text)
    return [
        Source(
            text=hit.passage.embedded_text,
            question=question,
            document="\n".join(documents[hit.passage.document_id]),
        )
        for hit in hits
    ]


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
