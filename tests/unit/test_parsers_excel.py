"""Workbooks: what becomes a row of which table, and what is said of hidden and cut things."""

from __future__ import annotations

import datetime as dt
import zipfile

import pytest
from openpyxl import Workbook
from openpyxl.cell.rich_text import CellRichText, TextBlock
from openpyxl.cell.text import InlineFont
from openpyxl.chart import BarChart, Reference
from openpyxl.comments import Comment
from openpyxl.drawing.image import Image
from openpyxl.styles import Font
from openpyxl.workbook.defined_name import DefinedName
from openpyxl.worksheet.table import Table as ListObject
from samples.folder import samples
from samples.scans import scan

from ingest.failures import Unreadable
from ingest.parsers import parse
from ingest.parsers.excel import parse_sheets
from ingest.parsers.excel_xlsx import sheets
from ingest.parsers.grid import Budget
from rag.columns import pack_columns, unpack_columns
from rag.records import Reason


def _rows(path):
    return {each.locator.cells: each.text for each in parse(path).elements}


def _book(*rows, merged=(), **formats):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for area in merged:
        book.active.merge_cells(area)
    for cell, form in formats.items():
        book.active[cell].number_format = form
    return book


def _saved(book, tmp_path, name="a.xlsx"):
    book.save(tmp_path / name)
    return tmp_path / name


def _read(book, tmp_path):
    return parse(_saved(book, tmp_path))


def _changed(path, *words):
    """The workbook with words of its XML replaced: old, new, old, new."""
    changed = path.with_name(f"changed-{path.name}")
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            for before, after in zip(words[::2], words[1::2], strict=True):
                data = data.replace(before, after)
            new.writestr(name, data)
    return changed


def _headers(parsed):
    return [table.header for table in parsed.tables]


def test_merged_cells_are_filled_and_formulas_without_value_are_flagged():
    parsed = parse(samples() / "部门汇总.xlsx")
    rows = {each.locator.cells: each.text for each in parsed.elements if each.locator.sheet}
    assert rows["A4:D4"].startswith("年度: 2023年 | 季度: 第二季度 | 收入: ¥88,400.00")
    assert rows["A6:D6"].endswith("收入: =SUM(C3:C5) (not calculated)")
    assert set(parsed.flags) == {"not_calculated", "hidden_sheets"}


def test_a_table_has_typed_rows_with_their_cells():
    table = parse(samples() / "部门汇总.xlsx").tables[0]
    assert table.title == "银杏书店收入汇总"
    assert (table.locator.sheet, table.locator.cells) == ("汇总", "A1:D6")
    assert table.header == ("年度", "季度", "收入", "增长率")
    row = table.rows[1]
    assert row.cells == "A4:D4"
    assert row.shown == ("2023年", "第二季度", "¥88,400.00", "8%")
    assert row.values == ("2023年", "第二季度", 88400, 0.075)


def test_dates_truths_and_blanks_keep_their_types(tmp_path):
    book = _book(["日期", "付清", "备注"], [dt.datetime(2023, 12, 31), True, None])
    (table,) = _read(book, tmp_path).tables
    assert table.rows[0].values == (dt.datetime(2023, 12, 31), True, None)


def test_cached_values_stand_for_formulas(tmp_path):
    path = _saved(_book(["Item", "Sum"], ["Lamp", "=1+1"]), tmp_path)
    parsed = parse(_changed(path, b"<v></v>", b"<v>2</v>", b"<v />", b"<v>2</v>"))
    assert parsed.elements[0].text == "Item: Lamp | Sum: 2"
    assert parsed.flags == ()
    assert parse(path).flags == ("not_calculated",)


def test_tables_side_by_side_and_below_are_kept_apart():
    assert _rows(samples() / "two-tables.xlsx") == {
        "A2:B2": "Item: Lamp | Count: 12",
        "A3:B3": "Item: Desk | Count: 7",
        "D1:E1": "Clerk: Shift",
        "D2:E2": "Petra: early",
        "D3:E3": "Hugo: late",
        "A6:B6": "Room: Attic | Area: 31",
    }


def test_a_header_of_two_rows_names_each_column(tmp_path):
    book = _book(
        ["部门", "上半年", None], [None, "预算", "实际"], ["研发", 350, 69],
        merged=["A1:A2", "B1:C1"],
    )  # fmt: skip
    assert _rows(_saved(book, tmp_path)) == {
        "A3:C3": "部门: 研发 | 上半年 预算: 350 | 上半年 实际: 69"
    }


