"""Sums of a quarter, of one side of a deal, of each group; rows counted by what they are called."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from desk import Desk
from openpyxl import Workbook

from ingest.parsers import parse
from rag.catalog import Catalog
from rag.records import Scope
from rag.whole_set import WholeSet

_BILLS = (
    ("发票号码", "开票日期", "客户", "项目", "价税合计"),
    ("B-01", datetime(2024, 1, 9), "东岭机械", "维护", 1130),
    ("B-02", datetime(2024, 2, 6), "海纳物流", "许可", 5085),
    ("B-03", datetime(2024, 3, 29), "东岭机械", "许可", 4294),
    ("B-04", datetime(2024, 4, 1), "东岭机械", "维护", 700),
    ("B-05", datetime(2024, 9, 5), "海纳物流", "维护", 911),
)
_PAID = (
    ("Date", "Supplier", "Fee"),
    (datetime(2023, 2, 1), "Norwood", 40),
    (datetime(2024, 2, 1), "Norwood", 50),
    (datetime(2024, 3, 30), "Tarn", 25),
    (datetime(2024, 8, 1), "Norwood", 60),
)
_WAGES = ("姓名", "部门", "实发工资")
_STAFF = (("甘露", "财务部", 17), ("钱多", "财务部", 9), ("田野", "研发部", 20))
_PEAKS = (
    "name,kind,province,level\n青峦湿地公园,公园,云江省,国家级\n白鹭湿地公园,公园,云江省,国家级\n"
    "石桥湿地公园,公园,云江省,省级\n沙湾湿地公园,公园,海陵省,国家级\n"
)


def _put(desk: Desk, file: Path) -> None:
    desk.publish_parsed(file.name, parse(file))


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    folder = tmp_path_factory.mktemp("forms")
    catalog = Catalog(folder / "catalog.sqlite3")
    desk = Desk(catalog)
    wages = {
        f"2025年{month}月": (_WAGES, *((*who, pay + month) for *who, pay in _STAFF))
        for month in (6, 7)
    }
    books = {"发票登记2024": {"Sheet1": _BILLS}, "fees": {"Fees": _PAID}, "工资": wages}
    for name, sheets in books.items():
        book = Workbook()
        book.remove(book.worksheets[0])
        for title, rows in sheets.items():
            sheet = book.create_sheet(title)
            for row in rows:
                sheet.append(row)
        book.save(folder / f"{name}.xlsx")
        _put(desk, folder / f"{name}.xlsx")
    (folder / "湿地.csv").write_text(_PEAKS)
    _put(desk, folder / "湿地.csv")
    yield desk
    catalog.close()


def _told(desk: Desk, question: str) -> str | None:
    answer = WholeSet(desk.catalog).answer(question, Scope())
    return answer.text if answer else None


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("2024年第一季度开给东岭机械的发票，价税合计一共多少？", "= 5,424（"),
        ("第一季度卖给东岭机械的价税合计一共是多少", "= 5,424（"),
        ("2024Q1价税合计总额", "= 10,509（"),
        ("上半年的价税合计总额是多少？", "= 11,209（"),
        ("2024年下半年给海纳物流开具的发票价税合计总和", "= 911（"),
        ("Total fee in Q1 2024", "= 75 ("),
        ("total fee in the first quarter of 2024", "= 75 ("),
        ("What is the total fee paid to Norwood in H2 2024?", "= 60 ("),
        ("2024 q3 total fee", "= 60 ("),
        (
            "各客户的价税合计分别是多少？",
            "- 东岭机械：6,124（Sheet1!E2,E4:E5）\n- 海纳物流：5,996（",
        ),
        ("2024年第一季度各客户的价税合计各是多少？", "- 东岭机械：5,424（"),
        (
            "2025年7月各部门的实发工资合计分别是多少？",
            "- 财务部：40（2025年7月!C2:C3）\n- 研发部：27（",
        ),
        ("各部门的平均实发工资分别是多少", "- 财务部：19（2025年6月!C2:C3）"),
        ("2024年2月开给海纳物流的发票有几张", "“发票号码”有 1 个不同的值"),
        ("云江省国家级的湿地公园有几个？", "共 2 行"),
        ("国家级的湿地公园一共有多少个", "共 3 行"),
    ],
)
def test_figures_are_those_of_the_rows_meant(office: Desk, question: str, truth: str) -> None:
    told = _told(office, question)
    assert told is not None
    assert truth in told


def test_two_sheets_of_one_table_give_their_groups_each(office: Desk) -> None:
    told = _told(office, "各部门的实发工资合计分别是多少？")
    assert told is not None
    assert "- 财务部：38（2025年6月!C2:C3）\n- 研发部：26（" in told
    assert "- 财务部：40（2025年7月!C2:C3）\n- 研发部：27（" in told


@pytest.mark.parametrize(
    "question",
    [
        "向东岭机械采购的价税合计总额",
        "付给东岭机械的价税合计总额",
        "total fee billed to Norwood",
        "东岭机械以外一季度的价税合计总额",
        "没有开给东岭机械的发票价税合计总额",
        "2024年第一季度之前的价税合计总额",
        "第一季度和第二季度的价税合计总额",
        "从第一季度到第三季度的价税合计总额",
        "total fee in Q1 2024 and Q2 2024",
        "total fee in the first quarter",
        "the second half of the total fee",
        "去年上半年的价税合计总额",
        "B-01的价税合计是多少",
        "云江省国家级的森林公园有几个？",
        "海陵省和云江省的国家级湿地公园有多少个",
        "云江省非国家级的湿地公园有几个？",
        "青峦湿地公园有几个出口",
        "财务部有几个",
        "财务部有几个月没发工资",
    ],
)
def test_what_is_not_plain_is_left_to_the_passages(office: Desk, question: str) -> None:
    assert _told(office, question) is None
