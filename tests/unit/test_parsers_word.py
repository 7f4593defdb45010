"""Word files as lawyers and accountants write them. FIELD_CASES 11, 36."""

from __future__ import annotations

import datetime

import pytest
from docx import Document
from samples.raw_word import MAIN, lists, p, write_word

from ingest.parsers import parse
from ingest.parsers.numerals import numeral

DELETED = '<w:del w:id="1"><w:r><w:delText>{}</w:delText></w:r></w:del>'
HIDDEN = "<w:r><w:rPr><w:vanish/></w:rPr><w:t>{}</w:t></w:r>"


def _texts(path):
    return [each.text for each in parse(path).elements]


@pytest.mark.parametrize(
    ("form", "number", "written"),
    [
        ("decimal", 12, "12"),
        ("decimalZero", 7, "07"),
        ("upperRoman", 1994, "MCMXCIV"),
        ("lowerLetter", 28, "bb"),
        ("chineseCountingThousand", 10, "十"),
        ("chineseCountingThousand", 21, "二十一"),
        ("chineseCounting", 105, "一百零五"),
        ("chineseCounting", 110, "一百一十"),
        ("chineseLegalSimplified", 23, "贰拾叁"),
        ("ideographDigital", 20, "二〇"),
        ("ideographTraditional", 3, "丙"),
        ("decimalEnclosedCircle", 3, "③"),
        ("decimalFullWidth", 10, "１０"),
        ("of a later version", 4, "4"),
    ],
)
def test_numbers_are_written_as_word_writes_them(form, number, written):
    assert numeral(number, form) == written


def test_automatic_numbers_are_part_of_the_text(tmp_path):
    numbering = lists(
        ("chineseCountingThousand", "第%1章"),
        ("chineseCountingThousand", "第%2条"),
        ("decimal", "%1.%3"),
        starts={2: 9},
    )
    body = (
        p("总则", num=(1, 0)) + p("为了规范租赁。", num=(1, 1)) + p("适用本合同。", num=(1, 1))
        + p("细则", num=(1, 2)) + p("押金", num=(1, 0)) + p("押金三千元。", num=(1, 1))
        + p("附则", num=(2, 0)) + p("没有编号。")
    )  # fmt: skip
    parsed = parse(write_word(tmp_path / "a.docx", body, numbering=numbering))
    assert [each.text for each in parsed.elements] == [
        "第一章 总则", "第一条 为了规范租赁。", "第二条 适用本合同。", "一.1 细则",
        "第二章 押金", "第一条 押金三千元。", "第九章 附则", "没有编号。",
    ]  # fmt: skip
    assert parsed.elements[5].locator.section == ("第二章 押金",)
    assert parsed.elements[5].kind == "list_item"


def test_numbers_of_a_style_and_of_a_style_it_is_based_on_count(tmp_path):
    styles = (
        '<w:style w:type="paragraph" w:styleId="A"><w:name w:val="Clause"/><w:pPr>'
        '<w:outlineLvl w:val="0"/><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="B"><w:basedOn w:val="A"/></w:style>'
    )
    body = p("Rent", style="A") + p("It is due monthly.") + p("Deposit", style="B")
    path = write_word(
        tmp_path / "a.docx", body, styles=styles, numbering=lists(("upperLetter", "%1)"))
    )
    assert _texts(path) == ["A) Rent", "It is due monthly.", "B) Deposit"]
    assert parse(path).elements[1].locator.section == ("A) Rent",)


def test_notes_stand_after_the_paragraph_that_refers_to_them(tmp_path):
    reference = '<w:r><w:{}Reference w:id="{}"/></w:r>'
    body = p("The fee is 90.", more=reference.format("footnote", 2)) + p(
        "It is paid yearly.", more=reference.format("endnote", 5)
    )
    line = '<w:footnote w:type="separator" w:id="0"><w:p/></w:footnote>'
    path = write_word(
        tmp_path / "a.docx",
        body,
        footnotes=f'{line}<w:footnote w:id="2">{p("Without tax.")}</w:footnote>',
        endnotes=f'<w:endnote w:id="5">{p("In March.")}</w:endnote>',
    )
    assert _texts(path) == [
        "The fee is 90.",
        "[1] Without tax.",
        "It is paid yearly.",
        "[2] In March.",
    ]


