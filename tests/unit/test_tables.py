"""Tables as data: through the pipe, into the catalogue, and out of it with their document."""

from __future__ import annotations

import datetime as dt

import pytest
from desk import Desk
from samples.folder import samples

from ingest.parsers import parse
from ingest.wire import tables_from_bytes, tables_to_bytes
from rag.records import Locator, Scope
from rag.tabular import Table, TableRow

ROWS = (
    TableRow("A2:D2", ("灯\u2028具\n台", "13%", "2023-12-31", ""),
             ("灯\u2028具\n台", 0.13, dt.datetime(2023, 12, 31), None)),
    TableRow(None, ("true", "TRUE", "¥1,234.50", "2023-01-01"),
             ("true", True, 1234.5, "2023-01-01")),
    TableRow(None, ("合计", "13%", "=SUM(C1:C2)", "12"), ("合计", None, None, 12),
             ("total", "hidden"), (2,), 7),
)  # fmt: skip
TABLE = Table(
    "费用",
    Locator(sheet="台账", cells="A1:D3"),
    ("摘要", "比例", "上半年 预算", ""),
    ROWS,
    "万元",
    ("", "%", "¥", ""),
    (3,),
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
    [b"{}", b"\xff", b'["t", {}, ["a"], 1]\nA1;; ["x"]',
     *(b'["t", {}, ["a"], %s, ["", [], []]]\n%s' % each for each in (
         (b"2", b'A1;; ["x"]'), (b"1", b'A1;; ["x", "y"]'), (b"1", b'A1;; [["x", {}]]'),
         (b"1", b'A1;; [["x", "no date"]]'), (b"1", b'A1 ["x"]'), (b"1", b'A1;;p ["x"]')))],
)  # fmt: skip
def test_what_is_no_table_is_refused(senseless: bytes) -> None:
    with pytest.raises((ValueError, TypeError, KeyError)):
        tables_from_bytes(senseless)


def test_the_catalogue_gives_tables_with_typed_rows(desk: Desk) -> None:
    document_id = _publish(desk, "books/a.xlsx", TABLE)
    (entry,) = desk.catalog.tables.find()
    assert (entry.document_id, entry.path, entry.title) == (document_id, "books/a.xlsx", "费用")
    assert (entry.locator, entry.header, entry.row_count) == (TABLE.locator, TABLE.header, 3)
    assert (entry.unit, entry.units, entry.hidden_columns) == ("万元", ("", "%", "¥", ""), (3,))
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


def test_every_row_knows_the_passage_it_stands_in(desk: Desk) -> None:
    rows = [TableRow(None, ("灯", "3"), ("灯", 3)), TableRow(None, ("桌", "4"), ("桌", 4), page=2),
            TableRow(None, ("椅", "9"), ("椅", 9))]  # fmt: skip
    desk.tables = (Table("", Locator(page=1), ("品名", "数量"), tuple(rows)),)
    document_id = desk.publish("a.pdf", "前言\n品名: 灯 | 数量: 3", "品名: 桌 | 数量: 4")
    (entry,) = desk.catalog.tables.find()
    first, second = desk.catalog.passages.stretch(document_id, 0, 1)
    assert desk.catalog.tables.passage_ids(entry.table_id, [0, 1, 2]) == {
        0: first.passage_id,
        1: second.passage_id,
    }


def test_of_a_workbook_every_row_stands_in_a_passage(desk: Desk) -> None:
    parsed = parse(samples() / "费用台账.xlsx")
    desk.tables = parsed.tables
    desk.publish_parsed("费用台账.xlsx", parsed)
    (entry,) = desk.catalog.tables.find()
    numbers = range(entry.row_count)
    found = desk.catalog.tables.passage_ids(entry.table_id, numbers)
    assert list(found) == list(numbers)
    passages = desk.catalog.passages.get(list(found.values()))
    for number, row in enumerate(desk.catalog.tables.rows(entry.table_id)):
        passage = passages[found[number]][0]
        line = next(line for line in passage.text.split("\n") if row.shown[0] in line)
        assert passage.place_of(line).cells == row.cells
