"""Tables of pages as rows of text, each cell with what heads its column."""

from __future__ import annotations

import re
import statistics
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from ingest.parsers.carried import carried
from ingest.parsers.forms import FACT, counted, is_field, pairs_text, speak_for_themselves
from ingest.parsers.grids import Grid, Place
from ingest.parsers.paragraphs import Line, join
from ingest.parsers.table_bands import bands_of
from ingest.parsers.values import typed
from rag.tabular import TableRow, Value

_FIGURE = re.compile(r"^[-+(（]?[¥$€£]?\s?\d[\d.,\s]*[%)）]?$")
_NUMBER = re.compile(
    r"^[(（]?(?P<minus>[-−–])?\s?[¥￥$€£]?\s?(?P<digits>\d{1,3}(?:[,，]\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)"
    r"\s?(?P<percent>%)?\s?元?[)）]?$"
)
_CODE = re.compile(r"^0\d")
_YEAR = re.compile(r"^(?:19|20)\d\d年?$")
_MAX_LABEL_CHARS = 60
_MAX_HEADER_ROWS = 3
_HEADER_SHARE = 0.5
_PAIR = 2
_MIN_TITLED = 4
"""Of so many columns one cell may be a title; of fewer it stands for its columns."""
_PROSE_CHARS = 400
"""A cell with more is a column of running text in a frame, and no table."""
_SAME_PT = 6.0

Cells = Mapping[Place, Sequence[Line]]
"""The lines in each cell, by the first place of merged ones."""


@dataclass(frozen=True, slots=True)
class PageTable:
    """A table: ``texts`` by row and column, merged cells filled; ``labels`` head the columns."""

    grid: Grid
    texts: tuple[tuple[str, ...], ...]
    labels: tuple[str, ...]
    first: int
    """The first row that is not header."""
    size: float
    head_is_bold: bool
    is_form: bool = False
    """Names and what they stand for, side by side; nothing heads the columns."""
    start: int = 0
    """The first row of the header; those above are lines over all of the columns."""
    goes_on: bool = False
    """It is the rest of the table that the page before ended with."""
    bands: Mapping[int, str] = field(default_factory=dict)
    """What rows stand under, by row; the lines that say it have the empty string."""

    def rows(self) -> Iterator[Line]:
        """Its rows, those that say something."""
        heads = () if self._are_named() else range(self.start, self.first)
        for at in (*range(self.start), *heads, *range(self.first, len(self.texts))):
            text = self._row_text(at)
            if text:
                left, right = self.grid.xs[0], self.grid.xs[-1]
                top, bottom = self.grid.ys[at], self.grid.ys[at + 1]
                yield Line(text, left, top, right, bottom, self.size, bold=False, is_row=True)

    def _are_named(self) -> bool:
        """Whether some row says the name of each column, since it has something there."""
        body = self.texts[self.first :]
        return all(any(row[at] for row in body) for at, label in enumerate(self.labels) if label)

    def filled(self, at: int, cells: Sequence[str]) -> list[str]:
        """A row's cells, those that stand for the one above them with what that says.

        The first one says what the row stands under, too: ``Europe: Basic``.
        """
        told = [
            text or (self.texts[at][column] if self._hangs(at, column) else "")
            for column, text in enumerate(cells)
        ]
        band = self.bands.get(at)
        return [f"{band}: {told[0]}".strip(), *told[1:]] if band else told

    def _hangs(self, at: int, column: int) -> bool:
        row, start = self.grid.owner[at, column]
        return row < at and start == column

    def records(self) -> tuple[TableRow, ...]:
        """Its rows as data, those that say something."""
        found = (self.record(at) for at in range(self.first, len(self.texts)))
        return tuple(record for record in found if record)

    def record(self, at: int) -> TableRow | None:
        """A row as data; None for those of the header, and for blank ones."""
        if at < self.first or not any(self.texts[at]) or self.bands.get(at) == "":
            return None
        return TableRow(None, self.texts[at], tuple(self._values(at)))

    def _values(self, at: int) -> Iterator[Value]:
        """A row's values; the number of merged cells counts once, in the first of them."""
        for column, text in enumerate(self.texts[at]):
            value = typed(text) if text else None
            is_filled = self.grid.owner[at, column] != (at, column)
            yield None if is_filled and isinstance(value, int | float) else value

    def _row_text(self, at: int) -> str:
        """``Room: B-207 | Use: parking``; a cell merged over columns says its text once."""
        texts = distinct_texts(self, at)
        if self.is_form:
            return pairs_text(texts)
        if self.bands.get(at) == "":
            return "".join(texts)
        pairs = [pair for pair in zip(self.labels, texts, strict=True) if pair[1]]
        told = [f"{label}: {text}" if label and at >= self.first else text for label, text in pairs]
        return " | ".join(filter(None, [self.bands.get(at), *told]))


