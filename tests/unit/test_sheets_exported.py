"""Sheets as business systems export them: sections, forms, footers, and what counts for nothing."""

from __future__ import annotations

import datetime as dt
from decimal import Decimal

import pytest
from openpyxl import Workbook
from openpyxl.styles import Alignment

from ingest.parsers import parse
from ingest.parsers.values import typed
from rag.whole_set.numbers import number_of


def _parsed(tmp_path, *rows, merged=()):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for cells in merged:
        book.active.merge_cells(cells)
    book.save(tmp_path / "a.xlsx")
    return parse(tmp_path / "a.xlsx")


def _tables(parsed):
    return {table.title: [row.shown[0] for row in table.rows] for table in parsed.tables}


@pytest.mark.parametrize(
    ("head", "merged"),
    [
        ([["项目", "方式", "金额"]], ()),
        ([["项目", "本期", None], [None, "借方", "贷方"]], ("A3:A4", "B3:C3", "A8:A9", "B8:C8")),
    ],
)
def test_the_same_header_below_another_line_heads_another_part(tmp_path, head, merged):
    first = ["收支表"], ["一、收入"], *head, ["货款", 100, 3], ["利息", 5, 4]
    second = ["二、支出"], *head, ["房租", 30, 1], ["水电", 7, 2]
    found = _tables(_parsed(tmp_path, *first, *second, merged=merged))
    assert found == {"收支表 › 一、收入": ["货款", "利息"], "收支表 › 二、支出": ["房租", "水电"]}


def test_an_account_stands_above_its_own_rows(tmp_path):
    head = ["日期", "摘要", "借方", "贷方"]
    first = ["科目：1001 现金", None, None, "币种：人民币"], head, ["1月2日", "提现", 10, None]
    second = ["科目：1002 存款", None, None, "币种：人民币"], head, ["1月5日", "收款", 90, None]
    assert list(_tables(_parsed(tmp_path, *first, *second))) == [
        "科目：1001 现金 | 币种：人民币",
        "科目：1002 存款 | 币种：人民币",
    ]


@pytest.mark.parametrize("line", [["工资表"], ["第2页"], ["工资表（续）"], ["Page 2 of 3"], None])
def test_a_header_printed_on_each_page_parts_nothing(tmp_path, line):
    head = ["姓名", "基本", "绩效", "实发"]
    again = [line, head] if line else [head]
    rows = ["工资表"], head, ["甲", 1, 2, 3], ["乙", 2, 2, 4], *again, ["丙", 1, 2, 3]
    assert _tables(_parsed(tmp_path, *rows)) == {"工资表": ["甲", "乙", "丙"]}


def test_a_header_said_again_in_separated_values_is_no_row(tmp_path):
    (tmp_path / "a.csv").write_text("kind,worth\nx,1\ny,2\nkind,worth\nz,3\n")
    assert _tables(parse(tmp_path / "a.csv")) == {"": ["x", "y", "z"]}


def _data(parsed):
    (table,) = parsed.tables
    return [next(filter(None, row.shown)) for row in table.rows if "total" not in row.marks]


def test_totals_of_a_journal_stand_behind_month_and_day(tmp_path):
    head = ["月", "日", "凭证号", "摘要", "借方", "贷方"]
    booked = [1, 3, "记-1", "收款", 500, None], [1, 9, "记-2", "付款", None, 200]
    ends = [1, 31, None, "本月合计", 500, 200], [1, 31, None, "本年累计", 500, 200]
    rows = [head, [None, None, None, "上年结转", 40, None], *booked, *ends]
    (table,) = _parsed(tmp_path, *rows).tables
    assert [row.shown[3] for row in table.rows if "total" not in row.marks] == ["收款", "付款"]


@pytest.mark.parametrize(
    "rows",
    [
        [["华东", 300, 2], ["张三", 100, 1], ["李四", 200, 1], ["华北", 50, 1], ["王五", 50, 1]],
        [
            ["华东", 300, 2],
            ["杭州", 300, 2],
            ["张三", 100, 1],
            ["李四", 200, 1],
            ["华北", 50, 1],
            ["北京", 50, 1],
            ["王五", 50, 1],
        ],
    ],
)
def test_groups_of_a_pivot_table_are_the_sums_of_what_stands_below_them(tmp_path, rows):
    found = _data(_parsed(tmp_path, ["行标签", "求和项:金额", "单数"], *rows, ["总计", 350, 3]))
    assert found == ["张三", "李四", "王五"]


def test_rows_that_add_up_by_chance_are_data_where_the_total_says_so(tmp_path):
    rows = ["甲", 300], ["乙", 100], ["丙", 200], ["丁", 50], ["戊", 50]
    assert len(_data(_parsed(tmp_path, ["客户", "金额"], *rows, ["总计", 700]))) == len(rows)


