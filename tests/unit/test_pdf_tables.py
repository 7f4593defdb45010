from __future__ import annotations

import pytest
from reportlab.lib import colors
from reportlab.lib.pagesizes import A4, landscape
from reportlab.lib.styles import getSampleStyleSheet
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import PageBreak, Paragraph, SimpleDocTemplate, Table, TableStyle

from ingest.parsers import parse
from ingest.parsers.tables import to_value

_GRID = ("GRID", (0, 0), (-1, -1), 0.5, colors.black)
_ROOMS = [
    ["Room", "Use", "Area m2", "Rent"],
    ["A-101", "office", "48", "1,200"],
    ["B-207", "parking", "12", "90"],
    ["B-208", "archive", "20", "150"],
]


def _pdf(path, *parts, size=A4):
    SimpleDocTemplate(str(path), pagesize=size, invariant=1).build(list(parts))
    return path


def _table(data, *style, **options):
    return Table(data, style=TableStyle([_GRID, *style]), **options)


def _rows(parsed):
    return [each.text for each in parsed.elements if each.kind == "table"]


def test_each_row_of_a_ruled_table_says_its_columns(tmp_path):
    parsed = parse(_pdf(tmp_path / "a.pdf", _table(_ROOMS)))
    assert _rows(parsed) == [
        f"Room: {room} | Use: {use} | Area m2: {area} | Rent: {rent}"
        for room, use, area, rent in _ROOMS[1:]
    ]


def test_a_row_is_marked_where_it_stands(tmp_path):
    parsed = parse(_pdf(tmp_path / "a.pdf", _table(_ROOMS)))
    (one,), (other,) = (each.locator.boxes for each in parsed.elements if "B-20" in each.text)
    assert one.x0 < 0.45 < one.x1
    assert 0 < one.y1 - one.y0 < 0.05
    assert abs(other.y0 - one.y1) < 0.01


def test_text_around_a_table_stays_in_order(tmp_path):
    style = getSampleStyleSheet()["Normal"]
    before, after = Paragraph("Rooms to let.", style), Paragraph("Ask Mr Pell.", style)
    parsed = parse(_pdf(tmp_path / "a.pdf", before, _table(_ROOMS), after))
    kinds = ["text", "table", "table", "table", "text"]
    assert [each.kind for each in parsed.elements] == kinds


