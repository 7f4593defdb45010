"""Sentences, and the facts in them that can be looked up again."""

from __future__ import annotations

import re
import unicodedata
from decimal import Decimal, InvalidOperation

from rag.ports import Span
from rag.terms import is_cjk, normalise, terms

# A full stop ends a sentence only before a blank or the end, so 3.14 and v1.2 stay whole.
_END = re.compile(r"(?:[。！？!?；;]+|\.(?=\s|$))[”’\"')）】」』]*|\n+")
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
_NAME = re.compile(r"(?<![\w-])(?:[A-Z][\w&'-]*[A-Za-z0-9]|\w*\d\w*[A-Za-z]\w*)(?![\w-])", re.ASCII)
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、])\s+")


def sentence_spans(text: str) -> list[Span]:
    """Where each sentence stands, blanks around it left out; lines end sentences too."""
    spans: list[Span] = []
    start = 0
    for end in [*(match.end() for match in _END.finditer(text)), len(text)]:
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            spans.append((start + lead, start + len(piece.rstrip())))
        start = end
    return spans


def figures(text: str) -> set[Decimal]:
    """The numbers in ``text``; 1,234.50 equals 1234.5, and 2023-05-01 gives 2023, 5 and 1."""
    found: set[Decimal] = set()
    for figure in _FIGURE.findall(normalise(_BULLET.sub("", text))):
        try:
            found.add(Decimal(figure).normalize())
        except InvalidOperation:  # digits of another script
            continue
    return found


def names(text: str) -> set[str]:
    """Latin names and codes: capitalised words but the first of a sentence, words with digits."""
    plain = unicodedata.normalize("NFKC", _BULLET.sub("", text))
    return {
        match.group().casefold()
        for match in _NAME.finditer(plain)
        if match.start() > 0 or any(letter.isdigit() for letter in match.group())
    }


def overlap(sentence: str, passage: str) -> float:
    """Share of the sentence's distinct terms that the passage holds, 0 to 1."""
    wanted = set(terms(sentence))
    return len(wanted & set(terms(passage))) / len(wanted) if wanted else 0.0


def same_script(one: str, other: str) -> bool:
    """False for a Chinese sentence beside an English one: their terms can't meet."""
    return is_cjk(one) == is_cjk(other)
