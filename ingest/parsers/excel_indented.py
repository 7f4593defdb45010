"""Rows that hold the sums of those set in below them: income, then its kinds.

Blanks before a text may be nobody's meaning, so the numbers must bear it out.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import fsum, isclose

from ingest.parsers.grid import Cell, Row
from ingest.parsers.table_marks import is_total_name

_CLOSE = 1e-6
_LEAST = 2
_SHARE = 0.5
"""Shares and prices don't add up: half of a row's numbers, or more, must."""


def parents(rows: Sequence[Row]) -> set[int]:
    """The rows, by number, that say the sums of the ones set in below them."""
    names = [next((cell for cell in row.cells.values() if cell.is_words), None) for row in rows]
    if len({name.indent for name in names if name}) < _LEAST:
        return set()
    return {row.number for at, row in enumerate(rows) if _holds(row, _below(rows, names, at))}


def _below(rows: Sequence[Row], names: Sequence[Cell | None], at: int) -> list[Row]:
    """The rows right below that are set in one step further than row ``at``."""
    own, found = names[at], list[Row]()
    step: int | None = None
    for row, name in zip(rows[at + 1 :], names[at + 1 :], strict=True):
        if own is None or name is None or name.indent <= own.indent:
            break
        step = name.indent if step is None else step
        if name.indent <= step and not is_total_name(name.text):
            found.append(row)
    return found


def _holds(row: Row, below: Sequence[Row]) -> bool:
    own, parts = _numbers(row), list(map(_numbers, below))
    held = [at for at in own if any(at in each for each in parts)]
    alike = [at for at in held if _is_sum(own[at], [each.get(at, 0.0) for each in parts])]
    if not any(own[at] for at in alike):
        return False
    is_whole = len(alike) == len(held) >= _LEAST
    return is_whole or (len(parts) >= _LEAST and len(alike) >= _SHARE * len(held))


def _is_sum(value: float, parts: Sequence[float]) -> bool:
    return isclose(value, fsum(parts), rel_tol=_CLOSE, abs_tol=_CLOSE)


def _numbers(row: Row) -> dict[int, float]:
    return {
        at: cell.value
        for at, cell in row.cells.items()
        if isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
    }
