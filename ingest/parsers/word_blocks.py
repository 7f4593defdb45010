"""A Word document as blocks in reading order: paragraphs, table rows, notes and text boxes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ingest.parsers.forms import pairs_text
from ingest.parsers.tables import PageTable
from ingest.parsers.word_numbers import Numbering
from ingest.parsers.word_package import W, WordParts
from ingest.parsers.word_runs import Runs, Said, texts_of
from ingest.parsers.word_styles import Style, Styles, level_of, number_of, value
from ingest.parsers.word_tables import Row, as_table, heads_of, rows_of

if TYPE_CHECKING:
    from lxml.etree import _Element

_BODY_LEVEL = 9


@dataclass(frozen=True, slots=True)
class Block:
    """One piece of the document.

    ``printed`` are the stretches of it as they are printed; ``aside`` ones are printed elsewhere
    on the page than where they are read. ``level`` is the heading depth from 1, by style.
    """

    kind: Literal["paragraph", "list_item", "row"]
    text: str
    printed: tuple[str, ...]
    page: int
    page_end: int
    level: int = 0
    bold: bool = False
    aside: bool = False
    caption: bool = False
    header: str = ""
    table: PageTable | None = None
    """That it is row ``at`` of."""
    at: int = 0
    title: str = ""


class Blocks:
    """Reads the blocks of one document."""

    def __init__(self, parts: WordParts) -> None:
        self._parts = parts
        self._styles = Styles(parts.styles)
        self._numbering = Numbering(parts.numbering, self._styles)
        self._runs = Runs(self._styles)
        self._notes = {
            "footnote": _notes(parts.footnotes, "footnote"),
            "endnote": _notes(parts.endnotes, "endnote"),
        }
        self._notes_so_far = 0

    @property
    def struck(self) -> bool:
        """Whether words are struck through."""
        return self._runs.struck

    @property
    def hidden(self) -> str:
        return "".join(self._runs.hidden)

    def read(self) -> Iterator[Block]:
        yield from self._container(self._parts.body, aside=False)

    def _container(self, parent: _Element, *, aside: bool) -> Iterator[Block]:
        before: Block | None = None
        for child in parent:
            if child.tag == f"{W}p":
                for block in self._paragraph(child, aside=aside):
                    before = block
                    yield block
            elif child.tag == f"{W}tbl":
                yield from self._table(child, before, aside=aside)

    def _paragraph(self, paragraph: _Element, *, aside: bool) -> Iterator[Block]:
        properties = paragraph.find(f"{W}pPr")
        style = self._styles.of_paragraph(properties)
        said = self._runs.read(paragraph, style, on_paper=not aside)
        text = said.text.strip()
        number = self._number(properties, style) if text else None
        if text:
            yield Block(
                kind="paragraph" if number is None else "list_item",
                text=f"{number or ''}{text}",
                printed=(text,),
                page=said.page,
                page_end=said.page_end,
                level=_level(properties, style),
                bold=said.bold,
                aside=aside,
                caption=style.name.startswith("caption"),
            )
        yield from self._hanging(said)

    def _number(self, properties: _Element | None, style: Style) -> str | None:
        num_id, level = number_of(properties)
        of_style = num_id is None
        num_id = num_id or style.num_id
        if num_id is None:
            return None
        return self._numbering.next(
            num_id, style.num_level if of_style and level is None else level, style
        )

    def _hanging(self, said: Said) -> Iterator[Block]:
        """Text boxes and notes that hang on a paragraph."""
        for box in said.boxes:
            yield from self._container(box, aside=True)
        for kind, note_id in said.notes:
            note = self._notes[kind].get(note_id)
            if note is None:
                continue
            words = texts_of(note.iter(f"{W}p"), self._runs, self._styles)
            if words:
                self._notes_so_far += 1
                text = f"[{self._notes_so_far}] {words}"
                yield Block("paragraph", text, (words,), said.page_end, said.page_end, aside=True)

    def _table(self, table: _Element, before: Block | None, *, aside: bool) -> Iterator[Block]:
        hanging = Said()

        def text_of(cell: _Element) -> str:
            return self._cell(cell, hanging)

        rows = rows_of(table, text_of, lambda: self._runs.page)
        known = as_table(rows)
        header = _header(rows, known)
        title = before.text if before and before.caption else ""
        if header and title:
            header = f"{title}\n{header}"
        for at, row in enumerate(rows):
            if any(row.cells):
                cells = known.filled(at, row.cells) if known else row.cells
                text = pairs_text(cells) if known and known.is_form else " | ".join(cells)
                yield Block(
                    "row", text, row.printed, row.page, row.page, aside=aside, header=header,
                    table=known, at=at, title=title,
                )  # fmt: skip
        hanging.page_end = self._runs.page
        yield from self._hanging(hanging)

    def _cell(self, cell: _Element, hanging: Said) -> str:
        """A cell's paragraphs in one line; a table in it is read row by row."""
        words: list[str] = []
        for child in cell:
            if child.tag == f"{W}p":
                properties = child.find(f"{W}pPr")
                style = self._styles.of_paragraph(properties)
                said = self._runs.read(child, style, on_paper=False)
                text = " ".join(said.text.split())
                if text:
                    words.append(f"{self._number(properties, style) or ''}{text}")
                hanging.notes += said.notes
                hanging.boxes += said.boxes
            elif child.tag == f"{W}tbl":
                inner = rows_of(child, lambda each: self._cell(each, hanging), lambda: 0)
                words += [", ".join(filter(None, row.cells)) for row in inner if any(row.cells)]
        return _joined(words)


def _joined(words: Sequence[str]) -> str:
    return " ".join(words)


def _header(rows: Sequence[Row], known: PageTable | None) -> str:
    """The rows that head the columns, and titles above them; else the first.

    None for a single row or column, and for a form.
    """
    rows = [row for row in rows[: known.first] if any(row.cells)] if known else rows
    if known is None:
        rows = [row for row in rows if any(row.cells)]
        if len(rows) < 2 or max(len(row.cells) for row in rows) < 2:  # noqa: PLR2004
            return ""
        rows = rows[: max(heads_of(rows), 1)]
    return "\n".join(" | ".join(row.cells) for row in rows)


def _level(properties: _Element | None, style: Style) -> int:
    outline = level_of(value(properties, "outlineLvl"))
    if outline is None:
        outline = 0 if style.name == "title" else style.outline
    return 0 if outline is None or outline >= _BODY_LEVEL else outline + 1


def _notes(root: _Element | None, name: str) -> dict[str, _Element]:
    """Notes by id, without the lines that part them from the text."""
    found = [] if root is None else root.findall(W + name)
    return {each.get(f"{W}id", ""): each for each in found if each.get(f"{W}type") is None}