def test_a_text_box_is_read_once(tmp_path):
    box = f"<w:txbxContent>{p('Boxed words.')}</w:txbxContent>"
    drawn = (
        "<w:r><mc:AlternateContent><mc:Choice Requires='wps'><w:drawing><wps:txbx>"
        f"{box}</wps:txbx></w:drawing></mc:Choice><mc:Fallback><w:pict><v:textbox>{box}"
        "</v:textbox></w:pict></mc:Fallback></mc:AlternateContent></w:r>"
    )
    old = f"<w:r><w:pict><v:textbox>{box.replace('Boxed', 'Old')}</v:textbox></w:pict></w:r>"
    path = write_word(tmp_path / "a.docx", p("Before.", more=drawn + old) + p("After."))
    assert _texts(path) == ["Before.", "Boxed words.", "Old words.", "After."]


def test_hidden_words_are_left_out_and_flagged(tmp_path):
    styles = (
        '<w:style w:type="character" w:styleId="H"><w:rPr><w:vanish/></w:rPr></w:style>'
        '<w:style w:type="paragraph" w:styleId="P"><w:basedOn w:val="Q"/></w:style>'
        '<w:style w:type="paragraph" w:styleId="Q"><w:rPr><w:vanish/></w:rPr></w:style>'
    )
    by_style = '<w:r><w:rPr><w:rStyle w:val="H"/></w:rPr><w:t>secret two</w:t></w:r>'
    tiny = '<w:r><w:rPr><w:sz w:val="2"/></w:rPr><w:t>secret four</w:t></w:r>'
    shown = "<w:r><w:rPr><w:vanish w:val='0'/></w:rPr><w:t> Seen.</w:t></w:r>"
    body = p("Plain.", more=HIDDEN.format("secret one") + by_style + tiny + shown)
    body += p("secret three", style="P")
    parsed = parse(write_word(tmp_path / "a.docx", body, styles=styles))
    assert [each.text for each in parsed.elements] == ["Plain. Seen."]
    assert parsed.flags == ("hidden_text",)
    plain = write_word(tmp_path / "b.docx", p("Plain.", more=HIDDEN.format(" ")))
    assert parse(plain).flags == ()


def test_white_words_on_white_paper_are_left_out_and_flagged(tmp_path):
    white = '<w:r><w:rPr>{}<w:color w:val="FFFFFF"/></w:rPr><w:t>{}</w:t></w:r>'
    ground = '<w:shd w:val="clear" w:fill="1F3864"/>'
    styles = f'<w:style w:type="paragraph" w:styleId="D"><w:pPr>{ground}</w:pPr></w:style>'
    cell = f"<w:tc><w:tcPr>{ground}</w:tcPr>{p('', more=white.format('', 'Head'))}</w:tc>"
    body = (
        p("Plain.", more=white.format("", "Answer 42."))
        + p("", more=white.format(ground, "On a ground."))
        + p("", style="D", more=white.format("", "On a dark style."))
        + f"<w:tbl><w:tr>{cell}{_cell('x')}</w:tr></w:tbl>"
    )
    parsed = parse(write_word(tmp_path / "a.docx", body, styles=styles))
    assert [each.text for each in parsed.elements] == [
        "Plain.", "On a ground.", "On a dark style.", "Head | x",
    ]  # fmt: skip
    assert parsed.flags == ("hidden_text",)


def test_moved_words_stand_where_they_were_moved_to(tmp_path):
    run = "<w:r><w:t>The clause.</w:t></w:r>"
    body = p("", more=f'<w:moveFrom w:id="1">{run}</w:moveFrom>') + p("First.")
    body += p("", more=f'<w:moveTo w:id="2">{run}</w:moveTo>')
    parsed = parse(write_word(tmp_path / "a.docx", body))
    assert [each.text for each in parsed.elements] == ["First.", "The clause."]
    assert parsed.flags == ("tracked_changes",)


