"""Answers questions about all documents, or all rows of a table, from the catalogue."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from rag.catalog.listing import Chosen
from rag.records import (
    Answer,
    Citation,
    Document,
    Hit,
    Passage,
    Scope,
    Sentence,
    Status,
)
from rag.tabular import TableRow
from rag.terms import is_cjk, normalise, terms
from rag.whole_set.asked import Files, Mention, Rows, readings
from rag.whole_set.files import choose, of_kind
from rag.whole_set.reckoning import Reckoning
from rag.whole_set.rows import reckon
from rag.whole_set.telling import MOST_LISTED, Words, counted, mentioned, reckoned, used, used_cells

if TYPE_CHECKING:
    from rag.catalog import Catalog

_MOST_TABLES = 10
"""More tables that could be meant than these, and the question means none in particular."""


@dataclass(frozen=True, slots=True)
class _Told:
    """Lines of an answer and what they are cited from: marker n is ``citations[n - 1]``."""

    lines: tuple[str, ...]
    citations: tuple[Citation, ...] = ()


class WholeSet:
    """Recognises such questions and answers those that the catalogue can answer."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog

    def answer(self, question: str, scope: Scope) -> Answer | None:
        """The whole answer; None for a question that passages must answer."""
        say = Words(chinese=is_cjk(question))
        for asked in readings(question):
            told = self._told(asked, scope, say)
            if told is not None:
                return self._answer(question, told)
        return None

    def _told(self, asked: Mention | Files | Rows, scope: Scope, say: Words) -> _Told | None:
        if isinstance(asked, Mention):
            return self._mention(asked, scope, say)
        if isinstance(asked, Files):
            return self._files(asked, scope, say)
        return self._rows(asked, scope, say)

    def _answer(self, question: str, told: _Told) -> Answer:
        total = self._catalog.passages.count()
        return Answer(
            text="\n".join(told.lines),
            mode="catalogue",
            finish_reason="stop",
            hits=tuple(citation.hit for citation in told.citations),
            question_used=question,
            read=total,
            total=total,
            citations=told.citations,
            sentences=tuple(_sentence(line, told.citations) for line in told.lines),
        )

    # -- documents

    def _files(self, asked: Files, scope: Scope, say: Words) -> _Told | None:
        documents = self._documents(scope)
        chosen = choose(asked, documents)
        if chosen is None:
            return None
        lines = counted(chosen, say)
        if asked.wants == "count":
            return _Told(tuple(lines))
        return self._listed(chosen.documents, lines, say)

    def _listed(self, documents: Sequence[Document], lines: list[str], say: Words) -> _Told:
        """The documents by name, each with its beginning as its source."""
        citations: list[Citation] = []
        for document in documents[:MOST_LISTED]:
            first = self._catalog.passages.stretch(document.document_id, 0, 0)
            if first:
                citations.append(_citation(len(citations) + 1, first[0], document, first[0].text))
            lines.append(f"- {document.path}" + (f" [{len(citations)}]" if first else ""))
        return _Told((*lines, *_more(documents, say)), tuple(citations))

    def _mention(self, asked: Mention, scope: Scope, say: Words) -> _Told | None:
        wanted = terms(asked.phrase)
        found = self._catalog.keywords.holding(wanted, scope)
        by_document: dict[str, Passage] = {}
        for passage in found:
            if _says(passage, asked.phrase):
                by_document.setdefault(passage.document_id, passage)
        telling = [each for each in self._documents(scope) if each.document_id in by_document]
        documents, called = of_kind(asked.noun, telling)
        if not documents:
            return None
        n, words = len(documents), asked.phrase
        lines = [mentioned(n, words, called, say)]
        citations: list[Citation] = []
        for document in documents[:MOST_LISTED]:
            passage = by_document[document.document_id]
            line = _line_of(passage, words)
            citations.append(_citation(len(citations) + 1, passage, document, line))
            lines.append(f"- {document.path} [{len(citations)}]")
        return _Told((*lines, *_more(documents, say)), tuple(citations))

    def _documents(self, scope: Scope) -> list[Document]:
        documents, _ = self._catalog.ledger.documents(Chosen(path_prefix=scope.path_prefix or ""))
        return [each for each in documents if _is_within(each, scope)]

    # -- rows

    def _rows(self, asked: Rows, scope: Scope, say: Words) -> _Told | None:
        found: list[Reckoning] = []
        for table in self._catalog.tables.find(scope):
            reckoning = reckon(asked, table, self._catalog.tables.rows)
            if reckoning is not None:
                found.append(reckoning)
            if len(found) > _MOST_TABLES:
                return None
        if len(found) > 1 and all(each.operation == "count" for each in found):
            # 研发部有几笔, of no table in particular
            found = [each for each in found if each.is_named]
        lines: list[str] = []
        citations: list[Citation] = []
        for each in found:
            cited = self._cited(len(citations) + 1, each)
            if cited is not None:
                lines += reckoned(each, say, marker=cited.marker)
                citations.append(cited)
        return _Told(tuple(lines), tuple(citations)) if lines else None

    def _cited(self, marker: int, found: Reckoning) -> Citation | None:
        """The cells reckoned with, shown in the passage of the first of them."""
        lines = used(found) or found.lines
        places = self._catalog.tables.passage_ids(found.table.table_id, [ln.at for ln in lines])
        line = next((each for each in lines if each.at in places), None)
        if line is None:
            return None
        passage, _ = self._catalog.passages.get([places[line.at]])[places[line.at]]
        quoted = _quote(line.row, passage)
        if found.table.locator.sheet is not None:
            passage = replace(passage, locator=used_cells(found))
        document = self._catalog.ledger.document(found.table.document_id)
        return _citation(marker, passage, document, quoted)


