"""Rows that sum up others without saying so, and lines around a table that are no rows."""

from __future__ import annotations

import datetime as dt

import pytest
from openpyxl import Workbook

from ingest.parsers import parse


def _parsed(tmp_path, *rows):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    return parse(tmp_path / "a.xlsx")


def _counted(tmp_path, *rows, name=0):
    """The names of the rows that count as data."""
    (table,) = _parsed(tmp_path, *rows).tables
    return [row.shown[name] for row in table.rows if "total" not in row.marks]


def test_quarters_and_halves_below_their_months_sum_them_up(tmp_path):
    rows = (
        ["月份", "销售额"],
        ["1月", 10],
        ["2月", 20],
        ["3月", 30],
        ["一季度", 60],
        ["4月", 15],
        ["5月", 10],
    )
    rest = ["6月", 10], ["二季度", 35], ["上半年", 95]
    assert _counted(tmp_path, *rows, *rest) == ["1月", "2月", "3月", "4月", "5月", "6月"]


def test_quarters_that_happen_to_add_up_are_data(tmp_path):
    rows = ["Quarter", "Sales"], ["Q1", 100], ["Q2", 200], ["Q3", 300], ["H1", 300]
    assert _counted(tmp_path, *rows) == ["Q1", "Q2", "Q3", "H1"]
    assert _counted(tmp_path, *rows[:3], rows[4]) == ["Q1", "Q2"]


def test_an_account_holds_those_whose_numbers_begin_with_its_own(tmp_path):
    rows = ["科目编码", "科目名称", "余额"], ["1001", "库存现金", 100], ["1002", "银行存款", 900]
    more = (
        ["100201", "工行", 500],
        ["100202", "建行", 400],
        ["1003", "其他", 70],
        ["100301", "杂项", 60],
    )
    assert _counted(tmp_path, *rows, *more) == ["1001", "100201", "100202", "1003", "100301"]


def test_a_numbered_part_holds_what_is_numbered_below_it(tmp_path):
    rows = ["序号", "项目", "金额"], ["一", "直接费", 300], [1, "材料", 100], [2, "人工", 200]
    more = ["二", "间接费", 50], [1, "管理费", 50], ["三", "合计", 350]
    assert _counted(tmp_path, *rows, *more, name=1) == ["材料", "人工", "管理费"]


@pytest.mark.parametrize("total", ["总金额", "工程总造价", "费用总额", "合计"])
def test_a_total_may_be_numbered_as_the_rows_are(total, tmp_path):
    rows = ["序号", "项目", "金额"], [1, "材料", 100], [2, "人工", 250], [3, total, 350]
    assert _counted(tmp_path, *rows, name=1) == ["材料", "人工"]


@pytest.mark.parametrize(
    "name", ["累计发生额", "三年平均", "人均", "上年结转", "期末余额", "Closing balance"]
)
def test_what_is_carried_or_averaged_is_no_data(name, tmp_path):
    rows = ["日期", "借方"], ["三月", 100], ["四月", 250]
    assert _counted(tmp_path, *rows, [name, 7]) == ["三月", "四月"]
    assert _counted(tmp_path, rows[0], [name, 7], *rows[1:]) == ["三月", "四月"]


def test_a_line_above_the_header_is_none_however_full(tmp_path):
    said = ["编制单位：云帆公司", "", "2024年3月", "单位：万元"]
    head, *rows = (
        ["项目", "行次", "本期金额", "本年累计金额"],
        ["收入", 1, 120.5, 350.8],
        ["成本", 2, 80, 230],
    )
    parsed = _parsed(tmp_path, ["利润表"], said, head, *rows)
    (table,) = parsed.tables
    assert list(table.header) == head
    assert table.unit == "万元"
    assert "项目: 收入 | 行次: 1 | 本期金额: 120.5 | 本年累计金额: 350.8" in [
        e.text for e in parsed.elements
    ]


def test_who_made_a_table_stands_below_it_in_no_column(tmp_path):
    head = ["科目", "名称", "借方", "贷方", "余额", "方向"]
    rows = [[str(n), f"科目{n}", n, n + 1, n + 2, "借"] for n in range(1, 4)]
    below = (
        ["编制人：王芳", None, "复核：李强", None, "打印日期：2024-04-08"],
        ["已收入:1笔", "1200.00元"],
    )
    parsed = _parsed(tmp_path, head, *rows, *below)
    assert [row.shown[0] for row in parsed.tables[0].rows] == ["1", "2", "3"]
    texts = [each.text for each in parsed.elements]
    assert texts[-2:] == [
        "编制人：王芳 | 复核：李强 | 打印日期：2024-04-08",
        "已收入:1笔 | 1200.00元",
    ]


