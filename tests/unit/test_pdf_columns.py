from __future__ import annotations

import random
import re
from itertools import chain, count

import pytest
from reportlab.pdfgen.canvas import Canvas
from samples.pdfs import zh_font

from ingest.parsers import parse
from ingest.parsers.columns import reading_order
from ingest.parsers.paragraphs import Line
from ingest.parsers.pdf_columns import down_columns

_LEFT, _WIDTH, _LEADING = 50, 500, 13
_ROWS = 14
_FONT = ("Helvetica", 10)


def _wrapped(canvas, number, width):
    """Lines of running text as wide as the column, each beginning with its own name."""
    words = random.Random(number)
    for at in range(_ROWS):
        line = f"c{number}l{at}"
        while canvas.stringWidth(line, *_FONT) < width - 45:
            line += " " + words.choice(["rooms", "heat", "and", "notice", "a", "repair", "of"])
        yield line


def _page(path, columns, *, order, lower=0):
    canvas = Canvas(str(path), invariant=1)
    canvas.setFont("Helvetica-Bold", 16)
    canvas.drawString(60, 790, "Rules of the house and its gardens")
    canvas.setFont(*_FONT)
    wide = _WIDTH / columns
    drawn = [
        (at, n, _LEFT + n * wide, line)
        for n in range(columns)
        for at, line in enumerate(_wrapped(canvas, n, wide))
    ]
    for at, n, x, line in order(drawn):
        canvas.drawString(x, 750 - _LEADING * at - lower * n, line)
    canvas.save()
    return path


def _shuffled(drawn):
    return random.Random(1).sample(drawn, len(drawn))


@pytest.mark.parametrize("columns", [2, 3])
@pytest.mark.parametrize("lower", [0, 5])
@pytest.mark.parametrize("order", [sorted, _shuffled])
def test_columns_drawn_across_the_page_are_read_one_after_the_other(
    columns, lower, order, tmp_path
):
    parsed = parse(_page(tmp_path / "a.pdf", columns, order=order, lower=lower))
    told = re.findall(r"c\dl\d+", " ".join(each.text for each in parsed.elements))
    assert told == [f"c{n}l{at}" for n in range(columns) for at in range(_ROWS)]


def test_cells_of_words_that_wrap_side_by_side_are_no_columns(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    lines = zip(_wrapped(canvas, 0, 250), _wrapped(canvas, 1, 250), strict=True)
    for at, (left, right) in enumerate(lines):
        y = 750 - _LEADING * at - 10 * (at // 2)  # rows of two lines, white space between them
        canvas.drawString(_LEFT, y, left)
        canvas.drawString(_LEFT + 250, y, right)
    canvas.save()
    text = " ".join(each.text for each in parse(tmp_path / "a.pdf").elements)
    assert text.index("c1l1") < text.index("c0l2")


def test_three_recognised_columns_below_a_title_are_read_one_after_the_other():
    numbers = count()

    def line(x0, y0, x1):
        words = f"line {next(numbers)} of a column goes on"
        return Line(words, x0, y0, x1, y0 + 10, 8, bold=False, recognised=True)

    title = line(150, 0, 450)
    columns = [[line(x, 20 + 15 * n, x + 180) for n in range(6)] for x in (0, 210, 420)]
    across = [each for row in zip(*columns, strict=True) for each in row]
    assert down_columns(reading_order([*across, title])) == [title, *chain(*columns)]


def test_a_heading_drawn_late_stands_above_its_lines(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    for x, name in ((60, "parking"), (320, "garden")):
        canvas.setFont("Helvetica", 10)
        for at in range(4):
            canvas.drawString(x, 700 - 14 * at, f"{name} rule {at} goes on to here")
    canvas.setFont("Helvetica-Bold", 14)
    canvas.drawString(320, 720, "Garden")
    canvas.drawString(60, 720, "Parking")
    canvas.save()
    elements = parse(tmp_path / "a.pdf").elements
    text = " ".join(each.text for each in elements)
    assert text.index("Parking") < text.index("parking rule 0") < text.index("Garden")
    assert text.index("Garden") < text.index("garden rule 0")


def test_a_table_in_one_column_takes_nothing_out_of_the_other(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    canvas.setFont(*_FONT)
    for n in (0, 1):
        for at, line in enumerate(_wrapped(canvas, n, 250)):
            if not n or at not in range(4, 9):  # the table stands in the right one
                canvas.drawString(_LEFT + 260 * n, 750 - _LEADING * at, line)
    table = ["Sensor Maker Drift", "S1 Bosch 0.31", "S2 Sensirion 0.28", "S3 Honeywell 0.55"]
    for at, row in enumerate(table):
        for n, word in enumerate(row.split()):
            canvas.drawString(_LEFT + 260 + 80 * n, 750 - _LEADING * (at + 4.5), word)
    canvas.save()
    elements = parse(tmp_path / "a.pdf").elements
    rows = [each.text for each in elements if each.kind == "table"]
    assert rows[1] == "Sensor: S2 | Maker: Sensirion | Drift: 0.28"
    assert len(rows) == 3
    told = re.findall(r"c0l\d+", " ".join(each.text for each in elements))
    assert told == [f"c0l{at}" for at in range(_ROWS)]


def test_a_translation_beside_its_text_is_read_paragraph_by_paragraph(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    paragraphs = [
        (
            ["第一条", "租期自四月一日起，", "共三年。"],
            ["Article 1", "The term runs", "three years."],
        ),
        (
            ["第二条", "每月租金贰万元，", "按季支付。"],
            ["Article 2", "The rent is 20,000", "a month."],
        ),
    ]
    y = 750
    for left, right in paragraphs:
        for one, other in zip(left, right, strict=True):
            canvas.setFont(zh_font(), 10)
            canvas.drawString(50, y, one)
            canvas.setFont(*_FONT)
            canvas.drawString(300, y, other)
            y -= 16
        y -= 16
    canvas.save()
    text = "".join(each.text for each in parse(tmp_path / "a.pdf").elements).replace(" ", "")
    told = ["".join(lines).replace(" ", "") for pair in paragraphs for lines in pair]
    assert text == "".join(told)
