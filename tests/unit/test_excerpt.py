from __future__ import annotations

import re

import pytest
from lxml import html as parser
from samples.folder import samples

from ingest.chunking import chunk
from ingest.parsers import parse
from ingest.previews.excerpt import excerpt_html
from rag.cells import CellRange, cell_range, column_name, column_number
from rag.excerpt import Excerpt, Window
from rag.records import Locator, Passage
from rag.tabular import Table, TableRow


def _passage(cells, text="Item: Desk"):
    return Passage("p0", "d", 0, text, "name", Locator(sheet="Ledger", cells=cells))


def _table(*rows, first="B2:C9"):
    return Table(
        "Ledger",
        Locator(sheet="Ledger", cells=first),
        ("Item", "Sum"),
        tuple(TableRow(cells, tuple(shown), tuple(shown)) for cells, *shown in rows),
    )


def _grid(excerpt):
    tree = parser.fromstring(excerpt_html(excerpt))
    return [[cell.text_content() for cell in row] for row in tree.iter("tr")], tree


def test_the_cited_cells_are_marked_among_letters_numbers_and_labels():
    table = _table(("B6:C6", "Chair", "3"), ("B7:C7", "Desk", "7"), ("B9:C9", "Lamp", "12"))
    grid, tree = _grid(Excerpt("a.xlsx", (_passage("B7:C7"),), "p0", Window(table)))
    assert grid == [
        ["", "B", "C"], ["", "Item", "Sum"],
        ["6", "Chair", "3"], ["7", "Desk", "7"], ["9", "Lamp", "12"],
    ]  # fmt: skip
    assert [cell.text for cell in tree.find_class("cited")] == ["Desk", "7"]
    assert [row[0].text for row in tree.xpath("//tr[@id='cited']")] == ["7"]


def _quoting(quote, cells="B6:C7", lines=("B6:C6", "B7:C7")):
    table = _table(("B6:C6", "Chair", "3"), ("B7:C7", "Desk", "7"), ("B9:C9", "Lamp", "12"))
    place = Locator(sheet="Ledger", cells=cells, lines=lines)
    text = "Item: Chair | Sum: 3\nItem: Desk | Sum: 7"
    cited = Passage("p0", "d", 0, text, "name", place)
    window = Window(table, above=271, below=1)
    return _grid(Excerpt("a.xlsx", (cited,), "p0", window, quote))[1]


@pytest.mark.parametrize(
    ("quote", "cells", "number"),
    [("Item: Desk | Sum: 7", ["Desk", "7"], "7"), ("Sum: 7", ["7"], "7"),
     ("Item: Chair | Sum: 3", ["Chair", "3"], "6"), ("Sum: 3\nItem: Desk", ["3", "Desk"], "6"),
     ("not said", ["Chair", "3", "Desk", "7"], "6"), ("", ["Chair", "3", "Desk", "7"], "6")],
)  # fmt: skip
def test_just_the_rows_and_cells_of_a_quote_are_marked(quote, cells, number):
    tree = _quoting(quote)
    assert [cell.text for cell in tree.find_class("cited")] == cells
    assert [row[0].text for row in tree.xpath("//tr[@id='cited']")] == [number]


def test_rows_that_are_not_shown_are_told():
    above, below = _quoting("Sum: 7").find_class("more")
    assert (above.text, below.text) == ("… 271 rows above", "… 1 row below")
    assert [each.get("data-rows") for each in (above, below)] == ["271", "1"]


def test_hidden_rows_and_columns_and_totals_are_told_in_the_sheet():
    rows = (TableRow("A2:B2", ("Lamp", "7"), ("Lamp", 7), ("hidden",)),
            TableRow("A3:B3", ("Total", "7"), ("Total", 7), ("total",)))  # fmt: skip
    place = Locator(sheet="S", cells="A1:B3")
    table = Table("", place, ("Item", "Cost"), rows, hidden_columns=(1,))
    cited = Passage("p0", "d", 0, "x", "name", Locator(sheet="S", cells="A3:B3"))
    _, tree = _grid(Excerpt("a.xlsx", (cited,), "p0", Window(table)))
    assert [each.text for each in tree.find_class("unseen") if each.tag == "th"] == [
        "Cost (hidden)"
    ]
    assert [row[0].text for row in tree.xpath("//tbody/tr")] == ["2 (hidden)", "3"]
    assert [row.get("class") for row in tree.xpath("//tbody/tr")] == ["unseen", "total"]


def test_its_policy_allows_its_own_style_only():
    html = excerpt_html(Excerpt("a.docx", (_passage(None),), None))
    (policy,) = re.findall(r'Content-Security-Policy" content="([^"]+)"', html)
    assert policy.startswith("default-src 'none'; style-src 'sha256-")
    assert not re.search(r"(src|href)=", html)


@pytest.mark.parametrize(("number", "name"), [(1, "A"), (26, "Z"), (27, "AA"), (703, "AAA")])
def test_columns_have_names(number, name):
    assert column_name(number) == name
    assert column_number(name) == number


def test_ranges_are_read():
    assert cell_range("B7") == CellRange(2, 7, 2, 7)
    assert cell_range("A2:AB9") == CellRange(1, 2, 28, 9)
    assert cell_range("Sheet") is cell_range(None) is None


def test_the_catalogue_gives_the_rows_around_a_passage(desk):
    document_id = desk.publish("a.xlsx", "Item: Desk")
    rows = [(f"B{number}:C{number}", f"item {number}", "1") for number in range(3, 40)]
    desk.catalog.tables.replace(document_id, [_table(*rows)], ())
    place = Locator(sheet="Ledger", cells="B20:C21")
    passage = Passage("p0", document_id, 0, "x", "name", place)
    found = desk.catalog.tables.around(passage, reach=2)
    assert (found.above, found.below) == (15, 16)
    assert found.table.header == ("Item", "Sum")
    assert [row.cells for row in found.table.rows] == [f"B{n}:C{n}" for n in range(18, 24)]
    for other in (Locator(sheet="Other", cells="B20:C21"), Locator(sheet="Ledger", cells="B2:Z2"),
                  Locator(page=1)):  # fmt: skip
        elsewhere = Passage("p1", document_id, 1, "x", "name", other)
        assert desk.catalog.tables.around(elsewhere, reach=2) is None


@pytest.mark.parametrize("name", ["ledger.xlsx", "部门汇总.xlsx", "two-tables.xlsx"])
def test_of_a_real_workbook_each_passage_is_shown_in_its_sheet(desk, name):
    parsed = parse(samples() / name)
    document_id = desk.publish(name, "x")
    desk.catalog.tables.replace(document_id, parsed.tables, ())
    drafts = chunk(
        parsed.elements,
        document_name="book",
        token_spans=desk.embedder.token_spans,
        target_tokens=300,
        max_tokens=900,
    )
    assert drafts
    for draft in drafts:
        passage = Passage("p0", document_id, 0, draft.text, draft.context, draft.locator)
        table = desk.catalog.tables.around(passage, reach=2)
        if table is None:
            continue
        html = excerpt_html(Excerpt(name, (passage,), "p0", table))
        cells = [each.text_content() for each in parser.fromstring(html).find_class("cited")]
        words = draft.text.replace("\n", " ")
        assert cells
        assert all(cell in words for cell in cells), (draft.locator.cells, cells, words)
    rows = [draft for draft in drafts if "|" in draft.text]
    found = [desk.catalog.tables.around(Passage("p", document_id, 0, "", "", each.locator), reach=0)
             for each in rows]  # fmt: skip
    assert all(found)
