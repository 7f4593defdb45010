"""Sheets as business systems export them: sections, forms, footers, and what counts for nothing."""

from __future__ import annotations

import pytest
from openpyxl import Workbook

from ingest.parsers import parse


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
