"""How much of the characters that answer a question the passages found hold, and how little else.

After Smith and Troynikov, "Evaluating Chunking Strategies for Retrieval" (2024), with characters
in the place of tokens. Only letters and digits count, since reading a file changes blanks and
signs: a passage is looked for in its file by these alone.
"""

from __future__ import annotations

import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import PurePosixPath

from rag.evaluation.questions import Question
from rag.ports import Span
from rag.records import Hit

TEXT_FILES = frozenset({".md", ".txt"})
"""Files whose characters a question set can count."""


@dataclass(frozen=True, slots=True)
class Covered:
    """Shares from 0 to 1: of the gold, of what was found, and of both taken together."""

    recall: float
    precision: float
    iou: float


class Sources:
    """The files' own text, by name; a passage is found again in it.

    Args:
        texts: the text of each file, by its name or path.
    """

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._letters = {_key(name): _Letters(text) for name, text in texts.items()}

    def covered(self, question: Question, hits: Sequence[Hit]) -> Covered:
        """How the hits together cover the question's spans; hits of other files are in vain."""
        source = self._letters[_key(question.document)]
        gold = _positions(source.spans_of(question.spans))
        right = _positions(
            span for hit in hits if self._is_of(question, hit) for span in source.where(hit)
        )
        others = [hit for hit in hits if not self._is_of(question, hit)]
        found = len(right) + sum(len(_squeezed(hit.passage.text)) for hit in others)
        both = len(gold & right)
        return Covered(
            recall=both / len(gold) if gold else 0.0,
            precision=both / found if found else 0.0,
            iou=both / (len(gold) + found - both) if gold else 0.0,
        )

    def rank(self, question: Question, hits: Sequence[Hit]) -> int | None:
        """The rank of the first hit that holds any of the gold characters."""
        return next((hit.rank for hit in hits if self.covered(question, [hit]).recall > 0), None)

    @staticmethod
    def _is_of(question: Question, hit: Hit) -> bool:
        return _key(hit.path) == _key(question.document)


class _Letters:
    """A text's letters and digits, and where in the text each stands."""

    def __init__(self, text: str) -> None:
        pairs = [(at, letter) for at, each in enumerate(text) for letter in _squeezed(each)]
        self._offsets = [at for at, _ in pairs]
        self._text = "".join(letter for _, letter in pairs)

    def spans_of(self, spans: Iterable[Span]) -> list[Span]:
        """Spans of the text as spans of its letters."""
        return [(self._count_before(start), self._count_before(end)) for start, end in spans]

    def where(self, hit: Hit) -> list[Span]:
        """Where the passage stands: as a whole, or else each of its lines after the one before."""
        whole = self._find(hit.passage.text, 0)
        if whole is not None:
            return [whole]
        found: list[Span] = []
        for line in hit.passage.text.splitlines():
            span = self._find(line, found[-1][1] if found else 0)
            if span is not None:
                found.append(span)
        return found

    def _find(self, text: str, start: int) -> Span | None:
        letters = _squeezed(text)
        at = self._text.find(letters, start) if letters else -1
        return (at, at + len(letters)) if at >= 0 else None

    def _count_before(self, offset: int) -> int:
        return bisect_left(self._offsets, offset)


def _positions(spans: Iterable[Span]) -> set[int]:
    return {at for start, end in spans for at in range(start, end)}


def _squeezed(text: str) -> str:
    plain = unicodedata.normalize("NFKC", text).casefold()
    return "".join(letter for letter in plain if letter.isalnum())


def _key(name: str) -> str:
    """A file's name without folders and ending."""
    path = PurePosixPath(name)
    return path.stem if path.suffix.lower() in TEXT_FILES else path.name
