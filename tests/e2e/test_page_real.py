"""The page over the real service: drop a file, see it ready, ask, look at the words cited."""

from __future__ import annotations

import base64
import io
import json
import re
import unicodedata
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pypdfium2
import pytest
from browsing import BROWSER
from PIL import Image, ImageChops
from running import Service, serving
from samples.folder import samples

pytestmark = [*BROWSER, pytest.mark.real_models, pytest.mark.slow]

expect = pytest.importorskip("playwright.sync_api").expect
_READ_MS = 240_000
_PAD_PX = 6
"""Marks are drawn a little wider than the letters."""


_SHOWN = """image => {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, {width: image.naturalWidth, height: image.naturalHeight});
  canvas.getContext('2d').drawImage(image, 0, 0);
  return canvas.toDataURL('image/png').split(',')[1];
}"""


@pytest.fixture(scope="module")
def service(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with serving(tmp_path_factory.mktemp("page") / "data") as running:
        yield running


def asked_of(page: Any, file: Path, question: str) -> Any:
    """Add the file, wait until it is read, ask; gives the answer."""
    page.click("[data-view=library]")
    page.locator("#files").set_input_files(file)
    row = page.locator("[data-status]").filter(has_text=file.name)
    expect(row).to_have_attribute("data-status", "ready", timeout=_READ_MS)
    page.click("[data-view=ask]")
    page.fill("#question", question)
    page.press("#question", "Enter")
    turn = page.locator(".turn").last
    expect(turn).to_have_attribute("data-phase", "done", timeout=_READ_MS)
    return turn


def letters(text: str) -> str:
    """Without blanks and punctuation, whose boxes are too thin to be told apart."""
    return re.sub(r"\W+", "", unicodedata.normalize("NFKC", text))


def picture_of(png: bytes) -> Image.Image:
    return Image.open(io.BytesIO(png)).convert("RGB")


def words_under(boxes: list[list[float]], file: Path, page: int) -> str:
    """What pdfium's text layer holds under boxes given as shares of the page, origin top left."""
    with pypdfium2.PdfDocument(file) as document:
        shown = document[page - 1]
        width, height = shown.get_size()
        text = shown.get_textpage()
        return "".join(
            text.get_text_bounded(
                left=x0 * width, right=x1 * width, top=(1 - y0) * height, bottom=(1 - y1) * height
            )
            for x0, y0, x1, y1 in boxes
        )


@pytest.mark.parametrize(
    ("locale", "file", "question", "words"),
    [
        ("en-US", "lease.pdf", "How much is the monthly rent for 14 Quarry Lane?", "4,250"),
        ("zh-CN", "租赁合同.pdf", "白鹭会计师事务所每月租金是多少？", "18,600"),
    ],
)
def test_from_a_dropped_file_to_the_words_marked_on_its_page(
    service: Service, open_page: Any, locale: str, file: str, question: str, words: str
) -> None:
    page = open_page(service.url, locale=locale)
    turn = asked_of(page, samples() / file, question)
    expect(turn.locator(".prose")).to_contain_text(words)

    with page.expect_response(re.compile(r"/pages/\d+\.png")) as fetched:
        turn.locator(".prose .chip").first.click()
    picture = page.locator("#source img")
    expect(picture).to_be_visible()
    assert picture.evaluate("image => image.naturalWidth") > 1000
    quote = page.locator("#source mark").first.inner_text()
    assert words in quote

    told = fetched.value.headers
    assert told["deskside-marked"] == "quote"
    boxes = json.loads(told["deskside-boxes"])
    number = int(picture.get_attribute("data-page"))
    assert letters(words_under(boxes, samples() / file, number)) == letters(quote)

    marked = picture_of(base64.b64decode(picture.evaluate(_SHOWN)))
    address = fetched.value.url.removeprefix(service.url).partition("?")[0]
    plain = picture_of(service.fetch(address))
    left, top, right, bottom = ImageChops.difference(marked, plain).getbbox()
    across, down = marked.size
    assert abs(left - min(x0 for x0, *_ in boxes) * across) < _PAD_PX
    assert abs(right - max(x1 for _, _, x1, _ in boxes) * across) < _PAD_PX
    assert abs(top - min(y0 for _, y0, *_ in boxes) * down) < _PAD_PX
    assert abs(bottom - max(y1 for *_, y1 in boxes) * down) < _PAD_PX

    seen = page.locator("#source").bounding_box()
    at = picture.bounding_box()
    assert seen["y"] < at["y"] + boxes[0][1] * at["height"] < seen["y"] + seen["height"]


def test_the_cells_marked_in_a_sheet_are_those_quoted(service: Service, open_page: Any) -> None:
    page = open_page(service.url)
    turn = asked_of(page, samples() / "ledger.xlsx", "Who approved voucher V-0286?")
    expect(turn.locator(".prose")).to_contain_text("Rowan Thistle")
    turn.locator(".sources .source-line", has_text="ledger.xlsx").first.click()
    quote = page.locator("#source mark").first.inner_text()
    sheet = page.locator("#source iframe").content_frame
    cited = sheet.locator("tr", has=sheet.locator("td.cited"))
    expect(cited).to_have_count(1)
    expect(cited.locator("th")).to_have_text("287")
    expect(cited).to_be_in_viewport()
    cells = cited.locator("td.cited").all_inner_texts()
    assert "Rowan Thistle" in cells
    assert all(cell in quote for cell in cells)
