from __future__ import annotations

import pytest
from PIL import Image, ImageDraw, ImageFilter
from reportlab.lib.utils import ImageReader
from reportlab.pdfgen.canvas import Canvas
from samples.folder import samples
from samples.scans import NOTE_EN, NOTE_ZH, font, ruled, scan, to_pdf

from ingest.child import ParsingChild
from ingest.doctor import check_ocr
from ingest.failures import Unreadable
from ingest.parsers import parse
from ingest.parsers.columns import reading_order
from ingest.parsers.geometry import Frame
from ingest.parsers.ocr import Reading
from ingest.parsers.paragraphs import Line
from ingest.parsers.pdf import better
from ingest.parsers.pdf_pictures import Pictures
from ingest.parsers.sheets import Sheet
from rag.records import Reason


def _text(parsed):
    return "".join("".join(each.text for each in parsed.elements).split())


def _bare(lines):
    return "".join("".join(lines).split())


@pytest.fixture(scope="module")
def note():
    return scan([*NOTE_ZH, *NOTE_EN], size_pt=10, width_px=1000)


@pytest.mark.parametrize("turn", [0, 90, 180, 270])
def test_a_scan_is_read_whichever_way_up_it_is(note, turn, tmp_path):
    parsed = parse(to_pdf(tmp_path / "a.pdf", [note.rotate(turn, expand=True)]))
    assert parsed.flags == ("ocr",)
    assert [page.status for page in parsed.pages] == ["ocr"]
    for line in (NOTE_ZH[1], NOTE_EN[0]):
        assert _bare([line]) in _text(parsed)


def test_boxes_lie_where_the_scan_shows_the_words(note, tmp_path):
    """Turned clockwise by 90 degrees, the first line stands at the right edge."""
    parsed = parse(to_pdf(tmp_path / "a.pdf", [note.rotate(-90, expand=True)]))
    box = parsed.elements[0].locator.boxes[0]
    assert box.x0 > 0.65
    assert box.y1 - box.y0 > 3 * (box.x1 - box.x0)


def test_a_page_askew_keeps_its_lines_apart(note, tmp_path):
    parsed = parse(to_pdf(tmp_path / "a.pdf", [note.rotate(2, expand=True, fillcolor=255)]))
    assert _bare([NOTE_ZH[1]]) in _text(parsed)
    assert _text(parsed).index(_bare([NOTE_ZH[0]])) < _text(parsed).index(_bare([NOTE_EN[2]]))


