"""Headings by their numbers, and the path of headings a paragraph stands under."""

from __future__ import annotations

import re

_NUMBER = r"[一二三四五六七八九十百千零〇\d]+"
_LEVELS = (
    re.compile(rf"^第\s*{_NUMBER}\s*[编篇部]"),
    re.compile(rf"^第\s*{_NUMBER}\s*章"),
    re.compile(rf"^第\s*{_NUMBER}\s*节"),
    re.compile(r"^[一二三四五六七八九十]+、"),
    re.compile(r"^[（(][一二三四五六七八九十]+[）)]"),
)
_LEVEL_OF_LISTS = 4
_ITEM = re.compile(
    rf"^(?:第\s*{_NUMBER}\s*[编篇部章节条](?![款项第的规至到、，和或之])"
    r"|[一二三四五六七八九十]+、|[（(][一二三四五六七八九十]+[）)]|[（(]\d{1,2}[）)]"
    r"|\d{1,2}[.、．)](?!\d)|[•●○■◆▪–]\s)"
)
_MAX_TITLE_CHARS = 40
_SENTENCE = re.compile(r"[。；，：:;,]|\.\s")


def starts_item(line: str) -> bool:
    """Whether the line starts with the number or mark of an article, heading or list item."""
    return bool(_ITEM.match(line))


def numbered_level(text: str) -> int:
    """1 to 5 for a heading like 第一编, 第二章, 第三节, 一、 or （一）; 0 for anything else."""
    text = text.strip()
    if len(text) > _MAX_TITLE_CHARS or _SENTENCE.search(text) or _has_dots(text):
        return 0
    return next((level for level, pattern in enumerate(_LEVELS, start=1) if pattern.match(text)), 0)


def is_list_level(level: int) -> bool:
    """一、 and （一） number headings in some documents and list items in others."""
    return level >= _LEVEL_OF_LISTS


class SectionPath:
    """The headings above the present place."""

    def __init__(self) -> None:
        self._open: list[tuple[int, str]] = []

    def enter(self, level: int, title: str) -> None:
        """A heading of ``level`` closes those of its level and below."""
        self._open = [(depth, name) for depth, name in self._open if depth < level]
        self._open.append((level, " ".join(title.split())))

    def copy(self) -> SectionPath:
        """The same headings, to go on from by itself."""
        path = SectionPath()
        path._open = list(self._open)
        return path

    @property
    def titles(self) -> tuple[str, ...]:
        return tuple(name for _, name in self._open)


def _has_dots(text: str) -> bool:
    """A line of a table of contents: dots lead to its page number."""
    return "..." in text or ". . ." in text or "……" in text
