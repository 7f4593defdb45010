"""What is filled into the fields of a web page, as words beside their labels."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

_FIELDS = frozenset({"input", "select", "textarea"})
_UNSEEN = frozenset({"hidden", "password", "submit", "button", "reset", "image", "file", "range"})
_TICKED = frozenset({"checkbox", "radio"})
_BOXES = {True: "☑", False: "☐"}


def fill_in(root: _Element, name_of: Callable[[_Element], str]) -> None:
    """Put what each field holds in its place, as words; nothing where it is empty."""
    for each in list(root.iter()):
        name = name_of(each)
        told = _told(each, name, name_of) if name in _FIELDS else ""
        if told:
            tail = each.tail
            each.clear()
            each.tag = "span"
            each.text, each.tail = f" {told} ", tail


def _told(field: _Element, name: str, name_of: Callable[[_Element], str]) -> str:
    if name == "textarea":
        return (field.text or "").strip()
    if name == "select":
        options = (each for each in field.iter() if name_of(each) == "option")
        chosen = ["".join(each.itertext()) for each in options if each.get("selected") is not None]
        return ", ".join(" ".join(words.split()) for words in chosen)
    kind = field.get("type", "text").lower()
    if kind in _TICKED:
        return _BOXES[field.get("checked") is not None]
    return "" if kind in _UNSEEN else field.get("value", "").strip()