def _sentence(line: str, citations: Sequence[Citation]) -> Sentence:
    markers = tuple(each.marker for each in citations if f"[{each.marker}]" in line)
    return Sentence(line, markers, supported=True)


def _citation(marker: int, passage: Passage, document: Document, quote: str) -> Citation:
    hit = Hit(
        passage=passage,
        document_name=document.name,
        path=document.path,
        locations=document.locations,
        score=1.0,
        rank=marker,
        via=("keyword",),
    )
    return Citation(marker, hit, quote, supported=True)


def _more(documents: Sequence[Document], say: Words) -> tuple[str, ...]:
    left = len(documents) - MOST_LISTED
    return (
        (say(f"另有 {left} 份未列出。", f"{left} more are not listed here."),) if left > 0 else ()
    )


def _is_within(document: Document, scope: Scope) -> bool:
    if document.status is Status.MISSING:
        return False
    if scope.document_ids is not None and document.document_id not in scope.document_ids:
        return False
    if scope.collection is not None and document.collection != scope.collection:
        return False
    early = scope.date_from is not None and document.modified_at < scope.date_from
    late = scope.date_to is not None and document.modified_at > scope.date_to
    return not early and not late


def _says(passage: Passage, phrase: str) -> bool:
    """Whether the words stand in the passage as they were said, not only each for itself."""
    words = re.escape(_bare(phrase))
    whole = words if is_cjk(phrase) else rf"(?<!\w){words}(?!\w)"
    return bool(re.search(whole, _bare(passage.embedded_text)))


def _line_of(passage: Passage, phrase: str) -> str:
    lines = passage.text.splitlines()
    return next((line for line in lines if _bare(phrase) in _bare(line)), lines[0] if lines else "")


def _bare(text: str) -> str:
    """Chinese without blanks, else words in single blanks."""
    plain = normalise(text)
    return "".join(plain.split()) if is_cjk(plain) else " ".join(plain.split())


def _quote(row: TableRow, passage: Passage) -> str:
    """The line of the passage that says the row."""
    shown = [text for text in row.shown if text]
    lines = passage.text.splitlines()
    return next((line for line in lines if all(text in line for text in shown)), lines[0])