def test_a_paragraph_whose_end_was_deleted_goes_on_with_the_next(tmp_path):
    mark = '<w:p><w:pPr><w:rPr><w:del w:id="1"/></w:rPr></w:pPr><w:r><w:t>The rent </w:t></w:r>'
    body = mark + DELETED.format("was 10") + "</w:p>" + p("is 20.")
    assert _texts(write_word(tmp_path / "a.docx", body)) == ["The rent is 20."]


def test_deleted_rows_and_cells_of_tables_are_gone(tmp_path):
    gone = f'<w:tr><w:trPr><w:del w:id="1"/></w:trPr>{_cell("X")}</w:tr>'
    cell = _cell("Y", '<w:tcPr><w:cellDel w:id="2"/></w:tcPr>')
    kept = f"<w:tr>{_cell('a')}{cell}{_cell('b')}</w:tr>"
    path = write_word(tmp_path / "a.docx", f"<w:tbl>{gone}{kept}</w:tbl>")
    assert _texts(path) == ["a | b"]


def test_of_a_field_its_result_is_read(tmp_path):
    sign = '<w:r><w:fldChar w:fldCharType="{}"/></w:r>'
    inner = f"{sign.format('begin')}{_run('NESTED')}{sign.format('end')}"
    field = (
        sign.format("begin") + "<w:r><w:instrText>DATE</w:instrText></w:r>" + inner
        + sign.format("separate") + _run("3 May") + sign.format("end") + _run(" at noon")
    )  # fmt: skip
    assert _texts(write_word(tmp_path / "a.docx", p("On ", more=field))) == ["On 3 May at noon"]


def test_signs_and_special_hyphens_are_read(tmp_path):
    signs = (
        '<w:r><w:sym w:font="Wingdings" w:char="F0FE"/><w:t> paid soft</w:t><w:softHyphen/>'
        "<w:t>ly co</w:t><w:noBreakHyphen/><w:t>op</w:t></w:r>"
    )
    assert _texts(write_word(tmp_path / "a.docx", p("", more=signs))) == ["☑ paid softly co-op"]


@pytest.mark.parametrize(
    ("name", "kind", "strict"),
    [
        ("a.docm", "application/vnd.ms-word.document.macroEnabled.main+xml", False),
        ("a.dotx", MAIN.replace("document.main", "template.main"), False),
        ("a.docx", MAIN, True),
    ],
)
def test_templates_macro_files_and_strict_files_are_read(tmp_path, name, kind, strict):
    path = write_word(tmp_path / name, p("The fee is 90."), kind=kind, strict=strict)
    assert _texts(path) == ["The fee is 90."]


def test_a_table_keeps_its_caption_and_both_header_rows_with_every_row(tmp_path):
    styles = '<w:style w:type="paragraph" w:styleId="C"><w:name w:val="caption"/></w:style>'
    head = "<w:trPr><w:tblHeader/></w:trPr>"
    two = '<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>'
    table = (
        f"<w:tr>{head}{_cell('Region')}{_cell('2023', two)}</w:tr>"
        f"<w:tr>{head}{_cell('')}{_cell('H1')}{_cell('H2')}</w:tr>{_row('North', '4', '5')}"
    )
    body = p("Table 3 Sales", style="C") + f"<w:tbl>{table}</w:tbl>"
    last = parse(write_word(tmp_path / "a.docx", body, styles=styles)).elements[-1]
    assert last.text == "North | 4 | 5"
    assert last.header.split("\n") == ["Table 3 Sales", "Region | 2023 |", "| H1 | H2"]


def test_merged_cells_are_filled_down_and_inner_tables_stay_in_their_cell(tmp_path):
    merge = '<w:tcPr><w:vMerge w:val="{}"/></w:tcPr>'
    inner = f"<w:tc><w:tbl>{_row('x', '1')}{_row('y', '2')}</w:tbl><w:p/></w:tc>"
    table = (
        f"{_row('Year', 'Sum')}<w:tr>{_cell('2023', merge.format('restart'))}{_cell('5')}</w:tr>"
        f"<w:tr>{_cell('', merge.format('continue'))}{inner}</w:tr>"
    )
    path = write_word(tmp_path / "a.docx", f"<w:tbl>{table}</w:tbl>")
    assert _texts(path) == ["Year | Sum", "2023 | 5", "2023 | x, 1 y, 2"]


