from __future__ import annotations

import pytest

from ingest.parsers.lengths import MAX_CHARS, of_sane_length
from rag.records import Element, Locator

PLACE = Locator(page=3, section=("S",))


@pytest.mark.parametrize(
    "words", ["alder ", "桤木在河边。", "x"], ids=["words", "sentences", "none"]
)
def test_one_long_line_becomes_pieces_that_say_all_of_it(words: str) -> None:
    text = words * (100_000 // len(words))
    pieces = list(of_sane_length([Element("text", text, PLACE)]))
    assert len(pieces) > 4
    assert max(len(piece.text) for piece in pieces) <= MAX_CHARS
    assert "".join(piece.text for piece in pieces).replace(" ", "") == text.replace(" ", "")
    assert {piece.locator for piece in pieces} == {PLACE}
    if words != "x":
        assert all(piece.text.endswith(words.strip()) for piece in pieces)


def test_the_rest_is_left_as_it_is() -> None:
    short = Element("text", "alder", PLACE)
    table = Element("table", "a | b\n" * 20_000, PLACE)
    assert list(of_sane_length([short, table])) == [short, table]
