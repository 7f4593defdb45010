"""Tables whose rows were read one by one, as data: each with where its rows stand."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from itertools import groupby
from typing import NamedTuple

from ingest.parsers.tables import PageTable
from rag.records import Locator
from rag.tabular import Table, TableRow


class Stood(NamedTuple):
    """Row ``at`` of a table, and where it was found."""

    table: PageTable
    at: int
    place: Locator
    title: str = ""


def gathered(rows: Iterable[Stood]) -> tuple[Table, ...]:
    """The tables that have names of columns and rows below them; forms have none.

    Args:
        rows: of all tables, in order.
    """
    found: list[Table] = []
    for _, group in groupby(rows, key=lambda row: id(row.table)):
        stood = list(group)
        records = tuple(record for row in stood if (record := _record(row)))
        if records and any(stood[0].table.labels):
            place = _around(stood[0].place, stood[-1].place)
            found.append(Table(stood[0].title, place, stood[0].table.labels, records))
    return tuple(found)


def _record(row: Stood) -> TableRow | None:
    record = row.table.record(row.at)
    return replace(record, page=row.place.page) if record else None


def _around(first: Locator, last: Locator) -> Locator:
    end = last.page_end or last.page
    page_end = end if end and first.page and end > first.page else None
    return replace(first, page_end=page_end, boxes=())
