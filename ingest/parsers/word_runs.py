"""The words of one Word paragraph: runs, fields, symbols, breaks, and what hangs on them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ingest.parsers.raised import after_number
from ingest.parsers.struck import as_struck
from ingest.parsers.word_math import M, formula
from ingest.parsers.word_package import W
from ingest.parsers.word_styles import Style, Styles, is_on, is_raised, is_shaded, switched, value

if TYPE_CHECKING:
    from collections.abc import Iterator

    from lxml.etree import _Element

_MC = "{http://schemas.openxmlformats.org/markup-compatibility/2006}"
_MATH = (f"{M}oMath", f"{M}oMathPara")
_TINY_HALF_POINTS = 2
"""Text of one point or less is not meant for eyes."""
_PLAIN = {"tab": "\t", "ptab": "\t", "cr": "\n", "noBreakHyphen": "-", "softHyphen": ""}
_NOT_SAID = frozenset(
    W + name for name in ("pPr", "rPr", "rt", "sectPr", "instrText", "delText", "delInstrText")
)
_SYMBOLS = {
    "f0fe": "☑", "f0fd": "☒", "f0a8": "☐", "f06f": "☐", "f071": "☐", "f052": "☑", "f0a3": "☐",
    "f053": "☒", "f0fc": "✓", "f0fb": "✗", "f050": "✓", "f04f": "✗", "f0b7": "•", "f0d8": "➢",
    "f0e0": "→", "f0b0": "°", "f0b1": "±", "f0b4": "×", "f0a3 symbol": "≤", "f0b3": "≥",
}  # fmt: skip
"""Signs of Wingdings and Symbol that forms and contracts use, by their code."""


@dataclass(slots=True)
class Said:
    """What a paragraph says while it is read."""

    text: str = ""
    bold: bool = True
    page: int = 0
    page_end: int = 0
    notes: list[tuple[str, str]] = field(default_factory=list)
    boxes: list[_Element] = field(default_factory=list)
    struck: tuple[str, str] | None = None
    """The words struck through last, and how they are said."""


class Runs:
    """Reads paragraphs in order; pages and fields go on from one to the next."""

    def __init__(self, styles: Styles) -> None:
        self._styles = styles
        self._fields: list[bool] = []
        self._white_is_seen = False
        self.page = 1
        self.struck = False
        self.hidden: list[str] = []
        """Words that nobody sees, by run."""

    def read(self, paragraph: _Element, style: Style, *, on_paper: bool = True) -> Said:
        """What a paragraph says.

        Args:
            paragraph: the next one of the document.
            style: of the paragraph.
            on_paper: nothing but white paper is behind it: no cell, no drawing.
        """
        shaded = style.shaded or is_shaded(paragraph.find(f"{W}pPr"))
        self._white_is_seen = shaded or not on_paper
        said = Said(page=self.page)
        self._read(paragraph, said, style)
        said.page_end = self.page
        return said

    def _read(self, parent: _Element, said: Said, style: Style) -> None:
        for child in parent:
            name = child.tag
            if name == f"{W}r":
                self._run(child, said, style)
            elif name == f"{_MC}AlternateContent":
                self._alternative(child, said, style)
            elif name == f"{W}txbxContent":
                said.boxes.append(child)
            elif name in _MATH:
                said.text += formula(child)
            elif name in _NOT_SAID or not isinstance(name, str) or self._piece(child, said):
                continue
            else:
                self._read(child, said, style)

    def _run(self, run: _Element, said: Said, style: Style) -> None:
        properties = run.find(f"{W}rPr")
        of_run = self._styles.named(value(properties, "rStyle") or "")
        inherited = style.hidden or of_run.hidden
        hidden = (
            switched(properties, "vanish", inherited=inherited)
            or _is_tiny(properties)
            or self._is_white(properties, of_run)
        )
        before, notes = said.text, len(said.notes)
        self._read(run, said, style)
        words = said.text[len(before) :]
        if hidden:
            self.hidden += [words] if words.strip() else []
            said.text = before
            del said.notes[notes:]
        elif words.strip():
            if switched(properties, "strike") or switched(properties, "dstrike"):
                self._strike(said, before, words)
            elif is_raised(properties, inherited=of_run.raised):
                said.text = before + after_number(before, words)
            said.bold &= switched(properties, "b", inherited=style.bold or of_run.bold)

    def _strike(self, said: Said, before: str, words: str) -> None:
        """Say that words are struck through; runs that follow each other are so together."""
        self.struck = True
        if said.struck and before.endswith(said.struck[1]):
            words = said.struck[0] + words
            before = before.removesuffix(said.struck[1])
        said.struck = words, as_struck(words)
        said.text = before + said.struck[1]

    def _is_white(self, properties: _Element | None, of_run: Style) -> bool:
        """White letters on white paper, meant for machines."""
        if self._white_is_seen or of_run.shaded or is_shaded(properties):
            return False
        return (value(properties, "color") or "").upper() == "FFFFFF"

    def _alternative(self, choices: _Element, said: Said, style: Style) -> None:
        """One drawing is stored in several ways, for old and new programs: read the first."""
        for choice in choices:
            if choice.tag in (f"{_MC}Choice", f"{_MC}Fallback") and len(choice):
                self._read(choice, said, style)
                return

    def _piece(self, child: _Element, said: Said) -> bool:
        """A leaf of a run; False for anything that may hold more."""
        name = child.tag.removeprefix(W)
        match name:
            case "t":
                self._say(said, child.text or "")
            case "br":
                self._say(said, "\n")
            case "tab" | "ptab" | "cr" | "noBreakHyphen" | "softHyphen":
                self._say(said, _PLAIN[name])
            case "sym":
                self._say(said, _symbol(child))
            case "lastRenderedPageBreak":
                self._turn_page(said)
            case "fldChar":
                self._say(said, _checked(child.find(f"{W}ffData/{W}checkBox")))
                self._field(child.get(f"{W}fldCharType"))
            case "footnoteReference" | "endnoteReference":
                said.notes.append((name.removesuffix("Reference"), child.get(f"{W}id", "")))
            case _:
                return False
        return True

    def _say(self, said: Said, words: str) -> None:
        if not any(self._fields):  # not within a field's instruction
            said.text += words

    def _turn_page(self, said: Said) -> None:
        self.page += 1
        if not said.text.strip():
            said.page = self.page

    def _field(self, kind: str | None) -> None:
        """A field's instruction is not said, its result is."""
        if kind == "begin":
            self._fields.append(True)
        elif kind == "separate" and self._fields:
            self._fields[-1] = False
        elif kind == "end" and self._fields:
            self._fields.pop()


def texts_of(paragraphs: Iterator[_Element], runs: Runs, styles: Styles) -> str:
    """The words of several paragraphs, a blank between them."""
    said = (runs.read(each, styles.of_paragraph(each.find(f"{W}pPr"))) for each in paragraphs)
    return " ".join(text for each in said if (text := " ".join(each.text.split())))


def _is_tiny(properties: _Element | None) -> bool:
    size = value(properties, "sz") or ""
    return size.isdecimal() and int(size) <= _TINY_HALF_POINTS


def _checked(box: _Element | None) -> str:
    """Whether a box of an old form is ticked."""
    if box is None:
        return ""
    state = box.find(f"{W}checked")
    state = box.find(f"{W}default") if state is None else state
    return "☑" if state is not None and is_on(state, f"{W}val", absent=True) else "☐"


def _symbol(sign: _Element) -> str:
    code = sign.get(f"{W}char", "").lower()
    if sign.get(f"{W}font", "").lower() == "symbol":
        return _SYMBOLS.get(f"{code} symbol") or _SYMBOLS.get(code, "")
    return _SYMBOLS.get(code, "")