def of_texts(
    rows: Sequence[Sequence[str]], owner: Mapping[Place, Place], *, heads: int = 0
) -> PageTable | None:
    """A table whose cells are known, each in its place; None where its columns have no names.

    Args:
        rows: texts by column, those of merged cells in their first place; as many in each row.
        owner: for each place the first one of the cell that it is part of.
        heads: so many rows head the columns, as the file says; 0 where it says nothing.
    """
    if len(rows) < _PAIR or len(rows[0]) < _PAIR:
        return None
    width = len(rows[0])
    places = {(r, c): owner.get((r, c), (r, c)) for r in range(len(rows)) for c in range(width)}
    texts = tuple(tuple(_at(rows, places[r, c]) for c in range(width)) for r in range(len(rows)))
    grid = Grid(tuple(range(width + 1)), tuple(range(len(rows) + 1)), places)
    blank = PageTable(grid, texts, ("",) * width, first=0, size=0.0, head_is_bold=False)
    if max(len(text) for row in texts for text in row) > _PROSE_CHARS:
        return None
    if not heads and _is_form(blank):
        return replace(blank, is_form=True) if _says_so(blank) else None
    table = _headed(blank, heads if heads < len(rows) else 0)
    return table if any(table.labels) else None


def _at(rows: Sequence[Sequence[str]], place: Place) -> str:
    return rows[place[0]][place[1]]


def to_table(grid: Grid, cells: Cells) -> PageTable | None:
    """The grid with its text; None where it frames something else than a table."""
    filled = {place: join(tuple(lines)) for place, lines in cells.items() if lines}
    used_rows, used_columns = ({place[axis] for place in filled} for axis in (0, 1))
    if min(len(used_rows), len(used_columns)) < _PAIR:
        return None
    if _is_prose(filled):
        return None
    grid, moved = grid.only(sorted(used_rows), sorted(used_columns))
    filled = {moved[place]: text for place, text in filled.items()}
    cells = {moved[place]: lines for place, lines in cells.items() if lines}
    texts = tuple(
        tuple(filled.get(grid.owner[row, column], "") for column in range(grid.columns))
        for row in range(grid.rows)
    )
    lines = [line for each in cells.values() for line in each]
    head = [line for place, each in cells.items() if place[0] == 0 for line in each]
    table = PageTable(
        grid,
        texts,
        labels=("",) * grid.columns,
        first=0,
        size=statistics.median(line.size for line in lines),
        head_is_bold=all(line.bold for line in head) and not all(line.bold for line in lines),
    )
    return replace(table, is_form=True) if _is_form(table) else _headed(table)


def _is_prose(filled: Mapping[Place, str]) -> bool:
    """Whether running text stands in a frame, and not beside what each part of it is called.

    A row that the page's end breaks in two may be called so on one of the pages.
    """
    long = [place for place, text in filled.items() if len(text) > _PROSE_CHARS]
    ends = min(filled)[0], max(filled)[0]
    named = all(
        len(filled.get((row, 0), "")) <= _MAX_LABEL_CHARS and ((row, 0) in filled or row in ends)
        for row, _ in long
    )
    is_column = len({column for _, column in long}) == 1 and (0, 0) not in long
    return bool(long) and not (named and is_column)


