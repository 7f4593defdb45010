"""Numbers like 1.000: one, or a thousand? What stands beside them tells, or nothing does."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import replace

from rag.tabular import Table, TableRow, Value
from rag.terms import is_cjk

_CURRENCY = r"(?:[¥￥$€£元]|USD|EUR|GBP|CNY|CHF|Fr\.?)?"
_POINTED = re.compile(rf"[-−+(]?\s?{_CURRENCY}\s?[1-9]\d{{0,2}}(?:\.\d{{3}})+\s?{_CURRENCY}%?\)?")
_DECIMAL = re.compile(
    rf"[-−+(]?\s?{_CURRENCY}\s?(?:0\.\d+|\d+\.(?:\d{{1,2}}|\d{{4,}})|\d{{4,}}\.\d+|\d{{1,3}}(?:,\d{{3}})+(?:\.\d+)?)"
    rf"\s?{_CURRENCY}%?\)?"
)
"""What shows that a point parts decimals, as in 0.125, 12.5 or 1,000."""


def is_pointed(text: str) -> bool:
    """Whether groups of three digits behind a point may be thousands or decimals."""
    return bool(_POINTED.fullmatch(text))


def are_unclear(texts: Iterable[str]) -> bool:
    """Whether figures of one table are such, and none beside them tells which."""
    texts = list(texts)
    return any(map(is_pointed, texts)) and not any(map(_DECIMAL.fullmatch, texts))


def without_unclear(table: Table) -> Table:
    """A table of texts; where nothing tells what such figures are, they have no value.

    In Chinese a point is never anything but a decimal one.
    """
    said = [text for row in table.rows for text in row.shown]
    is_chinese = any(is_cjk(letter) for text in (*table.header, *said) for letter in text)
    if is_chinese or any(row.cells for row in table.rows) or not are_unclear(said):
        return table
    return replace(table, rows=tuple(replace(row, values=_less(row)) for row in table.rows))


def _less(row: TableRow) -> tuple[Value, ...]:
    return tuple(
        shown if is_pointed(shown) else value
        for shown, value in zip(row.shown, row.values, strict=True)
    )
