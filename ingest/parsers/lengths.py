"""Elements of sane length: a file of one line is read as many pieces, not as one."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from rag.records import Element

MAX_CHARS = 20_000
"""Many passages; what comes after takes an element as a whole, more than once."""
_BREAK = re.compile(r"[\s。！？；.!?;,，、](?!.*[\s。！？；.!?;,，、])", re.DOTALL)
_SEARCHED = 400


def of_sane_length(elements: Iterable[Element]) -> Iterator[Element]:
    """The elements, long ones cut where a word or a sentence ends, if one does nearby."""
    for element in elements:
        if element.kind == "table" or len(element.text) <= MAX_CHARS:
            yield element
            continue
        start = 0
        while start < len(element.text):
            end = _end(element.text, start)
            if piece := element.text[start:end].strip():
                yield replace(element, text=piece)
            start = end


def _end(text: str, start: int) -> int:
    limit = start + MAX_CHARS
    if limit >= len(text):
        return len(text)
    near = limit - _SEARCHED
    found = _BREAK.search(text[near:limit])
    return near + found.end() if found else limit
