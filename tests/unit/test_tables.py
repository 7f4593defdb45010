"""Tables as data: through the pipe, into the catalogue, and out of it with their document."""

from __future__ import annotations

import datetime as dt

import pytest
from desk import Desk

from ingest.wire import tables_from_bytes, tables_to_bytes
from rag.records import Locator, Scope, Table, TableRow

ROWS = (
    TableRow("A2:D2", ("灯\u2028具\n台", "13%", "2023-12-31", ""),
             ("灯\u2028具\n台", 0.13, dt.datetime(2023, 12, 31), None)),
    TableRow(None, ("true", "TRUE", "¥1,234.50", "2023-01-01"),
             ("true", True, 1234.5, "2023-01-01")),
)  # fmt: skip
TABLE = Table(
    "费用", Locator(sheet="台账", cells="A1:D3"), ("摘要", "比例", "上半年 预算", ""), ROWS
)


def _names(desk: Desk, scope: Scope | None = None) -> list[str]:
    return [table.title for table in desk.catalog.tables.find(scope)]


def _publish(desk: Desk, path: str, *tables: Table) -> str:
    desk.tables = tables
    return desk.publish(path, path)


def test_tables_come_through_the_pipe_as_they_were() -> None:
    other = Table("", Locator(page=3), ("a",), ())
    assert tables_from_bytes(tables_to_bytes((TABLE, other))) == (TABLE, other)
    assert tables_from_bytes(tables_to_bytes(())) == ()


@pytest.mark.parametrize(
    "senseless",
    [b"{}", b'["t", {}, ["a"], 2]\nA1 ["x"]', b'["t", {}, ["a"], 1]\nA1 ["x", "y"]', b"\xff",
     b'["t", {}, ["a"], 1]\nA1 [["x", {}]]', b'["t", {}, ["a"], 1]\nA1 [["x", "no date"]]'],
)  # fmt: skip
def test_what_is_no_table_is_refused(senseless: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        tables_from_bytes(senseless)


def test_the_catalogue_gives_tables_with_typed_rows(desk: Desk) -> None:
    document_id = _publish(desk, "books/a.xlsx", TABLE)
    (entry,) = desk.catalog.tables.find()
    assert (entry.document_id, entry.path, entry.title) == (document_id, "books/a.xlsx", "费用")
    assert (entry.locator, entry.header, entry.row_count) == (TABLE.locator, TABLE.header, 2)
    assert tuple(desk.catalog.tables.rows(entry.table_id)) == ROWS


def test_tables_are_found_within_a_scope(desk: Desk) -> None:
    _publish(desk, "x/a.xlsx", TABLE)
    _publish(desk, "y/b.xlsx", Table("other", Locator(), (), ()))
    assert _names(desk) == ["费用", "other"]
    assert _names(desk, Scope(collection="y")) == ["other"]


def test_more_rows_than_a_batch_come_in_order(desk: Desk) -> None:
    rows = tuple(TableRow(f"A{n}", (str(n),), (float(n),)) for n in range(2500))
    _publish(desk, "a.xlsx", Table("", Locator(), ("n",), rows))
    (entry,) = desk.catalog.tables.find()
    assert tuple(desk.catalog.tables.rows(entry.table_id)) == rows


def test_a_new_revision_brings_its_own_tables(desk: Desk) -> None:
    _publish(desk, "a.xlsx", TABLE)
    desk.tables = (Table("new", Locator(), (), ()),)
    desk.arrive("a.xlsx", "changed")
    desk.publish_job(desk.claim(), "text")
    assert _names(desk) == ["new"]


@pytest.mark.parametrize("way", ["remove", "shelve"])
def test_tables_go_with_their_document(desk: Desk, way: str) -> None:
    document_id = _publish(desk, "a.xlsx", TABLE)
    (entry,) = desk.catalog.tables.find()
    if way == "remove":
        desk.index.remove(document_id)
    else:
        desk.index.shelve(document_id, "trash/a.xlsx")
    assert _names(desk) == []
    assert list(desk.catalog.tables.rows(entry.table_id)) == []
