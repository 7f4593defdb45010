"""Figures told as facts are the true ones; what isn't plain is left to the passages."""

# ruff: noqa: E501 (answers)
from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from pathlib import Path

import pytest
from desk import Desk
from openpyxl import Workbook

from ingest.parsers.workbooks import parse_workbook
from rag.catalog import Catalog
from rag.following import understand
from rag.records import Earlier, Scope
from rag.whole_set import WholeSet

Cells = Sequence[Sequence[object]]

PAID: Cells = (
    ("日期", "供应商", "项目", "金额", "已付金额", "未付金额"),
    (datetime(2023, 3, 5), "启明电子", "显示器", 10000, 10000, 0),
    (datetime(2023, 7, 9), "白鹭物流", "运费", 4200, 2200, 2000),
    (datetime(2024, 1, 15), "启明电子", "键盘", 3300, 3300, 0),
    (datetime(2024, 2, 20), "白鹭物流", "运费", 5100, 0, 5100),
    (datetime(2024, 2, 28), "启明电子", "退货", -800, -800, 0),
    (datetime(2024, 11, 3), "远航贸易", "咖啡", 1250.5, 1000, 250.5),
    ("合计", "", "", 23050.5, 15700, 7350.5),
)
PAYMENTS: Cells = (
    ("Date", "Customer", "Amount", "Paid amount", "Balance"),
    (datetime(2024, 1, 5), "Northwind", 1200, 1200, 0),
    (datetime(2024, 2, 7), "Northwind", 900, 400, 500),
    (datetime(2024, 2, 9), "Tallis", 640, 640, 0),
    (datetime(2023, 5, 2), "Tallis", 300, 0, 300),
    ("Total", "", 3040, 2240, 800),
)
WAGES: Cells = (
    ("姓名", "月份", "工资"),
    *(("张伟", month, wage) for month, wage in ((1, 8000), (2, 8000), (3, 8200))),
    *(("刘洋", month, wage) for month, wage in ((1, 9000), (2, 9100), (3, 9300))),
)
BOUGHT: Cells = (
    ("单号", "供货方", "币种", "采购额"),
    ("P-01", "Acme", "USD", 1000),
    ("P-02", "Acme", "USD", 500),
    ("P-03", "滨江", "CNY", 7000),
    ("P-04", "Bosch", "EUR", 300),
)
STOCK: Cells = (("品名", "单位", "数量"), ("纸", "箱", 4), ("墨", "瓶", 3), ("本", "箱", 2))
STAFF: Cells = (
    ("姓名", "部门", "入职日期", "学历"),
    ("张伟", "市场部", "2021.3.5", "本科"),
    ("刘洋", "研发部", "2022.7.1", "硕士"),
    ("陈晨", "研发部", "2022.9.12", "本科"),
)
SPENT: Cells = (("部门", "类别", "报销额"), ("研发部", "差旅", 200), ("研发部", "办公", 45))
ROUTES: Cells = (("出发地", "目的地", "车费"), ("北京", "上海", 10), ("上海", "北京", 20))
SHARES: Cells = (("产品", "毛利率"), ("灯", 0.25), ("桌", 0.4))
TERMS: Cells = (
    ("签约日", "到期日", "押金"),
    *[(datetime(y, 3, 1), datetime(y + 1, 3, 1), 9) for y in (2022, 2023)],
)
ORDERS: Cells = (
    ("Order date", "Buyer", "Price"),
    ("05/01/2024", "Ann", 10),
    ("17/02/2023", "Bob", 20),
)
RETURNS: Cells = (("Return date", "Fee"), ("05/01/2022", 7), ("03/02/2022", 8))
TWICE: Cells = (("地区", "产量", "产量"), ("东", 1, 2), ("西", 3, 4))
BOOKS: Mapping[str, Mapping[str, Cells]] = {
    "财务/付款台账.xlsx": {"付款": PAID},
    "财务/外币采购.xlsx": {"采购": BOUGHT},
    "财务/库存.xlsx": {"库存": STOCK},
    "财务/费用明细.xlsx": {"明细": SPENT},
    "财务/车费2023.xlsx": {"车费": ROUTES},
    "财务/押金2023.xlsx": {"押金": TERMS},
    "sales/orders 2024.xlsx": {"Orders": ORDERS},
    "sales/returns.xlsx": {"Returns": RETURNS},
    "生产/产量.xlsx": {"产量表": TWICE},
    "财务/毛利.xlsx": {"毛利": SHARES},
    "人事/2023年工资表.xlsx": {"工资": WAGES},
    "人事/花名册.xlsx": {"员工": STAFF},
    "财务/水电费.xlsx": {
        f"{m}月": (("楼层", "电费"), ("一层", 100 * m), ("二层", 10 * m))
        for m in (1, 2, 10, 11, 12)
    },
    "sales/payments.xlsx": {"Payments": PAYMENTS},
}  # fmt: skip
TEXTS: Mapping[str, str] = {
    "合同/2023/启明电子租赁合同-HT-2023-0417.docx": "启明电子，押金两万元，违约金每日万分之三。",
    "合同/2023/白鹭物流租赁合同-HT-2023-0471.docx": "白鹭物流，押金三万元，违约金每日万分之四。",
    "合同/2024/启明电子租赁合同-HT-2024-0417.docx": "启明电子，押金四万元，违约金每日万分之五。",
    "制度/合同管理制度.docx": "合同中应写明违约金。",
    "制度/考勤与假期制度.docx": "年假十天。",
    "policies/leave-policy.docx": "25 days of annual leave.",
    "contracts/2024/Harbour lease 2024.docx": "A deposit of 9,000 pounds is held.",
    "minutes/meeting-minutes-2024-05.docx": "The board meeting lasted 95 minutes.",
    "invoices/invoice-INV-2024-0012.docx": "Rewiring: 1,480.00. VAT 20 %: 296.00.",
}