def test_years_over_equal_names_tell_them_apart_without_merged_cells(tmp_path):
    book = _book(
        ["In CHF", None, "2023", None, None, "2022"],
        [None, "Goodwill", "Assets", None, "Goodwill", "Assets"],
        [],
        ["Zone NA", 1, 2, None, 3, 4],
    )
    assert _headers(_read(book, tmp_path)) == [
        ("In CHF", "2023 Goodwill", "2023 Assets", "", "2022 Goodwill", "2022 Assets")
    ]


def test_lines_above_the_header_are_titles_and_head_the_passages(tmp_path):
    book = _book(
        ["资产负债表", None, None],
        ["编制单位：银杏书店", "2031-06-30", "单位：元"],
        ["资产", "行次", "期末数"],
        ["货币资金", 1, 5241690.5],
        merged=["A1:C1"],
    )
    parsed = _read(book, tmp_path)
    row = parsed.elements[-1]
    assert row.text == "资产: 货币资金 | 行次: 1 | 期末数: 5241690.5"
    assert row.locator.section == ("资产负债表", "编制单位：银杏书店 | 2031-06-30 | 单位：元")
    assert parsed.tables[0].locator.cells == "A1:C4"


def test_long_instructions_above_a_header_are_text_and_no_heading(tmp_path):
    book = _book(["填表说明：" * 40, None], ["品名", "数量"], ["垫圈", 3], merged=["A1:B1"])
    first, row = _read(book, tmp_path).elements
    assert first.kind == "text"
    assert row.locator.section == ()
    assert row.text == "品名: 垫圈 | 数量: 3"


def test_a_statement_of_two_halves_is_two_tables(tmp_path):
    names = ["行次", "年初数", "期末数"]
    book = _book(
        ["资产", *names, "负债", *names],
        ["流动资产：", None, None, None, "流动负债：", None, None, None],
        ["货币资金", 1, 61, 52, "短期借款", 34, 7, 8],
    )
    parsed = _read(book, tmp_path)
    assert _headers(parsed) == [("资产", *names), ("负债", *names)]
    assert [row.cells for row in parsed.tables[1].rows] == ["E2:H2", "E3:H3"]
    assert "负债: 短期借款 | 行次: 34 | 年初数: 7 | 期末数: 8" in {e.text for e in parsed.elements}


def test_a_header_apart_from_its_rows_heads_them(tmp_path):
    book = _book(["Zone", "Sales", "Profit"], [], ["NA", 12, 3], ["EUR", 9, 1], [], ["GC", 2, 1])
    (table,) = _read(book, tmp_path).tables
    assert [row.values[0] for row in table.rows] == ["NA", "EUR", "GC"]
    assert table.header == ("Zone", "Sales", "Profit")


def test_a_blank_column_inside_a_table_is_no_border(tmp_path):
    book = _book(["Zone", "Sales", None, "Net", "Tax"], ["NA", 12, None, 3, 1])
    (table,) = _read(book, tmp_path).tables
    assert table.header == ("Zone", "Sales", "", "Net", "Tax")
    assert table.rows[0].shown == ("NA", "12", "", "3", "1")


def test_a_name_over_a_blank_column_heads_the_values_beside_it(tmp_path):
    book = _book(
        ["品名", "规格", None, "数量", None, "金额"],
        ["灯", None, "40W", 3, None, 120],
        ["桌", None, "1.2m", 5, None, 800],
    )
    parsed = _read(book, tmp_path)
    assert parsed.elements[0].text == "品名: 灯 | 规格: 40W | 数量: 3 | 金额: 120"
    assert _headers(parsed) == [("品名", "", "规格", "数量", "", "金额")]


def test_two_columns_right_below_two_others_have_their_own_header(tmp_path):
    book = _book(["项目", "金额"], ["房租", 1000], ["水电", 200], ["客户", "欠款"], ["甲公司", 300])
    assert _headers(_read(book, tmp_path)) == [("项目", "金额"), ("客户", "欠款")]


def test_far_apart_is_another_table(tmp_path):
    book = _book(["Zone", "Sales"], ["NA", 12])
    book.active["Z1"] = "Rate"
    book.active["Z2"] = 5
    assert [table.locator.cells for table in _read(book, tmp_path).tables] == ["A1:B2"]


