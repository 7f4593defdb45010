"""Pages of passages that stand on two of them. FIELD_CASES 12."""

from __future__ import annotations

from ingest.places import share, union
from rag.records import Box, Locator


def _lines(*pages):
    boxes = tuple(Box(page, 0.1, at / 10, 0.9, at / 10 + 0.05) for at, page in enumerate(pages))
    return Locator(page=min(pages), page_end=max(pages), page_source="rendered", boxes=boxes)


def test_a_part_stands_on_the_pages_of_its_lines():
    place = _lines(3, 3, 4, 4)
    assert (share(place, 0.0, 0.5).page, share(place, 0.0, 0.5).page_end) == (3, None)
    assert (share(place, 0.5, 1.0).page, share(place, 0.5, 1.0).page_end) == (4, None)
    assert (share(place, 0.25, 0.75).page, share(place, 0.25, 0.75).page_end) == (3, 4)


def test_parts_together_stand_on_all_their_pages():
    whole = union([Locator(page=3), _lines(3, 4), Locator(page=4)])
    assert (whole.page, whole.page_end) == (3, 4)
    assert union([Locator(page=3), Locator(page=3)]).page_end is None
    assert union([Locator(sheet="A", cells="A1:B1")]).page is None