def test_tables_below_the_headings_of_columns_stay_in_their_columns(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    for left, name in ((60, "North"), (320, "South")):
        canvas.drawString(left, 700, name)
        for n in range(2):
            table = _table([["Room", "Rent"], [f"{name}-{n}", "410"], [f"{name}-9", "95"]])
            table.wrapOn(canvas, 200, 200)
            table.drawOn(canvas, left, 620 - 200 * n)
    canvas.save()
    texts = [each.text for each in parse(tmp_path / "a.pdf").elements]
    assert ["South" in text for text in texts] == [False] * 5 + [True] * 5


def test_merged_cells_hold_for_every_row_and_column_they_cover(tmp_path):
    data = [
        ["Floor", "Rooms", "", "Rent"],
        ["", "Name", "Use", ""],
        ["First", "A-101", "office", "1,200"],
        ["", "A-102", "store", "300"],
    ]
    spans = [
        ("SPAN", (1, 0), (2, 0)),
        ("SPAN", (0, 0), (0, 1)),
        ("SPAN", (3, 0), (3, 1)),
        ("SPAN", (0, 2), (0, 3)),
    ]
    assert _rows(parse(_pdf(tmp_path / "a.pdf", _table(data, *spans)))) == [
        "Floor: First | Rooms Name: A-101 | Rooms Use: office | Rent: 1,200",
        "Floor: First | Rooms Name: A-102 | Rooms Use: store | Rent: 300",
    ]


def test_a_table_keeps_its_header_over_a_page_break(tmp_path):
    data = [["Invoice", "Amount"], *([f"INV-{n}", f"{n},000"] for n in range(1, 81))]
    parsed = parse(_pdf(tmp_path / "a.pdf", _table(data)))
    assert len(parsed.pages) > 1
    assert [each.text for each in parsed.elements] == [
        f"Invoice: INV-{n} | Amount: {n},000" for n in range(1, 81)
    ]
    assert parsed.elements[-1].locator.page == len(parsed.pages)


@pytest.mark.parametrize("font", ["Helvetica", "Helvetica-Bold"])
def test_a_header_that_is_repeated_on_each_page_is_no_row(font, tmp_path):
    data = [["Invoice", "Amount"], *([f"INV-{n}", f"{n},000"] for n in range(1, 81))]
    style = ("FONTNAME", (0, 0), (-1, 0), font)
    parsed = parse(_pdf(tmp_path / "a.pdf", _table(data, style, repeatRows=1)))
    assert len(_rows(parsed)) == 80
    assert [len(table.rows) for table in parsed.tables] == [80]


_MANY = [["Invoice", "Amount"], *([f"INV-{n}", f"{n},000"] for n in range(1, 81))]


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (_MANY[:4], [["INV-90", "900"], ["INV-91", "910"]]),
        (_MANY[:36], [["Customer", "Owed"], ["Tern", "900"], ["Finch", "910"]]),
    ],
    ids=["ends high on its page", "other header"],
)
def test_another_table_on_the_next_page_is_one_of_its_own(before, after, tmp_path):
    parts = [_table(before), PageBreak(), _table(after)]
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", *parts)))
    assert rows[len(before) - 2].startswith("Invoice: INV-")
    assert not any("Invoice" in row for row in rows[len(before) - 1 :])
    assert len(rows) == len(before) - 1 + len(after) - (after[0][0] == "Customer")


def test_cells_of_several_lines_are_one_text(tmp_path):
    data = [["Item", "Rate"], ["Cleaning of the\nwhole building", "40"], ["Heating", "75"]]
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", _table(data))))
    assert rows[0] == "Item: Cleaning of the whole building | Rate: 40"


def test_a_double_frame_around_a_table_is_no_column(tmp_path):
    data = [["Room", "Use"], ["A-101", "48"], ["B-207", "12"]]
    framed = Table([[_table(data)]], style=TableStyle([("BOX", (0, 0), (-1, -1), 1, colors.black)]))
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", framed)))
    assert rows == ["Room: A-101 | Use: 48", "Room: B-207 | Use: 12"]


def test_a_table_without_rules_is_read_by_its_columns(tmp_path):
    """Cells that are left empty stay empty: the figures keep their columns."""
    data = [["Code", "Place", "Wanted", "Found"], ["SKU-88", "A-12", "450", ""],
            ["SKU-92", "", "780", "778"], ["", "C-15", "", "15"]]  # fmt: skip
    parsed = parse(_pdf(tmp_path / "a.pdf", Table(data, colWidths=90)))
    assert _rows(parsed) == [
        "Code: SKU-88 | Place: A-12 | Wanted: 450",
        "Code: SKU-92 | Wanted: 780 | Found: 778",
        "Place: C-15 | Found: 15",
    ]


_BODY = getSampleStyleSheet()["Normal"]
_STOCK = [
    ["Code", "Description", "Qty", "Price"],
    ["P-1", Paragraph("A tall lamp whose words wrap over two lines", _BODY), "2", "10.00"],
    ["P-2", Paragraph("Chair", _BODY), "4", "12.50"],
    ["P-3", Paragraph("Another tall lamp whose words wrap over lines", _BODY), "1", "99.00"],
]


@pytest.mark.parametrize("align", ["TOP", "MIDDLE", "BOTTOM"])
def test_a_cell_without_rules_may_wrap_over_lines(align, tmp_path):
    table = Table(_STOCK, colWidths=[60, 150, 50, 60], style=[("VALIGN", (0, 0), (-1, -1), align)])
    assert _rows(parse(_pdf(tmp_path / "a.pdf", table))) == [
        "Code: P-1 | Description: A tall lamp whose words wrap over two lines | Qty: 2 |"
        " Price: 10.00",
        "Code: P-2 | Description: Chair | Qty: 4 | Price: 12.50",
        "Code: P-3 | Description: Another tall lamp whose words wrap over lines | Qty: 1 |"
        " Price: 99.00",
    ]


