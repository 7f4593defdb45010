from __future__ import annotations

import pytest

from ingest.chunking import chunk
from rag.records import Box, Element, Locator, Passage


def _spans(text):
    return [(at, at + 1) for at, letter in enumerate(text) if not letter.isspace()]


def _chunk(elements, target=60, most=120, name="doc"):
    return chunk(
        elements, document_name=name, token_spans=_spans, target_tokens=target, max_tokens=most
    )


def _text(text, page=1, section=(), **more):
    return Element("text", text, Locator(page=page, section=section, **more))


def test_small_neighbours_of_one_section_share_a_passage():
    (draft,) = _chunk([_text("First."), _text("Second."), _text("Third.")])
    assert draft.text == "First.\nSecond.\nThird."


def test_no_passage_crosses_a_page_a_sheet_or_a_section():
    elements = [_text("a"), _text("b", page=2), _text("c", page=2, section=("S",))]
    elements += [_text("d", page=None, sheet="one"), _text("e", page=None, sheet="two")]
    assert [draft.text for draft in _chunk(elements)] == ["a", "b", "c", "d", "e"]


def test_a_heading_goes_with_what_follows():
    elements = [
        Element("title", "Lease", Locator(page=1, section=("Lease",)), 1),
        Element("title", "Rent", Locator(page=1, section=("Lease", "Rent")), 2),
        _text("The rent is 100.", section=("Lease", "Rent")),
    ]
    (draft,) = _chunk(elements)
    assert draft.text == "Lease\nRent\nThe rent is 100."
    assert draft.context == "doc › Lease › Rent"
    assert draft.locator.section == ("Lease", "Rent")


def test_long_text_is_cut_at_sentence_ends():
    text = "甲方应当按月支付租金。" * 20
    drafts = _chunk([_text(text)])
    assert "".join(draft.text for draft in drafts) == text
    assert all(draft.text.endswith("。") for draft in drafts)


@pytest.mark.parametrize("text", ["字" * 1000, "word " * 400, "句子。" * 300])
@pytest.mark.parametrize("section", [(), ("很长的标题" * 40, "章")])
def test_nothing_is_longer_than_the_window(text, section):
    drafts = _chunk([_text(text, section=section)])
    assert max(len(_spans(draft.embedded_text)) for draft in drafts) <= 120
    joined = "".join(draft.text for draft in drafts)
    assert joined.replace(" ", "") == text.replace(" ", "")


def test_a_fact_at_token_200_is_kept():
    drafts = _chunk([_text("填" * 200 + "密码是七一四" + "充" * 200)])
    assert any("密码" in draft.text for draft in drafts)


def test_every_part_of_a_table_has_its_header():
    rows = "\n".join(["Name | Sum", *(f"row {n} | {n}" for n in range(40))])
    drafts = _chunk([Element("table", rows, Locator(page=1), header="Name | Sum")])
    assert len(drafts) > 1
    assert all("Name | Sum" in draft.embedded_text for draft in drafts)
    assert sum(draft.embedded_text.count("Name | Sum") for draft in drafts) == len(drafts)


@pytest.mark.parametrize("row", ["Q: refund? | A: {}", "refund: {}"])
def test_every_part_of_a_long_cell_says_what_it_is(row):
    text = row.format("Yes, we do. " * 30 + "Within 17 days.")
    drafts = _chunk([Element("table", text, Locator(sheet="S", cells="A2:B2"))])
    lead = row.format("")
    assert len(drafts) > 2
    assert all(line.startswith(lead) for draft in drafts for line in draft.text.split("\n"))
    assert "".join(draft.text.removeprefix(lead) for draft in drafts).endswith("17 days.")


def test_rows_of_a_sheet_share_a_passage_and_its_range():
    rows = [
        Element("table", f"n: {n}", Locator(sheet="S", cells=f"A{n}:C{n}")) for n in range(2, 6)
    ]
    (draft,) = _chunk(rows)
    assert draft.locator.cells == "A2:C5"
    assert draft.context == "doc › S"


