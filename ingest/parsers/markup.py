"""The visible words of an HTML tree as blocks: headings, paragraphs, list items, rows of tables."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ingest.parsers.characters import clean
from ingest.parsers.forms import pairs_text
from ingest.parsers.gathered import Stood, gathered
from ingest.parsers.headings import SectionPath
from ingest.parsers.html_fields import fill_in
from ingest.parsers.html_final import settle
from ingest.parsers.html_hidden import take_hidden
from ingest.parsers.html_table import as_table, rows_of
from ingest.parsers.instructing import speaks_to_model
from ingest.parsers.tables import PageTable
from rag.records import Element, ElementKind, Locator
from rag.tabular import Table

if TYPE_CHECKING:
    from lxml.etree import _Element

_NOT_SHOWN = frozenset(
    {
        *("script", "style", "noscript", "template", "head", "title", "meta", "link", "object"),
        *("embed", "iframe", "svg", "math", "canvas", "audio", "video", "map"),
        *("select", "datalist", "input", "button", "textarea"),
    }
)
_BLOCKS = frozenset(
    {
        *("html", "body", "address", "article", "aside", "blockquote", "center", "details"),
        *("dialog", "div", "dd", "dl", "dt", "fieldset", "figcaption", "figure", "footer", "form"),
        *("h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "li", "main", "nav", "ol", "p"),
        *("pre", "section", "summary", "ul", "caption"),
        *("table", "tbody", "td", "tfoot", "th", "thead", "tr"),
    }
)
_HEADINGS = {f"h{level}": level for level in range(1, 7)}
_BLANKS = re.compile(r"\s+")
_LINE_END = "\n"


@dataclass(frozen=True, slots=True)
class _Block:
    kind: ElementKind
    text: str
    level: int = 0
    header: str = ""
    table: PageTable | None = None
    at: int = 0
    title: str = ""


class Markup:
    """Reads trees one after the other.

    ``hidden`` are words that were left out as nobody sees them; ``has_changes`` says whether some
    were struck or put in.
    """

    def __init__(self) -> None:
        self.hidden: list[str] = []
        self.has_changes = False
        self.section = SectionPath()
        self._rows: list[Stood] = []

    @property
    def flags(self) -> tuple[str, ...]:
        """What to tell of the trees read so far."""
        flags = {
            "hidden_text": bool(self.hidden),
            "tracked_changes": self.has_changes,
            "injection": any(map(speaks_to_model, self.hidden)),
        }
        return tuple(flag for flag, raised in flags.items() if raised)

    @property
    def tables(self) -> tuple[Table, ...]:
        """The tables of the trees read so far, as data."""
        return gathered(self._rows)

    def elements(self, root: _Element, *, title: str = "") -> Iterator[Element]:
        """The words of a tree; ``title`` heads them where they have no heading of their own."""
        self.hidden += take_hidden(root, local_name)
        fill_in(root, local_name)
        self.has_changes |= settle(root, local_name)
        blocks = list(_Reading().blocks(root))
        if title and not any(block.level for block in blocks):
            blocks.insert(0, _Block("title", title, 1))
        for block in blocks:
            if block.level:
                self.section.enter(block.level, block.text)
            place = Locator(section=self.section.titles)
            if block.table:
                self._rows.append(Stood(block.table, block.at, place, block.title))
            yield Element(block.kind, block.text, place, block.level, block.header)


class _Reading:
    """One tree on its way to blocks."""

    def __init__(self) -> None:
        self._words: list[str] = []
        self._inside: list[str] = []

    def blocks(self, root: _Element) -> Iterator[_Block]:
        from lxml import etree

        walk = etree.iterwalk(root, events=("start", "end"))
        for event, element in walk:
            name = local_name(element)
            if event == "start":
                if not name or name in _NOT_SHOWN:
                    walk.skip_subtree()
                elif name == "table" and _holds_data(element):
                    yield from self._flush()
                    yield from _rows(element)
                    walk.skip_subtree()
                else:
                    yield from self._open(element, name)
            else:
                yield from self._close(element, name, is_root=element is root)

    def _open(self, element: _Element, name: str) -> Iterator[_Block]:
        if name in _BLOCKS:
            yield from self._flush()
            self._inside.append(name)
        elif name == "br":
            self._words.append(_LINE_END)
        self._say(element.text)

    def _close(self, element: _Element, name: str, *, is_root: bool) -> Iterator[_Block]:
        if name in _BLOCKS:
            yield from self._flush()
            if self._inside and self._inside[-1] == name:
                self._inside.pop()
        if not is_root:
            self._say(element.tail)

    def _say(self, words: str | None) -> None:
        if words:
            kept = words if "pre" in self._inside else _BLANKS.sub(" ", words)
            self._words.append(kept)

    def _flush(self) -> Iterator[_Block]:
        lines = (clean(line).strip() for line in "".join(self._words).split(_LINE_END))
        text = _LINE_END.join(filter(None, lines))
        self._words.clear()
        if not text:
            return
        heading = next((name for name in reversed(self._inside) if name in _HEADINGS), None)
        if heading:
            yield _Block("title", " ".join(text.split()), _HEADINGS[heading])
        else:
            yield _Block("list_item" if "li" in self._inside else "text", text)


def local_name(element: _Element) -> str:
    """The name of an element without its namespace; nothing for comments and the like."""
    name = element.tag
    return name.rsplit("}", 1)[-1].lower() if isinstance(name, str) else ""


def _holds_data(table: _Element) -> bool:
    """Whether a table is one, and not a way to lay out a page or a letter."""
    names = [local_name(each) for each in table.iterdescendants()]
    if "table" in names or names.count("tr") < 2:  # noqa: PLR2004 (a header and a row)
        return False
    return names.count("td") + names.count("th") > names.count("tr")


def _rows(table: _Element) -> Iterator[_Block]:
    rows = rows_of(table, local_name)
    known = as_table(rows)
    cells = [known.filled(at, row.cells) if known else row.cells for at, row in enumerate(rows)]
    texts = [clean(" | ".join(each)).strip() for each in cells]
    caption = next((each for each in table if local_name(each) == "caption"), None)
    title = "" if caption is None else " ".join(" ".join(caption.itertext()).split())
    said = [text for text in texts if text.strip(" |")]
    heads = texts[: known.first] if known else said[:1] if len(said) > 1 else []
    header = "\n".join([title, *heads] if title and heads else heads)
    for at, text in enumerate(texts):
        if text.strip(" |"):
            words = pairs_text(cells[at]) if known and known.is_form else text
            yield _Block("table", words, header=header, table=known, at=at, title=title)
