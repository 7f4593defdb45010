"""Tables as they are drawn: rules that cross make a grid, a missing rule a merged cell."""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from ingest.parsers.geometry import Rectangle

_THIN_PT = 4.0
"""A bar up to so thick is a rule."""
_SNAP_PT = 3.0
"""Rules nearer to each other are one; ends so near to a rule meet it."""
_DRAWN_SHARE = 0.6
"""Share of a cell's side that must be drawn for it to part two cells."""
_MAX_RULES = 1500
"""A page with more is a map or a drawing; each is compared with each."""
_MIN_CELLS = 4
_MAX_CELLS = 20_000


Place = tuple[int, int]
"""Row and column, from 0."""


@dataclass(frozen=True, slots=True)
class Rule:
    """A line along an axis: at ``at`` across, from ``start`` to ``end`` along it."""

    at: float
    start: float
    end: float


@dataclass(frozen=True, slots=True)
class Rules:
    """The rules of a page, in the frame in which its text stands upright."""

    across: tuple[Rule, ...]
    down: tuple[Rule, ...]


@dataclass(frozen=True, slots=True)
class Grid:
    """The lines between rows and columns; ``owner`` names the first cell of each merged one."""

    xs: tuple[float, ...]
    ys: tuple[float, ...]
    owner: dict[Place, Place]

    @property
    def rows(self) -> int:
        return len(self.ys) - 1

    @property
    def columns(self) -> int:
        return len(self.xs) - 1

    def cell_at(self, x: float, y: float) -> Place | None:
        """The (row, column) which the point lies in, the first one of a merged cell."""
        row, column = bisect_right(self.ys, y) - 1, bisect_right(self.xs, x) - 1
        return self.owner.get((row, column))

    def only(self, rows: Sequence[int], columns: Sequence[int]) -> tuple[Grid, dict[Place, Place]]:
        """The grid with these rows and columns, others joined to them; and where cells come to lie.

        Double rules and frames leave slivers that hold nothing.
        """
        moved = {
            (row, column): (r, c) for r, row in enumerate(rows) for c, column in enumerate(columns)
        }
        xs = (self.xs[0], *(self.xs[at] for at in columns[1:]), self.xs[-1])
        ys = (self.ys[0], *(self.ys[at] for at in rows[1:]), self.ys[-1])
        owner = {new: moved.get(self.owner[old], new) for old, new in moved.items()}
        return Grid(xs, ys, owner), moved


def to_rules(bars: Iterable[Rectangle]) -> Rules:
    """Rules from thin bars and from the edges of filled or framed rectangles."""
    across: list[Rule] = []
    down: list[Rule] = []
    for x0, y0, x1, y1 in bars:
        if y1 - y0 <= _THIN_PT:
            across.append(Rule((y0 + y1) / 2, x0, x1))
        elif x1 - x0 <= _THIN_PT:
            down.append(Rule((x0 + x1) / 2, y0, y1))
        else:
            across += [Rule(y0, x0, x1), Rule(y1, x0, x1)]
            down += [Rule(x0, y0, y1), Rule(x1, y0, y1)]
    return Rules(tuple(_merged(across)), tuple(_merged(down)))


def find_grids(rules: Rules) -> list[Grid]:
    """The grids on a page, those of one row, one column or one cell left out."""
    if not rules.across or not rules.down or len(rules.across) + len(rules.down) > _MAX_RULES:
        return []
    grids = [_grid(across, down) for across, down in _connected(rules)]
    return [grid for grid in grids if grid is not None]


def _merged(rules: list[Rule]) -> list[Rule]:
    """Rules on one line that touch, as one."""
    lines: list[list[Rule]] = []
    for rule in sorted(rules, key=lambda each: each.at):
        if lines and rule.at - lines[-1][-1].at <= _SNAP_PT / 2:
            lines[-1].append(rule)
        else:
            lines.append([rule])
    merged: list[Rule] = []
    for line in lines:
        at = sum(rule.at for rule in line) / len(line)
        start = len(merged)
        for rule in sorted(line, key=lambda each: each.start):
            if len(merged) > start and rule.start <= merged[-1].end + _SNAP_PT:
                merged[-1] = Rule(at, merged[-1].start, max(merged[-1].end, rule.end))
            else:
                merged.append(Rule(at, rule.start, rule.end))
    return merged


def _connected(rules: Rules) -> list[tuple[list[Rule], list[Rule]]]:
    """Rules that cross each other, together."""
    roots = list(range(len(rules.across) + len(rules.down)))

    def root(at: int) -> int:
        while roots[at] != at:
            roots[at] = roots[roots[at]]
            at = roots[at]
        return at

    for a, one in enumerate(rules.across):
        for d, other in enumerate(rules.down, start=len(rules.across)):
            if _meet(one, other):
                roots[root(a)] = root(d)
    groups: dict[int, tuple[list[Rule], list[Rule]]] = defaultdict(lambda: ([], []))
    for a, rule in enumerate(rules.across):
        groups[root(a)][0].append(rule)
    for d, rule in enumerate(rules.down, start=len(rules.across)):
        groups[root(d)][1].append(rule)
    return [group for group in groups.values() if group[0] and group[1]]


def _meet(across: Rule, down: Rule) -> bool:
    return (
        across.start - _SNAP_PT <= down.at <= across.end + _SNAP_PT
        and down.start - _SNAP_PT <= across.at <= down.end + _SNAP_PT
    )


def _grid(across: list[Rule], down: list[Rule]) -> Grid | None:
    xs = _places(down, across)
    ys = _places(across, down)
    columns, rows = len(xs) - 1, len(ys) - 1
    if columns < 2 or rows < 2 or not _MIN_CELLS <= columns * rows <= _MAX_CELLS:  # noqa: PLR2004
        return None
    owner = _owners(xs, ys, across, down)
    if len(set(owner.values())) < _MIN_CELLS:
        return None
    return Grid(tuple(xs), tuple(ys), owner)


def _places(rules: Sequence[Rule], crossing: Sequence[Rule]) -> list[float]:
    """Where the rules lie, and where those that cross them end: many tables have open sides."""
    places = {rule.at for rule in rules}
    places |= {min(rule.start for rule in crossing), max(rule.end for rule in crossing)}
    kept: list[float] = []
    for place in sorted(places):
        if not kept or place - kept[-1] > _SNAP_PT:
            kept.append(place)
    return kept


def _owners(
    xs: Sequence[float], ys: Sequence[float], across: Sequence[Rule], down: Sequence[Rule]
) -> dict[Place, Place]:
    """For each cell the first one of those it is merged with; merged cells are rectangles."""
    owner: dict[Place, Place] = {}
    columns, rows = len(xs) - 1, len(ys) - 1
    for row in range(rows):
        for column in range(columns):
            if (row, column) in owner:
                continue
            right, bottom = column, row
            while (
                right + 1 < columns
                and (row, right + 1) not in owner
                and not _parted(down, xs[right + 1], ys[row], ys[row + 1])
            ):
                right += 1
            while bottom + 1 < rows and not _parted(
                across, ys[bottom + 1], xs[column], xs[right + 1]
            ):
                bottom += 1
            for r in range(row, bottom + 1):
                owner.update({(r, c): (row, column) for c in range(column, right + 1)})
    return owner


def _parted(rules: Sequence[Rule], at: float, start: float, end: float) -> bool:
    """Whether a rule at that place runs along most of the stretch."""
    drawn = sum(
        max(0.0, min(rule.end, end) - max(rule.start, start))
        for rule in rules
        if abs(rule.at - at) <= _SNAP_PT
    )
    return drawn >= _DRAWN_SHARE * (end - start)
