"""Formulas of Word files in one line, as people type them: (a + b)/12, x², √(2gh)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from ingest.parsers.raised import RAISED

if TYPE_CHECKING:
    from lxml.etree import _Element

M = "{http://schemas.openxmlformats.org/officeDocument/2006/math}"
_SMALL = frozenset(map(chr, RAISED))


def formula(element: _Element) -> str:
    """What an ``m:`` element says; parts are put in brackets where a line would mix them up."""
    name = str(element.tag).removeprefix(M)
    if name == "t":
        return element.text or ""
    if name.endswith("Pr"):
        return ""
    form = _FORMS.get(name)
    return form(_Parts(element)) if form else _said(list(element))


class _Parts:
    """The parts of a structure, by name."""

    def __init__(self, element: _Element) -> None:
        self._element = element

    def __getitem__(self, name: str) -> str:
        return "".join(self.all(name)).strip()

    def all(self, name: str) -> list[str]:
        return [_said(list(each)) for each in self._element.findall(M + name)]

    def setting(self, name: str, default: str) -> str:
        """A sign of its properties."""
        found = next(self._element.iterfind(f"*/{M}{name}"), None)
        return default if found is None else found.get(f"{M}val", default)

    def rows(self) -> str:
        """Those of a matrix."""
        return "; ".join(", ".join(_Parts(row).all("e")) for row in self._element.iter(f"{M}mr"))


def _said(elements: Sequence[_Element]) -> str:
    return "".join(formula(each) for each in elements if isinstance(each.tag, str))


def _whole(text: str) -> str:
    """In brackets, unless it is one number, name or bracket."""
    is_one = text.replace(".", "").replace(",", "").isalnum() or _is_bracket(text)
    return text if is_one or len(text) == 1 else f"({text})"


def _is_bracket(text: str) -> bool:
    return text.startswith("(") and text.find(")") == len(text) - 1


def _above(text: str) -> str:
    if text and set(text) <= _SMALL:
        return text.translate(RAISED)
    return f"^{_whole(text)}" if text else ""


def _below(text: str) -> str:
    return f"_{_whole(text)}" if text else ""


def _in_brackets(part: _Parts) -> str:
    opened, closed = part.setting("begChr", "("), part.setting("endChr", ")")
    return opened + part.setting("sepChr", "|").join(part.all("e")) + closed


_FORMS: dict[str, Callable[[_Parts], str]] = {
    "f": lambda part: f"{_whole(part['num'])}/{_whole(part['den'])}",
    "sSup": lambda part: _whole(part["e"]) + _above(part["sup"]),
    "sSub": lambda part: part["e"] + _below(part["sub"]),
    "sSubSup": lambda part: part["e"] + _below(part["sub"]) + _above(part["sup"]),
    "sPre": lambda part: _below(part["sub"]) + _above(part["sup"]) + part["e"],
    "rad": lambda part: f"{part['deg']}√{_whole(part['e'])}",
    "nary": lambda part: (
        f"{part.setting('chr', '∫')}{_below(part['sub'])}{_above(part['sup'])} {part['e']}"
    ),
    "d": _in_brackets,
    "func": lambda part: f"{part['fName']} {part['e']}",
    "limLow": lambda part: part["e"] + _below(part["lim"]),
    "limUpp": lambda part: part["e"] + _above(part["lim"]),
    "m": lambda part: f"[{part.rows()}]",
    "eqArr": lambda part: "; ".join(part.all("e")),
}
