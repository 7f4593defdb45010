"""What is struck through says so, and is not reckoned with; boxes to tick say whether they are."""

from __future__ import annotations

import pytest
from docx import Document
from docx.oxml import parse_xml
from openpyxl import Workbook
from openpyxl.styles import Font

from ingest.parsers import parse

_W = (
    'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
    ' xmlns:w14="http://schemas.microsoft.com/office/word/2010/wordml"'
)


def _read(document, tmp_path):
    document.save(tmp_path / "a.docx")
    parsed = parse(tmp_path / "a.docx")
    return [each.text for each in parsed.elements], parsed.flags


def test_words_struck_through_in_word_say_so(tmp_path):
    document = Document()
    paragraph = document.add_paragraph("The rent is ")
    for words in ("100,000", " euro"):
        paragraph.add_run(words).font.strike = True
    paragraph.add_run(" 80,000 euro.")
    document.add_paragraph().add_run("租金一万元").font.double_strike = True
    texts, flags = _read(document, tmp_path)
    assert texts == ["The rent is [struck out: 100,000 euro] 80,000 euro.", "[已划去：租金一万元]"]
    assert "struck_out" in flags


def test_cells_struck_through_say_so_and_hold_no_number(tmp_path):
    book = Workbook()
    for row in (["Item", "Price"], ["lamp", 40], ["desk", 90], ["chair", 55]):
        book.active.append(row)
    book.active["B3"].font = Font(strike=True)
    book.save(tmp_path / "a.xlsx")
    parsed = parse(tmp_path / "a.xlsx")
    assert "Item: desk | Price: [struck out: 90]" in [each.text for each in parsed.elements]
    assert [row.values[1] for row in parsed.tables[0].rows] == [40, "[struck out: 90]", 55]
    assert "struck_out" in parsed.flags


@pytest.mark.parametrize(
    ("state", "shown"),
    [
        ("", "☐"),
        ('<w:default w:val="1"/>', "☑"),
        ('<w:default w:val="1"/><w:checked w:val="0"/>', "☐"),
        ('<w:default w:val="0"/><w:checked/>', "☑"),
    ],
)
def test_a_box_of_an_old_form_says_whether_it_is_ticked(state, shown, tmp_path):
    document = Document()
    paragraph = document.add_paragraph()
    box = f"<w:ffData><w:checkBox>{state}</w:checkBox></w:ffData>"
    for inner in (
        f'<w:fldChar w:fldCharType="begin">{box}</w:fldChar>',
        "<w:instrText> FORMCHECKBOX </w:instrText>",
        '<w:fldChar w:fldCharType="end"/>',
        "<w:t> pets allowed</w:t>",
    ):
        paragraph._p.append(parse_xml(f"<w:r {_W}>{inner}</w:r>"))
    assert _read(document, tmp_path)[0] == [f"{shown} pets allowed"]


@pytest.mark.parametrize(("value", "shown"), [("1", "☑"), ("0", "☐")])
def test_a_box_of_a_content_control_says_whether_it_is_ticked(value, shown, tmp_path):
    document = Document()
    paragraph = document.add_paragraph()
    box = f'<w14:checkbox><w14:checked w14:val="{value}"/></w14:checkbox>'
    control = (
        f"<w:sdt {_W}><w:sdtPr>{box}</w:sdtPr>"
        "<w:sdtContent><w:r><w:t>☒</w:t></w:r></w:sdtContent></w:sdt>"
    )
    paragraph._p.append(parse_xml(control))
    paragraph.add_run(" garage")
    assert _read(document, tmp_path)[0] == [f"{shown} garage"]
