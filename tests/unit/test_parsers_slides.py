"""PowerPoint files, slide by slide."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from PIL import Image
from pptx import Presentation
from pptx.chart.data import CategoryChartData
from pptx.enum.chart import XL_CHART_TYPE
from pptx.enum.shapes import MSO_CONNECTOR
from pptx.util import Inches

from ingest.failures import Unreadable
from ingest.office import find_office
from ingest.parsers import parse
from ingest.previews import PagePreviewer
from rag.excerpt import Marks
from rag.records import Reason


@pytest.fixture
def deck(tmp_path):
    shown = Presentation()
    first = shown.slides.add_slide(shown.slide_layouts[1])
    first.shapes.title.text = "季度 汇报"
    first.placeholders[1].text = "收入 420 万元\n支出 310 万元"
    first.notes_slide.notes_text_frame.text = "Say that costs fell."
    second = shown.slides.add_slide(shown.slide_layouts[5])
    second.shapes.title.text = "Branches"
    table = second.shapes.add_table(2, 2, Inches(1), Inches(2), Inches(4), Inches(1)).table
    for at, words in enumerate(("Branch", "Head", "Lingnan", "Vale")):
        table.cell(at // 2, at % 2).text = words
    group = second.shapes.add_group_shape()
    box = group.shapes.add_textbox(Inches(1), Inches(5), Inches(3), Inches(1))
    box.text_frame.text = "Grouped words"
    third = shown.slides.add_slide(shown.slide_layouts[6])
    figures = CategoryChartData()
    figures.categories = ["2023", "2024"]
    figures.add_series("Sales", (4.5, 6))
    third.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(1), Inches(5), Inches(3), figures
    )
    third._element.set("show", "0")
    path = tmp_path / "deck.pptx"
    shown.save(path)
    return path


def test_slides_are_read_with_tables_groups_charts_and_notes(deck):
    parsed = parse(deck)
    assert [(each.locator.slide, each.text) for each in parsed.elements] == [
        (1, "季度 汇报"), (1, "收入 420 万元"), (1, "支出 310 万元"), (1, "Say that costs fell."),
        (2, "Branches"), (2, "Branch | Head"), (2, "Lingnan | Vale"), (2, "Grouped words"),
        (3, "2023 | 4.5"), (3, "2024 | 6"),
    ]  # fmt: skip
    notes = parsed.elements[3]
    assert notes.locator.section[-1] == "Notes"
    assert notes.locator.label == "slide 1"
    assert parsed.elements[6].header == "Branch | Head"
    assert parsed.elements[8].header == "| Sales"
    assert [page.number for page in parsed.pages] == [1, 2, 3]
    assert parsed.flags == ("hidden_slides",)


def test_tables_and_charts_of_slides_are_given_as_data_too(tmp_path):
    shown = Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[6])
    table = slide.shapes.add_table(4, 3, Inches(1), Inches(1), Inches(6), Inches(2)).table
    words = ["Town", "Sales", "", "", "2030", "2031", "Brindle", "1,200", "13%", "Quarry", "3", ""]
    for at, text in enumerate(words):
        table.cell(at // 3, at % 3).text = text
    table.cell(0, 0).merge(table.cell(1, 0))
    table.cell(0, 1).merge(table.cell(0, 2))
    figures = CategoryChartData()
    figures.categories = ["Brindle", "Quarry"]
    figures.add_series("Sales", (1234567.25, None))
    figures.add_series("Cost", (4.5, 6))
    slide.shapes.add_chart(
        XL_CHART_TYPE.COLUMN_CLUSTERED, Inches(1), Inches(4), Inches(5), Inches(2), figures
    )
    shown.save(tmp_path / "a.pptx")
    parsed = parse(tmp_path / "a.pptx")
    assert [each.text for each in parsed.elements][-2:] == [
        "Brindle | 1234567.25 | 4.5", "Quarry |  | 6",
    ]  # fmt: skip
    listed, drawn = parsed.tables
    assert listed.header == ("Town", "Sales 2030", "Sales 2031")
    assert [row.values for row in listed.rows] == [("Brindle", 1200, 0.13), ("Quarry", 3, None)]
    assert (drawn.header, drawn.locator.slide) == (("", "Sales", "Cost"), 1)
    assert [row.values for row in drawn.rows] == [
        ("Brindle", 1234567.25, 4.5), ("Quarry", None, 6),
    ]  # fmt: skip


def _boxes(slide, columns):
    for left, width, words in columns:
        for at, text in enumerate(words):
            place = (Inches(left), Inches(1 + at), Inches(width), Inches(0.6))
            slide.shapes.add_textbox(*place).text_frame.text = text


def test_columns_of_text_boxes_are_read_one_by_one_and_names_with_their_values(tmp_path):
    shown = Presentation()
    beside, named = (shown.slides.add_slide(shown.slide_layouts[6]) for _ in range(2))
    _boxes(beside, [(0.5, 3, ["Plan A", "Price 12", "Days 30"]),
                    (5, 3, ["Plan B", "Price 15", "Days 20"])])  # fmt: skip
    beside.shapes.add_connector(MSO_CONNECTOR.STRAIGHT, *map(Inches, (4.2, 1, 4.2, 4)))
    below = beside.shapes.add_textbox(Inches(0.5), Inches(6), Inches(8), Inches(0.6))
    below.text_frame.text = "Both net"
    _boxes(named, [(0.5, 3, ["Price", "Days"]), (5, 3, ["12", "30"])])
    shown.save(tmp_path / "a.pptx")
    assert [each.text for each in parse(tmp_path / "a.pptx").elements] == [
        "Plan A", "Price 12", "Days 30", "Plan B", "Price 15", "Days 20", "Both net",
        "Price", "12", "Days", "30",
    ]  # fmt: skip


def test_a_chart_labelled_in_per_cent_is_told_so(tmp_path):
    shown = Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[6])
    figures = CategoryChartData()
    figures.categories = ["North", "South"]
    figures.add_series("Margin", (0.32, 0.355))
    place = (Inches(1), Inches(1), Inches(5), Inches(3))
    plot = slide.shapes.add_chart(XL_CHART_TYPE.LINE, *place, figures).chart.plots[0]
    plot.has_data_labels = True
    plot.data_labels.number_format = "0%"
    plot.data_labels.number_format_is_linked = False
    shown.save(tmp_path / "a.pptx")
    parsed = parse(tmp_path / "a.pptx")
    assert [each.text for each in parsed.elements] == ["North | 32%", "South | 35.5%"]
    assert [row.values for row in parsed.tables[0].rows] == [("North", 0.32), ("South", 0.355)]


def test_a_slide_that_is_one_picture_was_not_read(tmp_path):
    shown = Presentation()
    picture = io.BytesIO()
    Image.new("RGB", (40, 30), "navy").save(picture, "PNG")
    for words in ("", "Typed."):
        slide = shown.slides.add_slide(shown.slide_layouts[6])
        slide.shapes.add_picture(picture, 0, 0, shown.slide_width, shown.slide_height)
        if words:
            box = slide.shapes.add_textbox(0, 0, Inches(3), Inches(1))
            box.text_frame.text = words
    shown.save(tmp_path / "a.pptx")
    parsed = parse(tmp_path / "a.pptx")
    assert [page.status for page in parsed.pages] == ["unreadable", "text"]
    assert parsed.failure.code is Reason.NO_TEXT


def test_a_damaged_deck_is_corrupt(tmp_path, deck):
    (tmp_path / "half.pptx").write_bytes(deck.read_bytes()[:9000])
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / "half.pptx")
    assert caught.value.failure.code is Reason.CORRUPT


@pytest.mark.skipif(find_office(Path()) is None, reason="LibreOffice is not installed")
def test_a_slide_has_its_own_picture_hidden_ones_too(deck, tmp_path):
    folder = tmp_path / "previews"
    parsed = parse(deck, office=find_office(folder))
    notes = [each for each in parsed.elements if "Notes" in each.locator.section]
    assert [each.locator.page for each in notes] == [None]  # no picture shows them
    shown = [each for each in parsed.elements if each not in notes]
    assert all(each.locator.page == each.locator.slide for each in shown)
    assert all(each.locator.boxes for each in shown if each.locator.slide != 3)
    previewer = PagePreviewer(renderings=folder)
    assert previewer.page_picture(deck, 3, Marks(), width_px=300).png.startswith(b"\x89PNG")
    previewer.close()


@pytest.mark.skipif(find_office(Path()) is None, reason="LibreOffice is not installed")
def test_a_word_of_a_table_is_marked_there_and_not_in_the_title(tmp_path):
    shown = Presentation()
    slide = shown.slides.add_slide(shown.slide_layouts[5])
    slide.shapes.title.text = "Price list"
    table = slide.shapes.add_table(2, 2, Inches(1), Inches(3), Inches(4), Inches(1)).table
    for at, words in enumerate(("Product", "Price", "Pump", "450")):
        table.cell(at // 2, at % 2).text = words
    shown.save(tmp_path / "a.pptx")
    title, head, _row = parse(tmp_path / "a.pptx", office=find_office(tmp_path)).elements
    assert [box.y0 > title.locator.boxes[0].y1 for box in head.locator.boxes] == [True, True]
