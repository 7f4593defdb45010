"""Separated values in any encoding, and what business systems call .xls."""

from __future__ import annotations

import struct

import pytest

from ingest.failures import Unreadable
from ingest.parsers import parse
from rag.records import Reason

TABLE = '姓名,城市,金额\n张三,临溪,"1,234.50"\n李四,云水,99\n'


def _parse(tmp_path, data, name="a.csv"):
    (tmp_path / name).write_bytes(data)
    return parse(tmp_path / name)


def _texts(parsed):
    return [each.text for each in parsed.elements]


@pytest.mark.parametrize(
    "encoding",
    ["utf-8", "utf-8-sig", "gb18030", "utf-16", "utf-16-le", "utf-16-be"],
)
@pytest.mark.parametrize("separator", [",", ";", "\t", "|"])
def test_any_encoding_and_any_separator(tmp_path, encoding, separator):
    text = "姓名,城市,级别\n张三,临溪,甲\n李四,云水,乙\n".replace(",", separator)
    parsed = _parse(tmp_path, text.encode(encoding))
    assert _texts(parsed) == [
        "姓名: 张三 | 城市: 临溪 | 级别: 甲", "姓名: 李四 | 城市: 云水 | 级别: 乙",
    ]  # fmt: skip
    assert [each.locator.cells for each in parsed.elements] == ["A2:C2", "A3:C3"]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp932", "名前,年齢,住所\n佐藤太郎,30,東京\n三木英子,25,大阪\n"),
        ("big5", "姓名,地址,金額\n陳大文,臺北市信義區,30\n林小美,高雄市,25\n"),
        ("cp1252", "Name,Ville,Montant\nAndré,Besançon,30\nZoë,Orléans,25\n"),
        ("gb18030", "品名,规格\n垫圈,M6\n螺栓,M8\n"),
    ],
)
def test_the_encoding_that_makes_most_sense_is_taken(tmp_path, encoding, text):
    parsed = _parse(tmp_path, text.encode(encoding))
    assert parsed.elements[0].text.startswith(text.split(",")[0])
    assert text.splitlines()[1].split(",")[1] in parsed.elements[0].text


def _cut(text, encoding, at):
    """A row's field cut in the middle of a character, as exports of fixed width do."""
    rows = text.encode(encoding).split(b"\n")
    rows[at] = b",".join(
        field[:-1] if n == 1 else field for n, field in enumerate(rows[at].split(b","))
    )
    return b"\n".join(rows)


@pytest.mark.parametrize("encoding", ["utf-8", "gb18030"])
def test_a_character_cut_in_half_loses_itself_alone(tmp_path, encoding):
    text = "姓名,城市,级别\n" + "张三,临溪,甲\n李四,云水,乙\n" * 9
    parsed = _parse(tmp_path, _cut(text, encoding, 3))
    assert _texts(parsed)[:3] == [
        "姓名: 张三 | 城市: 临溪 | 级别: 甲", "姓名: 李四 | 城市: 云水 | 级别: 乙",
        "姓名: 张三 | 城市: 临\ufffd | 级别: 甲",
    ]  # fmt: skip
    assert parsed.flags == ("lost_characters",)


def test_bytes_that_fit_nowhere_do_not_garble_chinese_after_much_ascii(tmp_path):
    rows = "编号,名称\n" + "".join(f"{at},abc{at}\n" for at in range(9000)) + "9001,银杏\n"
    parsed = _parse(tmp_path, rows.encode("gb18030") + b"9002,bad\xff\xfe\n")
    assert _texts(parsed)[-2] == "编号: 9001 | 名称: 银杏"
    assert "lost_characters" in parsed.flags


def test_bytes_that_are_no_text_are_still_refused(tmp_path):
    with pytest.raises(Unreadable):
        _parse(tmp_path, bytes(range(128, 256)) * 40)