def _put_book(desk: Desk, tmp_path: Path, path: str, sheets: Mapping[str, Cells]) -> None:
    book = Workbook()
    book.remove(book.worksheets[0])
    for name, rows in sheets.items():
        sheet = book.create_sheet(name)
        for row in rows:
            sheet.append(row)
        for cell in sheet["D"] if name == "付款" else ():
            cell.number_format = "#,##0.00"
        for cell in sheet["B"] if name == "毛利" else ():
            cell.number_format = "0%"
    file = tmp_path / "book.xlsx"
    book.save(file)
    desk.publish_parsed(path, parse_workbook(file))


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Desk]:
    tmp_path = tmp_path_factory.mktemp("truth")
    catalog = Catalog(tmp_path / "catalog.sqlite3")
    desk = Desk(catalog)
    for path, text in TEXTS.items():
        desk.publish(path, text)
    for path, sheets in BOOKS.items():
        _put_book(desk, tmp_path, path, sheets)
    yield desk
    catalog.close()


def _told(desk: Desk, question: str) -> str | None:
    answer = WholeSet(desk.catalog).answer(question, Scope())
    return answer.text if answer else None


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        # Months by number, and sheets called 2月 beside 12月.
        ("2月工资总额", "= 17,100（"),
        ("2023年3月工资合计", "= 17,500（"),
        ("2023年工资表里3月的工资合计", "= 17,500（"),
        ("2023年第一季度工资合计", "= 51,600（"),
        ("张伟的工资总额", "= 24,200（"),
        ("张伟3月份工资总额", "= 8,200（"),
        ("2月电费合计", "“电费”合计 = 220（"),
        ("1月的电费合计", "“电费”合计 = 110（"),
        # Columns whose names hold one another.
        ("已付的金额合计", "“已付金额”合计 = 15,700（"),
        ("未付的金额合计", "“未付金额”合计 = 7,350.5（"),
        ("What is the total amount paid?", "“Paid amount” total = 2,240 ("),
        ("What is the total amount?", "“Amount” total = 3,040 ("),
        # Dates.
        ("日期在2024年2月的金额合计", "5,100.00 + -800.00 = 4,300.00"),
        ("2024年第一季度的金额合计", "= 7,600"),
        ("2024年上半年金额合计", "= 7,600"),
        ("2024年启明电子的金额合计", "= 2,500.00（"),
        ("Total amount in 2024", "= 2,740 ("),
        ("金额大于5000的付款合计", "= 15,100.00（"),
        # Different currencies, and different things counted.
        ("采购额合计是多少？", "单位不一致（CNY、EUR、USD）"),
        ("最高的采购额是哪一笔？", "单位不一致（CNY、EUR、USD）"),
        ("Acme的采购额合计", "= 1,500 USD（"),
        ("数量合计", "单位不一致（瓶、箱）"),
        # Things, not rows.
        ("2024年有多少家供应商", "“供应商”有 3 个不同的值"),
        ("付款台账有多少家供应商", "“供应商”有 3 个不同的值"),
        ("How many customers in 2024?", "2 different values of “Customer”"),
        ("How many payments in 2024?", "3 rows (Date 2024; payments.xlsx"),
        ("研发部有多少人", "“姓名”有 2 个不同的值（部门 “研发部”；2 行；花名册.xlsx"),
        ("2023年工资表有多少人", "“姓名”有 2 个不同的值（6 行"),
        ("2022年入职的有多少人", "“姓名”有 2 个不同的值"),
        ("北京出发地的车费合计", "= 10（"),
        # Text dates with the year last: 17/02 tells that the day stands first; 05/01, 03/02 don't.
        ("total price in 2024", "“Price” total = 10 (Order date 2024; 1 row"),
        ("2024年1月的price合计", "= 10（Order date 2024年1月"),
        ("total price in February 2023", "= 20 ("),
        ("total fee in 2022", "7 + 8 = 15"),
        # The column isn't said, but there is one of amounts only, and a value chooses the rows.
        ("差旅一共多少钱", "“报销额”合计 = 200（类别 “差旅”"),
        ("研发部办公一共花了多少", "“报销额”合计 = 45（"),
        ("张伟的工资一共多少", "= 24,200（"),
        # Groups.
        (
            "各供应商金额合计",
            "- 启明电子：12,500.00（付款!D2,D4,D6）\n- 白鹭物流：9,300.00（付款!D3,D5）\n- 远航贸易：1,250.50（",
        ),
        (
            "2024年每家供应商的金额合计",
            "- 白鹭物流：5,100.00（付款!D5）\n- 启明电子：2,500.00（付款!D4,D6）",
        ),
        ("按项目统计已付金额合计", "- 运费：2,200（付款!E3,E5）"),
        (
            "total amount by customer",
            "- Northwind: 2,100 (Payments!C2:C3)\n- Tallis: 940 (Payments!C4:C5)",
        ),
        ("average amount per customer", "- Northwind: 1,050 ("),
        ("highest amount for each customer", "- Northwind: 1,200 (Payments!C2)\n- Tallis: 640 ("),
        (
            "各币种采购额合计",
            "- CNY：7,000 CNY（采购!D4）\n- USD：1,500 USD（采购!D2:D3）\n- EUR：300 EUR（",
        ),
        ("各部门有多少人", "- 研发部：2（员工!A3:A4）\n- 市场部：1（员工!A2）"),
        ("哪家供应商金额最高？", "最高的是启明电子，12,500.00（6 行"),
        ("哪家供应商金额最高", "单行最高的是：2023-03-05 0:00:00 | 启明电子 | 显示器 | 10,000.00"),
        ("2024年哪家供应商金额最高", "最高的是白鹭物流，5,100.00（日期 2024年；4 行"),
        ("Which customer has the lowest amount?", "the lowest “Amount” is that of Tallis: 940 ("),
        ("哪个产品毛利率最高", "所在行：桌 | 40%。"),
        # Rows.
        (
            "列出研发部的员工",
            "共 2 行（部门 “研发部”；花名册.xlsx，员工!A3:D4）[1]：姓名 | 部门 | 入职日期 | 学历\n- 刘洋 | 研发部",
        ),
        ("研发部有哪些人？", "- 陈晨 | 研发部 | 2022.9.12 | 本科"),
        ("列出金额大于5000的付款", "共 2 行（金额 大于5000"),
        (
            "List the payments of Northwind",
            "2 rows (Customer “northwind”; payments.xlsx, Payments!A2:E3) [1]",
        ),
    ],
)
def test_figures_are_true_and_stand_alone(office: Desk, question: str, truth: str) -> None:
    told = _told(office, question)
    assert told is not None
    assert truth in told
    assert told.count(".xlsx") == 1