def test_a_label_written_once_holds_for_the_blank_cells_below_it(tmp_path):
    rows = (("Supplier", "Bill", "Sum"), ("Kappa", "K-1", "100"), ("", "K-2", "150"),
            ("Lambda", "L-1", "900"), ("", "L-2", "50"))  # fmt: skip
    table = "".join(_row(*row) for row in rows)
    parsed = parse(write_word(tmp_path / "a.docx", f"<w:tbl>{table}</w:tbl>"))
    assert parsed.elements[-1].text == "Lambda | L-2 | 50"
    assert parsed.tables[0].rows[-1].shown == ("Lambda", "L-2", "50")


def test_a_line_over_rows_of_a_table_is_told_with_each_of_them(tmp_path):
    rows = (("Plan", "Code", "Price"), ("Europe", "", ""), ("A", "K-1", "10"), ("B", "K-2", "15"),
            ("Asia", "", ""), ("A", "K-3", "90"), ("B", "K-4", "5"))  # fmt: skip
    table = "".join(_row(*row) for row in rows)
    parsed = parse(write_word(tmp_path / "a.docx", f"<w:tbl>{table}</w:tbl>"))
    assert [each.text for each in parsed.elements][-3:] == [
        "Asia | |", "Asia: A | K-3 | 90", "Asia: B | K-4 | 5",
    ]  # fmt: skip
    assert [row.shown[1] for row in parsed.tables[0].rows] == ["K-1", "K-2", "K-3", "K-4"]


def test_an_unstyled_document_has_its_bold_lines_for_headings(tmp_path):
    bold = "<w:r><w:rPr><w:b/></w:rPr><w:t>Terms of Payment</w:t></w:r>"
    path = write_word(tmp_path / "a.docx", p("", more=bold) + p("Within thirty days of delivery."))
    assert parse(path).elements[-1].locator.section == ("Terms of Payment",)


def _run(text):
    return f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>'


def _cell(text, properties=""):
    return f"<w:tc>{properties}{p(text)}</w:tc>"


def _row(*cells):
    return f"<w:tr>{''.join(map(_cell, cells))}</w:tr>"


def test_raised_digits_do_not_join_the_number_before_them(tmp_path):
    def run(text, *, raised=False):
        properties = '<w:rPr><w:vertAlign w:val="superscript"/></w:rPr>' if raised else ""
        return f'<w:r>{properties}<w:t xml:space="preserve">{text}</w:t></w:r>'

    body = (
        "<w:p>" + run("10") + run("6", raised=True) + run(" units of 240 m") + run("2", raised=True)
        + run(", 1,500") + run("1", raised=True) + run("2", raised=True) + run(" pounds.")
        + "</w:p>"
    )  # fmt: skip
    assert _texts(write_word(tmp_path / "a.docx", body)) == [
        "10⁶ units of 240 m2, 1,500 ¹² pounds."
    ]


_MATH = "http://schemas.openxmlformats.org/officeDocument/2006/math"


def _of(name, **parts):
    inner = "".join(f"<m:{part}>{said}</m:{part}>" for part, said in parts.items())
    return f"<m:{name}>{inner}</m:{name}>"


def _m(text):
    return f"<m:r><m:t>{text}</m:t></m:r>"


_BOUNDS = '<m:naryPr><m:chr m:val="∑"/></m:naryPr>'


