"""The page over the real service: drop a file, see it ready, ask, look at the cited page."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import BROWSER
from running import Service, serving
from samples.folder import samples

pytestmark = [*BROWSER, pytest.mark.real_models, pytest.mark.slow]

expect = pytest.importorskip("playwright.sync_api").expect
_READ_MS = 90_000


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("page") / "data") as running:
        yield running


@pytest.mark.parametrize(
    ("locale", "file", "question", "words"),
    [
        ("en-US", "lease.pdf", "How much is the monthly rent for 14 Quarry Lane?", "4,250"),
        ("zh-CN", "租赁合同.pdf", "白鹭会计师事务所每月租金是多少？", "18,600"),
    ],
)
def test_from_a_dropped_file_to_the_words_on_its_page(
    service: Service, open_page: Any, locale: str, file: str, question: str, words: str
) -> None:
    page = open_page(service.url, locale=locale)
    page.click("[data-view=library]")
    page.locator("#files").set_input_files(Path(samples() / file))
    row = page.locator("[data-status]").filter(has_text=file)
    expect(row).to_have_attribute("data-status", "ready", timeout=_READ_MS)

    page.click("[data-view=ask]")
    page.fill("#question", question)
    page.press("#question", "Enter")
    turn = page.locator(".turn").last
    expect(turn).to_have_attribute("data-phase", "done", timeout=_READ_MS)
    expect(turn.locator(".prose")).to_contain_text(words)

    turn.locator(".prose .chip").first.click()
    picture = page.locator("#source img")
    expect(picture).to_be_visible()
    expect(picture).to_have_js_property("complete", value=True)
    assert picture.evaluate("image => image.naturalWidth") > 1000
    expect(page.locator("#source mark").first).to_contain_text(words)
