"""A table row's columns as one line of JSON, for the catalogue and the pipe to the child."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any, get_args

from rag.tabular import RowMark, TableRow, Value

_MARKS: tuple[RowMark, ...] = get_args(RowMark)


def pack_columns(row: TableRow) -> str:
    """A row's columns as JSON: text as itself, nothing as null, else ``[shown, value]``.

    Where the value is a date, it is written as ISO text. What is shown without a value repeats
    the number of merged cells, which counts once; ``[shown, null, 1]`` was never calculated.
    """
    columns: list[object] = [
        _pack_column(shown, value) for shown, value in zip(row.shown, row.values, strict=True)
    ]
    for at in row.uncalculated:
        columns[at] = [row.shown[at], None, 1]
    return json.dumps(columns, ensure_ascii=False, separators=(",", ":"))


def unpack_columns(
    cells: str | None, packed: str, marks: tuple[RowMark, ...] = (), page: int | None = None
) -> TableRow:
    """The row again.

    Raises:
        ValueError, TypeError: it isn't one.
    """
    written = json.loads(packed)
    columns = [_unpack_column(column) for column in written]
    return TableRow(
        cells,
        tuple(shown for shown, _ in columns),
        tuple(value for _, value in columns),
        marks,
        tuple(at for at, each in enumerate(written) if isinstance(each, list) and each[2:] == [1]),
        page,
    )


def pack_marks(row: TableRow) -> str:
    """A row's marks, a comma between."""
    return ",".join(row.marks)


def unpack_marks(packed: str) -> tuple[RowMark, ...]:
    """The marks again; what is none is left out."""
    return tuple(mark for mark in _MARKS if mark in packed.split(","))


def _pack_column(shown: str, value: Value) -> object:
    if value is None and not shown:
        return None
    if isinstance(value, str):
        return shown
    return [shown, value.isoformat() if isinstance(value, datetime) else value]


def _unpack_column(column: Any) -> tuple[str, Value]:
    if column is None:
        return "", None
    if isinstance(column, str):
        return column, column
    shown, value, *_ = column
    if not isinstance(shown, str) or not isinstance(value, str | float | int | None):
        raise TypeError("no column of a table")
    return shown, datetime.fromisoformat(value) if isinstance(value, str) else value
