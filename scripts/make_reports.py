"""Writes the hard test of retrieval: near-identical annual reports of many companies and years.

    python scripts/make_reports.py FOLDER [--companies 12] [--years 4]

makes ``FOLDER/documents/<company>/<year>/<report>.pdf``, half in Chinese and half in English, and
``FOLDER/questions.jsonl`` for ``deskside eval --documents``. Pages of the same topic differ only in
their figures; company and year stand in the names of the folders and on the first page alone.
"""

# ruff: noqa: E501 (the texts of the pages)
from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from reportlab.lib.pagesizes import A4
from reportlab.pdfbase import pdfmetrics
from reportlab.pdfbase.cidfonts import UnicodeCIDFont
from reportlab.pdfgen.canvas import Canvas

_FONT = "STSong-Light"
_MARGIN = 60
_LEADING = 18
_SIZE = 11
_SEED = 5

_NAMES = {
    "zh": [
        "启明电子", "远航物流", "江河水务", "长青农业", "星海医药", "金石矿业", "云帆软件",
        "安泰保险", "东岭机械", "百川化工", "和风酒店", "南桥地产",
    ],
    "en": [
        "Northgate Robotics", "Harbour Freight Lines", "Clearwater Utilities", "Greenfield Farms",
        "Aster Pharma", "Granite Mining", "Cirrus Software", "Beacon Insurance", "Eastridge Tools",
        "Delta Chemicals", "Zephyr Hotels", "Southbridge Homes",
    ],
}  # fmt: skip
_TITLE = {
    "zh": "{company}股份有限公司\n{year}年年度报告",
    "en": "{company} plc\nAnnual Report {year}",
}
_FILE = {"zh": "{company}/{year}年/年度报告.pdf", "en": "{company}/{year}/annual report.pdf"}
_BOILERPLATE = {
    "zh": "本公司董事会、监事会及董事、监事、高级管理人员保证年度报告内容的真实、准确、完整，不存在虚假记载、"
    "误导性陈述或重大遗漏。报告期内，公司严格按照《公司法》《证券法》和中国证监会有关规定的要求，不断完善"
    "公司治理结构，建立健全内部控制制度，进一步规范公司运作。公司治理的实际状况符合有关上市公司治理的规范性"
    "文件要求。上述数据以合并财务报表为基础编制，已经会计师事务所审计，并经董事会审议通过。",
    "en": "The directors are responsible for preparing the annual report in accordance with applicable "
    "law and regulations. They consider the report, taken as a whole, to be fair, balanced and "
    "understandable, and to give shareholders the information needed to assess the position, "
    "performance, business model and strategy of the Company. The figures on this page are taken from "
    "the consolidated financial statements, which were audited and approved by the Board.",
}


@dataclass(frozen=True, slots=True)
class Topic:
    """One page's heading and text, and the question its first figure answers."""

    heading: str
    text: str
    question: str


