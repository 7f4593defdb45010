"""axe looks at every view, light and dark; and a path through the page by keyboard alone."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import pytest
from browsing import BROWSER

from tests.e2e.stub_server import Served, ask, expect

pytest.importorskip("axe_playwright_python")

pytestmark = BROWSER

AXE = files("axe_playwright_python").joinpath("axe.min.js").read_text("utf-8")
TAGS = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"]


def faults(page: Any) -> list[str]:
    """What axe finds serious or worse on the page as it is now, a line each."""
    if not page.evaluate("'axe' in window"):
        page.evaluate(AXE)
    found = page.evaluate(
        "tags => axe.run(document, {runOnly: tags, resultTypes: ['violations']})", TAGS
    )
    assert "color-contrast" in {one["id"] for one in found["passes"]}, "axe did look"
    return [
        f"{one['id']}: {node['html'][:120]}"
        for one in found["violations"]
        if one["impact"] in ("serious", "critical")
        for node in one["nodes"]
    ]


@pytest.mark.parametrize(("theme", "locale"), [("light", "en-US"), ("dark", "zh-CN")])
def test_axe_finds_nothing_serious(served: Served, open_page: Any, theme: str, locale: str):
    page = open_page("about:blank", locale=locale)
    page.emulate_media(color_scheme=theme, reduced_motion="reduce")
    page.goto(served.url)
    expect(page.locator("html")).to_have_attribute("data-theme", theme)
    assert faults(page) == [], "the welcome"
    ask(page, "fault", "failed")
    ask(page, "weather")
    turn = ask(page, "rent")
    assert faults(page) == [], "answers"
    turn.locator(".chip").first.click()
    expect(page.locator("#source img")).to_be_visible()
    page.locator(".history-row").first.hover()
    assert faults(page) == [], "the source beside the answer"
    page.goto(f"{served.url}/#/health")
    expect(page.locator(".checks")).to_be_visible()
    page.locator(".card details summary").last.click()
    assert faults(page) == [], "the health"
    page.goto(f"{served.url}/#/library")
    expect(page.locator(".document").first).to_be_visible()
    assert faults(page) == [], "the library"
    page.set_viewport_size({"width": 360, "height": 740})
    page.click("#menu")
    assert faults(page) == [], "the drawer of a phone"
    page.locator("#history").get_by_role("button").last.click()
    expect(page.get_by_role("dialog")).to_be_visible()
    assert faults(page) == [], "a question before something is deleted"


def test_a_path_by_keyboard_alone(served: Served, open_page: Any):
    page = open_page(served.url)
    page.locator(".skip").focus()
    page.keyboard.press("Enter")
    expect(page.locator("#main")).to_be_focused()
    page.keyboard.press("Tab")
    expect(page.locator("#question")).to_be_focused()
    page.keyboard.type("rent")
    page.keyboard.press("Enter")
    turn = page.locator(".turn[data-phase=done]")
    turn.wait_for()
    expect(page.locator("#spoken")).to_have_text("The answer is ready.")
    expect(page.locator("#question")).to_be_focused()
    for _ in range(20):
        page.keyboard.press("Shift+Tab")
        if page.evaluate("document.activeElement.matches('.prose .chip')"):
            break
    outline = page.evaluate("getComputedStyle(document.activeElement).outlineStyle")
    assert outline == "solid", "the focus is seen"
    page.keyboard.press("Enter")
    expect(page.locator("#source h2")).to_be_focused()
    page.keyboard.press("Escape")
    expect(page.locator(".prose .chip:focus")).to_have_count(1)


@pytest.mark.parametrize(("theme", "locale"), [("light", "zh-CN"), ("dark", "en-US")])
def test_axe_finds_nothing_serious_in_the_library(
    served: Served, open_page: Any, theme: str, locale: str
):
    served.state.inbox = {"held_back": 10, "state": "unreachable"}
    page = open_page("about:blank", locale=locale)
    page.emulate_media(color_scheme=theme)
    page.goto(f"{served.url}/#/library")
    page.locator("[data-id=scan] [data-action='library.details']").click()
    page.locator("#inbox details summary").click()
    clash = {"name": "Employee handbook & policies (final).docx", "mimeType": "", "buffer": b"x"}
    refused = {"name": "huge.pdf", "mimeType": "", "buffer": b"x"}
    page.set_input_files("#files", [clash, refused])
    expect(page.locator("#uploads li strong").first).to_be_visible()
    assert faults(page) == [], "details, a clash, a refusal and an alarm"
    page.locator("[data-id=scan] [data-action='library.delete']").click()
    page.locator("dialog .danger").click()
    expect(page.locator("[data-action=undo]")).to_be_focused()
    page.locator("#shelves a").last.click()
    expect(page.locator("[data-action='trash.purge']")).to_be_visible()
    assert faults(page) == [], "the trash"
