"""What the styles of a Word file say about a paragraph: heading depth, numbers, hidden, bold."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.word_package import W

if TYPE_CHECKING:
    from lxml.etree import _Element

_OFF = frozenset({"0", "false", "off", "none"})
_BODY_LEVEL = 9
_HEADING = re.compile(r"^heading ([1-9])$")
_MAX_DEPTH = 20
"""Styles based on each other in a circle end here."""


@dataclass(frozen=True, slots=True)
class Style:
    """A style with what it has from those it is based on."""

    style_id: str = ""
    name: str = ""
    outline: int | None = None
    num_id: str | None = None
    num_level: int | None = None
    hidden: bool = False
    bold: bool = False
    shaded: bool = False
    raised: bool = False


class Styles:
    """The styles of a document, by id."""

    def __init__(self, root: _Element | None) -> None:
        styles = [] if root is None else root.findall(f"{W}style")
        self._elements = {each.get(f"{W}styleId", ""): each for each in styles}
        self._default = next(
            (
                each.get(f"{W}styleId", "")
                for each in styles
                if each.get(f"{W}type") == "paragraph" and is_on(each, f"{W}default")
            ),
            "",
        )
        self._made: dict[str, Style] = {}

    def of_paragraph(self, properties: _Element | None) -> Style:
        """The style a ``w:pPr`` names, or the default one."""
        return self.named(value(properties, "pStyle") or self._default)

    def named(self, style_id: str, depth: int = 0) -> Style:
        if style_id not in self._made:
            self._made[style_id] = self._make(style_id, depth)
        return self._made[style_id]

    def _make(self, style_id: str, depth: int) -> Style:
        element = self._elements.get(style_id)
        if element is None or depth > _MAX_DEPTH:
            return Style(style_id)
        based_on = value(element, "basedOn")
        base = self.named(based_on, depth + 1) if based_on else Style()
        paragraph, run = element.find(f"{W}pPr"), element.find(f"{W}rPr")
        name = (value(element, "name") or "").casefold()
        outline = level_of(value(paragraph, "outlineLvl"))
        heading = _HEADING.match(name)
        if outline is None and heading:  # as LibreOffice writes them
            outline = int(heading[1]) - 1
        num_id, num_level = number_of(paragraph)
        return Style(
            style_id,
            name,
            base.outline if outline is None else outline,
            num_id or base.num_id,
            base.num_level if num_level is None else num_level,
            switched(run, "vanish", inherited=base.hidden),
            switched(run, "b", inherited=base.bold),
            base.shaded or is_shaded(paragraph) or is_shaded(run),
            is_raised(run, inherited=base.raised),
        )


def value(parent: _Element | None, path: str) -> str | None:
    """The ``w:val`` of the element at ``path`` (names joined by /) below ``parent``."""
    found = None if parent is None else parent.find("/".join(W + part for part in path.split("/")))
    return None if found is None else found.get(f"{W}val")


def switched(properties: _Element | None, name: str, *, inherited: bool = False) -> bool:
    """Whether a property such as ``w:b`` is on; there without a value means on."""
    found = None if properties is None else properties.find(W + name)
    return inherited if found is None else is_on(found, f"{W}val", absent=True)


def is_raised(properties: _Element | None, *, inherited: bool = False) -> bool:
    """Whether the words stand higher and smaller than others."""
    said = value(properties, "vertAlign")
    return inherited if said is None else said == "superscript"


def is_shaded(properties: _Element | None) -> bool:
    """Whether a ground of its own is named; white on it may well be seen."""
    if properties is None:
        return False
    shading = properties.find(f"{W}shd")
    ground = "auto" if shading is None else shading.get(f"{W}fill", "auto")
    return ground.lower() not in ("auto", "ffffff") or properties.find(f"{W}highlight") is not None


def is_on(element: _Element, attribute: str, *, absent: bool = False) -> bool:
    said = element.get(attribute)
    return absent if said is None else said.lower() not in _OFF


def level_of(said: str | None) -> int | None:
    """An outline or list level from 0."""
    return int(said) if said and said.isdecimal() and int(said) <= _BODY_LEVEL else None


def number_of(properties: _Element | None) -> tuple[str | None, int | None]:
    """``w:numId`` and ``w:ilvl`` of a ``w:pPr``."""
    return value(properties, "numPr/numId"), level_of(value(properties, "numPr/ilvl"))