def test_notes_below_a_table_belong_to_no_column(tmp_path):
    book = _book(["A", "B", "C"], ["x", 1, 2], ["注：金额单位为万元"], ["合计", 1, 2])
    parsed = _read(book, tmp_path)
    assert [each.kind for each in parsed.elements] == ["table", "text", "table"]
    assert [row.values[0] for row in parsed.tables[0].rows] == ["x", "合计"]


def test_months_may_head_columns(tmp_path):
    book = _book(["项目", dt.datetime(2023, 1, 1), dt.datetime(2023, 2, 1)], ["租金", 100, 110])
    for cell in ("B1", "C1"):
        book.active[cell].number_format = 'yyyy"年"m"月"'
    assert _headers(_read(book, tmp_path)) == [("项目", "2023年1月", "2023年2月")]


def test_what_excel_calls_a_table_is_taken_as_it_is(tmp_path):
    book = _book(["x", "p", "q"], ["Lamp", "A", "B"], [], ["Desk", "C", "D"], ["Bed", "E", "F"])
    book.active.add_table(ListObject(displayName="Stock", ref="A1:C4"))
    parsed = _read(book, tmp_path)
    table = parsed.tables[0]
    assert (table.title, table.header, table.locator.cells) == ("Stock", ("x", "p", "q"), "A1:C4")
    assert [row.cells for row in table.rows] == ["A2:C2", "A4:C4"]


def test_a_named_range_with_a_header_is_a_table_of_that_name(tmp_path):
    book = _book(["Rate", "Value", "Zone", "Sales"], ["low", 1, "NA", 12], ["high", 2, "EU", 9])
    book.defined_names["Sales_by_zone"] = DefinedName("Sales_by_zone", attr_text="Sheet!$C$1:$D$3")
    book.defined_names["Part"] = DefinedName("Part", attr_text="Sheet!$A$2:$B$3")
    parsed = _read(book, tmp_path)
    assert [(t.title, t.locator.cells) for t in parsed.tables] == [
        ("", "A1:B3"), ("Sales_by_zone", "C1:D3"),
    ]  # fmt: skip


def test_hidden_sheets_rows_and_columns_are_read_and_say_so(tmp_path):
    book = _book(["Name", "Cost", "Price"], ["Lamp", 5, 9], ["Desk", 6, 8])
    book.active.column_dimensions["B"].hidden = True
    book.active.row_dimensions[3].hidden = True
    draft = book.create_sheet("Draft")
    draft.append(["Secret", 1])
    draft.sheet_state = "hidden"
    gone = book.create_sheet("Machine")
    gone.append(["internal"])
    gone.sheet_state = "veryHidden"
    parsed = _read(book, tmp_path)
    assert [each.text for each in parsed.elements] == [
        "Name: Lamp | Cost (hidden): 5 | Price: 9",
        "Name: Desk | Cost (hidden): 6 | Price: 8 (hidden)",
        "Secret: 1",
    ]
    assert parsed.elements[-1].locator.section == ("hidden sheet",)
    assert [page.label for page in parsed.pages] == ["Sheet", "Draft (hidden)"]
    assert parsed.flags == ("hidden_sheets",)


def test_overlapping_and_huge_merged_ranges_do_no_harm(tmp_path):
    path = _saved(_book(["A", "B"], ["x", 1], [None, 2], merged=["A2:A3"]), tmp_path)
    more = b'<mergeCell ref="A1:XFD1048576"/><mergeCell ref="B2:B3"/><mergeCell ref="nonsense"/>'
    parsed = parse(_changed(path, b'<mergeCell ref="A2:A3"', more + b'<mergeCell ref="A2:A3"'))
    assert {value for row in parsed.tables[0].rows for value in row.values} >= {1, 2}


def test_rich_text_and_links_are_read_as_shown(tmp_path):
    book = _book(["Name", "Sum"], ["x", 1])
    book.active["A2"] = CellRichText("plain ", TextBlock(InlineFont(b=True), "bold"))
    book.active["A2"].hyperlink = "https://example.com"
    assert _read(book, tmp_path).elements[0].text == "Name: plain bold | Sum: 1"


def test_chinese_builtin_dates_are_dates(tmp_path):
    path = _saved(_book(["日期", "额"], [45291, 1], A2="yyyy-mm-dd"), tmp_path)
    named = _changed(path, b'<xf numFmtId="164"', b'<xf numFmtId="31"')
    assert parse(named).elements[0].text == "日期: 2023年12月31日 | 额: 1"


