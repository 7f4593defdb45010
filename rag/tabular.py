"""The records of tables as data."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from rag.records import Locator

Value = str | float | bool | datetime | None
"""What a cell holds: text, a number, a truth, a date (without a time zone), or nothing."""


RowMark = Literal["total", "hidden"]
"""``total``: sums up other rows, so counts for nothing beside them; ``hidden``: nobody sees it."""


@dataclass(frozen=True, slots=True)
class TableRow:
    """A row of a table: each column's text as shown, and the value behind it.

    ``cells`` is its own range (``A288:E288``); None where a table has no cell addresses. A text's
    value is what is shown of it; a percentage's is the fraction. Where something is shown and the
    value is None, the number of a merged cell is repeated, or, in the columns ``uncalculated``
    (from 0), a formula was never calculated. ``page`` is its own where a table runs over several.
    """

    cells: str | None
    shown: tuple[str, ...]
    values: tuple[Value, ...]
    marks: tuple[RowMark, ...] = ()
    uncalculated: tuple[int, ...] = ()
    page: int | None = None


@dataclass(frozen=True, slots=True)
class Table:
    """A table as data, so that questions about all its rows can be computed.

    ``header`` names the columns, those of a header of several rows joined; a column without a
    name has the empty string. Every row has as many columns as the header. ``unit`` is what lines
    above say amounts are in (``万元``); ``units`` what each column's values are in, as its name or
    its numbers say (``kg``, ``¥``, ``%``), empty where nothing does; none of them where no column
    has one. ``hidden_columns`` counts from 0.
    """

    title: str
    locator: Locator
    header: tuple[str, ...]
    rows: tuple[TableRow, ...]
    unit: str = ""
    units: tuple[str, ...] = ()
    hidden_columns: tuple[int, ...] = ()