def test_values_of_separated_text_have_types(tmp_path):
    (table,) = _parse(tmp_path, TABLE.encode()).tables
    assert table.header == ("姓名", "城市", "金额")
    assert table.rows[0].shown == ("张三", "临溪", "1,234.50")
    assert table.rows[0].values == ("张三", "临溪", 1234.5)


@pytest.mark.parametrize(
    ("text", "values"),
    [
        ("Teil;Menge;Preis\nMutter;1.000;0,15\nRad;20;9,5\n", ["1.000", 20]),
        ('Teil,Preis,Menge\nMutter,"0,15",1.000\nRad,"9,5",20\n', ["1.000", 20]),
        ("Part;Qty;Price\nNut;1.000;0.15\nWheel;20;9.50\n", [1.0, 20]),
        ("Part,Qty,Price\nNut,15,1.000\nWheel,20,2.125\n", [1.0, 2.125]),
        ('Part,Qty,Price\nNut,"1,2","1,000"\nWheel,20,"1,234.50"\n', [1000, 1234.5]),
    ],
)
def test_what_may_be_thousands_among_decimal_commas_stays_text(tmp_path, text, values):
    (table,) = _parse(tmp_path, text.encode()).tables
    column = next(at for at, value in enumerate(table.rows[0].values) if value == values[0])
    assert [row.values[column] for row in table.rows] == values


def test_quotes_line_breaks_ragged_rows_and_a_told_separator(tmp_path):
    text = 'sep=;\nName;Note;Sum\nAsh;"two\nlines; quoted ""x""";1\nElm;short\nOak;a;2;extra\n'
    parsed = _parse(tmp_path, text.encode())
    assert _texts(parsed) == [
        'Name: Ash | Note: two lines; quoted "x" | Sum: 1',
        "Name: Elm | Note: short",
        "Name: Oak | Note: a | Sum: 2 | extra",
    ]
    assert parsed.elements[0].locator.cells.startswith("A3:")


def test_commas_inside_amounts_are_no_separator(tmp_path):
    parsed = _parse(tmp_path, b"Item\tSum\nLamp\t1,234\nDesk\t2,345\n", "a.tsv")
    assert _texts(parsed) == ["Item: Lamp | Sum: 1,234", "Item: Desk | Sum: 2,345"]


def test_rows_without_a_header_stay_as_they_are(tmp_path):
    assert _texts(_parse(tmp_path, b"Lamp,12\nDesk,7\n")) == ["Lamp: 12", "Desk: 7"]


def test_a_web_page_called_xls_is_read_with_its_spans(tmp_path):
    page = """<html><meta charset="gbk"><table>
        <tr><td colspan=3>销售汇总</td></tr>
        <tr><th>部门</th><th>人员</th><th>金额</th></tr>
        <tr><td rowspan=2>研发</td><td>张三</td><td>1,234.50</td></tr>
        <tr><td>李四</td><td>99</td></tr></table></html>"""
    parsed = _parse(tmp_path, page.encode("gbk"), "a.xls")
    assert _texts(parsed) == [
        "销售汇总", "部门: 研发 | 人员: 张三 | 金额: 1,234.50",
        "部门: 研发 | 人员: 李四 | 金额: 99",
    ]  # fmt: skip
    assert parsed.tables[0].rows[1].values == ("研发", "李四", 99)


def test_separated_text_called_xls_is_read(tmp_path):
    parsed = _parse(tmp_path, "品名\t数量\n垫圈\t3\n".encode("gb18030"), "a.xls")
    assert _texts(parsed) == ["品名: 垫圈 | 数量: 3"]


@pytest.mark.parametrize("name", ["a.xls", "a.xltx", "a.et"])
def test_a_new_workbook_of_another_name_is_read(tmp_path, name):
    from openpyxl import Workbook

    book = Workbook()
    book.active.append(["Item", "Sum"])
    book.active.append(["Lamp", 3])
    book.save(tmp_path / "a.xlsx")
    (tmp_path / "a.xlsx").rename(tmp_path / name)
    assert _texts(parse(tmp_path / name)) == ["Item: Lamp | Sum: 3"]