def _within(path, **limits):
    budget = Budget(**limits)
    return parse_sheets(sheets(path, budget, lambda *_: None), budget)


@pytest.mark.parametrize("limits", [{"rows": 3}, {"cells": 6}])
def test_a_cut_says_which_rows_were_left_out(tmp_path, limits):
    book = _book(["n", "m"], *([n, n] for n in range(5)))
    book.create_sheet("Second").append(["x", 1])
    parsed = _within(_saved(book, tmp_path), **limits)
    assert [row.cells for row in parsed.tables[0].rows] == ["A2:B2", "A3:B3"]
    assert parsed.flags == ("truncated",)
    assert parsed.failure.code is Reason.TOO_LARGE
    assert "sheet Sheet was read to row 3; sheet Second was not read" in parsed.failure.message
    assert [page.status for page in parsed.pages] == ["text", "unreadable"]


def test_just_as_much_as_the_limit_is_not_cut(tmp_path):
    parsed = _within(_saved(_book(["n", "m"], [1, 2]), tmp_path), rows=2, cells=4)
    assert parsed.failure is None


def test_rows_that_are_only_formatted_cost_nothing(tmp_path):
    book = _book(["n", "m"], [1, 2])
    for at in range(3, 2000):
        book.active.cell(at, 1).number_format = "0%"
    book.active["XFD1048576"].number_format = "0%"
    assert len(_within(_saved(book, tmp_path), rows=2, cells=4).elements) == 1


@pytest.mark.parametrize("damage", [b"<sheetData>", b"<row", b"</c>"])
def test_a_damaged_sheet_is_corrupt(tmp_path, damage):
    broken = _changed(_saved(_book(["n", "m"], [1, 2]), tmp_path), damage, b"<x")
    with pytest.raises(Unreadable) as caught:
        parse(broken)
    assert caught.value.failure.code is Reason.CORRUPT


@pytest.mark.parametrize(
    ("name", "cells", "text"),
    [
        ("zh_xls/zh_balance_sheet_61287.xls", "A8:D8",
         "资产: 货币资金 | 行次: 1 | 年初数: 6190718.68 | 期末数: 5241690.50"),
        ("zh_xls/zh_balance_sheet_61287.xls", "E11:H11",
         "负债和所有者权益: 应付账款 | 行次: 37 | 年初数: 37303696.06 | 期末数: 43020385.33"),
        ("zh_xls/zh_telecom_report_19599-2.xls", "A4:D4",
         "指标代码: 1 | 指标名称: 家家e业务用户 | 单位: 个"),
        ("en_xlsx/vodafone.xlsx", "B13:F13",
         "Topic: Mobile customers | Period: Nine quarters to 30 June 2023 | Page: 6"),
        ("derived/部门预算_合并单元格.xlsx", "A5:F5",
         "部门: 研发部 | 上半年 预算: 425 | 上半年 实际: 223 | 下半年 预算: 317 | 下半年 实际: 163"
         " | 合计: =SUM(B5:E5) (not calculated)"),
    ],
)  # fmt: skip
def test_real_workbooks_give_their_rows(shared_files, name, cells, text):
    assert _rows(shared_files / name)[cells] == text


def test_a_real_report_with_its_header_apart_gives_whole_tables(shared_files):
    parsed = parse(shared_files / "en_xlsx" / "2023-half-year-analyses-by-segment.xlsx")
    first, *_, last = parsed.tables
    assert first.rows[0].shown[:3] == ("Zone NA", "12,553", "2,713")
    assert len(first.rows) == 10
    assert first.header[1:3] == ("Sales (a)", "Underlying Trading operating profit (b)")
    assert last.header == ("In millions of CHF", "January–June 2023", "January–June 2022")


@pytest.mark.slow
def test_sixty_thousand_rows_keep_their_places(shared_files):
    parsed = parse(shared_files / "derived" / "big_60k_rows_3sheets_zh.xlsx")
    assert len(parsed.elements) == 60_000
    assert [len(table.rows) for table in parsed.tables] == [20_000] * 3


