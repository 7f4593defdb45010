"""Words broken at line ends: which hyphens belong to the word, told by the document itself."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import TYPE_CHECKING

from ingest.parsers.characters import HYPHENS

if TYPE_CHECKING:
    from ingest.parsers.paragraphs import Line

_WORD = re.compile(r"[^\W\d_]+(?:-[^\W\d_]+)*")
_LAST = re.compile(rf"([^\W\d_]+(?:-[^\W\d_]+)*)[{HYPHENS}]$")


def words(lines: Iterable[Line]) -> frozenset[str]:
    """Every word that stands unbroken somewhere; halves at line ends are none."""
    found: set[str] = set()
    broken = False
    for line in lines:
        here = _WORD.findall(line.text.casefold())
        after, broken = broken, line.text.endswith(tuple(HYPHENS))
        found.update(here[1 if after else 0 : -1 if broken else None])
    return frozenset(found)


def with_hyphens(lines: Sequence[Line], known: frozenset[str]) -> Iterator[Line]:
    """The lines, a real hyphen put before the mark of a broken word where it has one."""
    for line, after in pairwise([*lines, None]):
        if line is None:
            return
        ends, begins = _LAST.search(line.text), _WORD.match(after.text) if after else None
        if ends and begins and _has_hyphen(ends[1], begins[0], known):
            mark = line.text[-1]
            yield replace(line, text=f"{line.text[:-1]}-{mark}")
        else:
            yield line


def _has_hyphen(before: str, after: str, known: frozenset[str]) -> bool:
    first, second = before.casefold(), after.casefold()
    if first + second in known:
        return False
    if f"{first}-{second}" in known or "-" in before + after:
        return True
    return after[0].isupper() != before[-1].isupper() or (first in known and second in known)
