"""Tables without rules: rows of short pieces that stand in columns below a header."""

from __future__ import annotations

import re
import statistics
from collections.abc import Sequence
from dataclasses import replace

from ingest.parsers.grids import Rule
from ingest.parsers.paragraphs import Line, join
from ingest.parsers.pdf_columns import by_columns
from ingest.parsers.tables import PageTable, to_table, to_value
from ingest.parsers.unruled import Standing, figures, go_on, stand_below, to_grid, visual_rows

_MIN_ROWS = 3
_MIN_COLUMNS = 3
_USUAL_WORDS = 25
"""Cells of words are shorter than lines of running text in columns."""
_PLAIN = re.compile(r"[^\W\d_][\w\s/&.,'’()（）%-]{0,29}")
"""What names a column of words; lines of code stand in columns, too."""
_SLACK, _ALONG = 0.4, 0.8
"""Of a line's height: so near to a header is its rule. Of the table's width: so long it is."""
_HEADED = 0.8
_FILLED = 0.6
"""A row that fills fewer columns may be something else that stands there by chance."""


def with_aligned(
    parts: Sequence[Line | PageTable], across: Sequence[Rule] = ()
) -> list[Line | PageTable]:
    """The parts of a page, lines that are a table put together as one.

    Args:
        parts: in reading order.
        across: the level rules that are drawn on the page.
    """
    found: list[Line | PageTable] = []
    run: list[Line] = []
    for part in parts:
        if isinstance(part, Line):
            run.append(part)
        else:
            found += [*_with_tables(run, across), part]
            run = []
    return [*found, *_with_tables(run, across)]


def with_rest(
    parts: Sequence[Line | PageTable], before: PageTable, top: float
) -> list[Line | PageTable]:
    """The parts of a page, the lines above ``top`` that go on with ``before`` as a table.

    They are rows without a header of their own, and each piece stands in a column of ``before``.
    """
    end = next((at for at, part in enumerate(parts) if isinstance(part, PageTable)), len(parts))
    lines = [part for part in parts[:end] if isinstance(part, Line)]
    standing = go_on(visual_rows(lines), before.grid.xs, top)
    table = _rest(standing, before) if standing else None
    if standing and table and _are_whole(lines, held := set(standing.pieces)):
        return [*_in_place(lines, [(table, held)]), *parts[end:]]
    return list(parts)


def _rest(standing: Standing, before: PageTable) -> PageTable | None:
    columns = before.grid.columns
    fullest = max(len(row) for row in standing.rows)
    made = to_grid(standing)
    if made is None or columns < _MIN_COLUMNS or fullest < _FILLED * columns:
        return None
    grid, cells = made
    texts = tuple(
        tuple(join(tuple(cells.get((row, at), ()))) for at in range(columns))
        for row in range(grid.rows)
    )
    if not any(isinstance(to_value(text), float) for row in texts for text in row):
        return None
    grid = replace(grid, xs=before.grid.xs)
    return replace(before, grid=grid, texts=texts, start=0, first=0, goes_on=True)


def _with_tables(lines: Sequence[Line], across: Sequence[Rule]) -> list[Line | PageTable]:
    """The lines, those of tables put together."""
    return [part for each in by_columns(lines) for part in _with_tables_of(each, across)]


def _with_tables_of(lines: Sequence[Line], across: Sequence[Rule]) -> list[Line | PageTable]:
    told = visual_rows(lines)
    tables: list[tuple[PageTable, set[Line]]] = []
    at = 0
    while at < len(told):
        standing = stand_below(told, at)
        table = _table(standing, across) if standing else None
        if standing and table and _are_whole(lines, held := set(standing.pieces)):
            tables.append((table, held))
            at += len(standing.body) + 1
        else:
            at += 1
    return _in_place(lines, tables)


def _in_place(
    lines: Sequence[Line], tables: Sequence[tuple[PageTable, set[Line]]]
) -> list[Line | PageTable]:
    """The lines, each table in the place of the first one that is part of it."""
    found: list[Line | PageTable] = []
    for line in lines:
        table = next((each for each, held in tables if not held.isdisjoint(_pieces(line))), None)
        if table is None:
            found.append(line)
        elif table not in found:
            found.append(table)
    return found


def _are_whole(lines: Sequence[Line], held: set[Line]) -> bool:
    """Whether no line is part of the table only with some of its pieces."""
    return all(held.issuperset(_pieces(line)) or held.isdisjoint(_pieces(line)) for line in lines)


def _pieces(line: Line) -> tuple[Line, ...]:
    return line.pieces or (line,)


def _table(standing: Standing, across: Sequence[Rule]) -> PageTable | None:
    """The table; None where nothing but their places says that it is one."""
    counting, columns = figures(standing), len(standing.columns)
    if not counting and not _is_marked(standing, across):
        return None
    if columns < _MIN_COLUMNS and not _is_list_of_figures(standing, counting):
        return None
    head = standing.rows[standing.heads - 1]
    named = len(head) + (head[0].x0 > standing.columns[0][1])  # what the rows are called needs none
    if columns >= _MIN_COLUMNS and named < _HEADED * columns:
        return None
    made = to_grid(standing)
    table = to_table(*made) if made else None
    return table if table and any(table.labels) else None


def _is_list_of_figures(standing: Standing, counting: Sequence[int]) -> bool:
    """Whether each row of two columns is a name and its figure."""
    rows = standing.body
    return list(counting) == [1] and len(rows) >= _MIN_ROWS and all(len(row) > 1 for row in rows)


def _is_marked(standing: Standing, across: Sequence[Rule]) -> bool:
    """Whether a header of words over words is set apart: by a rule or a ground, or in bold."""
    body = [piece for row in standing.body for piece in row]
    if statistics.median(len(piece.text) for piece in body) > _USUAL_WORDS:
        return False
    head = standing.rows[standing.heads - 1]
    if not all(_PLAIN.fullmatch(piece.text) for piece in head):
        return False
    if all(piece.bold for piece in head) and not any(piece.bold for piece in body):
        return True
    foot = max(piece.y1 for piece in head)
    top = min(piece.y0 for piece in standing.body[0])
    slack = _SLACK * head[0].height
    left, right = standing.columns[0][0], standing.columns[-1][1]
    return any(
        foot - slack <= rule.at <= top + slack
        and min(rule.end, right) - max(rule.start, left) >= _ALONG * (right - left)
        for rule in across
    )