@pytest.mark.parametrize(
    ("inner", "said"),
    [
        (_m("x=") + _of("f", num=_m("a+b"), den=_m("12")), "x=(a+b)/12"),
        (_of("f", num=_m("1,200"), den=_m("n")), "1,200/n"),
        (_of("sSup", e=_m("10"), sup=_m("6")), "10⁶"),
        (_of("sSup", e=_m("a+b"), sup=_m("n")), "(a+b)^n"),
        (_of("sSub", e=_m("P"), sub=_m("0")), "P_0"),
        (_of("rad", deg="", e=_m("2gh")), "√2gh"),
        (_of("d", e=_m("a+b")) + _m("c"), "(a+b)c"),
        (f"<m:nary>{_BOUNDS}<m:sub>{_m('i=1')}</m:sub><m:sup>{_m('n')}</m:sup>"
         f"<m:e>{_m('i')}</m:e></m:nary>", "∑_(i=1)^n i"),
        (f"<m:m><m:mr><m:e>{_m('1')}</m:e><m:e>{_m('2')}</m:e></m:mr></m:m>", "[1, 2]"),
    ],
)  # fmt: skip
def test_a_formula_keeps_its_fractions_and_powers(inner, said, tmp_path):
    math = f'<m:oMath xmlns:m="{_MATH}">{inner}</m:oMath>'
    assert _texts(write_word(tmp_path / "a.docx", p("Rate: ", more=math))) == [f"Rate: {said}"]


def _tbl(*rows):
    return "<w:tbl>" + "".join(f"<w:tr>{''.join(row)}</w:tr>" for row in rows) + "</w:tbl>"


def _wide(text, span):
    return f'<w:tc><w:tcPr><w:gridSpan w:val="{span}"/></w:tcPr>{p(text)}</w:tc>'


def _tall(text, *, begins):
    said = ' w:val="restart"' if begins else ""
    return f"<w:tc><w:tcPr><w:vMerge{said}/></w:tcPr>{p(text)}</w:tc>"


def test_a_table_with_a_header_of_two_rows_is_given_as_data_too(tmp_path):
    """No row is marked as one that repeats: that the cells are merged says so."""
    table = _tbl(
        (_tall("Town", begins=True), _wide("2031", 2), _tall("Opened", begins=True)),
        (_tall("", begins=False), _cell("Sales"), _cell("Cost"), _tall("", begins=False)),
        (_cell("Brindle"), _cell("1,200"), _cell("900"), _cell("2031-04-17")),
        (_cell("Quarry"), _cell("35%"), _cell("(45)"), _cell("")),
    )
    parsed = parse(write_word(tmp_path / "a.docx", p("Towns.") + table))
    assert parsed.elements[-1].header == "Town | 2031 | | Opened\nTown | Sales | Cost | Opened"
    (found,) = parsed.tables
    assert found.header == ("Town", "2031 Sales", "2031 Cost", "Opened")
    assert [row.shown[0] for row in found.rows] == ["Brindle", "Quarry"]
    assert found.rows[0].values == ("Brindle", 1200, 900, datetime.datetime(2031, 4, 17))
    assert found.rows[1].values == ("Quarry", 0.35, -45, None)


def test_a_form_in_a_word_file_has_no_header(tmp_path):
    table = _tbl((_cell("Name"), _cell("Osric Pell")), (_cell("Phone"), _cell("555-0100")))
    parsed = parse(write_word(tmp_path / "a.docx", table))
    assert [(each.text, each.header) for each in parsed.elements] == [
        ("Name: Osric Pell", ""), ("Phone: 555-0100", ""),
    ]  # fmt: skip
    assert parsed.tables == ()


def test_a_table_that_may_be_a_form_is_no_data(tmp_path):
    table = _tbl((_cell("Landlord"), _cell("Harrowgate")), (_cell("Tenant"), _cell("Tern")))
    assert parse(write_word(tmp_path / "a.docx", table)).tables == ()


def test_a_line_of_a_form_above_a_table_leaves_it_its_header(tmp_path):
    document = Document()
    rows = [
        ["部门", "研发部", "姓名", "张伟"],
        ["序号", "费用项目", "金额", "备注"],
        ["1", "交通费", "320", "打车"],
        ["2", "住宿费", "880", "北京"],
        ["", "总金额", "1200", ""],
        ["领导审批", "", "财务审核", "李强"],
    ]
    table = document.add_table(rows=0, cols=4)
    for row in rows:
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(tmp_path / "a.docx")
    parsed = parse(tmp_path / "a.docx")
    assert parsed.tables[0].header == ("序号", "费用项目", "金额", "备注")
    data = [row.values[2] for row in parsed.tables[0].rows if "total" not in row.marks]
    assert data == [320, 880]
    assert "部门 | 研发部 | 姓名 | 张伟" in [each.text for each in parsed.elements]
