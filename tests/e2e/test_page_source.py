"""The source beside the answer in a real browser: pages, marks, zoom, sheets, lost files."""

from __future__ import annotations

import re
from typing import Any

import pytest
from browsing import BROWSER

from tests.e2e.stub_app import RENT
from tests.e2e.stub_library import BOX
from tests.e2e.stub_server import Served, ask, until

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

pytestmark = BROWSER


@pytest.fixture
def panel(served: Served, open_page: Any) -> Any:
    """The panel after a click on the first chip of an answer with two sources."""
    page = open_page(served.url)
    ask(page, "rent").locator(".prose .chip").first.click()
    shown = page.get_by_role("complementary", name="Source")
    expect(shown.locator("img")).to_be_visible()
    return shown


def box_of(picture: Any) -> dict[str, float]:
    """Where it is; a finer one may just take its place."""
    box: dict[str, float] = picture.evaluate("image => image.getBoundingClientRect().toJSON()")
    return box


def test_a_chip_shows_the_quote_and_opens_the_page(served: Served, open_page: Any) -> None:
    page = open_page(served.url)
    turn = ask(page, "rent")
    chip = turn.locator(".chip").first
    chip.hover()
    expect(page.get_by_role("tooltip")).to_contain_text("办公室租赁合同.pdf · p. 3")
    expect(page.get_by_role("tooltip")).to_contain_text("月租金人民币8,000元")
    with page.expect_request(re.compile(r"lease/pages/3\.png")) as asked:
        chip.click()
    assert "passage=passage-lease" in asked.value.url
    assert "quote=%E4%B9%99%E6%96%B9" in asked.value.url
    panel = page.get_by_role("complementary", name="Source")
    expect(panel.get_by_role("heading")).to_be_focused()
    expect(panel.locator("mark")).to_have_text("乙方应于每月5日前向甲方支付月租金人民币8,000元")
    picture = panel.locator("img")
    until(lambda: picture.evaluate("image => image.naturalWidth") == 212)
    assert panel.bounding_box()["x"] > turn.bounding_box()["x"] + 400
    page.keyboard.press("Escape")
    expect(panel).to_be_hidden()
    expect(chip).to_be_focused()


def test_pages_are_turned_jumped_to_and_left_again(panel: Any) -> None:
    original = panel.get_by_role("link", name="Open at page")
    expect(original).to_have_attribute("href", "/api/documents/lease/file#page=3")
    expect(panel.get_by_role("link", name="Download")).to_have_attribute(
        "download", "办公室租赁合同.pdf"
    )
    expect(panel.locator(".jump")).to_contain_text("of 12")
    following = panel.get_by_role("button", name="Next page")
    following.click()
    expect(panel.locator("img")).to_have_attribute("data-page", "4")
    expect(original).to_have_attribute("href", re.compile("#page=4$"))
    expect(following).to_be_focused()
    field = panel.get_by_label("Go to page")
    field.fill("99")
    field.press("Enter")
    expect(panel.locator("img")).to_have_attribute("data-page", "12")
    expect(following).to_be_disabled()
    panel.get_by_role("button", name="Back to page 3").click()
    expect(panel.locator("img")).to_have_attribute("data-page", "3")
    panel.get_by_role("heading").focus()
    panel.page.keyboard.press("ArrowLeft")
    expect(panel.locator("img")).to_have_attribute("data-page", "2")


def test_a_page_is_zoomed_and_the_marked_words_stay_in_view(panel: Any) -> None:
    width = panel.locator(".paper").bounding_box()["width"]
    panel.get_by_role("heading").focus()
    for _ in range(8):
        panel.page.keyboard.press("+")
    picture = panel.locator("img")
    expect(panel.get_by_role("button", name="100 % or fitted")).to_have_text("300 %")
    until(lambda: box_of(picture)["width"] == pytest.approx(3 * 794, abs=2))
    seen = panel.bounding_box()

    def is_seen() -> bool:
        at = box_of(picture)
        top: float = at["y"] + BOX["y0"] * at["height"]
        return bool(seen["y"] < top < seen["y"] + seen["height"])

    until(is_seen)
    panel.page.keyboard.press("0")
    until(lambda: box_of(picture)["width"] == pytest.approx(width, abs=3))
    panel.get_by_role("button", name="100 % or fitted").click()
    until(lambda: box_of(picture)["width"] == pytest.approx(794, abs=2))


