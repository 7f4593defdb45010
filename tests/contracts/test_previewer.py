"""What every `Previewer` must do, real or fake. FIELD_CASES 10."""

from __future__ import annotations

import re
from collections.abc import Iterator
from html import unescape

import pytest
from samples.folder import samples

from ingest.previews import PagePreviewer
from rag.errors import NotFound
from rag.excerpt import Excerpt, Marks, Window
from rag.ports import Previewer
from rag.records import Box, Locator, Passage
from rag.tabular import Table, TableRow
from rag.testing import BlankPreviewer

PAGES = 3
EVIL = '<script>alert(1)</script><img src="http://example.com/x" onerror=alert(1)> & "押金"'


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(lambda: BlankPreviewer(pages=PAGES), id="fake"),
        pytest.param(PagePreviewer, id="real"),
    ],
)
def previewer(request: pytest.FixtureRequest) -> Iterator[Previewer]:
    opened: Previewer = request.param()
    yield opened
    opened.close()


def passages(*texts: str) -> tuple[Passage, ...]:
    return tuple(
        Passage(f"p{at}", "d", at, text, "name", Locator(section=("第一章",)))
        for at, text in enumerate(texts)
    )


def marked(html: str) -> list[str]:
    found = re.findall(r'<mark id="cited">(.*?)</mark>', html, re.DOTALL)
    return [unescape(re.sub("<[^>]+>", "", words)) for words in found]


def test_a_page_is_a_png(previewer: Previewer) -> None:
    box = Box(3, 0, 0, 1, 1)
    drawn = previewer.page_picture(samples() / "lease.pdf", PAGES, Marks((box,)), width_px=200)
    assert drawn.png.startswith(b"\x89PNG")
    assert drawn.boxes == (box,)
    assert not drawn.is_quote


@pytest.mark.parametrize("page", [0, PAGES + 1])
def test_a_page_that_is_not_there_is_not_found(previewer: Previewer, page: int) -> None:
    with pytest.raises(NotFound):
        previewer.page_picture(samples() / "lease.pdf", page, Marks(), width_px=200)


def test_the_cited_words_are_marked_and_no_others(previewer: Previewer) -> None:
    html = previewer.excerpt_html(Excerpt("a.docx", passages("前文", "押金三千元。", "后文"), "p1"))
    assert marked(html) == ["押金三千元。"]
    assert "前文" in html
    assert "后文" in html


@pytest.mark.parametrize(
    ("quote", "words"),
    [("<b>三千", "<b>三千"), ("四千", "押金<b>三千元。</b>"), ("", "押金<b>三千元。</b>")],
)
def test_of_a_passage_just_the_quote_is_marked(
    previewer: Previewer, quote: str, words: str
) -> None:
    shown = passages("押金", "押金<b>三千元。</b>")
    html = previewer.excerpt_html(Excerpt("a.docx", shown, "p1", quote=quote))
    assert marked(html) == [words]


@pytest.mark.parametrize("cited", [None, "gone"])
def test_nothing_is_marked_where_nothing_is_cited(previewer: Previewer, cited: str | None) -> None:
    assert "<mark" not in previewer.excerpt_html(Excerpt("a.docx", passages("押金"), cited))


def test_a_document_stays_text(previewer: Previewer) -> None:
    html = previewer.excerpt_html(Excerpt(EVIL, passages(EVIL), "p0"))
    assert marked(html) == [EVIL]
    assert "<script" not in html
    assert "<img" not in html


def test_of_a_sheet_the_quote_and_the_rows_around_it_are_there(previewer: Previewer) -> None:
    place = Locator(sheet="Ledger", cells="B4:C5")
    cited = Passage("p0", "d", 0, "Item: Desk | Sum: 7\nItem: <Lamp> | Sum: 12", "name", place)
    rows = [("B3:C3", "Chair", "3"), ("B4:C4", "Desk", "7"), ("B5:C5", "<Lamp>", "12")]
    table = Table(
        "Ledger",
        Locator(sheet="Ledger", cells="B2:C5"),
        ("Item", "Sum"),
        tuple(TableRow(cells, tuple(shown), tuple(shown)) for cells, *shown in rows),
    )
    html = previewer.excerpt_html(Excerpt("a.xlsx", (cited,), "p0", Window(table)))
    assert "Item: Desk | Sum: 7\nItem: &lt;Lamp&gt; | Sum: 12" in html
    assert "Chair" in html
    assert "<Lamp>" not in html
