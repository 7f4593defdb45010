"""Sample Word documents: a travel policy in two languages, tracked changes, recorded breaks."""

from __future__ import annotations

from pathlib import Path

from samples.facts import Fact
from samples.fixed import fix_times

_ZH = [
    ("差旅管理制度", 0, "云杉设计院员工出差适用本制度，解释权归综合管理部。"),
    ("一、交通标准", 1, "高铁一律乘坐二等座；单程超过六小时的，可以乘坐一等座。"),
    ("二、住宿标准", 1, "住宿费按城市等级报销，标准见下表。"),
    ("三、报销期限", 1, "返回后十个工作日内提交报销单，逾期须由分管院长柳承远签字。"),
]
_ZH_TABLE = [("城市等级", "每晚上限", "早餐"), ("甲类", "520 元", "含"), ("乙类", "380 元", "不含")]
_EN = [
    ("Travel Policy", 0, "This policy covers all staff of Larkspur Surveying."),
    ("Trains", 1, "Second class is booked; journeys over five hours may go first class."),
    ("Meals", 1, "The daily meal allowance is 46 pounds, receipts are not needed."),
    ("Claims", 1, "Claims are sent to Imogen Vale within twelve working days."),
]
_EN_TABLE = [("Zone", "Night cap", "Breakfast"), ("Amber", "140 pounds", "yes")]

WORD_FACTS = [
    Fact("高铁出差能坐什么座位？", "二等座", "差旅制度.docx", section="一、交通标准"),
    Fact("乙类城市住宿每晚上限是多少？", "380 元", "差旅制度.docx", section="二、住宿标准"),
    Fact("逾期报销由谁签字？", "柳承远", "差旅制度.docx", section="三、报销期限"),
    Fact("What is the daily meal allowance?", "46 pounds", "travel-policy.docx", section="Meals"),
    Fact("Who receives travel claims?", "Imogen Vale", "travel-policy.docx", section="Claims"),
    Fact("What is the night cap in the Amber zone?", "140 pounds", "travel-policy.docx"),
    Fact("修订后的年度服务费是多少？", "80,000 元", "修订.docx"),
    Fact("What budget did the minutes give the archive?", "budget of 9,300", "breaks.docx", 2),
]


def make_words(folder: Path) -> list[Fact]:
    _policy(folder / "差旅制度.docx", _ZH, _ZH_TABLE)
    _policy(folder / "travel-policy.docx", _EN, _EN_TABLE)
    _tracked(folder / "修订.docx")
    _breaks(folder / "breaks.docx")
    return WORD_FACTS


def _policy(path: Path, parts: list[tuple[str, int, str]], table: list[tuple[str, ...]]) -> None:
    import docx

    document = docx.Document()
    for title, level, text in parts:
        document.add_heading(title, level)
        document.add_paragraph(text)
        if title in ("二、住宿标准", "Meals"):
            grid = document.add_table(rows=0, cols=len(table[0]))
            for row in table:
                for cell, words in zip(grid.add_row().cells, row, strict=True):
                    cell.text = words
    _save(document, path)


def _tracked(path: Path) -> None:
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    paragraph = document.add_paragraph("年度服务费为 ")
    change = 'w:id="{}" w:author="审稿人" w:date="2031-01-01T00:00:00Z"'
    deleted = "<w:r><w:delText>100,000 元</w:delText></w:r>"
    inserted = "<w:r><w:t>80,000 元</w:t></w:r>"
    for number, (tag, run) in enumerate((("w:del", deleted), ("w:ins", inserted)), start=1):
        xml = f"<{tag} {nsdecls('w')} {change.format(number)}>{run}</{tag}>"
        paragraph._p.append(parse_xml(xml))
    paragraph.add_run("，按半年支付。")
    _save(document, path)


def _breaks(path: Path) -> None:
    """Word's own note of where a page began when it was last laid out."""
    import docx
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    document.add_paragraph("Minutes of the Quillon board, first page.")
    paragraph = document.add_paragraph()
    paragraph._p.append(
        parse_xml(f"<w:r {nsdecls('w')}><w:lastRenderedPageBreak/><w:t>The board agreed a "
                  "budget of 9,300 for the archive.</w:t></w:r>")
    )  # fmt: skip
    _save(document, path)


def _save(document, path: Path) -> None:
    document.save(str(path))
    fix_times(path)