_TOPICS = {
    "zh": [
        Topic("主要会计数据", "报告期内，公司实现营业收入{a}万元，比上年同期增长{b}%。归属于上市公司股东的净利润为{c}万元。", "{company}{year}年的营业收入是多少？"),
        Topic("研发投入", "报告期内，公司研发投入合计{a}万元，占营业收入的比例为{b}%，研发人员{c}人。", "{year}年{company}的研发投入合计多少万元？"),
        Topic("员工情况", "报告期末，公司在职员工的数量合计{a}人，其中生产人员{c}人，本科以上学历占{b}%。", "{company}在{year}年末有多少在职员工？"),
        Topic("利润分配", "董事会决议，以总股本为基数，向全体股东每10股派发现金红利{b}元，共计派发{a}万元。", "{company}{year}年度一共派发多少现金红利？"),
        Topic("审计费用", "公司聘任会计师事务所，本年度支付审计费用{a}万元，内部控制审计费用{c}万元。", "{company}{year}年支付了多少审计费用？"),
        Topic("关联交易", "报告期内，公司向关联方采购商品的金额为{a}万元，占同类交易金额的{b}%。", "{company}在{year}年向关联方采购商品的金额是多少？"),
        Topic("诉讼事项", "报告期内，公司共有未决诉讼{c}起，涉案金额合计{a}万元，预计负债计提比例{b}%。", "{year}年{company}未决诉讼的涉案金额是多少？"),
        Topic("环境信息", "报告期内，公司环保投入{a}万元，单位产值能耗下降{b}%，无重大环境违法情形。", "{company}{year}年环保投入是多少？"),
    ],
    "en": [
        Topic("Key figures", "During the reporting period the Company achieved revenue of {a} thousand, up {b} per cent on the prior year. Net profit attributable to shareholders was {c} thousand.", "What was the revenue of {company} in {year}?"),
        Topic("Research and development", "During the reporting period the Company spent {a} thousand on research and development, {b} per cent of revenue, and employed {c} researchers.", "How much did {company} spend on research and development in {year}?"),
        Topic("Employees", "At the end of the reporting period the Company employed {a} people, of whom {c} worked in production; {b} per cent held a degree.", "How many people did {company} employ at the end of {year}?"),
        Topic("Dividends", "The Board resolved to pay a cash dividend of {b} pence a share, {a} thousand in total.", "What was the total dividend that {company} paid for {year}?"),
        Topic("Audit fees", "The Company paid its auditor {a} thousand for the audit of the year and {c} thousand for other services.", "What audit fee did {company} pay in {year}?"),
        Topic("Related parties", "During the reporting period the Company bought goods from related parties for {a} thousand, {b} per cent of such purchases.", "For how much did {company} buy goods from related parties in {year}?"),
        Topic("Litigation", "During the reporting period {c} claims were pending against the Company for {a} thousand in total, {b} per cent of which is provided for.", "What sum is claimed in litigation against {company} in {year}?"),
        Topic("Environment", "During the reporting period the Company invested {a} thousand in protecting the environment; energy use per unit of output fell by {b} per cent.", "How much did {company} invest in protecting the environment in {year}?"),
    ],
}  # fmt: skip


def main() -> None:
    """Write the documents and the questions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--companies", type=int, default=12, help="of each language, 12 at most")
    parser.add_argument("--years", type=int, default=4)
    given = parser.parse_args()
    pdfmetrics.registerFont(UnicodeCIDFont(_FONT))
    dice = random.Random(_SEED)  # noqa: S311 (no secret)
    given.folder.mkdir(parents=True)
    with (given.folder / "questions.jsonl").open("w", encoding="utf-8") as questions:
        for language, names in _NAMES.items():
            for company in names[: given.companies]:
                for year in range(2024 - given.years, 2024):
                    for row in _report(given.folder, language, company, year, dice):
                        questions.write(json.dumps(row, ensure_ascii=False) + "\n")


def _report(
    folder: Path, language: str, company: str, year: int, dice: random.Random
) -> Iterator[dict[str, object]]:
    """One report as a PDF; gives its questions."""
    name = _FILE[language].format(company=company, year=year)
    target = folder / "documents" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    canvas = Canvas(str(target), pagesize=A4, invariant=True)
    _page(canvas, _TITLE[language].format(company=company, year=year))
    for page, topic in enumerate(_TOPICS[language], start=2):
        figures = {
            "a": f"{dice.randint(1_000, 999_999):,}",
            "b": f"{dice.uniform(1, 40):.2f}",
            "c": f"{dice.randint(11, 990)}",
        }
        text = topic.text.format(**figures)
        _page(canvas, f"{topic.heading}\n{text}\n{_BOILERPLATE[language]}")
        yield {
            "id": f"{company}-{year}-{page}",
            "lang": language,
            "question": topic.question.format(company=company, year=year),
            "answers": [figures["a"]],
            "doc_id": name,
            "page": page,
        }
    canvas.save()


def _page(canvas: Canvas, text: str) -> None:
    canvas.setFont(_FONT, _SIZE)
    top = A4[1] - _MARGIN
    for line in _lines(text, width=A4[0] - 2 * _MARGIN):
        canvas.drawString(_MARGIN, top, line)
        top -= _LEADING
    canvas.showPage()


def _lines(text: str, *, width: float) -> Iterator[str]:
    """The text broken at blanks, or within Chinese anywhere."""
    for paragraph in text.split("\n"):
        line = ""
        for piece in paragraph.split(" ") if paragraph.isascii() else paragraph:
            longer = f"{line} {piece}".strip() if paragraph.isascii() else line + piece
            if pdfmetrics.stringWidth(longer, _FONT, _SIZE) > width:
                yield line
                longer = piece
            line = longer
        yield line


if __name__ == "__main__":
    main()
