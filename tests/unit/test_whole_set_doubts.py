"""Columns of numbers that should not be added up: why is said instead of a wrong number."""

from __future__ import annotations

from pathlib import Path

import pytest
from desk import Desk
from openpyxl import Workbook

from ingest.parsers import parse
from rag.records import Scope
from rag.whole_set import WholeSet


def _told(desk: Desk, tmp_path: Path, question: str, *rows: list[object]) -> str:
    book = Workbook()
    for row in rows:
        book.active.append(row)
    book.save(tmp_path / "book.xlsx")
    desk.publish_parsed("book.xlsx", parse(tmp_path / "book.xlsx"))
    answer = WholeSet(desk.catalog).answer(question, Scope())
    assert answer is not None
    return answer.text.splitlines()[0]


def test_what_is_taken_away_is_not_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["项目", "本期金额"], ["一、营业收入", 120], ["减：营业成本", 80], ["二、营业利润", 40]
    told = _told(desk, tmp_path, "本期金额合计", *rows)
    assert "无法计算“本期金额”" in told
    assert "“减：营业成本”（B3）等行是减项" in told


@pytest.mark.parametrize(
    ("question", "rows"),
    [
        ("total amount", [["Item", "Amount"], ["Revenue", 9], ["Costs", 4], ["Net income", 5]]),
        ("平均金额", [["项目", "金额"], ["营业收入", 9], ["营业成本", 4], ["净利润", 5]]),
    ],
)
def test_what_is_reckoned_from_other_rows_is_not_added_to_them(
    desk: Desk, tmp_path: Path, question: str, rows: list[list[object]]
) -> None:
    told = _told(desk, tmp_path, question, *rows)
    assert "counts twice" in told or "逐行相加会重复" in told
    assert "B4" in told


def test_a_profit_among_other_things_is_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["客户", "利润"], ["利润公司", 4], ["成本先生", 5]
    assert "= 9" in _told(desk, tmp_path, "利润合计", *rows)


def test_a_balance_carried_on_is_not_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["日期", "收入", "支出", "余额"], ["3月1日", 100, None, 100], ["3月2日", None, 30, 70]
    told = _told(desk, tmp_path, "余额合计", *rows, ["3月3日", 50, None, 120])
    assert "最后一行为 120（D4）" in told


def test_balances_of_accounts_are_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["科目", "期初", "余额"], ["现金", 1, 100], ["存款", 2, 70], ["票据", 9, 5]
    assert "= 175" in _told(desk, tmp_path, "余额合计", *rows)


def test_a_total_that_says_otherwise_is_told(desk: Desk, tmp_path: Path) -> None:
    rows = ["部门", "金额"], ["甲", 100], ["乙", 200], ["合计", 280]
    told = _told(desk, tmp_path, "金额合计", *rows)
    assert "各行相加为 300，而表中“合计”（B4）为 280" in told


@pytest.mark.parametrize("question", ["金额合计", "哪个部门的金额最高", "平均金额"])
def test_nothing_is_reckoned_from_rows_that_make_twice_the_total(
    desk: Desk, tmp_path: Path, question: str
) -> None:
    rows = ["部门", "金额"], ["张三", 100], ["李四", 200], ["华东", 300], ["其他", 0], ["合计", 300]
    assert "各行相加为 600" in _told(desk, tmp_path, question, *rows)


def test_a_total_of_some_other_column_or_rounded_says_nothing(desk: Desk, tmp_path: Path) -> None:
    rows = ["部门", "金额"], ["甲", "33.33"], ["乙", "66.66"], ["合计", "100.00"]
    assert "= 99.99" in _told(desk, tmp_path, "金额合计", *rows)


def test_income_and_expense_are_not_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["项目", "金额"], ["货款收入", 100], ["利息", 5], ["房租支出", 30]
    assert "既有收入（如“货款收入”（B2））也有支出" in _told(desk, tmp_path, "金额合计", *rows)


def test_what_came_in_and_went_out_is_added_up_apart(desk: Desk, tmp_path: Path) -> None:
    rows = ["时间", "收/支", "金额"], ["一", "支出", 30.5], ["二", "收入", 500], ["三", "支出", 8]
    assert "支出 38.5、收入 500" in _told(desk, tmp_path, "金额合计", *rows)


def test_what_went_out_alone_is_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["时间", "收/支", "金额"], ["一", "支出", 30.5], ["二", "收入", 500], ["三", "支出", 8]
    assert "= 38.5" in _told(desk, tmp_path, "支出的金额合计", *rows)


def test_lines_of_a_statement_are_not_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = (
        ["项目", "栏次", "本月数"],
        ["销售额", 1, 900],
        ["销项税额", 11, 117],
        ["进项税额", 12, 17],
    )
    assert "按行次填列的报表" in _told(desk, tmp_path, "本月数合计", *rows)


def test_lines_that_make_their_total_are_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["资产", "行次", "期末数"], ["货币资金", 1, 900], ["存货", 2, 100], ["资产总计", 3, 1000]
    assert "= 1,000" in _told(desk, tmp_path, "期末数合计", *rows)


def test_balances_of_several_accounts_one_after_another_are_not_added_up(
    desk: Desk, tmp_path: Path
) -> None:
    rows = ["Ref", "Debit", "Credit", "Balance"], ["J1", 500, None, 1500], ["J2", None, 800, 700]
    more = ["J3", None, 500, -500], ["J4", None, 250, -750]
    assert "carried on" in _told(desk, tmp_path, "total balance", *rows, *more)


def test_what_is_left_of_a_loan_is_not_added_up(desk: Desk, tmp_path: Path) -> None:
    rows = ["期数", "本金", "剩余本金"], [1, 33000, 67000], [2, 33300, 33700], [3, 33700, 0]
    assert "逐行结转" in _told(desk, tmp_path, "剩余本金合计", *rows)


def test_a_balance_goes_on_from_what_was_brought_forward(desk: Desk, tmp_path: Path) -> None:
    rows = ["摘要", "借方", "贷方", "余额"], ["上年结转", None, None, 1000], ["收", 500, None, 1500]
    assert "逐行结转" in _told(desk, tmp_path, "余额合计", *rows, ["付", None, 200, 1300])


@pytest.mark.parametrize(("question", "sum_"), [("数量合计", "= 30（"), ("金额合计", "= 90 元（")])
def test_the_unit_above_a_table_is_of_its_amounts(
    desk: Desk, tmp_path: Path, question: str, sum_: str
) -> None:
    rows = ["销售明细（单位：元）"], ["品名", "数量", "金额"], ["纸", 10, 50], ["笔", 20, 40]
    assert sum_ in _told(desk, tmp_path, question, *rows)


def test_the_only_total_is_of_all(desk: Desk, tmp_path: Path) -> None:
    rows = ["科目", "执行数"], ["基本", 90], ["人员", 75], ["公用", 15], ["项目", 20]
    told = _told(desk, tmp_path, "执行数合计", *rows, ["支出合计", 110])
    assert "各行相加为 200，而表中“支出合计”" in told


def test_totals_of_groups_are_of_some(desk: Desk, tmp_path: Path) -> None:
    rows = ["部门", "金额"], ["甲", 1], ["东区合计", 1], ["乙", 2], ["丙", 3], ["西区合计", 5]
    assert "= 6" in _told(desk, tmp_path, "金额合计", *rows)
