"""A table row's columns as one line of JSON, for the catalogue and the pipe to the child."""

from __future__ import annotations

import json
from datetime import datetime
from typing import Any

from rag.records import TableRow, Value


def pack_columns(row: TableRow) -> str:
    """A row's columns as JSON: text as itself, nothing as null, else ``[shown, value]``.

    Where the value is a date, it is written as ISO text. What is shown without a value repeats
    the number of merged cells, which counts once.
    """
    return json.dumps(
        [_pack_column(shown, value) for shown, value in zip(row.shown, row.values, strict=True)],
        ensure_ascii=False,
        separators=(",", ":"),
    )


def unpack_columns(cells: str | None, packed: str) -> TableRow:
    """The row again.

    Raises:
        ValueError, TypeError: it isn't one.
    """
    columns = [_unpack_column(column) for column in json.loads(packed)]
    return TableRow(cells, tuple(c[0] for c in columns), tuple(c[1] for c in columns))


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
    shown, value = column
    if not isinstance(shown, str) or not isinstance(value, str | float | int | None):
        raise TypeError("no column of a table")
    return shown, datetime.fromisoformat(value) if isinstance(value, str) else value