def test_what_sums_up_the_whole_table_stands_under_no_line_of_it(tmp_path):
    part = ["流动资产：", None, None], ["现金", 1, 10], ["存货", 2, 20], ["流动资产合计", 3, 30]
    more = ["非流动资产：", None, None], ["房屋", 4, 40], ["设备", 5, 50], ["资产总计", 6, 120]
    parsed = _parsed(tmp_path, ["资产", "行次", "余额"], *part, *more)
    texts = [each.text for each in parsed.elements]
    assert "资产: 资产总计 | 行次: 6 | 余额: 120" in texts
    assert "流动资产 | 资产: 流动资产合计 | 行次: 3 | 余额: 30" in texts


def test_parts_of_the_row_above_are_no_data_though_only_the_first_says_so(tmp_path):
    rows = (
        ["项目", "金额"],
        ["营业收入", 100],
        ["其中：主营业务收入", 80],
        ["      其他业务收入", 20],
    )
    assert _counted(tmp_path, *rows, ["营业外收入", 10]) == ["营业收入", "营业外收入"]
    rows[3][1] = 30
    assert _counted(tmp_path, *rows) == ["营业收入", "其他业务收入"]


@pytest.mark.parametrize("name", ["平均分", "最高分", "及格率"])
def test_what_is_reckoned_from_marks_is_no_mark(name, tmp_path):
    rows = ["学号", "姓名", "语文"], ["001", "甲", 90], ["002", "乙", 70], [name, None, 80]
    assert _counted(tmp_path, *rows) == ["001", "002"]


def test_times_are_reckoned_in_hours(tmp_path):
    book = Workbook()
    for row in (
        ["日期", "工时"],
        ["三月一日", dt.timedelta(hours=8, minutes=30)],
        ["三月二日", dt.timedelta(hours=26)],
    ):
        book.active.append(row)
    for cell in ("B2", "B3"):
        book.active[cell].number_format = "[h]:mm"
    book.save(tmp_path / "a.xlsx")
    (table,) = parse(tmp_path / "a.xlsx").tables
    assert [(row.shown[1], row.values[1]) for row in table.rows] == [("8:30", 8.5), ("26:00", 26)]
    assert table.units[1] == "h"


def test_a_line_and_the_same_header_again_begin_another_part(tmp_path):
    head = ["项目", "金额"]
    income = ["一、收入"], head, ["货款", 100], ["利息", 5]
    costs = ["二、支出"], head, ["房租", 30], ["水电", 7]
    parsed = _parsed(tmp_path, *income, *costs)
    assert [table.title for table in parsed.tables] == ["一、收入", "二、支出"]
    assert [row.shown for row in parsed.tables[1].rows] == [("房租", "30"), ("水电", "7")]


@pytest.mark.parametrize(
    ("form", "told"),
    [
        (
            [["部门", "研发部", "姓名", "张伟", "日期", "2024-03-11"]],
            "部门: 研发部 | 姓名: 张伟 | 日期: 2024-03-11",
        ),
        (
            [
                ["发票代码", None, "033002200111", "发票号码", None, "12345678"],
                ["购买方", "名称", None, "云帆公司"],
            ],
            "发票代码 | 033002200111 | 发票号码 | 12345678",
        ),
    ],
)
def test_lines_of_a_form_right_above_a_table_leave_it_its_header(form, told, tmp_path):
    head = ["序号", "费用项目", "金额", "数量", "备注"]
    rows = [1, "交通费", 320, 4, "打车"], [2, "住宿费", 880, 1, "北京"], ["合计", None, 1200, 5]
    below = ["领导审批", None, "财务审核", "领款人", "张伟"]
    parsed = _parsed(tmp_path, ["报销单"], *form, head, *rows, below)
    texts = [each.text for each in parsed.elements]
    assert told in texts
    assert "序号: 1 | 费用项目: 交通费 | 金额: 320 | 数量: 4 | 备注: 打车" in texts
    table = parsed.tables[-1]
    assert [row.values[2] for row in table.rows if "total" not in row.marks] == [320, 880]
    assert table.title == "报销单"


def test_a_row_that_numbers_the_columns_is_no_data(tmp_path):
    rows = ["项目", "本期", "上期", "增减"], ["甲", 1, 2, "3=1-2"], ["收入", 100, 80, 20]
    assert _counted(tmp_path, *rows) == ["收入"]


@pytest.mark.parametrize(
    "above", [[None, None, None, "2024-03-05"], ["日期", 45000.5], ["汇率", 7.1, "仓库", "1号"]]
)
def test_a_day_or_a_rate_above_a_header_leaves_it_one(above, tmp_path):
    rows = ["品名", "期初", "入库", "出库"], ["纸", 10, 5, 3], ["笔", 20, 0, 4]
    texts = [each.text for each in _parsed(tmp_path, ["库存日报"], above, *rows).elements]
    assert texts[-1] == "品名: 笔 | 期初: 20 | 入库: 0 | 出库: 4"
