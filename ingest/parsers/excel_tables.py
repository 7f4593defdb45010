"""Tables on a sheet: where each begins and ends, what heads its columns."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime

from ingest.parsers.excel_counted import with_units
from ingest.parsers.excel_headers import (
    Header,
    are_facts,
    find_header,
    find_repeat,
    is_form,
    is_name,
    label_columns,
    over_values,
)
from ingest.parsers.excel_stacked import form_above, is_line, parts
from ingest.parsers.grid import Area, Range, Row, Sheet, distinct

_NEAR_ROWS = 3
"""Up to two blank rows lie inside a table, or between it and its title or header."""
_MAX_BLANK_COLUMNS = 8
"""Wider gaps are no spacing inside a table."""
_MAX_HEADER_ROWS = 3
_MAX_TITLE_CHARS = 80
_NUMBERED_ROWS = 3


@dataclass(frozen=True, slots=True)
class Block:
    """A table, or a few lines: cells that belong together.

    ``titles`` are lines above that belong to no column, ``labels`` names the columns; ``heading``
    is the first line of the whole sheet, where it stands above everything. ``is_whole`` says that
    the workbook itself tells where it ends, ``is_form`` that names and values stand side by side.
    """

    left: int
    right: int
    rows: tuple[Row, ...]
    titles: tuple[Row, ...] = ()
    labels: dict[int, str] = field(default_factory=dict)
    name: str = ""
    top: int = 0
    heading: Row | None = None
    is_whole: bool = False
    is_form: bool = False

    @property
    def range(self) -> Range:
        """All of it, header and titles too."""
        return Range(self.left, self.top, self.right, max(self.top, self.rows[-1].number))


def blocks(sheet: Sheet) -> list[Block]:
    """The tables of a sheet in reading order, split where whole rows or columns are blank.

    What the workbook itself calls a table is taken as it is. Lines that stand alone head the
    table below them; a table without a header goes on with the one above in the same columns.
    """
    rows = [row._replace(cells=dict(row.cells)) for row in sheet.rows]
    found = [block for area in sheet.areas if (block := _carve(rows, area))]
    for band in _bands(row for row in rows if row.cells):
        for left, right in _spans(band):
            part = [row for each in band if (row := _within(each, left, right)).cells]
            found += _read(left, right, part)
    found.sort(key=lambda block: (block.top, block.left))
    return _joined(found)


def _carve(rows: list[Row], area: Area) -> Block | None:
    """Take the cells of a range that is a table out of the sheet."""
    left, top, right, bottom = area.range
    inside = [row for row in rows if top <= row.number <= bottom]
    taken = [row for each in inside if (row := _within(each, left, right)).cells]
    if area.is_table:
        header = Header(0, 1 if area.has_header else 0)
    else:
        header = find_header(taken, max((len(distinct(row)) for row in taken), default=0))
        if header.start or not header.height:
            return None  # a name for a part of something
    if len(taken) <= header.height:
        return None
    for row in inside:
        for column in [at for at in row.cells if left <= at <= right]:
            del row.cells[column]
    labels, body = with_units(label_columns(taken, header), taken[header.height :])
    return Block(left, right, tuple(body), (), labels, area.name, top, is_whole=True)


def _bands(rows: Iterable[Row]) -> Iterator[list[Row]]:
    """Rows without a blank one between; a header apart from its rows belongs to them."""
    band: list[Row] = []
    for row in rows:
        near = band and row.number - band[-1].number
        if near and near != 1 and not (near <= _NEAR_ROWS and _heads(band, row)):
            yield band
            band = []
        band.append(row)
    if band:
        yield band


def _heads(band: list[Row], row: Row) -> bool:
    """Whether a band is only a header, and the row below it one of values in its columns."""
    names = distinct(band[-1])
    return (
        len(band) <= _MAX_HEADER_ROWS
        and len(names) > 1
        and all(is_name(cell) for each in band for cell in each.cells.values())
        and not all(is_name(cell) for cell in row.cells.values())
        and len(set(row.cells) & set(names)) > 1
    )


def _spans(band: list[Row]) -> list[tuple[int, int]]:
    """Runs of columns with something in them, each a table of its own.

    A blank column inside a table only sets columns apart: where a run is one column wide, or
    holds nothing but numbers, it belongs to what stands left of it.
    """
    used = sorted({column for row in band for column in row.cells})
    runs: list[tuple[int, int]] = []
    for column in used:
        if runs and column == runs[-1][1] + 1:
            runs[-1] = (runs[-1][0], column)
        else:
            runs.append((column, column))
    narrow = any(left == right for left, right in runs)
    spans = runs[:1]
    for left, right in runs[1:]:
        far = left - spans[-1][1] > _MAX_BLANK_COLUMNS
        tells = _has_words(band, left, right) or _has_own_rows(band, left, right)
        if far or (not narrow and tells):
            spans.append((left, right))
        else:
            spans[-1] = (spans[-1][0], right)
    return spans


def _has_words(band: list[Row], left: int, right: int) -> bool:
    """Whether words or dates, below the header, tell what a run's rows are about."""
    cells = [[cell for at, cell in row.cells.items() if left <= at <= right] for row in band]
    head = next((at for at, row in enumerate(cells) if not all(map(is_name, row))), 1)
    body = [cell for row in cells[max(head, 1) :] for cell in row]
    return any(cell.is_words or isinstance(cell.value, datetime) for cell in body)


