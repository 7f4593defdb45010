"""Documents whose every word is known, and how much of it reading them gives back."""

from __future__ import annotations

import difflib
import random
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from samples import scans
from samples.pdfs import zh_font

from rag.records import Parsed

Parse = Callable[[Path], Parsed]

_ZH_PARTS = (
    ["临溪市", "青禾公司", "白鹭事务所", "综合管理部", "云杉设计院", "第三工程处"],
    ["应当在", "已经于", "必须在", "可以在"],
    ["五个工作日内", "季度结束前", "合同签订后", "验收合格之日"],
    ["支付租金", "提交报销单", "归还保证金", "完成设备检修", "更新登记资料"],
)
_EN_PARTS = (
    ["The landlord", "Harrowgate Ltd", "The caretaker", "Every tenant", "The surveyor"],
    ["shall pay", "must return", "has received", "may inspect", "will repair"],
    ["the deposit of", "the yearly fee of", "goods worth", "a charge of"],
    ["within ten days", "before the audit", "after the survey", "at the gate"],
)


@dataclass(frozen=True, slots=True)
class Score:
    """A share between 0 and 1, and what it must reach."""

    name: str
    value: float
    target: float


def scores(folder: Path, parse: Parse, *, pages: int) -> Iterator[Score]:
    """Write the documents into ``folder``, ``pages`` pages each, and score their reading."""
    for language in ("zh", "en"):
        text = _paragraphs(language, 12 * pages)
        for write in (_text_pdf, _word, _excel):
            path = write(folder, language, text)
            yield Score(f"text recall, {path.name}", _recall(text, parse(path)), 0.99)
    for language in ("zh", "en"):
        path, text = _scan(folder, language, pages)
        yield Score(f"characters right, {path.name}", _accuracy(text, parse(path)), 0.95)
    yield Score("table cells with row and column", _cells_right(folder, parse, 40 * pages), 1.0)
    yield Score("page numbers right", _pages_right(folder, parse, 3 * pages), 1.0)


def _paragraphs(language: str, count: int) -> list[str]:
    draw = random.Random(f"deskside {language}")
    parts = _ZH_PARTS if language == "zh" else _EN_PARTS
    said = []
    for at in range(count):
        who, does, what, when = (draw.choice(part) for part in parts)
        amount = f"{draw.randrange(1000, 99999):,}"
        zh = f"{at}号约定：{who}{does}{what}{when}，金额为 {amount} 元。"
        en = f"Clause {at}: {who} {does} {what} {amount} pounds {when}."
        said.append(zh if language == "zh" else en)
    return said


def _text_pdf(folder: Path, language: str, text: list[str]) -> Path:
    from reportlab.pdfgen.canvas import Canvas

    path = folder / f"text-{language}.pdf"
    canvas = Canvas(str(path), invariant=1)
    for start in range(0, len(text), 12):
        canvas.setFont(zh_font() if language == "zh" else "Helvetica", 11)
        for at, line in enumerate(text[start : start + 12]):
            canvas.drawString(72, 740 - at * 30, line)
        canvas.showPage()
    canvas.save()
    return path


def _word(folder: Path, language: str, text: list[str]) -> Path:
    import docx

    path = folder / f"text-{language}.docx"
    document = docx.Document()
    for line in text:
        document.add_paragraph(line)
    document.save(str(path))
    return path


def _excel(folder: Path, language: str, text: list[str]) -> Path:
    from openpyxl import Workbook

    path = folder / f"text-{language}.xlsx"
    book = Workbook()
    book.active.append(["No.", "Text"])
    for at, line in enumerate(text):
        book.active.append([at, line])
    book.save(path)
    return path


def _scan(folder: Path, language: str, pages: int) -> tuple[Path, list[str]]:
    """A4 pages at 150 dpi, as clean as a scanner gives them."""
    text = _paragraphs(language, 12 * pages)
    sheets = [scans.scan(text[at : at + 12]) for at in range(0, len(text), 12)]
    return scans.to_pdf(folder / f"scan-{language}.pdf", sheets), text


def _recall(text: list[str], parsed: Parsed) -> float:
    """Share of the characters that stand in paragraphs found whole."""
    read = _bare(each.text for each in parsed.elements)
    found = sum(len(line) for line in text if _bare([line]) in read)
    return found / sum(map(len, text))


def _accuracy(text: list[str], parsed: Parsed) -> float:
    """Share of the characters that were read, in their order."""
    known, read = _bare(text), _bare(each.text for each in parsed.elements)
    match = difflib.SequenceMatcher(None, known, read, autojunk=False)
    return sum(block.size for block in match.get_matching_blocks()) / len(known)


def _cells_right(folder: Path, parse: Parse, rows: int) -> float:
    """Over page breaks, every cell with the name of its row and the label of its column."""
    from reportlab.lib import colors
    from reportlab.platypus import SimpleDocTemplate, Table, TableStyle

    header = ["Room", "Use", "Area", "Rent"]
    draw = random.Random("rooms")
    data = [
        [f"B-{n}", draw.choice(["parking", "archive"]), f"{n % 90} m2", f"{draw.randrange(9999)}"]
        for n in range(rows)
    ]
    table = Table([header, *data], style=TableStyle([("GRID", (0, 0), (-1, -1), 1, colors.black)]))
    path = folder / "ruled.pdf"
    SimpleDocTemplate(str(path), invariant=1).build([table])
    said = {each.text.split(" | ")[0]: each.text.split(" | ") for each in parse(path).elements}
    right = sum(
        f"{label}: {cell}" in said.get(f"Room: {row[0]}", ())
        for row in data
        for label, cell in zip(header, row, strict=True)
    )
    return right / (len(header) * rows)


def _pages_right(folder: Path, parse: Parse, pages: int) -> float:
    """Typed and scanned pages in turn, a word on each that stands on no other."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    path = folder / "tokens.pdf"
    canvas = Canvas(str(path), invariant=1)
    for number in range(1, pages + 1):
        if number % 3:
            canvas.drawString(72, 740, f"This page says token-{number}.")
        else:
            picture = scans.scan([f"This page says token-{number}."], size_pt=14)
            canvas.drawImage(ImageReader(picture), 0, 600, 595, 595 * picture.height / 1240)
        canvas.showPage()
    canvas.save()
    places = {each.text: each.locator.page for each in parse(path).elements}
    right = sum(places.get(f"This page says token-{n}.") == n for n in range(1, pages + 1))
    return right / pages


def _bare(lines: Iterable[str]) -> str:
    return "".join("".join(lines).split())
