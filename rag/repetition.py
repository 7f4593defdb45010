"""Sees when a model has fallen into a loop, and where it began."""

from __future__ import annotations

import re

from rag.sentences import sentence_spans
from rag.terms import normalise

MAX_PERIOD = 120
"""Longest loop looked for by its letters, characters; longer ones are found by their sentences."""
_MIN_TIMES = 4
_MIN_CHARS = 40
_MIN_CHARS_WITHOUT_WORDS = 160
"""The rule of a table and rows of figures may repeat for long and mean it."""
_TIMES_SAID = 3
_MIN_SENTENCE = 6
_LETTER = re.compile(r"[^\W\d_]")
_SIGN = re.compile(r"\w")
_LEAD = re.compile(r"^\s*(?:[-*•#>]+|\d{1,3}[.)、])\s*")
_DANGLING = re.compile(r"\n\s*(?:[-*•#>]+|\d{1,3}[.)、])\s*\Z")
_MARKER = re.compile(r"\[\d{1,2}\]")


def loop_start(text: str) -> int | None:
    """Where a loop that ``text`` ends in begins to repeat itself; None where there is none."""
    return _periodic(text) or _said_again(text)


def _periodic(text: str) -> int | None:
    """The place after the first of at least four equal pieces at the end."""
    for period in range(1, min(MAX_PERIOD, len(text) // _MIN_TIMES) + 1):
        unit = text[-period:]
        if not text.endswith(unit * _MIN_TIMES):
            continue
        start = len(text) - period
        while text.endswith(unit, 0, start):
            start -= period
        needed = _MIN_CHARS if _LETTER.search(unit) else _MIN_CHARS_WITHOUT_WORDS
        if len(text) - start >= needed:
            return start + period
    return None


def _said_again(text: str) -> int | None:
    """The place where the first of the sentences said three times is said the second time."""
    places: dict[str, list[int]] = {}
    for start, end in sentence_spans(text):
        said = _MARKER.sub("", _LEAD.sub("", normalise(text[start:end])))
        if len(_SIGN.findall(said)) >= _MIN_SENTENCE:
            places.setdefault(said, []).append(start)
    again = [starts[1] for starts in places.values() if len(starts) >= _TIMES_SAID]
    return len(_DANGLING.sub("", text[: min(again)])) if again else None
