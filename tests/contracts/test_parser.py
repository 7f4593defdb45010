"""What every `Parser` must do: the one of the service, its parsers without the child, the fake."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from reportlab.pdfgen.canvas import Canvas

from ingest.child import ParsingChild
from ingest.parsers import parse
from rag.errors import Unavailable
from rag.ports import Parser, Progress, unheard
from rag.records import Parsed
from rag.testing import LineParser

WORDS = ("Alder stands here.", "Birch stands here.", "Cedar stands here.")
Write = Callable[[Path], Path]


class InProcess:
    """The parsers that the child runs, without a child."""

    def parse(self, path: Path, /, *, progress: Progress = unheard) -> Parsed:
        return parse(path, progress=progress)

    def close(self) -> None:
        """Nothing to let go."""


def pages_pdf(folder: Path) -> Path:
    canvas = Canvas(str(folder / "trees.pdf"), invariant=1)
    for words in WORDS:
        canvas.drawString(72, 700, words)
        canvas.showPage()
    canvas.save()
    return folder / "trees.pdf"


def pages_txt(folder: Path) -> Path:
    """As the fake writes pages."""
    (folder / "trees.txt").write_text("\f".join(WORDS), encoding="utf-8")
    return folder / "trees.txt"


@pytest.fixture(
    params=[
        pytest.param((LineParser, pages_txt), id="fake"),
        pytest.param((InProcess, pages_pdf), id="in process"),
        pytest.param((ParsingChild, pages_pdf), id="child"),
    ]
)
def case(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Parser, Path]]:
    make, write = request.param
    parser: Parser = make()
    yield parser, write(tmp_path)
    parser.close()


def test_each_page_is_read_in_order(case: tuple[Parser, Path]) -> None:
    parser, path = case
    parsed = parser.parse(path)
    assert [(each.locator.page, each.text) for each in parsed.elements] == [
        (number, words) for number, words in enumerate(WORDS, start=1)
    ]
    assert [page.number for page in parsed.pages] == [1, 2, 3]
    assert {page.status for page in parsed.pages} == {"text"}
    assert parsed.failure is None


def test_a_file_reads_the_same_twice(case: tuple[Parser, Path]) -> None:
    parser, path = case
    assert parser.parse(path) == parser.parse(path)


def test_pages_done_are_told_and_only_grow(case: tuple[Parser, Path]) -> None:
    parser, path = case
    told: list[tuple[int, int]] = []
    parser.parse(path, progress=lambda done, total: told.append((done, total)))
    assert {total for _, total in told} == {3}
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1] == (3, 3)


def test_who_listens_can_end_it_and_the_next_file_is_read(case: tuple[Parser, Path]) -> None:
    parser, path = case

    def enough(_done: int, _total: int) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        parser.parse(path, progress=enough)
    assert len(parser.parse(path).pages) == 3


def test_a_missing_file_is_told_as_one(case: tuple[Parser, Path]) -> None:
    parser, path = case
    with pytest.raises(FileNotFoundError):
        parser.parse(path.with_name("gone" + path.suffix))


def test_a_closed_one_reads_no_more(case: tuple[Parser, Path]) -> None:
    parser, path = case
    if isinstance(parser, InProcess):
        pytest.skip("has nothing to close")
    parser.close()
    parser.close()
    with pytest.raises(Unavailable):
        parser.parse(path)