def test_cells_that_wrap_keep_their_header_over_a_page_break(tmp_path):
    table = Table([_STOCK[0], *_STOCK[1:] * 20], colWidths=[60, 150, 50, 60])
    parsed = parse(_pdf(tmp_path / "a.pdf", table))
    assert len(parsed.pages) > 1
    assert _rows(parsed) == _rows(parse(_pdf(tmp_path / "b.pdf", table, size=(595, 3000))))
    assert len(_rows(parsed)) == len(parsed.tables[0].rows) == 60


_PEOPLE = [
    ["Name", "Post", "Town"],
    ["Osric Pell", "caretaker", "Brindle"],
    ["Mavis Tern", "clerk", "Ambleford"],
]


@pytest.mark.parametrize(
    "style",
    [
        [("LINEBELOW", (0, 0), (-1, 0), 0.5, colors.black)],
        [("BACKGROUND", (0, 0), (-1, 0), colors.lightgrey)],
        [("FONTNAME", (0, 0), (-1, 0), "Helvetica-Bold")],
    ],
    ids=["rule", "ground", "bold"],
)
def test_words_in_columns_are_a_table_where_their_header_is_set_apart(style, tmp_path):
    table = Table(_PEOPLE, colWidths=110, style=style)
    assert _rows(parse(_pdf(tmp_path / "a.pdf", table))) == [
        "Name: Osric Pell | Post: caretaker | Town: Brindle",
        "Name: Mavis Tern | Post: clerk | Town: Ambleford",
    ]


def test_lines_of_code_on_a_ground_are_no_table(tmp_path):
    data = [["$ IFS=1", "# set it", "# now"], ["$ echo", "# show it", "# then"]] * 2
    grounds = [("BACKGROUND", (0, at), (-1, at), colors.lightgrey) for at in range(4)]
    assert _rows(parse(_pdf(tmp_path / "a.pdf", Table(data, colWidths=120, style=grounds)))) == []


def test_a_list_of_prices_is_a_table(tmp_path):
    data = [["Item", "Price"], ["Lamp", "10"], ["Chair", "50"], ["Desk", "70"]]
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", Table(data, colWidths=[200, 80]))))
    assert rows == ["Item: Lamp | Price: 10", "Item: Chair | Price: 50", "Item: Desk | Price: 70"]


def test_years_over_equal_names_hold_for_each_of_them(tmp_path):
    data = [["", "2023", "", "2022", ""], ["Town", "Sales", "Cost", "Sales", "Cost"],
            ["Brindle", "10", "5", "9", "4"], ["Quarry", "20", "15", "19", "14"]]  # fmt: skip
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", Table(data, colWidths=80))))
    assert rows[0] == "Town: Brindle | 2023 Sales: 10 | 2023 Cost: 5 | 2022 Sales: 9 | 2022 Cost: 4"


def test_words_that_happen_to_stand_in_columns_are_no_table(tmp_path):
    data = [["Dear Sir", "Dear Madam", "Dear all"]] * 4
    parsed = parse(_pdf(tmp_path / "a.pdf", Table(data, colWidths=120)))
    assert _rows(parsed) == []


def test_a_form_says_names_and_values(tmp_path):
    data = [["Name:", "Osric Pell", "Born:", "1961"], ["Post:", "caretaker", "Pay:", "900"]]
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", _table(data))))
    assert rows == ["Name: Osric Pell | Born: 1961", "Post: caretaker | Pay: 900"]


