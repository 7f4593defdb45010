"""Sample PDFs: a lease in Chinese and one in English, numbered pages, a page turned sideways."""

from __future__ import annotations

from pathlib import Path

from samples.facts import Fact

_ZH_FONT = "STSong-Light"
_LEFT, _TOP, _LEADING = 72, 740, 20

_LEASE_ZH = {
    "房屋租赁合同": [
        "出租方：青禾置业有限公司。承租方：白鹭会计师事务所。",
        "合同编号：QH-2031-0417，签订地点为临溪市。",
    ],
    "第一章 租金与押金": [
        "第一条 每月租金为人民币壹万捌仟陆佰元（18,600 元），每季度首月五日前支付。",
        "第二条 押金为三个月租金，共计 55,800 元，合同终止后十五日内无息退还。",
    ],
    "第二章 违约责任": [
        "第三条 逾期支付租金的，每逾期一日按应付金额的万分之三支付违约金。",
        "第四条 任何一方提前解除合同的，应当提前六十日书面通知对方。",
    ],
}
_LEASE_EN = {
    "Lease Agreement": [
        "This lease is made between Harrowgate Properties Ltd (landlord) and Tern & Finch LLP",
        "(tenant) for the offices at 14 Quarry Lane, under reference HG-7742.",
    ],
    "Chapter 1 Rent": [
        "The monthly rent is 4,250 pounds, payable on the third working day of each month.",
        "The deposit is 12,750 pounds and is held by the Ambleford Deposit Scheme.",
    ],
    "Chapter 2 Termination": [
        "Either party may end this lease with ninety days of notice in writing.",
        "Keys are handed over to the caretaker, Mr Osric Pell, before noon.",
    ],
}
PDF_FACTS = [
    Fact("白鹭会计师事务所每月租金是多少？", "18,600 元", "租赁合同.pdf", 2,
         section="第一章 租金与押金"),
    Fact("押金一共是多少？", "55,800 元", "租赁合同.pdf", 2, section="第一章 租金与押金"),
    Fact("逾期支付租金的违约金怎么算？", "万分之三", "租赁合同.pdf", 3, section="第二章 违约责任"),
    Fact("How much is the monthly rent for 14 Quarry Lane?", "4,250 pounds", "lease.pdf", 2,
         section="Chapter 1 Rent"),
    Fact("Who holds the deposit?", "Ambleford Deposit Scheme", "lease.pdf", 2,
         section="Chapter 1 Rent"),
    Fact("How much notice ends the lease?", "ninety days", "lease.pdf", 3,
         section="Chapter 2 Termination"),
    *[Fact(f"Where is token-{n}?", f"token-{n}", "tokens.pdf", n) for n in (1, 5)],
]  # fmt: skip


def make_pdfs(folder: Path) -> list[Fact]:
    _lease(folder / "租赁合同.pdf", _LEASE_ZH, zh_font())
    _lease(folder / "lease.pdf", _LEASE_EN, "Helvetica")
    _tokens(folder / "tokens.pdf")
    _turned(folder / "turned.pdf")
    return PDF_FACTS


def _canvas(path: Path):
    from reportlab.lib.pagesizes import A4
    from reportlab.pdfgen.canvas import Canvas

    return Canvas(str(path), pagesize=A4, invariant=1)


def zh_font() -> str:
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont

    if _ZH_FONT not in pdfmetrics.getRegisteredFontNames():
        pdfmetrics.registerFont(UnicodeCIDFont(_ZH_FONT))
    return _ZH_FONT


def _lease(path: Path, chapters: dict[str, list[str]], font: str) -> None:
    """A page a chapter, a heading on top, a running footer below."""
    canvas = _canvas(path)
    for number, (heading, lines) in enumerate(chapters.items(), start=1):
        canvas.setFont(font, 16)
        canvas.drawString(_LEFT, _TOP, heading)
        canvas.setFont(font, 11)
        for at, line in enumerate(lines, start=2):
            canvas.drawString(_LEFT, _TOP - at * _LEADING, line)
        canvas.drawString(_LEFT, 40, f"- {number} -")
        canvas.showPage()
    canvas.save()


def _tokens(path: Path) -> None:
    canvas = _canvas(path)
    for number in range(1, 6):
        canvas.drawString(_LEFT, _TOP, f"This page says token-{number}.")
        canvas.showPage()
    canvas.save()


def _turned(path: Path) -> None:
    """Written upright on a page that is shown turned by 90 degrees clockwise."""
    canvas = _canvas(path)
    canvas.setPageRotation(90)
    canvas.drawString(_LEFT, 500, "Turned sideways: the safe opens with 7-1-4.")
    canvas.showPage()
    canvas.save()
