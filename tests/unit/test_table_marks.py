"""What a table says of its own figures: total rows, units, what was never calculated."""

from __future__ import annotations

import pytest
from openpyxl import Workbook

from ingest.parsers import parse
from ingest.parsers.table_marks import told
from rag.records import Locator
from rag.tabular import Table, TableRow


def _table(*rows, header=("项目", "金额"), title=""):
    def value(cell):
        return cell[1] if isinstance(cell, tuple) else cell

    return told(
        Table(
            title, Locator(), header,
            tuple(
                TableRow(None, tuple(str(c[0] if isinstance(c, tuple) else c or "") for c in row),
                         tuple(map(value, row)))
                for row in rows
            ),
        )
    )  # fmt: skip


def _totals(table):
    return [at for at, row in enumerate(table.rows) if "total" in row.marks]


@pytest.mark.parametrize(
    "name",
    ["合计", "合  计", "小计：", "总计", "一季度小计", "本月合计", "承前页", "合计（元）", "Total",
     "结转下年", "TOTAL:", "Subtotal", "Sub-total", "Grand total", "Total assets",
     "East total", "Average", "平均值"],
)  # fmt: skip
def test_rows_that_sum_up_others_are_marked(name):
    assert _totals(_table(("房租", 5), ("水电", 9), (name, 14))) == [2]


@pytest.mark.parametrize("name", ["Total Station TS-9", "统计", "合计划", "总计划部", "Summer"])
def test_things_that_only_sound_like_totals_are_not(name):
    table = _table(("房租", "灰", 5), (name, "蓝", 9), header=("项目", "颜色", "金额"))
    assert _totals(table) == []


def test_a_total_may_stand_behind_the_name_of_its_group():
    table = _table(("华东", "一店", 5), ("华东", "小计", 5), header=("地区", "门店", "金额"))
    assert _totals(table) == [1]


def test_a_last_row_without_words_that_adds_up_is_a_total():
    assert _totals(_table(("房租", 5), ("水电", 9), (None, 14))) == [2]
    assert _totals(_table(("房租", 5), ("水电", 9), (None, 15))) == []


def test_a_part_of_the_row_above_counts_for_nothing_beside_it():
    rows = ("人工费", 100), ("其中：加班费", 20), ("材料费", 50), ("合计", 150)
    assert _totals(_table(*rows)) == [1, 3]


def test_counts_and_sums_at_the_end_are_told_by_their_numbers():
    assert _totals(_table(("甲", 20), ("乙", 21), ("人数", 2), ("合计人天", 41))) == [2, 3]
    assert _totals(_table(("East", 20), ("West", 21), ("All", 41))) == [2]
    assert _totals(_table(("甲", 20), ("乙", 21), ("人数", 9))) == []
    assert _totals(_table(("East", 20), ("West", 21), ("All", 40))) == []


def test_amounts_carried_over_are_named_behind_their_date():
    header = ("Day", "Memo", "Sum")
    rows = (
        ("1 Mar", "Brought forward", 9),
        ("2 Mar", "Sales", 5),
        ("9 Mar", "Carried forward", 14),
    )
    assert _totals(_table(*rows, header=header)) == [0, 2]


def test_a_table_of_totals_is_about_them():
    assert _totals(_table(("资产总计", 5), ("负债合计", 9))) == []
    assert _totals(_table(("华东合计", 5), ("华北合计", 9), ("合计", 14))) == [2]


@pytest.mark.parametrize(
    ("label", "shown", "unit"),
    [("金额（万元）", "5", "万元"), ("金额/元", "5", "元"), ("Weight (kg)", "5", "kg"),
     ("Amount USD", "5", "USD"), ("单价", "¥5.00", "¥"), ("占比", "5%", "%"),
     ("数量", "5", ""), ("Name (short)", "5", "")],
)  # fmt: skip
def test_units_stand_in_the_label_or_beside_every_number(label, shown, unit):
    table = _table(("a", (shown, 5.0)), ("b", (shown, 5.0)), header=("项目", label))
    assert (table.units[1] if table.units else "") == unit


def test_signs_that_differ_are_no_unit_and_words_have_none():
    assert _table(("a", ("¥5", 5.0)), ("b", ("$5", 5.0))).units == ()
    assert _table(("Zone NA", 5), ("Zone EUR", 6), header=("In CHF", "Sales")).units == ()


@pytest.mark.parametrize(
    ("title", "unit"),
    [("利润表 › 单位：万元", "万元"), ("汇总（单位：元）", "元"),
     ("编制单位：银杏书店 | 单位：元", "元"), ("编制单位：万元户公司", ""),
     ("In millions of CHF | 2023", "millions of CHF"), ("Unit: USD thousand", "USD thousand"),
     ("In the year 2023", "")],
)  # fmt: skip
def test_lines_above_say_what_amounts_are_in(title, unit):
    assert _table(("a", 5), title=title).unit == unit


def test_telling_twice_tells_nothing_new():
    table = _table(("房租", 5), ("合计", 5), header=("项目", "金额（元）"), title="单位：万元")
    assert told(table) == table


def test_of_a_workbook_hidden_total_and_uncalculated_are_told_apart(tmp_path):
    book = Workbook()
    sheet = book.active
    for row in (
        ["项目", "金额", "底价"],
        ["房租", 100, 1],
        ["水电", 200, 2],
        ["合计", "=SUM(B2:B3)", "=1+2"],
    ):
        sheet.append(row)
    sheet.row_dimensions[3].hidden = True
    sheet.column_dimensions["C"].hidden = True
    book.save(tmp_path / "a.xlsx")
    (table,) = parse(tmp_path / "a.xlsx").tables
    assert table.header == ("项目", "金额", "底价")
    assert table.hidden_columns == (2,)
    assert [row.marks for row in table.rows] == [(), ("hidden",), ("total",)]
    last = table.rows[-1]
    assert last.uncalculated == (1, 2)
    assert last.shown == ("合计", "=SUM(B2:B3)", "=1+2")
    assert last.values == ("合计", None, None)


def test_text_that_begins_with_an_equals_sign_is_text(tmp_path):
    book = Workbook()
    book.active.append(["符号", "意思"])
    book.active.append(["x", "y"])
    book.active["A2"].value = "=等于"
    book.active["A2"].data_type = "s"
    book.save(tmp_path / "a.xlsx")
    parsed = parse(tmp_path / "a.xlsx")
    assert "not_calculated" not in parsed.flags
    assert "not calculated" not in parsed.elements[-1].text
