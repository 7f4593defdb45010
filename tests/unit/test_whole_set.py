"""FIELD_CASE 16: how many, list all, the sum of a column: answered from the catalogue."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest
from asking import ask
from desk import Desk
from openpyxl import Workbook

from ingest.parsers.workbooks import parse_workbook
from rag.catalog import Catalog
from rag.records import Answer, Scope
from rag.testing import ScriptedGenerator
from rag.whole_set import WholeSet

SPENT: tuple[tuple[object, ...], ...] = (
    ("日期", "部门", "类别", "金额（元）"),
    ("2024-01-05", "市场部", "差旅", 1200.5),
    ("2024-01-08", "研发部", "办公", 300),
    ("2024-02-01", "市场部", "办公", 0.1),
    ("2024-02-11", "研发部", "差旅", 2200),
    ("合计", "", "", 3700.6),
)
SALES: tuple[tuple[object, ...], ...] = (
    ("Region", "Product", "Amount"),
    ("North", "Lamp", 120),
    ("South", "Lamp", 80),
    ("North", "Desk", 400.25),
)


def _put_sheet(
    desk: Desk, tmp_path: Path, path: str, rows: Sequence[Sequence[object]], *, hidden: int = 0
) -> None:
    book = Workbook()
    sheet = book.worksheets[0]
    sheet.title = "明细"
    for row in rows:
        sheet.append(row)
    if hidden:
        sheet.row_dimensions[hidden].hidden = True
    file = tmp_path / "book.xlsx"
    book.save(file)
    desk.publish_parsed(path, parse_workbook(file))


def _asked(desk: Desk, question: str) -> Answer | None:
    return WholeSet(desk.catalog).answer(question, Scope())


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    tmp_path = tmp_path_factory.mktemp("office")
    catalog = Catalog(tmp_path / "catalog.sqlite3")
    desk = Desk(catalog)
    for number in range(12):
        late = "，逾期付违约金" if number in {3, 7} else ""
        desk.publish(f"发票/发票-{number:02}.pdf", f"发票号 {number} 启明电子{late}")
    desk.publish("contracts/lease 2024.docx", "The rent is 3,200. Employees get 10 days of leave.")
    desk.publish("员工手册.pdf", "员工每年有 10 天年假。办理签证需要三份文件。")
    _put_sheet(desk, tmp_path, "财务/费用.xlsx", SPENT, hidden=3)
    _put_sheet(desk, tmp_path, "sales.xlsx", SALES)
    yield desk
    catalog.close()


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("一共有多少份文件？", "16 份文件"),
        ("有多少份发票？", "12 份"),
        ("發票有幾份？", "12 份"),
        ("How many invoices do I have?", "12 documents"),
        ("How many PDF files are there?", "13 documents"),
        ("how many excel files do we have in total", "2 documents"),
        ("发票文件夹里有几个文件", "12 份"),
        ("有多少份文件提到了“启明电子”？", "12 份"),
        ("哪些文件提到违约金？", "发票/发票-03.pdf [1]\n- 发票/发票-07.pdf [2]"),
        ("Which documents mention employees?", "contracts/lease 2024.docx [1]"),
        ("List all documents in the contracts folder", "contracts/lease 2024.docx [1]"),
        ("列出所有Excel表格", "财务/费用.xlsx [2]"),
    ],
)
def test_documents_are_counted_and_listed_whole(office: Desk, question: str, said: str) -> None:
    answer = _asked(office, question)
    assert answer is not None
    assert said in answer.text
    assert answer.mode == "catalogue"
    assert (answer.read, answer.total) == (answer.total, office.catalog.passages.count())


@pytest.mark.parametrize(
    ("question", "said", "cells"),
    [
        ("金额合计是多少？", "= 3,700.6（", "D2:D5"),
        ("市场部的金额合计是多少？", "1,200.5 + 0.1 = 1,200.6", "D2:D4"),
        ("市场部差旅的金额总计", "= 1,200.5（", "D2"),
        ("研发部的平均金额", "(300 + 2,200) ÷ 2 = 1,250", "D3:D5"),
        ("最高的金额是哪一笔？", "2024-02-11 | 研发部 | 差旅 | 2200", "D5"),
        ("2024年1月的金额合计", "= 1,500.5（", "D2:D3"),
        ("金额超过250元的有多少笔？", "共 3 行", "A2:D5"),
        ("研发部有几笔费用？", "共 2 行", "A3:D5"),
        ("What is the total amount for North?", "120 + 400.25 = 520.25", "C2:C4"),
        ("What is the average amount?", "(120 + 80 + 400.25) ÷ 3 = 200.0833", "C2:C4"),
        ("Lowest amount for lamps", "South | Lamp | 80", "C3"),
    ],
)
def test_columns_are_reckoned_over_the_rows_meant(
    office: Desk, question: str, said: str, cells: str
) -> None:
    answer = _asked(office, question)
    assert answer is not None
    assert said in answer.text
    (citation,) = answer.citations
    assert citation.locator.cells == cells
    assert citation.quote in citation.hit.passage.text
    assert answer.grounded


@pytest.mark.parametrize(
    "question",
    [
        "How many days of leave do employees get?",
        "How many documents must be submitted for a visa?",
        "Which document explains the leave policy?",
        "What documents are needed for a visa?",
        "What is the total rent?",
        "How many employees does the company have?",
        "How many people attended the meeting?",
        "员工一年有多少天年假",
        "办理签证需要多少份文件",
        "合同一式几份",
        "违约金最高是多少",
        "费用报销需要哪些资料？",
        "财务部的金额合计是多少？",
        "列出违约责任",
        "这个项目一共花了多少钱",
        "哪些文件提到量子计算？",
    ],
)
def test_what_the_catalogue_cannot_tell_for_sure_is_left_to_the_passages(
    office: Desk, question: str
) -> None:
    assert _asked(office, question) is None


def test_what_is_left_out_is_said(office: Desk) -> None:
    answer = _asked(office, "金额合计是多少？")
    assert answer is not None
    assert "1 行合计未重复计入" in answer.text
    assert "1 行在表中是隐藏的" in answer.text


@pytest.mark.parametrize(
    ("cells", "why"),
    [
        ((100, "待定", 50), "B3 “待定”"),
        (("100 kg", "3 t", "50 kg"), "单位不一致（kg、t）"),
        (("¥100", "$30", "¥50"), "单位不一致（$、¥）"),
        ((100, "=SUM(B2:B2)", 50), "B3"),
    ],
)
def test_what_cannot_be_added_up_is_said(
    desk: Desk, tmp_path: Path, cells: Sequence[object], why: str
) -> None:
    rows = [("项目", "数额", "次数"), *zip(("甲项", "乙项", "丙项"), cells, (1, 2, 3), strict=True)]
    _put_sheet(desk, tmp_path, "表.xlsx", rows)
    answer = _asked(desk, "数额合计是多少？")
    assert answer is not None
    assert "无法计算" in answer.text
    assert why in answer.text


def test_blanks_below_a_label_are_counted_to_it_or_told_of(desk: Desk, tmp_path: Path) -> None:
    head = ("科室", "项目", "支出")
    once = [("后勤科", "纸张", 100), (None, "差旅", 200), ("财务科", "纸张", 7), (None, "差旅", 8)]
    _put_sheet(desk, tmp_path, "表.xlsx", [head, *once])
    answer = _asked(desk, "后勤科的支出合计是多少？")
    assert answer is not None
    assert "100 + 200 = 300" in answer.text
    assert "空白" not in answer.text
    again = [("科室", "项目", "花费"), *once, ("后勤科", "邮费", 4), (None, "书", 5)]
    _put_sheet(desk, tmp_path, "又.xlsx", again)
    unsure = _asked(desk, "后勤科的花费合计是多少？")
    assert unsure is not None
    assert "100 + 4 = 104" in unsure.text
    assert "“科室”列在所计行的下方有空白单元格" in unsure.text


def test_the_model_is_not_asked(office: Desk) -> None:
    model = ScriptedGenerator("There are 3 invoices [1].")
    answer = ask(office, model, "有多少份发票？")
    assert (answer.mode, answer.finish_reason, model.prompts) == ("catalogue", "stop", [])
    assert ask(office, None, "有多少份发票？").text == answer.text


def test_a_scope_narrows_what_is_counted(office: Desk) -> None:
    answer = WholeSet(office.catalog).answer("一共有多少份文件？", Scope(collection="发票"))
    assert answer is not None
    assert "12 份文件" in answer.text
