"""A web page's tree as it reads once every change is accepted and raised digits are told apart."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ingest.parsers.raised import after_number

if TYPE_CHECKING:
    from collections.abc import Callable

    from lxml.etree import _Element

_STRUCK = frozenset({"del", "s", "strike"})
_INLINE = frozenset({"a", "b", "em", "font", "i", "small", "span", "strong"})
_STRUCK_STYLE = re.compile(r"text-decoration(?:-line)?\s*:[^;]*line-through", re.IGNORECASE)


def settle(root: _Element, name_of: Callable[[_Element], str]) -> bool:
    """Take struck words out and set raised digits apart; True when words were struck or put in."""
    changed = False
    for each in list(root.iter()):
        name = name_of(each)
        if name in _STRUCK or _STRUCK_STYLE.search(each.get("style", "") if name else ""):
            changed = changed or bool("".join(each.itertext()).strip())
            _remove(each)
        elif name == "ins":
            changed = changed or bool("".join(each.itertext()).strip())
        elif name == "sup":
            _set_apart(each)
    return changed


def _remove(element: _Element) -> None:
    """Take an element out and leave the words after it."""
    parent = element.getparent()
    if parent is None:
        return
    _say_before(element, element.tail or "")
    parent.remove(element)


def _set_apart(raised: _Element) -> None:
    """Make raised digits after a number part of the words before them."""
    words, before = "".join(raised.itertext()).strip(), _before(raised)
    told = after_number(before, words)
    parent = raised.getparent()
    if parent is None or told == words:
        return
    _say_before(raised, told + (raised.tail or ""))
    parent.remove(raised)


def _before(element: _Element) -> str:
    """The words that an element directly follows; the last of them are enough."""
    previous, parent = element.getprevious(), element.getparent()
    if previous is not None:
        return previous.tail or "".join(previous.itertext())
    if parent is None:
        return ""
    return parent.text or (_before(parent) if parent.tag in _INLINE else "")


def _say_before(element: _Element, words: str) -> None:
    """Put words in front of an element."""
    previous, parent = element.getprevious(), element.getparent()
    if previous is not None:
        previous.tail = (previous.tail or "") + words
    elif parent is not None:
        parent.text = (parent.text or "") + words