def test_the_next_source_of_the_answer_is_one_step_away(panel: Any) -> None:
    expect(panel.locator(".neighbours")).to_have_text(re.compile("1 of 2"))
    panel.get_by_role("button", name="Next source").click()
    expect(panel.locator(".place")).to_have_text("Sheet “租金” · A2:C3")
    expect(panel.locator("mark")).to_contain_text("办公室租金")
    expect(panel.locator("img")).to_have_count(0)
    around = panel.locator("iframe")
    expect(around).to_have_attribute("sandbox", "")
    cited = around.content_frame.locator("#cited")
    expect(cited).to_have_text("passage-ledger")
    expect(cited).to_be_in_viewport()
    expect(panel.get_by_role("button", name="Previous source")).to_be_focused()
    panel.page.keyboard.press("Shift+ArrowLeft")
    expect(panel.locator("img")).to_have_attribute("data-page", "3")
    panel.page.keyboard.press("Escape")
    expect(panel.page.locator(".sources .source-line").first).to_be_focused()


@pytest.mark.parametrize(
    ("gone", "said", "frames"),
    [
        ("file", "The file is not there right now", 1),
        ("document", "This file is no longer in the library", 0),
    ],
)
def test_a_file_that_is_gone_is_said_and_its_text_shown(
    served: Served, open_page: Any, gone: str, said: str, frames: int
) -> None:
    page = open_page(served.url)
    turn = ask(page, "rent")
    served.state.gone.add("lease")
    if gone == "document":
        del served.state.documents["lease"]
    turn.locator(".prose .chip").first.click()
    expect(page.locator("#source .note.warn")).to_contain_text(said)
    expect(page.locator("#source .passage")).to_contain_text("月租金人民币8,000元")
    expect(page.locator("#source iframe")).to_have_count(frames)
    below = "Below is its text as it was read."
    expect(page.locator("#source .note.warn", has_text=below)).to_have_count(frames)


def test_a_file_read_anew_is_shown_without_marks(served: Served, open_page: Any) -> None:
    page = open_page(served.url)
    turn = ask(page, "rent")
    served.state.reread |= {"lease", "ledger"}
    turn.locator(".prose .chip").first.click()
    expect(page.locator("#source .note.warn")).to_contain_text("read anew since this answer")
    expect(page.locator("#source img")).to_be_visible()
    turn.locator(".sources .source-line").nth(1).click()
    expect(page.locator("#source .note.warn")).to_contain_text("read anew since this answer")
    expect(page.locator("#source iframe")).to_be_visible()


def test_a_page_that_cannot_be_drawn_keeps_the_way_back(panel: Any, served: Served) -> None:
    served.state.gone.add("lease")
    panel.get_by_role("button", name="Next page").click()
    expect(panel.locator(".paper .note")).to_contain_text("cannot be made right now")
    served.state.gone.clear()
    panel.get_by_role("button", name="Back to page 3").click()
    expect(panel.locator("img")).to_have_attribute("data-page", "3")


def test_what_a_browser_cannot_show_is_only_offered_for_keeping(
    served: Served, open_page: Any
) -> None:
    first, second = RENT["citations"]
    word = first | {"document_name": "租约.docx", "locator": first["locator"] | {"boxes": []}}
    given = RENT | {"citations": [word, second]}
    talk = served.state.talk("rent?")
    talk["messages"].append({"message_id": "m", "question": "rent?", "answer": given, "at": ""})
    page = open_page(f"{served.url}/#/ask/conversation-1")
    page.locator(".prose .chip").first.click()
    links = page.get_by_role("complementary", name="Source").locator(".links a")
    expect(links).to_have_count(1)
    expect(links).to_have_attribute("download", "租约.docx")
