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