@pytest.mark.parametrize(
    "ends",
    [
        [
            ["参考人数", None, 3],
            ["平均分", None, 70],
            ["最高分", None, 90],
            ["最低分", None, 50],
            ["优秀人数", None, 1],
            ["及格率", None, "67%"],
            ["优秀率", None, 0.33],
        ],
        [
            ["Class average", None, 70],
            ["Highest", None, 90],
            ["Std. dev.", None, 16.3],
            ["Pass rate", None, "67%"],
            ["No. of students", None, 3],
        ],
    ],
)
def test_what_is_told_of_the_marks_is_no_mark(tmp_path, ends):
    marks = ["001", "甲", 90], ["002", "乙", 70], ["003", "丙", 50]
    assert _data(_parsed(tmp_path, ["学号", "姓名", "语文"], *marks, *ends)) == [
        "001",
        "002",
        "003",
    ]


def test_marks_of_classes_are_data_where_the_table_is_about_them(tmp_path):
    rows = ["平均分", 80, 70], ["最高分", 95, 90], ["及格率", 0.9, 0.8], ["参考人数", 40, 41]
    assert len(_data(_parsed(tmp_path, ["指标", "一班", "二班"], *rows))) == len(rows)


@pytest.mark.parametrize(
    "form",
    [
        [["编制单位", "云帆公司", "2024年3月", "万元"]],
        [["部门", "研发部", "姓名", "张伟"]],
        [["购买方", "名称", "杭州云帆"], ["销售方", "名称", "苏州文具"]],
        [["订单号", "PO-1", "客户", "东湖"], ["备注", "加急"]],
    ],
)
def test_names_and_what_they_stand_for_are_no_header(tmp_path, form):
    head = ["项目", "数量", "本期金额", "本年累计"]
    parsed = _parsed(tmp_path, *form, head, ["纸", 1, 20, 30], ["笔", 2, 21, 31])
    assert parsed.tables[-1].header == tuple(head)
    assert [row.values[0] for row in parsed.tables[-1].rows] == ["纸", "笔"]


def test_facts_above_rows_without_a_header_name_no_column(tmp_path):
    facts = ["买方：东湖公司", "卖方：西山公司", "合同：HT-1"]
    parsed = _parsed(tmp_path, facts, ["货款", "一期", 100], ["税款", "二期", 13])
    assert [each.text for each in parsed.elements][1:] == ["货款 | 一期 | 100", "税款 | 二期 | 13"]
    assert parsed.elements[1].locator.section == (" | ".join(facts),)


@pytest.mark.parametrize(
    "numbers",
    [["甲", "乙", 1, 2], [None, None, 1, "2=1*3"], ["A", "-", "1", "2"], ["栏次", None, 1, 2]],
)
def test_numbers_of_the_columns_are_no_row(tmp_path, numbers):
    rows = ["项目", "说明", "一般项目", "即征即退"], numbers, ["销售额", "含税", 900, 10]
    assert _data(_parsed(tmp_path, *rows, ["税额", None, 130, 1])) == ["销售额", "税额"]


@pytest.mark.parametrize(
    "rows", [[["A", 1, 2], ["B", 3, 4]], [["x", 1, 2], ["z", 3, 4]], [[1, 2, 3]]]
)
def test_rows_of_small_numbers_are_rows(tmp_path, rows):
    found = _data(_parsed(tmp_path, ["组别", "一次", "二次"], *rows, ["合计值", 9, 9]))
    assert len(found) == len(rows) + 1


@pytest.mark.parametrize("units", [[None, "万元", "（%）"], ["单位", "万元", "%"]])
def test_units_below_the_names_belong_to_them(tmp_path, units):
    head = ["部门", "预算", "执行率"], units
    (table,) = _parsed(tmp_path, *head, ["研发", 500, 84], ["市场", 300, 90]).tables
    assert table.header == ("部门", "预算 (万元)", "执行率 (%)")
    assert table.units == ("", "万元", "%")
    assert [row.values[1] for row in table.rows] == [500, 300]


@pytest.mark.parametrize(
    "last",
    [
        [["制表：周明", "审核：吴总"]],
        [["制表人", "周明"]],
        [["打印时间", "2024-04-01 10:00"]],
        [["数据来源：人事部"], ["以上为税前金额"], ["第 1 页 / 共 1 页"]],
        [["Source: ERP"], ["Printed on 2024-04-01 by admin"], ["* preliminary"], ["End of report"]],
        [["合计", 30], ["大写：叁拾元整"], ["领导审批", "财务审核"]],
        [["-" * 20], ["共2笔记录"]],
    ],
)
def test_what_closes_a_sheet_is_no_row_of_it(tmp_path, last):
    parsed = _parsed(tmp_path, ["姓名", "奖金"], ["张伟", 10], ["王芳", 20], *last)
    assert _data(parsed) == ["张伟", "王芳"]
    texts = [each.text for each in parsed.elements]
    assert texts[-1] == " | ".join(filter(None, last[-1]))


