"""Whether a query is a heading: people look up a chapter by its name, as it stands there."""

from __future__ import annotations

import re

from rag.terms import normalise

LONGEST = 60
"""Letters and digits; whoever types more asks something."""
_NUMBER = re.compile(r"^(?:第?\s*[\da-z一二三四五六七八九十]+(?:\.\d+)*\s*[章节.、)]?\s+)")
_MARKS = re.compile(r"[\W_]+")


def bare(text: str) -> str:
    """The letters and digits alone, case, width and script apart."""
    return _MARKS.sub("", normalise(text))


def stands_as_line(wanted: str, text: str) -> bool:
    """Whether ``wanted``, made by `bare`, is a line of the text, with or without its number."""
    for line in normalise(text).splitlines():
        if wanted in {_MARKS.sub("", line), _MARKS.sub("", _NUMBER.sub("", line.strip()))}:
            return True
    return False