@pytest.mark.parametrize(
    "question",
    [
        "4月工资合计",
        "2022年3月工资合计",
        "2月28日电费合计",
        "2024年2月28日的金额合计",
        "2023年1月的电费合计",
        "2月的金额合计是多少？含税",
        "税后的金额合计",
        "其它项目的金额合计",
        "项目的金额合计",
        "北京的车费合计",
        "2023年押金合计",
        "毛利率超过30%的有几行",
        "毛利率合计",
        "最高的月份工资",
        "数量和单位的合计",
        "月份合计",
        "金额合计多少万元",
        "研发部有几笔",
        "2024年有几笔",
        "total price in May 2024",
        "total fee in January 2022",
        "2022年2月的fee合计",
        "产量合计",
        "2024年1月到3月的金额合计",
        "1月和2月电费合计",
        "张伟2月和3月工资合计",
        "张伟和刘洋的工资合计",
        "启明电子以外的金额合计",
        "今年金额合计",
        "2024年底金额合计",
        "最高的3笔金额",
        "每月平均工资",
        "金额超过1亿的有几笔",
        "2月金额合计是多少（不含退货）",
        "total amount for North west Northwind",
        "哪个部门人最多",
        "列出员工",
        "列出供应商",
        "列出研发部和市场部的员工",
        "研发部有哪些制度",
        "运费一共多少",
        "北京一共多少钱",
        "启明电子一共多少钱",
        "各月份工资合计",
        "各部门的金额合计",
        "哪家银行金额最高",
        "哪家供应商的毛利率最高",
        "2024年1月每家供应商含税金额合计",
        "How many customers does Northwind have",
        "除了启明电子的金额合计",
        "total amount from 2023 to 2024",
        "total amount of the balance",
        "How many customers paid in 2024?",
        "How many contracts are there for 2024 in payments?",
        "有多少家供应商？",
        "最低工资是多少",
        "启明电子有多少人",
        "多少单位的金额超过5000",
    ],
)
def test_a_word_that_nothing_explains_leaves_it_to_the_passages(
    office: Desk, question: str
) -> None:
    assert _told(office, question) is None


