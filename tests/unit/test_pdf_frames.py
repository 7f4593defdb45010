"""Invoices and the like: frames whose rows no rule parts."""

from __future__ import annotations

from openpyxl import Workbook
from reportlab.lib import colors
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph, SimpleDocTemplate, Table, TableStyle

from ingest.parsers import parse


def _texts(path):
    return [each.text for each in parse(path).elements]


def _lined(canvas, xs, ys, *, inner=True):
    for x in xs if inner else (xs[0], xs[-1]):
        canvas.line(x, ys[0], x, ys[-1])
    for y in ys:
        canvas.line(xs[0], y, xs[-1], y)


def test_rows_without_lines_between_them_are_told_apart_by_their_figures(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    xs = (50, 90, 330, 390, 460)
    _lined(canvas, (*xs, 540), (700, 680, 500))
    rows = [
        "Pos|Description|Qty|Price|Amount",
        "1|Hydraulic pump|2|410.00|820.00",
        "2|Seal kit for pumps,|5|12.50|62.50",
        "|with rings",
        "3|Service visit|1|280.00|280.00",
    ]
    for at, row in enumerate(rows):
        for x, cell in zip(xs, row.split("|"), strict=False):
            y = 686 - (26 if at else 0) - 13 * max(0, at - 1)
            canvas.drawString(x + 5, y, cell)
    canvas.save()
    assert _texts(tmp_path / "a.pdf") == [
        "Pos: 1 | Description: Hydraulic pump | Qty: 2 | Price: 410.00 | Amount: 820.00",
        "Pos: 2 | Description: Seal kit for pumps, with rings | Qty: 5 | Price: 12.50"
        " | Amount: 62.50",
        "Pos: 3 | Description: Service visit | Qty: 1 | Price: 280.00 | Amount: 280.00",
    ]


def test_a_table_in_one_wide_cell_of_a_frame_is_read_and_facts_head_nothing(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    _lined(canvas, (50, 540), (700, 660, 560, 540), inner=False)
    canvas.line(295, 700, 295, 660)
    canvas.drawString(55, 676, "Buyer: Pell and Sons")
    canvas.drawString(300, 676, "Seller: Quill Ltd")
    rows = ["Goods|Quantity|Price|Amount", "lamps|2|410.00|820.00", "cables|5|12.50|62.50"]
    for at, row in enumerate(rows):
        for n, cell in enumerate(row.split("|")):
            canvas.drawString(55 + 120 * n, 645 - 15 * at, cell)
    canvas.drawString(55, 546, "Total 882.50")
    canvas.save()
    texts = _texts(tmp_path / "a.pdf")
    assert "Buyer: Pell and Sons | Seller: Quill Ltd" in texts
    assert "Total 882.50" in texts
    assert "Goods: cables | Quantity: 5 | Price: 12.50 | Amount: 62.50" in texts


def test_what_heads_a_column_without_values_is_said_once(tmp_path):
    rows = ["Item|Limit 240 V|Found|Signed by Pell", "voltage||good|", "current||good|"]
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    book = Workbook()
    _lined(canvas, range(50, 550, 120), (700, 680, 660, 640))
    for at, row in enumerate(rows):
        book.active.append([cell or None for cell in row.split("|")])
        for n, cell in enumerate(row.split("|")):
            canvas.drawString(55 + 120 * n, 686 - 20 * at, cell)
    canvas.save()
    book.save(tmp_path / "a.xlsx")
    for name in ("a.pdf", "a.xlsx"):
        assert _texts(tmp_path / name) == [
            "Item | Limit 240 V | Found | Signed by Pell",
            "Item: voltage | Found: good",
            "Item: current | Found: good",
        ]


def test_facts_side_by_side_on_a_sheet_head_nothing(tmp_path):
    book = Workbook()
    for row in (["买方：东湖公司", "卖方：西山公司", "合同：HT-1"], ["货款", 100], ["税款", 13]):
        book.active.append(row)
    book.save(tmp_path / "a.xlsx")
    first, *rest = _texts(tmp_path / "a.xlsx")
    assert first == "买方：东湖公司 | 卖方：西山公司 | 合同：HT-1"
    assert rest == ["货款 | 100", "税款 | 13"]


def test_words_stamped_aslant_over_a_table_fall_into_none_of_its_cells(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    _lined(canvas, range(50, 450, 100), range(700, 500, -20))
    for at in range(9):
        for n, cell in enumerate(
            (f"Room {at}", "office", str(100 + at)) if at else ("Room", "Use", "Rent")
        ):
            canvas.drawString(55 + 100 * n, 686 - 20 * at, cell)
    canvas.saveState()
    canvas.translate(60, 510)
    canvas.rotate(40)
    canvas.setFont("Helvetica", 30)
    canvas.drawString(0, 0, "CONFIDENTIAL")
    canvas.restoreState()
    canvas.save()
    texts = _texts(tmp_path / "a.pdf")
    assert texts.count("CONFIDENTIAL") == 1
    assert [t for t in texts if "|" in t] == [
        f"Room: Room {at} | Use: office | Rent: {100 + at}" for at in range(1, 9)
    ]


def test_a_row_that_fills_the_page_keeps_its_name_and_header_on_the_next(tmp_path):
    style = getSampleStyleSheet()["Normal"]
    long = Paragraph("alpha " * 900 + "The penalty is 77 euro.", style)
    rows = [["Clause", "Text", "Owner"], ["C1", long, "Pell"], ["C2", "beta", "Quill"]]
    grid = TableStyle([("GRID", (0, 0), (-1, -1), 0.5, colors.black)])
    table = Table(rows, colWidths=[60, 320, 60], splitInRow=1, style=grid)
    SimpleDocTemplate(str(tmp_path / "a.pdf"), invariant=1).build([table])
    elements = parse(tmp_path / "a.pdf").elements
    (rest,) = (each for each in elements if "The penalty is 77 euro." in each.text)
    assert rest.text.startswith("Clause: C1 | Text: alpha")
    assert rest.locator.page == 2
    assert elements[-1].text == "Clause: C2 | Text: beta | Owner: Quill"