def continued(before: PageTable, table: PageTable) -> PageTable:
    """``table`` with the header of the one it goes on from, over a page break."""
    same_columns = len(before.grid.xs) == len(table.grid.xs) and all(
        abs(one - other) <= _SAME_PT
        for one, other in zip(before.grid.xs, table.grid.xs, strict=True)
    )
    if not same_columns or not any(before.labels):
        return table
    if table.labels == before.labels:
        return replace(table, goes_on=True)  # it repeats its header
    if table.head_is_bold or _has_own_header(table):
        return table
    table = replace(table, labels=before.labels, start=0, first=0, is_form=False, goes_on=True)
    return _filled_down(_named_as(before, table))


def _named_as(before: PageTable, table: PageTable) -> PageTable:
    """The table, its first row called as the last one before if it is the rest of it: words alone.

    Only a row of words breaks in two.
    """
    first, last = table.texts[0], before.texts[-1]
    if first[0] or not last[0] or not all(first[at] for at in range(1, len(first)) if last[at]):
        return table
    if any(map(is_figure, first)) or max(map(len, last)) < _PROSE_CHARS:
        return table
    return replace(table, texts=((last[0], *first[1:]), *table.texts[1:]))


def distinct_texts(table: PageTable, at: int) -> list[str]:
    """A row's texts by column; a merged cell has its text once."""
    owners = [table.grid.owner[at, column] for column in range(table.grid.columns)]
    return [
        text if owners.index(owners[column]) == column else ""
        for column, text in enumerate(table.texts[at])
    ]


def to_value(text: str) -> Value:
    """The number that a cell shows, a percentage as its fraction; else its text, or nothing."""
    found = _NUMBER.match(text)
    if not found or _CODE.match(text):
        return text or None
    number = float(found["digits"].replace(",", "").replace("，", ""))
    is_negative = bool(found["minus"]) or text.startswith(("(", "（"))
    return (-number if is_negative else number) / (100 if found["percent"] else 1)


def _headed(table: PageTable, heads: int = 0) -> PageTable:
    start, first = _header(table) if not heads else (0, heads)
    while heads and start < first - 1 and _runs_across(table, start):
        start += 1
    labels = [
        " ".join(dict.fromkeys(row[column] for row in table.texts[start:first] if row[column]))
        for column in range(table.grid.columns)
    ]
    labels = [label.rstrip(":： ") for label in labels]
    return _filled_down(replace(table, labels=tuple(labels), start=start, first=first))


def _filled_down(table: PageTable) -> PageTable:
    """The table with what holds for several rows told of each of them."""
    table = _carried(table)
    return replace(table, bands=bands_of(table.texts, table.grid.owner, table.labels, table.first))


def _carried(table: PageTable) -> PageTable:
    """The table with labels that are written once in the blank cells below them."""
    first = table.first
    below = {
        (first + at, column): table.grid.owner[first + above, column]
        for (at, column), (above, _) in carried(table.texts[first:], table.labels).items()
    }
    if not below:
        return table
    texts = tuple(
        tuple(
            _at(table.texts, below.get((row, column), (row, column)))
            for column in range(table.grid.columns)
        )
        for row in range(table.grid.rows)
    )
    grid = replace(table.grid, owner={**table.grid.owner, **below})
    return replace(table, texts=texts, grid=grid)


def _header(table: PageTable) -> tuple[int, int]:
    """The rows that head the columns, from and to; none when none does."""
    texts = table.texts
    start = 0
    while start < len(texts) - _PAIR and (
        _runs_across(table, start) or _are_facts(texts[start]) or _is_form_line(table, start)
    ):
        start += 1
    if not _is_header(texts[start]):
        return 0, 0
    end = start + 1
    while end < min(len(texts) - 1, start + _MAX_HEADER_ROWS) and _goes_on(table, end):
        end += 1
    return start, end