@pytest.mark.parametrize(
    ("question", "truth", "listed"),
    [
        ("2023年的合同有几份？", "共 2 份", 0),
        ("列出2024年的合同", "共 2 份", 2),
        ("有多少份PDF", "共有 0 份文件（.pdf）。", 0),
        ("哪些文件读取失败", "共有 0 份文件（读取失败）。", 0),
        ("How many PDF files are there?", "There are 0 documents (.pdf).", 0),
        ("How many contracts are there for 2024?", "2 documents", 0),
        ("List all contracts for Harbour", "1 document ", 1),
        ("哪些合同提到违约金？", "“合同”的文件中，提到“违约金”的共 3 份", 3),
        ("有多少份合同提到押金？", "“合同”的文件中，提到“押金”的共 3 份", 3),
        ("哪些文件提到违约金？", "提到“违约金”的文件共 4 份", 4),
        ("Which contracts mention the deposit?", "1 document called “contract”", 1),
        ("How many meeting minutes are there?", "1 document", 0),
    ],
)
def test_documents_are_those_called_so(
    office: Desk, question: str, truth: str, listed: int
) -> None:
    told = _told(office, question)
    assert told is not None
    assert truth in told
    assert told.count("\n- ") == listed


@pytest.mark.parametrize(
    "question",
    [
        "有多少份发票提到启明电子",
        "2021年的合同有几份？",
        "How many invoices are there for 2021?",
        "What is the invoice total?",
        "What does the contract contain?",
        "How many minutes is the meeting?",
        "What is in the lease?",
        "What is the policy?",
        "Show me the invoice",
        "Show me the total of the invoices",
        "制度里有哪些假期",
        "列出合同金额",
    ],
)
def test_what_documents_say_is_no_list_of_them(office: Desk, question: str) -> None:
    assert _told(office, question) is None


@pytest.mark.parametrize(
    ("before", "question", "truth"),
    [
        ("有多少份合同提到押金？", "是哪些？", "共 3 份：\n- "),
        ("2023年的合同有几份？", "2024年的呢？", "共 2 份"),
        ("研发部有多少人？", "都有谁？", "- 陈晨 | 研发部"),
        ("列出研发部的员工", "那市场部呢？", "共 1 行（部门 “市场部”"),
        ("2024年启明电子的金额合计", "那白鹭物流呢？", "= 5,100.00（"),
        (
            "How many meeting minutes are there?",
            "Which ones?",
            "- minutes/meeting-minutes-2024-05.docx",
        ),
    ],
)
def test_follow_ups_are_answered_from_the_whole_set(
    office: Desk, before: str, question: str, truth: str
) -> None:
    told = _told(office, understand(question, [Earlier(before, "…")]).question)
    assert told is not None
    assert truth in told


def test_how_long_is_no_list(office: Desk) -> None:
    for before in ("合同付款期限是几天？", "保修有几个月？", "How many days of leave are there?"):
        question = understand("列出来" if before[0] != "H" else "List them", [Earlier(before, "…")])
        assert "有哪些" not in question.question
        assert _told(office, question.question) is None