def test_a_form_says_names_and_values_side_by_side(tmp_path):
    book = _book(
        ["员工登记表"], ["姓名", "林小满", "性别", "女"],
        ["电话", 13800001111, "入职日期", "2021-03-05"],
        ["月薪", 18600, "备注"], ["家庭住址", "银杏路7号"], merged=["A1:D1", "B5:D5"],
    )  # fmt: skip
    parsed = _read(book, tmp_path)
    assert [each.text for each in parsed.elements] == [
        "员工登记表", "姓名: 林小满 | 性别: 女", "电话: 13800001111 | 入职日期: 2021-03-05",
        "月薪: 18600 | 备注", "家庭住址: 银杏路7号",
    ]  # fmt: skip
    assert parsed.tables[0].rows[2].shown == ("月薪", "18600", "备注", "")


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ([["Buyer", "Alder GmbH", "Seller", "Birch AS"],
          ["Order no.", "PO-12", "Date", "3 May 2024"]],
         "Order no.: PO-12 | Date: 3 May 2024"),
        ([["Policy No", "P-17", "Insured", "Ines Pell"], ["Premium", "3.00", "Excess", "5.00"]],
         "Premium: 3.00 | Excess: 5.00"),
        ([["合同编号", "HT-9", "签订日期", "2024-03-05"], ["甲方", "银杏公司", "乙方", "槐树公司"]],
         "甲方: 银杏公司 | 乙方: 槐树公司"),
        ([["订单号", "SO-3", "下单日期", "2024-03-05"], ["收货", "槐树路", "到货", "三日内"]],
         "收货: 槐树路 | 到货: 三日内"),
    ],
)  # fmt: skip
def test_a_form_of_words_alone_is_one_too(tmp_path, rows, last):
    assert _read(_book(*rows), tmp_path).elements[-1].text == last


@pytest.mark.parametrize(
    ("rows", "last"),
    [
        ([["订单号", "客户", "合同号", "供应商"], ["SO-1", "甲公司", "HT-1", "乙公司"],
          ["SO-2", "丙公司", "HT-2", "丁公司"]],
         "订单号: SO-2 | 客户: 丙公司 | 合同号: HT-2 | 供应商: 丁公司"),
        ([["字段", "类型"], ["姓名", "文本"], ["电话", 11]], "字段: 电话 | 类型: 11"),
        ([["姓名", "张三", "李四", "王五"], ["性别", "男", "女", "男"], ["电话", 1, 2, 3]],
         "姓名: 电话 | 张三: 1 | 李四: 2 | 王五: 3"),
        ([["姓名", "性别", "电话", "地址"], ["林小满", "女", "555", "银杏路"],
          ["许大有", "男", "556", "槐树路"]], "姓名: 许大有 | 性别: 男 | 电话: 556 | 地址: 槐树路"),
        ([["项目", "金额", "项目", "金额"], ["房租", 9, "电费", 1], ["水费", 2, "网费", 3]],
         "项目: 网费 | 金额: 3"),
    ],
)  # fmt: skip
def test_tables_of_fields_people_and_halves_are_no_forms(tmp_path, rows, last):
    assert _read(_book(*rows), tmp_path).elements[-1].text == last


@pytest.mark.parametrize("first", [1, 26])
def test_numbers_that_count_head_their_columns(tmp_path, first):
    days = [1 + (first - 1 + at) % 31 for at in range(12)]
    book = _book(["姓名", *days, "合计"], ["林小满", *["√"] * 12, 12], ["许大有", *["假"] * 12, 0])
    said = _read(book, tmp_path).elements[0].text
    assert said == f"姓名: 林小满 | {' | '.join(f'{day}: √' for day in days)} | 合计: 12"


def test_figures_in_a_row_of_values_are_no_header(tmp_path):
    parsed = _read(_book(["灯具", 1, 2, 3], ["桌椅", 4, 5, 6]), tmp_path)
    assert [each.text for each in parsed.elements] == ["灯具 | 1 | 2 | 3", "桌椅 | 4 | 5 | 6"]


def test_a_merged_amount_is_shown_in_each_row_and_counts_once(tmp_path):
    book = _book(["部门", "人", "借款"], ["研发", "林", 900], ["", "许"], ["市场", "方", 50],
                 merged=["A2:A3", "C2:C3"])  # fmt: skip
    parsed = _read(book, tmp_path)
    assert parsed.elements[1].text == "部门: 研发 | 人: 许 | 借款: 900"
    rows = [unpack_columns(row.cells, pack_columns(row)) for row in parsed.tables[0].rows]
    assert [row.values[2] for row in rows] == [900, None, 50]
    assert [row.shown[2] for row in rows] == ["900", "900", "50"]
    assert rows[1].values[0] == "研发"


