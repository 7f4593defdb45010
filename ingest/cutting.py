"""Cuts text that is too long for a passage: at sentence ends, table rows between their cells."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from itertools import pairwise

from rag.ports import Span
from rag.sentences import sentence_spans

TokenSpans = Callable[[str], list[Span]]

_CELL = " | "
_NAME = re.compile(r"[^|:]{1,60}: (?=\S)")
_KEY_SHARE = 3
"""A row's key is repeated where it takes no more than a third of the room."""
_MIN_ROOM = 8


def pieces(text: str, room: int, token_spans: TokenSpans) -> list[Span]:
    """Stretches of ``text`` of ``room`` tokens at most, cut at sentence ends where possible."""
    total = len(token_spans(text))
    if total <= room:
        return [(0, len(text))]
    # Pieces of one size, not full ones and a crumb.
    aim = min(room, -(-total // -(-total // room)) + room // 10)
    spans: list[Span] = []
    tokens = 0
    for start, end in _sentences(text, room, token_spans):
        size = len(token_spans(text[start:end]))
        if spans and tokens + size <= aim:
            spans[-1] = (spans[-1][0], end)
            tokens += size
        else:
            spans.append((start, end))
            tokens = size
    return spans


def row_pieces(row: str, room: int, token_spans: TokenSpans) -> list[str]:
    """A table's row, or parts of it of ``room`` tokens at most, each with the row's first cell."""
    if len(token_spans(row)) <= room:
        return [row]
    key, *cells = row.split(_CELL)
    lead = f"{key}{_CELL}"
    size = len(token_spans(lead))
    if size * _KEY_SHARE > room:
        lead, size, cells = "", 0, [key, *cells]
    left = max(room - size, _MIN_ROOM)
    parts: list[str] = []
    tokens = 0
    for cell in cells:
        for part in _cell_pieces(cell, left, token_spans):
            more = len(token_spans(f"{_CELL}{part}"))
            if parts and tokens + more <= left:
                parts[-1] += f"{_CELL}{part}"
                tokens += more
            else:
                parts.append(f"{lead}{part}")
                tokens = more
    return parts


def _cell_pieces(cell: str, room: int, token_spans: TokenSpans) -> Iterator[str]:
    """A cell, or parts of it, each with the name that it begins with: ``Answer: …``."""
    if len(token_spans(cell)) <= room:
        yield cell
        return
    found = _NAME.match(cell)
    name = found.group() if found else ""
    size = len(token_spans(name)) if name else 0
    if size * _KEY_SHARE > room:
        name, size = "", 0
    for start, end in pieces(cell, room - size, token_spans):
        yield f"{name}{cell[start:end]}" if start else cell[start:end]


def _sentences(text: str, room: int, token_spans: TokenSpans) -> Iterator[Span]:
    """Sentences; one that is too long comes in token borders' stretches."""
    for start, end in sentence_spans(text):
        tokens = token_spans(text[start:end])
        if len(tokens) <= room:
            yield start, end
            continue
        cuts = [0, *(tokens[at][0] for at in range(room, len(tokens), room)), end - start]
        yield from ((start + a, start + b) for a, b in pairwise(cuts))
