"""Sample workbooks: a ledger of 300 rows, and merged cells beside displayed formats."""

from __future__ import annotations

import datetime as dt
from pathlib import Path

from samples.facts import Fact
from samples.fixed import fix_times

_ROWS = 300
_ODD_ROW = 287

SHEET_FACTS = [
    Fact("凭证 PZ-0286 的经办人是谁？", "褚明朗", "费用台账.xlsx", sheet="台账", row=_ODD_ROW),
    Fact("凭证 PZ-0286 的金额是多少？", "¥7,431.50", "费用台账.xlsx", sheet="台账", row=_ODD_ROW),
    Fact("2023年第二季度的收入是多少？", "¥88,400.00", "部门汇总.xlsx", sheet="汇总", row=4),
    Fact("2023年第一季度的增长率是多少？", "13%", "部门汇总.xlsx", sheet="汇总", row=3),
    Fact("Who approved voucher V-0286?", "Rowan Thistle", "ledger.xlsx", sheet="Ledger",
         row=_ODD_ROW),
    Fact("What did voucher V-0286 cost?", "$7,431.50", "ledger.xlsx", sheet="Ledger",
         row=_ODD_ROW),
]  # fmt: skip


def make_sheets(folder: Path) -> list[Fact]:
    _ledger(
        folder / "费用台账.xlsx", "台账", ("凭证号", "日期", "摘要", "金额", "经办人"),
        ("PZ-{:04}", "办公用品第{}批", '"¥"#,##0.00', "钟采薇", "褚明朗"),
    )  # fmt: skip
    _ledger(
        folder / "ledger.xlsx", "Ledger", ("Voucher", "Date", "Purpose", "Amount", "Approved by"),
        ("V-{:04}", "Stationery lot {}", '"$"#,##0.00', "Della Marsh", "Rowan Thistle"),
    )  # fmt: skip
    _summary(folder / "部门汇总.xlsx")
    _two_tables(folder / "two-tables.xlsx")
    return SHEET_FACTS


def _ledger(path: Path, title: str, header: tuple[str, ...], words: tuple[str, ...]) -> None:
    from openpyxl import Workbook

    number, purpose, money, clerk, odd_clerk = words
    book = Workbook()
    sheet = book.active
    sheet.title = title
    sheet.append(header)
    for at in range(1, _ROWS + 1):
        odd = at == _ODD_ROW - 1
        day = dt.datetime(2031, 1, 1) + dt.timedelta(days=at)
        amount = 7431.5 if odd else 100 + at
        sheet.append(
            [number.format(at), day, purpose.format(at), amount, odd_clerk if odd else clerk]
        )
        sheet.cell(at + 1, 2).number_format = "yyyy-mm-dd"
        sheet.cell(at + 1, 4).number_format = money
    _save(book, path)


def _summary(path: Path) -> None:
    """A title over the width, a year merged down, formats, a hidden sheet, a bare formula."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "汇总"
    sheet.append(["银杏书店收入汇总"])
    sheet.merge_cells("A1:D1")
    sheet.append(["年度", "季度", "收入", "增长率"])
    for row in (
        ["2023年", "第一季度", 91250, 0.13],
        [None, "第二季度", 88400, 0.075],
        [None, "第三季度", 90300, -0.02],
    ):
        sheet.append(row)
    sheet.merge_cells("A3:A5")
    sheet.append(["合计", "全年", "=SUM(C3:C5)", None])
    for at in range(3, 7):
        sheet.cell(at, 3).number_format = '"¥"#,##0.00'
        sheet.cell(at, 4).number_format = "0%"
    hidden = book.create_sheet("底稿")
    hidden.append(["内部备注", "不公开"])
    hidden.sheet_state = "hidden"
    _save(book, path)


def _two_tables(path: Path) -> None:
    """Two tables apart by a blank row, a third apart by a blank column."""
    from openpyxl import Workbook

    book = Workbook()
    sheet = book.active
    sheet.title = "Stock"
    for at, row in enumerate(
        [
            ("Item", "Count", "", "Clerk", "Shift"),
            ("Lamp", 12, "", "Petra", "early"),
            ("Desk", 7, "", "Hugo", "late"),
            (),
            ("Room", "Area"),
            ("Attic", 31),
        ],
        start=1,
    ):
        for column, value in enumerate(row, start=1):
            sheet.cell(at, column, value or None)
    _save(book, path)


def _save(book, path: Path) -> None:
    book.save(path)
    fix_times(path)