def test_lines_far_apart_are_all_read(tmp_path):
    book = _book(["Alder"])
    book.active["C9"] = "Birch"
    book.active["XFD1048576"] = "Cedar"
    assert [each.text for each in _read(book, tmp_path).elements] == ["Alder", "Birch", "Cedar"]


def test_a_table_right_below_another_has_its_own_header(tmp_path):
    book = _book(
        ["项目", "本期", "上期"], ["收入", 100, 80], ["成本", 60, 50], ["表2 欠款"],
        ["客户", "本期欠款", "账龄"], ["乙公司", 5, 30],
        ["产品", "单价", "数量", "产地"], ["灯具", 9, 2, "杭州"],
    )  # fmt: skip
    parsed = _read(book, tmp_path)
    assert [each.text for each in parsed.elements] == [
        "项目: 收入 | 本期: 100 | 上期: 80", "项目: 成本 | 本期: 60 | 上期: 50", "表2 欠款",
        "客户: 乙公司 | 本期欠款: 5 | 账龄: 30", "产品: 灯具 | 单价: 9 | 数量: 2 | 产地: 杭州",
    ]  # fmt: skip
    assert [len(table.rows) for table in parsed.tables] == [2, 1, 1]


def test_separated_values_may_hold_several_tables(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("产品,单价,数量\n灯具,9,2\n客户,欠款,账龄\n乙公司,5,30\n", encoding="utf-8")
    assert list(_rows(path).values()) == [
        "产品: 灯具 | 单价: 9 | 数量: 2",
        "客户: 乙公司 | 欠款: 5 | 账龄: 30",
    ]


def test_a_bold_row_between_figures_heads_what_follows(tmp_path):
    book = _book(["Alder", "Birch"], ["x", 1], ["Cedar", "Elm"], ["y", 2])
    assert _read(book, tmp_path).elements[-1].text == "Alder: y | Birch: 2"
    for cell in book.active[3]:
        cell.font = Font(bold=True)
    assert _read(book, tmp_path).elements[-1].text == "Cedar: y | Elm: 2"


def test_words_in_the_place_of_figures_head_nothing(tmp_path):
    book = _book(["产品", "单价", "数量"], ["灯具", 9, 2], ["桌椅", "面议", "缺货"], ["地毯", 7, 1],
                 ["周二", "休息", "值班"], ["窗帘", 4, 3])  # fmt: skip
    rows = [each.text for each in _read(book, tmp_path).elements]
    assert rows[1:3] == ["产品: 桌椅 | 单价: 面议 | 数量: 缺货", "产品: 地毯 | 单价: 7 | 数量: 1"]
    assert rows[-1] == "产品: 窗帘 | 单价: 4 | 数量: 3"


def test_a_header_said_again_on_each_page_is_no_row(tmp_path):
    header = ["产品", "单价", "数量"]
    parsed = _read(_book(header, ["灯具", 9, 2], header, ["桌椅", 8, 1]), tmp_path)
    assert [each.locator.cells for each in parsed.elements] == ["A2:C2", "A4:C4"]
    assert len(parsed.tables) == 1


def test_a_table_right_below_a_form_is_read_by_itself(tmp_path):
    book = _book(["客户名称", "银杏书店", "联系人", "林小满"],
                 ["电话", "555", "日期", "2024-05-01"],
                 ["品名", "数量", "单价", "金额"], ["灯具", 2, 9, 18])  # fmt: skip
    assert [each.text for each in _read(book, tmp_path).elements] == [
        "客户名称: 银杏书店 | 联系人: 林小满", "电话: 555 | 日期: 2024-05-01",
        "品名: 灯具 | 数量: 2 | 单价: 9 | 金额: 18",
    ]  # fmt: skip


def test_a_remark_below_the_table_of_a_form_is_no_row_of_it(tmp_path):
    book = _book(["姓名", "林小满", "性别", "女"], ["电话", "555", "日期", "2024-05-01"],
                 ["教育经历", "起止时间", "学校", "专业"], [None, "2008-2012", "江南大学", "土木"],
                 [None, "2012-2015", "海滨大学", "结构"], ["备注", "试用期三个月"],
                 merged=("A3:A5", "B6:D6"))  # fmt: skip
    *_, row, remark = _read(book, tmp_path).elements
    assert row.text == "教育经历: 教育经历 | 起止时间: 2012-2015 | 学校: 海滨大学 | 专业: 结构"
    assert (remark.kind, remark.text) == ("text", "备注 | 试用期三个月")


def test_a_table_of_figures_beside_another_with_rows_of_its_own_is_apart(tmp_path):
    book = _book(["产品", "单价", None, "月份", "销量"], ["灯具", 9, None, 1, 300],
                 ["桌椅", 8, None, 2, 410], [None, None, None, 3, 280], ["备注：含税"])  # fmt: skip
    assert [each.text for each in _read(book, tmp_path).elements] == [
        "产品: 灯具 | 单价: 9", "产品: 桌椅 | 单价: 8", "备注：含税",
        "月份: 1 | 销量: 300", "月份: 2 | 销量: 410", "月份: 3 | 销量: 280",
    ]  # fmt: skip


def test_comments_are_found_with_their_cell_and_row(tmp_path):
    book = _book(["品名", "单价"], ["灯", 12], ["桌", 40])
    book.active["B3"].comment = Comment("王五:\n五月已涨价", "王五")
    book.active["D9"].comment = Comment("See the other sheet", "P")
    parsed = _read(book, tmp_path)
    assert [(each.locator.cells, each.text) for each in parsed.elements[-2:]] == [
        ("B3", "批注 B3 (品名: 桌 | 单价: 40): 五月已涨价"),
        ("D9", "Comment D9: See the other sheet"),
    ]
    assert [row.shown for row in parsed.tables[0].rows] == [("灯", "12"), ("桌", "40")]


def test_comments_that_answer_each_other_are_read_once(tmp_path):
    book = _book(["Item"], ["Lamp"])
    book.active["A2"].comment = Comment("[Threaded comment] Who ordered it?", "P")
    path = _saved(book, tmp_path)
    kind = b"http://schemas.microsoft.com/office/2017/10/relationships/threadedComment"
    threaded = (
        b'<ThreadedComments xmlns="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments">'
        b'<threadedComment ref="A2" id="1"><text>Who ordered it?</text></threadedComment>'
        b'<threadedComment ref="A2" id="2" parentId="1"><text>Hooper did</text></threadedComment>'
        b"</ThreadedComments>"
    )
    target = b"/xl/threadedComments/threadedComment1.xml"
    relation = b'<Relationship Id="rT" Type="%s" Target="%s"/></Relationships>' % (kind, target)
    changed = _changed(path, b"</Relationships>", relation)
    with zipfile.ZipFile(changed, "a") as package:
        package.writestr("xl/threadedComments/threadedComment1.xml", threaded)
    assert [each.text for each in parse(changed).elements[-2:]] == [
        "Comment A2 (Lamp): Who ordered it?",
        "Comment A2 (Lamp): Hooper did",
    ]


_PIVOT = (
    ("序号", "部门", "小组", "项目", "金额"),
    (1, "行政部", "甲组", "办公用品", 100),
    (2, None, None, "差旅", 200),
    (3, None, "乙组", "差旅", 50),
    (None, "行政部 汇总", None, None, 350),
    (4, "研发部", "甲组", "办公用品", 300),
    (5, None, None, "差旅", 400),
)


def test_labels_written_once_hold_for_the_blanks_below(tmp_path):
    parsed = _read(_book(*_PIVOT), tmp_path)
    rows = [row.shown[1:3] for row in parsed.tables[0].rows]
    assert rows == [
        ("行政部", "甲组"), ("行政部", "甲组"), ("行政部", "乙组"), ("行政部 汇总", ""),
        ("研发部", "甲组"), ("研发部", "甲组"),
    ]  # fmt: skip
    assert parsed.tables[0].rows[3].marks == ("total",)
    texts = [each.text for each in parsed.elements]
    assert "序号: 5 | 部门: 研发部 | 小组: 甲组 | 项目: 差旅 | 金额: 400" in texts


@pytest.mark.parametrize(
    "rows",
    [
        [("甲", "a", 1), (None, "b", 2), ("甲", "c", 3), (None, "d", 4)],  # said again: not once
        [(None, "a", 1), ("甲", "b", 2), (None, "c", 3), ("乙", "d", 4)],  # the first has none
        [("甲", "a", 1), *[(f"丙{at}", "b", 2) for at in range(8)], (None, "c", 3)],  # but one
        [("甲", "a", 1), (None, "b", None), ("乙", "c", 3), (None, "d", None)],  # the rest blank
        [("甲", "a", 1), ("以下为二级单位", None, None), (None, "b", 2), ("乙", "c", 3)],
        [(5, "a", 1), (None, "b", 2), (7, "c", 3), (None, "d", 4)],
    ],
)
def test_blanks_that_may_be_missing_values_stay_blank(rows, tmp_path):
    table = _read(_book(("单位", "项目", "金额"), *rows), tmp_path).tables[0]
    assert [row.shown[0] for row in table.rows] == [str(row[0] or "") for row in rows]


_SHOPS = (
    ("Product", "Units", "Revenue"),
    ("Beijing shop",),
    ("Green tea", 4, 400),
    ("Black tea", 5, 600),
    ("Subtotal", 9, 1000),
    ("Chengdu shop",),
    ("Green tea", 7, 700),
    ("Black tea", 8, 800),
    ("Total", 24, 2500),
)


@pytest.mark.parametrize("merged", [(), ("A2:C2", "A6:C6")])
def test_rows_say_the_line_inside_the_table_that_they_stand_under(merged, tmp_path):
    parsed = _read(_book(*_SHOPS, merged=merged), tmp_path)
    texts = [each.text for each in parsed.elements]
    assert texts[0] == "Beijing shop"
    assert texts[3] == "Beijing shop | Product: Subtotal | Units: 9 | Revenue: 1000"
    assert texts[5] == "Chengdu shop | Product: Green tea | Units: 7 | Revenue: 700"
    assert [row.cells for row in parsed.tables[0].rows][:1] == ["A3:C3"]


def test_a_break_in_a_timetable_heads_nothing(tmp_path):
    rows = (("Time", "Mon", "Tue"), ("8:00", "Art", "Maths"), ("Lunch",), ("13:00", "Music", "Gym"))
    parsed = _read(_book(*rows, merged=("A3:C3",)), tmp_path)
    assert parsed.elements[-1].text == "Time: 13:00 | Mon: Music | Tue: Gym"


def test_rows_without_values_head_nothing(tmp_path):
    rows = (("Green tea", 4, 400), ("Mate",), ("Black tea", 5, 600), ("Cocoa",), ("Coffee", 1, 90))
    parsed = _read(_book(("Product", "Units", "Revenue"), *rows), tmp_path)
    assert parsed.elements[2].text == "Product: Black tea | Units: 5 | Revenue: 600"
    assert len(parsed.tables[0].rows) == len(rows)


_BOX = (
    '<xdr:twoCellAnchor xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" xmlns:xdr='
    '"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing"><xdr:from><xdr:col>4'
    "</xdr:col><xdr:row>6</xdr:row></xdr:from><xdr:sp><xdr:txBody><a:p><a:r><a:t>Budget frozen"
    "</a:t></a:r></a:p></xdr:txBody></xdr:sp></xdr:twoCellAnchor></"
)


def _drawn(tmp_path):
    """A sheet with a chart and a text box, and one that holds nothing but a scan."""
    book = _book(("Month", "Sales"), ("Jan", 3), ("Feb", 5))
    sheet = book.active
    chart = BarChart()
    chart.title = "Sales by month"
    chart.add_data(Reference(sheet, min_col=2, min_row=1, max_row=3), titles_from_data=True)
    sheet.add_chart(chart, "E2")
    scan(["Receipt number 88887777"], size_pt=14).save(tmp_path / "p.png")
    book.create_sheet("Scan").add_image(Image(str(tmp_path / "p.png")), "B3")
    path = _saved(book, tmp_path)
    with zipfile.ZipFile(path) as package:
        drawing = package.read("xl/drawings/drawing1.xml")
    tail = drawing[drawing.rindex(b"graphicFrame>") :]
    before, _, end = tail.rpartition(b"</")
    return _changed(path, tail, before + _BOX.encode() + end)


def test_what_is_drawn_on_sheets_is_read(tmp_path):
    parsed = parse(_drawn(tmp_path))
    said = {each.locator.label: each.text for each in parsed.elements if each.kind == "text"}
    assert said["Sheet!E2"] == "Sales by month"
    assert said["Sheet!E7"] == "Budget frozen"
    assert "88887777" in said["Scan!B3"]
    assert [page.status for page in parsed.pages] == ["text", "ocr"]
    assert parsed.flags == ("ocr",)


def test_pictures_that_are_not_read_are_told_of(tmp_path):
    parsed = parse(_drawn(tmp_path), ocr=False)
    assert [page.status for page in parsed.pages] == ["text", "unreadable"]
    assert parsed.flags == ("unread_pictures",)
    assert parsed.failure is not None