def test_each_line_of_a_passage_knows_its_cells():
    rows = [
        Element("table", f"name {n} | {n * 7}", Locator(sheet="S", cells=f"A{n}:B{n}"))
        for n in (2, 3, 5, 6)
    ]
    (draft,) = _chunk(rows)
    assert draft.locator.lines == ("A2:B2", "A3:B3", "A5:B5", "A6:B6")
    passage = Passage("p", "d", 0, draft.text, draft.context, draft.locator)
    assert passage.place_of("name 5 | 35").label == "S!A5:B5"
    assert passage.place_of("name 3 | 21\nname 5").cells == "A3:B5"
    assert passage.place_of("not in it").cells == passage.place_of("").cells == "A2:B6"


def test_a_heading_of_a_sheet_goes_with_the_rows_below():
    place = Locator(sheet="S", cells="A1:A1", section=("Costs",))
    title = Element("title", "Costs", place, 1)
    row = Element("table", "a | 1", Locator(sheet="S", cells="A3:B3", section=("Costs",)))
    (draft,) = _chunk([title, row])
    assert draft.locator.cells == "A1:B3"
    assert draft.locator.lines == ("A1:A1", "A3:B3")


def test_a_wide_row_is_cut_between_cells_and_keeps_its_key():
    row = " | ".join(["Zone: NA", *(f"m{n}: {n}" for n in range(300))])
    drafts = _chunk([Element("table", row, Locator(sheet="S", cells="A2:KO2"))])
    lines = [line for draft in drafts for line in draft.text.split("\n")]
    assert len(lines) > 10
    assert all(line.startswith("Zone: NA | m") for line in lines)
    cells = [cell for line in lines for cell in line.split(" | ")[1:]]
    assert cells == [f"m{n}: {n}" for n in range(300)]
    assert {draft.locator.cells for draft in drafts} == {"A2:KO2"}


@pytest.mark.parametrize(
    "text",
    [
        "字" * 40_000,
        "id: 7 | note: " + "字" * 40_000,
        "标签" * 100 + ": 1 | " + "x" * 300,
        "🙂" * 999,
    ],
)
def test_no_cell_is_too_long_for_the_window(text):
    drafts = _chunk([Element("table", text, Locator(sheet="S", cells="A2:B2"))])
    assert max(len(_spans(draft.embedded_text)) for draft in drafts) <= 120
    lead = "id: 7 | note: "
    joined = "".join(line.removeprefix(lead) for d in drafts for line in d.text.split("\n"))
    assert joined.replace(" | ", "") == text.removeprefix(lead).replace(" | ", "")


def test_halves_of_a_passage_that_was_too_long_know_their_cells():
    def grows(text):  # more tokens together than apart, as real tokenizers do
        return sorted(_spans(text) * (2 if "\n" in text else 1))

    rows = [Element("table", "字" * 20, Locator(sheet="S", cells=f"A{n}:B{n}")) for n in (2, 3, 4)]
    drafts = chunk(rows, document_name="d", token_spans=grows, target_tokens=70, max_tokens=120)
    for draft in drafts:
        lines = draft.locator.lines or (draft.locator.cells,)
        assert len(lines) == draft.text.count("\n") + 1


def test_rows_of_two_tables_do_not_mix():
    rows = [
        Element("table", f"n: {cells}", Locator(sheet="S", cells=cells))
        for cells in ("A2:B2", "D2:E2", "A9:B9")
    ]
    assert [draft.locator.cells for draft in _chunk(rows)] == ["A2:B2", "D2:E2", "A9:B9"]


def test_a_piece_is_marked_by_its_own_lines():
    lines = tuple(Box(1, 0.1, y / 10, 0.9, y / 10 + 0.05) for y in range(4))
    text = "甲" * 50 + "。" + "乙" * 50 + "。"
    first, second = _chunk([_text(text, boxes=lines)])
    assert first.locator.boxes == lines[:2]
    assert second.locator.boxes == lines[2:]


def test_running_headers_and_blank_elements_are_left_out():
    elements = [Element("header", "Acme", Locator(page=1)), _text("  "), _text("Body.")]
    assert [draft.text for draft in _chunk(elements)] == ["Body."]