def _runs_across(table: PageTable, row: int) -> bool:
    """Whether a row is one cell, or one with a short remark beside it: a title, a unit."""
    owners = [table.grid.owner[row, column] for column in range(table.grid.columns)]
    if len(set(owners)) == 1:
        return True
    is_wide = table.grid.columns >= _MIN_TITLED and len(set(owners[:-1])) == 1
    below = [table.grid.owner[row + 1, column] for column in range(table.grid.columns)]
    return is_wide and len(set(below)) == len(below) and not any(r < row + 1 for r, _ in below)


def _are_facts(row: Sequence[str]) -> bool:
    """Whether cells say a name and what it stands for: they stand above a header, or alone."""
    named = [text for text in row if text]
    return sum(bool(FACT.match(text)) for text in named) >= max(1, _HEADER_SHARE * len(named))


def _is_form_line(table: PageTable, row: int) -> bool:
    """Whether names that forms ask for stand before their values, with a header right below."""
    said, below = ([t for t in distinct_texts(table, at) if t] for at in (row, row + 1))
    is_apart = all(table.grid.owner[row + 1, at][0] > row for at in range(table.grid.columns))
    return (
        len(said) > _PAIR
        and len(said) % _PAIR == 0
        and all(map(is_field, said[::_PAIR]))
        and not any(map(is_field, said[1::_PAIR]))
        and is_apart
        and _is_header(below)
        and len(below) > _PAIR
    )


def _is_header(row: Sequence[str]) -> bool:
    named = [text for text in row if text]
    counting = counted([to_value(text) for text in row])
    return (
        len(set(named)) >= max(_PAIR, len(row) * _HEADER_SHARE - 1)
        and len(named) >= len(row) * _HEADER_SHARE
        and all(is_label(text) or at in counting for at, text in enumerate(row) if text)
        and not _are_facts(row)
    )


def _has_own_header(table: PageTable) -> bool:
    """Whether its first row is words over figures; a row of the table before has figures there."""
    columns = list(zip(*table.texts[max(table.first, 1) :], strict=True))
    heads = [head for head, body in zip(table.texts[0], columns, strict=False) if _counts(body)]
    return bool(heads) and all(_is_word(head) for head in heads)


def _counts(body: Sequence[str]) -> bool:
    said = [text for text in body if text]
    return bool(said) and sum(bool(_FIGURE.match(text)) for text in said) > len(said) / 2


def _is_word(text: str) -> bool:
    return bool(_YEAR.match(text)) or (not _FIGURE.match(text) and any(map(str.isalpha, text)))


def is_figure(text: str) -> bool:
    """Whether a text is all number: +15, (3), 45 %."""
    return bool(_FIGURE.match(text))


def is_label(text: str) -> bool:
    """Whether a text may head a column: short, and no figure but a year."""
    return len(text) <= _MAX_LABEL_CHARS and (not _FIGURE.match(text) or bool(_YEAR.match(text)))


def _is_form(table: PageTable) -> bool:
    """Whether each row speaks for itself, the first one too; two columns of words may."""
    if table.head_is_bold or table.grid.columns % _PAIR:
        return False
    is_pair = table.grid.columns == _PAIR
    return _says_so(table) or (
        is_pair and not any(_FIGURE.match(text) for row in table.texts for text in row)
    )


def _says_so(table: PageTable) -> bool:
    """Whether names end in colons, or are what forms ask for."""
    names = [text for row in table.texts for text in row[::_PAIR] if text]
    if sum(text.endswith((":", "：")) for text in names) > _HEADER_SHARE * len(names):
        return True
    rows = [distinct_texts(table, at) for at in range(len(table.texts))]
    return speak_for_themselves(rows) and not any(map(_FIGURE.match, names))


def _goes_on(table: PageTable, row: int) -> bool:
    """Whether a header cell reaches into the row, or stands over several columns of it."""
    owners = [table.grid.owner[row, column] for column in range(table.grid.columns)]
    above = [table.grid.owner[row - 1, column] for column in range(table.grid.columns)]
    reaches = any(owner[0] < row for owner in owners)
    spans = any(above.count(owner) > owners.count(owners[at]) for at, owner in enumerate(above))
    return (reaches or spans) and all(is_label(text) for text in table.texts[row] if text)
