from __future__ import annotations

import docx
from samples.folder import samples

from ingest.parsers import parse


def test_deleted_words_are_gone_inserted_ones_are_there():
    parsed = parse(samples() / "修订.docx")
    assert [each.text for each in parsed.elements] == ["年度服务费为 80,000 元，按半年支付。"]
    assert parsed.flags == ("tracked_changes",)


def test_word_pages_come_from_recorded_breaks_only():
    assert [page.number for page in parse(samples() / "breaks.docx").pages] == [1, 2]
    policy = parse(samples() / "差旅制度.docx")
    assert {each.locator.page for each in policy.elements} == {None}
    assert [page.label for page in policy.pages] == ["差旅制度.docx"]


def test_breaks_too_far_apart_for_pages_give_no_page_numbers(tmp_path):
    document = docx.Document()
    for _ in range(2):
        for number in range(150):
            document.add_paragraph(f"Paragraph {number} of a long chapter.")
        document.add_page_break()
    document.save(tmp_path / "long.docx")
    parsed = parse(tmp_path / "long.docx")
    assert {each.locator.page for each in parsed.elements} == {None}


def test_chinese_numbering_makes_headings_without_styles(tmp_path):
    document = docx.Document()
    for text in ("第一章 总则", "第一节 范围", "第一条 本办法适用于全体员工。"):
        document.add_paragraph(text)
    document.save(tmp_path / "办法.docx")
    last = parse(tmp_path / "办法.docx").elements[-1]
    assert last.locator.section == ("第一章 总则", "第一节 范围")


def test_words_in_content_controls_are_read(tmp_path):
    from docx.oxml import parse_xml
    from docx.oxml.ns import nsdecls

    document = docx.Document()
    document.element.body.insert(
        0,
        parse_xml(
            f"<w:sdt {nsdecls('w')}><w:sdtContent><w:p><w:r><w:t>Filled in by hand.</w:t></w:r>"
            "</w:p></w:sdtContent></w:sdt>"
        ),
    )
    document.save(tmp_path / "form.docx")
    assert parse(tmp_path / "form.docx").elements[0].text == "Filled in by hand."


def test_a_word_table_has_a_row_a_line_and_its_header():
    rows = [each for each in parse(samples() / "差旅制度.docx").elements if each.kind == "table"]
    assert {row.header for row in rows} == {"城市等级 | 每晚上限 | 早餐"}
    assert rows[2].text == "乙类 | 380 元 | 不含"