def _has_own_rows(band: list[Row], left: int, right: int) -> bool:
    """Whether a run numbers its rows, under names of its own, and has other ones than its left."""
    rows = [row for row in band if any(left <= at <= right for at in row.cells)]
    head, *body = (_within(row, left, right).cells for row in rows)
    numbers = [row[left].value for row in body if left in row]
    if len(head) <= right - left or not all(cell.is_words for cell in head.values()):
        return False
    in_order = numbers == list(range(1, len(body) + 1)) and len(body) >= _NUMBERED_ROWS
    return in_order and any((min(row.cells) < left) != (max(row.cells) >= left) for row in band)


def _within(row: Row, left: int, right: int) -> Row:
    cells = {at: cell for at, cell in row.cells.items() if left <= at <= right}
    return row._replace(cells=dict(sorted(cells.items())))


def _read(left: int, right: int, rows: list[Row]) -> list[Block]:
    """The tables in a part of the sheet without blank rows or columns, one below the other."""
    width = max(len(distinct(row)) for row in rows)
    lines = _lines_above(rows) if width > 1 else 0
    said, is_pairs = (
        (len(rows) - lines, True) if is_form(rows[lines:]) else form_above(rows[lines:])
    )
    found: list[Block] = []
    if said:
        titles, form, rows = rows[:lines], rows[lines:][:said], rows[lines + said :]
        top = (*titles, *form)[0].number
        found.append(Block(left, right, tuple(form), tuple(titles), top=top, is_form=is_pairs))
    read = [_one(left, right, part) for part in parts(rows)]
    lead = read[0].titles if read else ()
    over = lead[0] if len(lead) > 1 else None  # of all the parts
    for part in read:
        headed = part if part is read[0] else replace(part, heading=over)
        found += _side_by_side(headed)
    return found


def _one(left: int, right: int, rows: list[Row]) -> Block:
    width = max(len(distinct(row)) for row in rows)
    lines = _lines_above(rows) if width > 1 else 0
    header = find_header(rows, width)
    start = header.start if header.height else lines
    above, body = rows[:start], rows[start + header.height :]
    labels, body = with_units(over_values(label_columns(rows, header), body), body)
    return Block(left, right, tuple(body), tuple(above), labels, "", rows[0].number)