def test_people_at_the_end_of_a_list_are_rows_of_it(tmp_path):
    rows = ["岗位", "姓名", "楼"], ["会计主管", "周明", "甲楼"], ["出纳员", "赵敏", "乙楼"]
    assert _data(_parsed(tmp_path, *rows)) == ["会计主管", "出纳员"]


def test_wage_slips_to_be_cut_are_one_table(tmp_path):
    head, gap = ["姓名", "基本", "实发"], [None]
    rows = head, ["甲", 1, 3], gap, head, ["乙", 2, 4], gap, head, ["丙", 5, 6]
    assert _data(_parsed(tmp_path, *rows)) == ["甲", "乙", "丙"]


@pytest.mark.parametrize(
    "line",
    [
        [dt.date(2024, 3, 5)],
        ["日期", dt.date(2024, 3, 5)],
        ["汇率", 7.1],
        ["日期", dt.date(2024, 3, 5), "仓库", "1号"],
        [None, None, None, dt.date(2024, 3, 5)],
    ],
)
def test_a_day_or_a_rate_above_a_header_leaves_it_one(tmp_path, line):
    head = ["品名", "期初", "入库", "出库"]
    parsed = _parsed(tmp_path, ["库存日报"], line, head, ["纸", 10, 5, 3], ["笔", 20, 0, 4])
    assert parsed.tables[-1].header == tuple(head)
    assert [row.values[1] for row in parsed.tables[-1].rows] == [10, 20]


def test_rows_without_a_header_are_no_lines_above_one(tmp_path):
    rows = [dt.date(2024, 1, 5), "租金", 12], [dt.date(2024, 2, 5), "水费", 13]
    (table,) = _parsed(tmp_path, *rows, ["未知", "电费", "待定"]).tables
    assert (table.header, len(table.rows)) == (("", "", ""), 3)


def test_sections_of_an_account_statement_have_their_own_names(tmp_path):
    (tmp_path / "a.csv").write_text(
        "Trades,Header,Symbol,Quantity,Price,Proceeds\n"
        "Trades,Data,AAPL,10,180.5,-1805\nTrades,Data,MSFT,5,410,2050\nTrades,Total,,,,245\n"
        "Dividends,Header,Currency,Date,Amount\nDividends,Data,USD,2024-03-15,12.4\n"
    )
    first, second = parse(tmp_path / "a.csv").tables
    assert first.header[2:] == ("Symbol", "Quantity", "Price", "Proceeds")
    assert second.header[2:5] == ("Currency", "Date", "Amount")


def test_numbers_of_the_columns_name_none_below_a_header_of_two_rows(tmp_path):
    head = ["栏目", "行次", "一般项目", "即征即退"], [None, "栏次", "1", "2"]
    (table,) = _parsed(tmp_path, *head, ["销售额", 1, 900, 10], ["税额", 2, 130, 1]).tables
    assert table.header == ("栏目", "行次", "一般项目", "即征即退")
    assert [row.values[2] for row in table.rows] == [900, 130]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("（300）", -300),
        ("△100", -100),
        ("▲1,200.50", -1200.5),
        ("1,000.00-", -1000),
        ("（1）", "（1）"),
        ("2020-", "2020-"),
        ("(5)", -5),
    ],
)
def test_what_is_negative_in_the_books_is_less_than_nothing(text, value):
    assert typed(text) == value
    if isinstance(value, float | int):
        assert number_of(value, text).value == Decimal(str(value))
        assert number_of(value, text).unit == ""


def test_parts_are_told_by_their_sums_whatever_numbers_the_lines(tmp_path):
    rows = ["项目", "栏次", "本月数"], ["销售额", 1, 100], ["其中：货物", 2, 80], ["劳务", 3, 20]
    assert _data(_parsed(tmp_path, *rows, ["税额", 11, 13])) == ["销售额", "税额"]


def test_tiers_of_a_budget_are_told_behind_their_serial_numbers(tmp_path):
    head = ["序号", "预算科目", "专项", "自筹"]
    rows = [1, "一、支出", 500, 100], [2, "（一）直接费用", 400, 90], [3, "1、设备费", 300, 40]
    more = [4, "2、材料费", 100, 50], [5, "（二）间接费用", 100, 10]
    (table,) = _parsed(tmp_path, head, *rows, *more).tables
    data = [row.shown[1] for row in table.rows if "total" not in row.marks]
    assert data == ["1、设备费", "2、材料费", "（二）间接费用"]


