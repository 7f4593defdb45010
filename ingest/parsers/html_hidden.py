"""Words of a web page that nobody can see: by their own style, or by the page's style sheet."""

from __future__ import annotations

import re
from collections import Counter
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from lxml.etree import _Element

_HIDDEN = re.compile(
    r"(?:display\s*:\s*none|visibility\s*:\s*hidden|mso-hide\s*:\s*all"
    r"|font-size\s*:\s*0(?:px|pt|em|%)?\s*(?:;|$|!))",
    re.IGNORECASE,
)
_CLEAR = re.compile(r"(?<![\w-])opacity\s*:\s*0(?:\.0*)?\s*(?:;|$|!)", re.IGNORECASE)
_COLOUR = re.compile(r"(?<![\w-])(color|background(?:-color)?)\s*:\s*([^;!]+)", re.IGNORECASE)
_SHORT = re.compile(r"#([0-9a-f])([0-9a-f])([0-9a-f])")
_WHITE = re.compile(r"white|rgba?\(255,255,255(?:,1)?\)")
_COMMENT = re.compile(r"/\*.*?(?:\*/|\Z)", re.DOTALL)
_RULE = re.compile(r"(?:^|(?<=[{}]))([^{}]*)\{([^{}]*)\}")
_SIMPLE = re.compile(r"(?:[a-z][a-z0-9]*)?([.#][\w-]+)", re.IGNORECASE)
_KEY = re.compile(r"[.#][A-Za-z_][\w-]*")
_MOVES = re.compile(r"@keyframes|animation|transition", re.IGNORECASE)
_WHOLE = frozenset({"html", "body"})
_SHEETS = frozenset({"head", "style", "script", "title", "meta", "link"})
_CELLS = frozenset({"td", "th"})
_ROWS = frozenset({"tr", "tbody", "thead", "tfoot"})


def take_hidden(root: _Element, name_of: Callable[[_Element], str]) -> list[str]:
    """Take out what is hidden, and return its words; cells of tables stay, without theirs."""
    keys = frozenset(_hiding_keys(root, name_of))
    is_still = _is_still(root, name_of)
    taken: list[str] = []
    for each in list(root.iter()):
        name = name_of(each)
        if not name or name in _WHOLE | _SHEETS | _ROWS or not _hides(each, keys, is_still):
            continue
        words = "".join(each.itertext()).strip()
        taken += [words] if words else []
        tail = each.tail
        if name in _CELLS:
            each[:] = []
            each.text = None
        else:
            # An empty one in its place keeps the words after it.
            each.clear()
            each.tag = "template"
        each.tail = tail
    return taken


def _hides(element: _Element, keys: frozenset[str], is_still: bool) -> bool:
    style = element.get("style", "")
    if element.get("hidden") is not None or _unseen(style):
        return True
    return is_still and bool(_CLEAR.search(style) or (not style and _keys_of(element) & keys))


def _unseen(style: str) -> bool:
    if _HIDDEN.search(style):
        return True
    colours = {name.lower(): _plain(value) for name, value in _COLOUR.findall(style)}
    ground = colours.get("background-color", colours.get("background"))
    return ground is not None and colours.get("color") == ground


def _plain(colour: str) -> str:
    """A colour in one way of writing it, as far as pages hide words with it."""
    bare = "".join(colour.lower().split())
    if _WHITE.fullmatch(bare):
        return "#ffffff"
    return _SHORT.sub(r"#\1\1\2\2\3\3", bare) if _SHORT.fullmatch(bare) else bare


def _keys_of(element: _Element) -> set[str]:
    named = element.get("id")
    return {
        *(f".{each}" for each in element.get("class", "").split()),
        *([f"#{named}"] * bool(named)),
    }


def _is_still(root: _Element, name_of: Callable[[_Element], str]) -> bool:
    """Whether nothing can show later what is hidden now: no script, no style from elsewhere."""
    for each in root.iter():
        name = name_of(each)
        if name == "script" or (name == "link" and "stylesheet" in each.get("rel", "").lower()):
            return False
        if any(str(key).lower().startswith("on") for key in each.keys()):  # noqa: SIM118 (lxml)
            return False
    css = _css(root, name_of)
    return not _MOVES.search(css) and "@import" not in css


def _hiding_keys(root: _Element, name_of: Callable[[_Element], str]) -> Iterator[str]:
    """Classes and ids that one rule hides and no other rule speaks of."""
    css = _css(root, name_of)
    spoken = Counter(key for selector, _ in _RULE.findall(css) for key in _KEY.findall(selector))
    for selectors, style in _RULE.findall(_without_conditions(css)):
        if not (_unseen(style) or _CLEAR.search(style)):
            continue
        for selector in selectors.split(","):
            found = _SIMPLE.fullmatch(selector.strip())
            if found and spoken[found[1]] == 1:
                yield found[1]


def _without_conditions(css: str) -> str:
    """A style sheet less what holds only on paper, on small screens and the like."""
    return re.sub(r"@[^{};@]*\{(?:[^{}]*\{[^{}]*\})*[^{}]*\}", "", css)


def _css(root: _Element, name_of: Callable[[_Element], str]) -> str:
    sheets = (each.text or "" for each in root.iter() if name_of(each) == "style")
    return _COMMENT.sub("", "\n".join(sheets)).replace("<!--", "").replace("-->", "")
