from __future__ import annotations

import datetime as dt

import docx
import pytest
from openpyxl import Workbook
from samples.folder import samples

from ingest.parsers import parse
from ingest.parsers.displayed import displayed


def _rows(path):
    return {each.locator.cells: each.text for each in parse(path).elements}


def _workbook(path, rows, **formats):
    book = Workbook()
    for row in rows:
        book.active.append(row)
    for cell, form in formats.items():
        book.active[cell].number_format = form
    book.save(path)
    return path


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


def test_merged_cells_are_filled_and_formulas_without_value_are_flagged():
    parsed = parse(samples() / "部门汇总.xlsx")
    rows = {each.locator.cells: each.text for each in parsed.elements}
    assert rows["A4:D4"].startswith("年度: 2023年 | 季度: 第二季度 | 收入: ¥88,400.00")
    assert rows["A6:D6"].endswith("收入: =SUM(C3:C5)")
    assert set(parsed.flags) == {"not_calculated", "hidden_sheets"}
    assert [page.label for page in parsed.pages] == ["汇总"]


def test_tables_side_by_side_and_below_are_kept_apart():
    assert _rows(samples() / "two-tables.xlsx") == {
        "A2:B2": "Item: Lamp | Count: 12",
        "A3:B3": "Item: Desk | Count: 7",
        "D1:E1": "Clerk: Shift",
        "D2:E2": "Petra: early",
        "D3:E3": "Hugo: late",
        "A6:B6": "Room: Attic | Area: 31",
    }


def test_a_header_of_two_rows_names_each_column(tmp_path):
    book = Workbook()
    for row in (["部门", "上半年", None], [None, "预算", "实际"], ["研发", 350, 69]):
        book.active.append(row)
    book.active.merge_cells("A1:A2")
    book.active.merge_cells("B1:C1")
    book.save(tmp_path / "a.xlsx")
    rows = _rows(tmp_path / "a.xlsx")
    assert rows == {"A3:C3": "部门: 研发 | 上半年 预算: 350 | 上半年 实际: 69"}


def test_a_blank_line_does_not_take_the_header_away(tmp_path):
    rows = [["Name", "Amount"], ["Ash", 1], [], ["Elm", 2]]
    assert _rows(_workbook(tmp_path / "a.xlsx", rows))["A4:B4"] == "Name: Elm | Amount: 2"


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.13, "0%", "13%"),
        (0.1234, "0.00%", "12.34%"),
        (1234.5, '"¥"#,##0.00', "¥1,234.50"),
        (1234.5, "[$¥-804]#,##0.00", "¥1,234.50"),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-1234.5, "#,##0.00;(#,##0.00)", "(1,234.50)"),
        (1234.5, '_ ¥* #,##0.00_ ;_ ¥* -#,##0.00_ ;_ ¥* "-"??_ ;_ @_ ', "¥1,234.50"),
        (12553, "#,##0\\ ", "12,553"),
        (5, '0"人"', "5人"),
        (12345, "#,##0,", "12"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (True, "General", "TRUE"),
        (dt.datetime(2023, 12, 31), "yyyy-mm-dd", "2023-12-31"),
        (dt.datetime(2023, 12, 31), 'yyyy"年"m"月"d"日"', "2023年12月31日"),
        (dt.datetime(2023, 12, 31), "mm-dd-yy", "2023-12-31"),
        (dt.datetime(2023, 12, 31, 9, 5), "yyyy-mm-dd hh:mm", "2023-12-31 09:05"),
        ("  two\nlines ", "@", "two lines"),
    ],
)
def test_values_read_as_excel_shows_them(value, form, shown):
    assert displayed(value, form) == shown


@pytest.mark.slow
def test_sixty_thousand_rows_keep_their_places(shared_files):
    parsed = parse(shared_files / "derived" / "big_60k_rows_3sheets_zh.xlsx")
    assert len(parsed.elements) == 60_000
    assert len(parsed.pages) == 3