def test_an_average_below_the_total_of_groups_is_no_row(tmp_path):
    head = ["部门", "姓名", "工资"]
    rows = ["研发", "甲", 10], ["研发", "乙", 20], ["研发小计", None, 30], ["市场", "丙", 9]
    ends = ["市场小计", None, 9], ["合计", None, 39], ["人均", None, 13]
    assert len(_data(_parsed(tmp_path, head, *rows, *ends))) == len("甲乙丙")


def test_a_form_with_merged_answers_leaves_the_table_below_its_header(tmp_path):
    form = ["报销部门", "研发部", "报销人", "张伟"], ["出差事由", "上海客户现场调试"]
    rows = (
        ["日期", "起止地点", "交通费", "小计"],
        ["3月4日", "杭州-上海", 73, 73],
        ["3月5日", "上海", 30, 30],
    )
    ends = (
        ["合计", None, 103, 103],
        ["合计（大写）", "壹佰零叁元整"],
        ["部门负责人", None, "领款人", "张伟"],
    )
    merged = ("B2:D2", "B7:D7")
    (*_, table) = _parsed(tmp_path, *form, *rows, *ends, merged=merged).tables
    assert table.header == tuple(rows[0])
    assert [row.shown[0] for row in table.rows] == ["3月4日", "3月5日", "合计"]


def test_a_total_without_a_name_but_a_currency_is_no_row(tmp_path):
    (tmp_path / "a.csv").write_text(
        "No.;Date;Text;Amount;Currency\n1;02.03.2024;Rent;1,200.00;EUR\n"
        "2;05.03.2024;Refund;300.00-;EUR\n3;09.03.2024;Rent;1,200.00;EUR\n;;;2,100.00;EUR\n"
    )
    (table,) = parse(tmp_path / "a.csv").tables
    assert [row.shown[0] for row in table.rows if "total" not in row.marks] == ["1", "2", "3"]
    assert table.rows[-1].shown == ("", "", "", "2,100.00", "EUR")


def test_shares_below_a_total_are_no_row(tmp_path):
    rows = ["部门", "1月"], ["研发", 10], ["市场", 5], ["合计", 15], ["占比", 0.2]
    assert _data(_parsed(tmp_path, *rows)) == ["研发", "市场"]


@pytest.mark.parametrize("below", [["流动资产：", None, None], [None, "箱", "箱"]])
def test_a_day_above_the_header_and_a_line_below_leave_it_one(tmp_path, below):
    lines = ["库存表"], [None, None, dt.date(2024, 3, 5)], ["单位：云帆", None, "2024年3月5日"]
    head, rows = ["品名", "期初", "结存"], (["纸", 10, 12], ["笔", 20, 16])
    (table,) = _parsed(tmp_path, *lines, head, below, *rows).tables
    assert [label.split(" ")[0] for label in table.header] == head
    assert [row.values[1] for row in table.rows][-2:] == [10, 20]


@pytest.mark.parametrize("last", [["共3人"], ["人力资源部 2024年4月1日"], ["", "合计笔数", 2]])
def test_how_many_there_are_and_who_says_so_are_no_rows(tmp_path, last):
    rows = ["工号", "姓名", "工资"], ["001", "张伟", 12], ["002", "王芳", 9]
    assert _data(_parsed(tmp_path, *rows, last)) == ["001", "002"]


@pytest.mark.parametrize("blanks", ["  ", "\u3000", None])
def test_a_row_holds_those_set_in_below_it_where_they_add_up(tmp_path, blanks):
    book = Workbook()
    rows = (
        ["基本支出", 100, "90%"],
        ["人员", 80, "88%"],
        ["公用", 20, "60%"],
        ["项目支出", 50, "40%"],
    )
    for at, row in enumerate((["科目", "预算", "执行率"], *rows), 1):
        set_in = row[0] in ("人员", "公用")
        book.active.append([f"{blanks}{row[0]}" if set_in and blanks else row[0], *row[1:]])
        if set_in and not blanks:
            book.active.cell(at, 1).alignment = Alignment(indent=1)
    book.save(tmp_path / "a.xlsx")
    assert _data(parse(tmp_path / "a.xlsx")) == ["人员", "公用", "项目支出"]


def test_blanks_before_a_name_alone_part_nothing(tmp_path):
    rows = ["香蕉", 10], [" 苹果", 7], ["梨", 5], [" 桃", 4]
    assert len(_data(_parsed(tmp_path, ["品名", "数量"], *rows))) == len(rows)