def _lines_above(rows: Sequence[Row]) -> int:
    """How many lines of one cell, or of names and what they stand for, stand above the rest."""
    lines = (at for at, row in enumerate(rows[:-1]) if not (is_line(row) or are_facts(row)))
    return next(lines, len(rows) - 1)


def _side_by_side(block: Block) -> list[Block]:
    """The halves of a statement whose header says the same twice: assets here, debts there."""
    size = find_repeat(block.labels, block.rows, block.left, block.right)
    if not size:
        return [block]
    halves: list[Block] = []
    for left in range(block.left, block.right + 1, size):
        right = left + size - 1
        rows = tuple(r for each in block.rows if (r := _within(each, left, right)).cells)
        labels = {at: text for at, text in block.labels.items() if left <= at <= right}
        part = replace(block, left=left, right=right, rows=rows, labels=labels)
        halves.append(part if left == block.left else replace(part, titles=block.titles))
    return [part for part in halves if part.rows]


def _joined(found: Sequence[Block]) -> list[Block]:
    """Lines alone as titles of what follows, tables without a header with the one above."""
    done: list[Block] = []
    waiting: list[Row] = []
    headed: Block | None = None
    heading: Row | None = None
    for block in found:
        if _is_title(block):
            far = [row for row in waiting if block.top - row.number > _NEAR_ROWS]
            if far:
                done.append(_alone(far))
                waiting = waiting[len(far) :]
            waiting += (*block.titles, *block.rows)
            heading = heading or (waiting[0] if not done else None)
            continue
        if headed and not waiting and (_goes_on(headed, block) or _is_slip(headed, block)):
            at = done.index(headed)
            headed = done[at] = _with_rows(headed, block)
            continue
        if not done and not block.labels and block.titles:
            heading = heading or block.titles[0]  # of a form, and of the table below it
        over = block.heading or heading
        done.append(replace(block, titles=(*waiting, *block.titles), heading=over))
        waiting = []
        headed = done[-1] if block.labels else None if block.is_form else headed
    if waiting:
        done.append(_alone(waiting))
    return done


def _alone(lines: Sequence[Row]) -> Block:
    """Lines that head no table."""
    left = min(column for row in lines for column in row.cells)
    right = max(column for row in lines for column in row.cells)
    return Block(left, right, tuple(lines), top=lines[0].number)


def _is_title(block: Block) -> bool:
    lines = [*block.titles, *block.rows]
    return not block.labels and len(lines) <= _MAX_HEADER_ROWS and all(
        is_line(row) and len(next(iter(row.cells.values())).text) <= _MAX_TITLE_CHARS
        for row in lines
    )  # fmt: skip


def _goes_on(headed: Block, block: Block) -> bool:
    if (
        headed.is_whole
        or block.labels
        or block.is_whole
        or block.is_form
        or all(len(distinct(row)) == 1 for row in block.rows)
    ):
        return False
    same = (headed.left, headed.right) == (block.left, block.right)
    within = headed.left <= block.left and block.right <= headed.right
    gap = block.top - headed.rows[-1].number
    if gap <= 0 or not (same or (within and gap <= _NEAR_ROWS)):
        return False
    alike = bool(_valued(headed) & _valued(block))
    return alike or (same and gap <= _NEAR_ROWS and block.right - block.left > 1)


def _is_slip(headed: Block, block: Block) -> bool:
    """Whether it is one more row under the same header, as wage slips are printed to be cut."""
    is_same = headed.labels == block.labels and headed.left == block.left
    near = block.top - headed.rows[-1].number <= _NEAR_ROWS
    return is_same and near and len(block.rows) == 1 and not (block.titles or headed.is_whole)


def _valued(block: Block) -> set[int]:
    """Columns that hold more than words."""
    return {at for row in block.rows for at, cell in row.cells.items() if not cell.is_words}


def _with_rows(headed: Block, block: Block) -> Block:
    return replace(headed, rows=(*headed.rows, *block.titles, *block.rows))