def test_a_mixed_document_comes_out_whole(note, tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"))
    for number in (1, 2, 3, 4):
        canvas.drawString(72, 700, f"Page {number} of the report.")  # a stamp on the scan, too
        if number == 3:
            canvas.drawImage(ImageReader(note), 0, 0, 595, 500)
        canvas.showPage()
    canvas.save()
    told = []
    parsed = parse(tmp_path / "a.pdf", progress=lambda done, of: told.append((done, of)))
    assert [page.status for page in parsed.pages] == ["text", "text", "ocr", "text"]
    assert parsed.failure is None
    third = [each.text for each in parsed.elements if each.locator.page == 3]
    assert "Page 3 of the report." in third
    assert _bare([NOTE_ZH[0]]) in _bare(third)
    assert told[:4] == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_a_large_line_of_a_scan_heads_its_own_page_alone(tmp_path):
    receipt = Image.new("L", (900, 700), 255)
    title, below = scan(["Grand Harbour Hotel"], size_pt=22, width_px=900), scan(NOTE_EN[1:])
    receipt.paste(title, (0, 0))
    receipt.paste(below.crop((0, 0, 900, below.height)), (0, title.height))
    canvas = Canvas(str(tmp_path / "a.pdf"))
    for number in (1, 2, 3):
        canvas.setFont("Helvetica-Bold", 16)
        canvas.drawString(72, 760, "Travel rules" if number == 1 else "")
        canvas.setFont("Helvetica", 11)
        if number == 2:
            canvas.drawImage(ImageReader(receipt), 0, 300, 450, 350)
        else:
            canvas.drawString(72, 700, f"Nights cost up to {number}00 pounds in cities.")
        canvas.showPage()
    canvas.save()
    read = parse(tmp_path / "a.pdf").elements
    sections = {each.locator.page: each.locator.section for each in read}
    assert sections[2] == ("Grand Harbour Hotel",)
    assert sections[3] == sections[1] == ("Travel rules",)


def test_a_scan_cut_into_strips_is_read(tmp_path):
    """Some scanners store a page as many pictures below each other, each small."""
    picture = scan(["The deposit is 45,000 yuan.", *NOTE_EN], size_pt=10, width_px=1000)
    canvas = Canvas(str(tmp_path / "a.pdf"))
    canvas.drawString(72, 700, "The letter follows.")
    canvas.showPage()
    high, strips = 595 * picture.height / picture.width, 60
    for at in range(strips):
        top, bottom = (round(edge * picture.height / strips) for edge in (at, at + 1))
        strip = ImageReader(picture.crop((0, top, picture.width, bottom)))
        y = 842 - high * bottom / picture.height
        canvas.drawImage(strip, 0, y, 595, high * (bottom - top) / picture.height)
    canvas.save()
    parsed = parse(tmp_path / "a.pdf")
    assert [page.status for page in parsed.pages] == ["text", "ocr"]
    assert "45,000yuan" in _text(parsed)


_TERMS = [f"Section {n} says what the two parties owe to each other by law." for n in range(6)]


def _with_pictures(path, *pictures):
    """Each page has much text of its own, and a picture below it."""
    canvas = Canvas(str(path))
    for picture in pictures:
        for at, line in enumerate(_TERMS):
            canvas.drawString(72, 780 - 16 * at, line)
        canvas.drawString(72, 60, "The end of the page.")
        canvas.drawImage(ImageReader(picture), 60, 300, 480, 300)
        canvas.showPage()
    canvas.save()
    return path


def test_a_picture_beside_much_text_is_read_too(tmp_path):
    picture = scan(["Pump PX-90 costs 12,750 pounds."], size_pt=14, width_px=1000)
    picture = picture.crop((0, 0, 1000, 625))
    parsed = parse(_with_pictures(tmp_path / "a.pdf", picture))
    assert [page.status for page in parsed.pages] == ["text"]
    assert parsed.flags == ("ocr",)
    text = _text(parsed)
    assert text.count(_bare(_TERMS)) == 1
    assert text.index("eachother") < text.index("12,750") < text.index("Theend")
    (box,) = next(each for each in parsed.elements if "12,750" in each.text).locator.boxes
    assert 0.28 < box.y0 < box.y1 < 0.65  # the picture lies from 300 to 600 of 842 points


def test_the_same_picture_on_every_page_is_read_once(tmp_path):
    picture = scan(["Acme quarterly letter"], size_pt=14, width_px=1000).crop((0, 0, 1000, 625))
    parsed = parse(_with_pictures(tmp_path / "a.pdf", picture, picture, picture))
    assert _text(parsed).count("quarterly") == 1


def test_more_pictures_than_may_be_read_are_told_of(tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.parsers.pdf.Pictures", lambda: Pictures(left=1))
    pages = [
        scan([f"The price of pump token-{n} is high."], size_pt=14, width_px=1000 + n)
        for n in (1, 2)
    ]
    pages = [page.crop((0, 0, 1000, 625)) for page in pages]
    parsed = parse(_with_pictures(tmp_path / "a.pdf", *pages))
    assert "token-1" in _text(parsed)
    assert "token-2" not in _text(parsed)
    assert parsed.flags == ("ocr", "truncated")


def test_pages_whose_writing_cannot_be_made_out_are_named():
    parsed = parse(samples() / "broken" / "partly.pdf")
    assert [page.status for page in parsed.pages] == ["text", "text", "unreadable", "text"]
    assert parsed.failure is not None
    assert "page 3" in parsed.failure.message


def test_letters_that_the_font_does_not_name_are_read_off_the_page(tmp_path):
    parsed = parse(nameless(tmp_path / "a.pdf", "The deposit is 12,750 pounds.", "Пароль сейфа"))
    assert [page.status for page in parsed.pages] == ["ocr"]
    assert "12,750pounds" in _text(parsed)
    assert not any(ord(letter) < 32 for letter in _text(parsed))


def test_letters_nobody_can_read_are_named(tmp_path):
    with pytest.raises(Unreadable) as caught:
        parse(nameless(tmp_path / "a.pdf", *["Пароль сейфа хранится"] * 6))
    assert caught.value.failure.code is Reason.UNREADABLE_FONT


@pytest.mark.parametrize("kind", ["png", "jpg", "webp", "bmp"])
def test_pictures_are_pages(note, kind, tmp_path):
    note.crop((0, 0, 1000, 200)).save(tmp_path / f"a.{kind}")
    parsed = parse(tmp_path / f"a.{kind}")
    assert [page.status for page in parsed.pages] == ["ocr"]
    assert "QH-2031-0417" in _text(parsed)


def test_each_frame_of_a_tiff_is_a_page(tmp_path):
    frames = [scan([f"This frame says token-{n}."], size_pt=12) for n in (1, 2)]
    frames[0].save(tmp_path / "a.tif", save_all=True, append_images=frames[1:])
    parsed = parse(tmp_path / "a.tif")
    assert [(page.number, page.status) for page in parsed.pages] == [(1, "ocr"), (2, "ocr")]
    assert [each.locator.page for each in parsed.elements if "token-2" in each.text] == [2]


def test_a_photograph_is_shown_as_its_camera_says(note, tmp_path):
    exif = Image.Exif()
    exif[0x0112] = 6  # to be turned clockwise by 90 degrees
    turned = note.crop((0, 0, 1000, 200)).rotate(90, expand=True)
    turned.save(tmp_path / "a.jpg", exif=exif)
    box = parse(tmp_path / "a.jpg").elements[0].locator.boxes[0]
    assert box.x1 - box.x0 > box.y1 - box.y0  # upright, as a viewer shows it


def test_a_picture_bomb_is_too_large(tmp_path):
    Image.new("1", (20_000, 20_000)).save(tmp_path / "a.png")
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / "a.png")
    assert caught.value.failure.code is Reason.TOO_LARGE


def test_a_broken_picture_is_corrupt(tmp_path):
    (tmp_path / "a.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / "a.png")
    assert caught.value.failure.code is Reason.CORRUPT


def test_a_picture_without_writing_holds_no_text(tmp_path):
    Image.new("L", (400, 300), 128).save(tmp_path / "a.png")
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / "a.png")
    assert caught.value.failure.code is Reason.NO_TEXT


def test_columns_of_recognised_lines_are_read_one_after_the_other():
    def line(text, x0, y0, x1):
        return Line(text, x0, y0, x1, y0 + 10, 8, bold=False)

    title, footer = line("title", 50, 0, 550), line("footer", 250, 200, 350)
    left = [line(f"left {n}", 0, 20 + 15 * n, 280) for n in range(5)]
    right = [line(f"right {n}", 320, 21 + 15 * n, 600) for n in range(5)]
    mixed = [each for pair in zip(left, right, strict=True) for each in pair]
    assert reading_order([footer, *mixed, title]) == [title, *left, *right, footer]


def test_a_scanned_table_is_read_as_a_table(tmp_path):
    table = [["房间", "用途", "租金"], ["B-207", "停车", "90"], ["B-208", "档案", "150"]]
    picture = ruled(table).rotate(1, expand=True, fillcolor=255)
    parsed = parse(to_pdf(tmp_path / "a.pdf", [picture]))
    assert [each.text for each in parsed.elements if each.kind == "table"] == [
        "房间: B-207 | 用途: 停车 | 租金: 90",
        "房间: B-208 | 用途: 档案 | 租金: 150",
    ]
    assert parsed.tables[0].header == ("房间", "用途", "租金")


def test_a_scanned_table_without_rules_is_one_too(tmp_path):
    table = [["编号", "名称", "单价"], ["P-101", "台灯", "85.00"], ["P-102", "办公椅", "320.00"]]
    picture = Image.new("L", (1000, 500), 255)
    pen = ImageDraw.Draw(picture)
    for r, row in enumerate(table):
        for c, text in enumerate(row):
            pen.text((60 + c * 280, 60 + r * 70), text, font=font(11), fill=20)
    pen.text((60, 380), "以上价格均含税，三十日内付款。", font=font(11), fill=20)
    parsed = parse(to_pdf(tmp_path / "a.pdf", [picture]))
    assert [(each.kind, each.text) for each in parsed.elements] == [
        ("table", "编号: P-101 | 名称: 台灯 | 单价: 85.00"),
        ("table", "编号: P-102 | 名称: 办公椅 | 单价: 320.00"),
        ("text", "以上价格均含税，三十日内付款。"),
    ]
    assert [row.values[2] for row in parsed.tables[0].rows] == [85.0, 320.0]


@pytest.mark.parametrize(("blur", "flags"), [(0.6, ("ocr",)), (3.4, ("ocr", "ocr_unsure"))])
def test_figures_that_may_be_others_are_told_of(blur, flags, tmp_path):
    dues = [f"2031-04-{n + 10}" for n in range(9)]
    lines = [f"Item {n}: {n * 7919:,}.{n * 37 % 100:02d} due {due}" for n, due in enumerate(dues)]
    picture = scan(lines, size_pt=9, width_px=1000).filter(ImageFilter.GaussianBlur(blur))
    picture.save(tmp_path / "a.png")
    assert parse(tmp_path / "a.png").flags == flags


def test_with_recognition_switched_off_scans_are_named_and_why(note, tmp_path):
    """Through the child that the service reads with."""
    canvas = Canvas(str(tmp_path / "mixed.pdf"))
    canvas.drawString(72, 700, "The deposit is 300.")
    canvas.showPage()
    canvas.drawImage(ImageReader(note), 0, 0, 595, 500)
    canvas.save()
    note.save(tmp_path / "scan.png")
    child = ParsingChild(ocr=False)
    try:
        mixed = child.parse(tmp_path / "mixed.pdf")
        with pytest.raises(Unreadable) as caught:
            child.parse(tmp_path / "scan.png")
    finally:
        child.close()
    assert [page.status for page in mixed.pages] == ["text", "unreadable"]
    assert [each.text for each in mixed.elements] == ["The deposit is 300."]
    for failure in (mixed.failure, caught.value.failure):
        assert failure.code is Reason.NO_TEXT
        assert "DESKSIDE_OCR" in failure.advice
    assert check_ocr("off").status == "warn"


@pytest.mark.parametrize(
    ("written", "read", "taken"),
    [
        ("Teh dpeosit 1s", "The deposit is 300 pounds.", "read"),
        ("The deposit is 300 pounds.", "Th3 dep0s1t 1s", "written"),
        ("\ufffd\ufffd\ufffd\ufffd 300", "The deposit is 300.", "read"),
        ("The deposit is 300 pounds.", "The deposit is 300 pounds.", "written"),
    ],
)
def test_of_two_readings_of_a_page_the_better_text_is_taken(written, read, taken):
    def line(text):
        return Line(text, 0, 0, 100, 10, 8, bold=False)

    sheet = Sheet(1, "text", lines=(line(written),))
    reading = Reading((line(read),), (), 100.0, Frame(), is_legible=True)
    assert better(sheet, reading).text == (written if taken == "written" else read)


def test_the_doctor_finds_the_models():
    assert check_ocr().status == "ok"


def nameless(path, *lines):
    """A PDF whose font does not say which letters it draws."""
    from pathlib import Path

    import matplotlib
    import pikepdf
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.ttfonts import TTFont

    file = Path(matplotlib.get_data_path(), "fonts", "ttf", "DejaVuSans.ttf")
    pdfmetrics.registerFont(TTFont("Nameless", str(file)))
    canvas = Canvas(str(path), invariant=1)
    canvas.setFont("Nameless", 14)
    for at, text in enumerate(lines):
        canvas.drawString(72, 740 - 20 * at, text)
    canvas.save()
    with pikepdf.open(path, allow_overwriting_input=True) as document:
        for each in document.objects:
            if isinstance(each, pikepdf.Dictionary) and "/ToUnicode" in each:
                del each["/ToUnicode"]
        document.save()
    return path