def test_a_form_without_colons_does_too_blank_values_left_out(tmp_path):
    data = [["Name", "Osric Pell", "Gender", "male"], ["Phone", "555", "Hired on", "1961"],
            ["Title", "", "Salary", "900"]]  # fmt: skip
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", _table(data))))
    assert rows[0] == "Name: Osric Pell | Gender: male"
    assert rows[2] == "Title | Salary: 900"


def test_numbers_that_count_head_their_columns(tmp_path):
    data = [["Caretaker", *range(1, 6)], ["Osric", "on", "off", "on", "on", "off"],
            ["Mavis", "off", "off", "off", "off", "on"]]  # fmt: skip
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", _table(data))))
    assert rows[0] == "Caretaker: Osric | 1: on | 2: off | 3: on | 4: on | 5: off"


def test_a_merged_amount_counts_once(tmp_path):
    data = [["Room", "Rent"], ["A-101", "900"], ["A-102", ""], ["A-103", "100"]]
    parsed = parse(_pdf(tmp_path / "a.pdf", _table(data, ("SPAN", (1, 1), (1, 2)))))
    assert [row.shown[1] for row in parsed.tables[0].rows] == ["900", "900", "100"]
    assert [row.values[1] for row in parsed.tables[0].rows] == [900, None, 100]


def test_a_title_inside_a_table_is_no_part_of_its_header(tmp_path):
    data = [["Rooms to let", "", "", ""], *_ROOMS]
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", _table(data, ("SPAN", (0, 0), (-1, 0))))))
    assert rows[0] == "Rooms to let"
    assert rows[1] == "Room: A-101 | Use: office | Area m2: 48 | Rent: 1,200"


def test_a_unit_beside_the_title_of_a_table_is_no_header_either(tmp_path):
    data = [["Rooms to let", "", "", "Unit: EUR"], *_ROOMS]
    rows = _rows(parse(_pdf(tmp_path / "a.pdf", _table(data, ("SPAN", (0, 0), (2, 0))))))
    assert rows[0] == "Rooms to let | Unit: EUR"
    assert rows[1] == "Room: A-101 | Use: office | Area m2: 48 | Rent: 1,200"


def test_a_frame_around_a_paragraph_is_no_table(tmp_path):
    style = getSampleStyleSheet()["Normal"]
    framed = _table([[Paragraph("Note: the caretaker has the keys. " * 5, style)]])
    assert {each.kind for each in parse(_pdf(tmp_path / "a.pdf", framed)).elements} == {"text"}


def test_a_wide_table_on_a_turned_page_is_read(tmp_path):
    import pikepdf

    _pdf(tmp_path / "wide.pdf", _table(_ROOMS), size=landscape(A4))
    with pikepdf.open(tmp_path / "wide.pdf") as document:
        document.pages[0].rotate(90, relative=True)
        document.save(tmp_path / "turned.pdf")
    parsed = parse(tmp_path / "turned.pdf")
    assert "Room: B-207 | Use: parking | Area m2: 12 | Rent: 90" in _rows(parsed)
    box = next(each for each in parsed.elements if "B-207" in each.text).locator.boxes[0]
    assert box.y1 - box.y0 > box.x1 - box.x0  # shown turned, the row runs down


def test_tables_are_given_as_data_too_whole_over_page_breaks(tmp_path):
    data = [["Invoice", "Paid"], *([f"INV-{n}", f"{n},000"] for n in range(1, 81))]
    (table,) = parse(_pdf(tmp_path / "a.pdf", _table(data))).tables
    assert table.header == ("Invoice", "Paid")
    assert len(table.rows) == 80
    assert table.rows[79].shown == ("INV-80", "80,000")
    assert table.rows[79].values == ("INV-80", 80_000.0)
    assert (table.locator.page, table.locator.page_end) == (1, 3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *(("1,234.50", 1234.5), ("¥90", 90.0), ("-3", -3.0), ("(45)", -45.0), ("13%", 0.13)),
        *(("B-207", "B-207"), ("0012", "0012"), ("2031-04-17", "2031-04-17"), ("", None)),
    ],
)
def test_a_cell_that_shows_a_number_is_one(text, value):
    assert to_value(text) == value