def test_xml_of_2003_is_read(tmp_path):
    book = """<?xml version="1.0"?><?mso-application progid="Excel.Sheet"?>
    <Workbook xmlns="urn:schemas-microsoft-com:office:spreadsheet"
     xmlns:ss="urn:schemas-microsoft-com:office:spreadsheet">
    <Styles><Style ss:ID="d"><NumberFormat ss:Format="Short Date"/></Style></Styles>
    <Worksheet ss:Name="账"><Table>
    <Row ss:Index="2"><Cell><Data ss:Type="String">日期</Data></Cell>
      <Cell ss:Index="2"><Data ss:Type="String">额</Data></Cell></Row>
    <Row><Cell ss:StyleID="d"><Data ss:Type="DateTime">2023-12-31T00:00:00.000</Data></Cell>
      <Cell><Data ss:Type="Number">12.5</Data></Cell></Row>
    </Table></Worksheet></Workbook>"""
    (row,) = _parse(tmp_path, book.encode(), "a.xls").elements
    assert row.text == "日期: 2023-12-31 | 额: 12.5"
    assert (row.locator.sheet, row.locator.cells) == ("账", "A3:B3")


def test_an_old_workbook_is_read(tmp_path):
    """Excel 2 wrote a bare stream of records, each with its number and length."""

    def record(number, data):
        return struct.pack("<HH", number, len(data)) + data

    def label(row, column, text):
        return record(4, struct.pack("<HH3xB", row, column, len(text)) + text)

    data = record(9, struct.pack("<HH", 2, 0x10))
    data += label(0, 0, b"Item") + label(0, 1, b"Sum") + label(1, 0, b"Lamp")
    data += record(3, struct.pack("<HH3xd", 1, 1, 3.5)) + record(10, b"")
    assert _texts(_parse(tmp_path, data, "a.xls")) == ["Item: Lamp | Sum: 3.5"]


@pytest.mark.parametrize(
    ("data", "code"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\x00" * 2000, Reason.CORRUPT),
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + "EncryptedPackage".encode("utf-16-le"),
         Reason.ENCRYPTED),
        (b"\x00\x01\x02" * 500, Reason.CORRUPT),
        (b"MIME-Version: 1.0\nContent-Type: multipart/related\n\n", Reason.UNSUPPORTED),
        (b"<html><table></table></html>", Reason.NO_TEXT),
    ],
)  # fmt: skip
def test_what_cannot_be_read_says_why(tmp_path, data, code):
    with pytest.raises(Unreadable) as caught:
        _parse(tmp_path, data, "a.xls")
    assert caught.value.failure.code is code


def test_a_protected_old_workbook_says_so(shared_files):
    with pytest.raises(Unreadable) as caught:
        parse(shared_files / "encrypted" / "rc4cryptoapi_password.xls")
    assert caught.value.failure.code is Reason.ENCRYPTED


def test_a_long_file_of_separated_values_tells_that_it_goes_on(tmp_path):
    path = tmp_path / "a.csv"
    path.write_text("name,sum\n" + "".join(f"n{at},{at}\n" for at in range(12_000)))
    told = []
    parse(path, progress=lambda *pages: told.append(pages))
    assert told == [(0, 1), (0, 1), (1, 1)]


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        ("cp1251", "Срок аренды составляет три года, плата вносится ежемесячно."),
        ("koi8-r", "Срок аренды составляет три года, плата вносится ежемесячно."),
        ("cp949", "임대 기간은 삼 년이며 임대료는 매월 선불로 지급한다."),
        ("gb18030", "租期三年，租金按月支付，逾期加收滞纳金。"),
        ("cp1252", "Die Miete beträgt für jedes Büro fünfhundert Euro, zahlbar früher."),
    ],
)
def test_text_in_an_old_encoding_of_another_script_is_read_as_meant(encoding, text, tmp_path):
    (tmp_path / "a.txt").write_bytes(text.encode(encoding))
    assert [each.text for each in parse(tmp_path / "a.txt").elements] == [text]
