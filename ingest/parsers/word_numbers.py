"""Automatic numbers of Word paragraphs: people cite 第三条 or 2.1, which no run of text says."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.numerals import numeral
from ingest.parsers.word_package import W
from ingest.parsers.word_styles import Style, Styles, level_of, switched, value

if TYPE_CHECKING:
    from collections.abc import Mapping

    from lxml.etree import _Element

_PLACEHOLDER = re.compile(r"%([1-9])")
_MAX_NUMBER = 100_000
_LEVELS = 9
_MAX_LINKS = 5


@dataclass(frozen=True, slots=True)
class _Level:
    form: str
    text: str
    start: int
    after: str
    all_decimal: bool
    style_id: str | None
    restarts: bool


@dataclass(frozen=True, slots=True)
class _List:
    """A ``w:num``: the levels it has, and the key of the counter it shares with others."""

    counter: str
    levels: Mapping[int, _Level]
    starts_anew: Mapping[int, int]


class Numbering:
    """Counts the numbered paragraphs of a document, in order."""

    def __init__(self, root: _Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstract = _by_id(root, "abstractNum", "abstractNumId")
        self._nums = _by_id(root, "num", "numId")
        self._lists: dict[str, _List] = {}
        self._counts: dict[str, list[int | None]] = {}
        self._begun: set[tuple[str, int]] = set()

    def next(self, num_id: str, level: int | None, style: Style) -> str | None:
        """The number of the next paragraph, with the blank after it; None where there is no list.

        Args:
            num_id: of the paragraph or its style; ``0`` is none.
            level: from 0; None where only the style says which.
            style: of the paragraph.
        """
        listed = self._list(num_id)
        if listed is None:
            return None
        if level is None:
            named = (at for at, each in listed.levels.items() if each.style_id == style.style_id)
            level = next(named, 0)
        at = listed.levels.get(level)
        if at is None:
            return None
        counts = self._count(num_id, listed, level)
        written = _PLACEHOLDER.sub(lambda found: self._shown(found, listed, at, counts), at.text)
        return written + at.after if at.form not in ("bullet", "none") or "%" in at.text else ""

    def _shown(
        self, found: re.Match[str], listed: _List, at: _Level, counts: list[int | None]
    ) -> str:
        depth = int(found[1]) - 1
        other = listed.levels.get(depth)
        if other is None:
            return ""
        count = counts[depth]
        form = "decimal" if at.all_decimal and other.form != "none" else other.form
        return numeral(other.start if count is None else count, form)

    def _count(self, num_id: str, listed: _List, level: int) -> list[int | None]:
        counts = self._counts.setdefault(listed.counter, [None] * _LEVELS)
        before = counts[level]
        start = listed.starts_anew.get(level)
        if start is not None and (num_id, level) not in self._begun:
            counts[level] = start
        elif before is None:
            counts[level] = listed.levels[level].start
        else:
            counts[level] = min(before + 1, _MAX_NUMBER)
        self._begun.add((num_id, level))
        for deeper in range(level + 1, _LEVELS):
            if deeper not in listed.levels or listed.levels[deeper].restarts:
                counts[deeper] = None
        return counts

    def _list(self, num_id: str) -> _List | None:
        if num_id not in self._lists:
            made = self._make(num_id)
            if made is None:
                return None
            self._lists[num_id] = made
        return self._lists[num_id]

    def _make(self, num_id: str) -> _List | None:
        num = self._nums.get(num_id)
        if num is None:
            return None
        counter = value(num, "abstractNumId") or ""
        abstract = self._followed(self._abstract.get(counter))
        if abstract is None:
            return None
        levels = {at: level for each in abstract.findall(f"{W}lvl") for at, level in _level(each)}
        starts: dict[int, int] = {}
        for override in num.findall(f"{W}lvlOverride"):
            at = level_of(override.get(f"{W}ilvl"))
            start = value(override, "startOverride")
            if at is not None and start and start.isdecimal():
                starts[at] = min(int(start), _MAX_NUMBER)
            for each in override.findall(f"{W}lvl"):
                levels.update(_level(each))
        return _List(counter, levels, starts)

    def _followed(self, abstract: _Element | None) -> _Element | None:
        """Some lists only name the list style that says how they count."""
        for _ in range(_MAX_LINKS):
            link = value(abstract, "numStyleLink")
            if link is None:
                break
            num = self._nums.get(self._styles.named(link).num_id or "")
            abstract = self._abstract.get(value(num, "abstractNumId") or "")
        return abstract


def _by_id(root: _Element | None, name: str, key: str) -> dict[str, _Element]:
    found = [] if root is None else root.findall(W + name)
    return {each.get(W + key, ""): each for each in found}


def _level(element: _Element) -> list[tuple[int, _Level]]:
    at = level_of(element.get(f"{W}ilvl"))
    if at is None or at >= _LEVELS:
        return []
    start = value(element, "start") or "1"
    after = {"nothing": "", "space": " "}.get(value(element, "suff") or "tab", " ")
    level = _Level(
        form=value(element, "numFmt") or "decimal",
        text=value(element, "lvlText") or "",
        start=min(int(start), _MAX_NUMBER) if start.isdecimal() else 1,
        after=after,
        all_decimal=switched(element, "isLgl"),
        style_id=value(element, "pStyle"),
        restarts=value(element, "lvlRestart") != "0",
    )
    return [(at, level)]