@pytest.mark.parametrize(
    ("name", "row"),
    [
        (
            "SPARSE-2024-INV-1234_borderless_table.pdf",
            "Product Code: SKU-9201 | Expected: 780 | Actual: 778 | Status: OK",
        ),
        (
            "table-multi-row-column-cells.pdf",  # a picture, its header in two rows
            "Disability Category: Mobility | Participants: 3 | Ballots Completed: 3 | "
            "Ballots Incomplete/ Terminated: 0 | Results Accuracy: 95.4%, n=3 | "
            "Results Time to complete: 1416 sec, n=3",
        ),
    ],
)
def test_tables_of_real_files(name, row, shared_files):
    assert row in _rows(parse(shared_files / "en_pdf" / name))


def _lamps(start, end):
    return [
        [f"C{n:03d}", f"Lamp {n} of the warehouse", str(n * 2), f"{n * 3}.50"]
        for n in range(start, end)
    ]


def _footer(canvas, document):
    canvas.drawString(72, 20, "Confidential")
    canvas.drawRightString(530, 20, f"Page {document.page}")


def test_a_table_without_rules_keeps_its_header_over_pages(tmp_path):
    rows = [["Code", "Item", "Amount", "Price"], *_lamps(1, 83)]
    SimpleDocTemplate(str(tmp_path / "a.pdf"), pagesize=A4).build(
        [
            Table(rows, colWidths=[70, 180, 60, 80], repeatRows=0),
            Paragraph("Prices are net.", getSampleStyleSheet()["Normal"]),
        ],
        onFirstPage=_footer,
        onLaterPages=_footer,
    )
    parsed = parse(tmp_path / "a.pdf")
    rows = [each.text for each in parsed.elements if each.kind == "table"]
    assert "Code: C040 | Item: Lamp 40 of the warehouse | Amount: 80 | Price: 120.50" in rows
    assert "Code: C082 | Item: Lamp 82 of the warehouse | Amount: 164 | Price: 246.50" in rows
    assert len(rows) == 82
    assert [each.text for each in parsed.elements if each.kind != "table"] == [
        "Confidential Page 1", "Prices are net.",
    ]  # fmt: skip
    (table,) = parsed.tables
    assert (len(table.rows), table.locator.page, table.locator.page_end) == (82, 1, 3)


def test_lines_in_other_columns_do_not_go_on_with_a_table(tmp_path):
    rows = [["Code", "Item", "Amount", "Price"], *_lamps(1, 36)]
    others = [["Mr Pell of Brindle", "12 May in the hall"]] * 3
    SimpleDocTemplate(str(tmp_path / "a.pdf"), pagesize=A4).build(
        [
            Table(rows, colWidths=[70, 180, 60, 80]),
            PageBreak(),
            Table(others, colWidths=[180, 180]),
        ]
    )
    parsed = parse(tmp_path / "a.pdf")
    assert {each.kind for each in parsed.elements if each.locator.page == 1} == {"table"}
    assert {each.kind for each in parsed.elements if each.locator.page == 2} == {"text"}


def test_what_the_rows_are_called_needs_no_name_where_few_columns_have_one(tmp_path):
    canvas = Canvas(str(tmp_path / "a.pdf"), invariant=1)
    rows = [
        "|Note|2023|2022",
        "Revenue|3|12,450|11,020",
        "Gross profit||5,140|4,115",
        "Tax|7|(430)|(275)",
    ]
    for at, row in enumerate(rows):
        for n, cell in enumerate(row.split("|")):
            canvas.drawString(72 + 110 * n, 700 - 15 * at, cell)
    canvas.save()
    assert _rows(parse(tmp_path / "a.pdf")) == [
        "Revenue | Note: 3 | 2023: 12,450 | 2022: 11,020",
        "Gross profit | 2023: 5,140 | 2022: 4,115",
        "Tax | Note: 7 | 2023: (430) | 2022: (275)",
    ]
