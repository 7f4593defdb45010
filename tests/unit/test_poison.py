"""FIELD_CASES 28 and 33: files made to hurt end as a reason of their own, and the next is read."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest
from samples.folder import samples
from samples.poison import poison

from ingest.child import ParsingChild
from ingest.failures import Unreadable

MEMORY_BYTES = 1 << 30
# What may come of each; None where it may also be read, as the harm in it is never unfolded.
ENDS: dict[str, set[str | None]] = {
    "bomb.docx": {"too_large"},
    "bomb.epub": {"too_large"},
    "nested.docx": {"corrupt"},
    "many-parts.docx": {"too_large"},
    "lying-size.docx": {"corrupt"},
    "overlapping.docx": {"too_large", "corrupt"},
    "laughs.docx": {"corrupt"},
    "blowup.docx": {"corrupt"},
    "laughs.xlsx": {"corrupt", None},
    "merged.xlsx": {None},
    "last-cell.xlsx": {None},
    "deep.html": {"no_text", None},
    "deep.md": {None},
    "page-tree.pdf": {"corrupt"},
    "xref-loop.pdf": {"no_text", "corrupt"},
}
SLOW_ENDS: dict[str, set[str | None]] = {
    "bomb.xlsx": {"too_large"},
    "huge-xml.docx": {"memory"},
    "formatted-rows.xlsx": {None, "timeout"},
    "wide.xlsx": {None, "timeout", "memory", "too_large"},
    "vast-page.pdf": {"no_text", "timeout", "memory"},
    "two-thousand.pdf": {None},
    "one-line.txt": {None, "memory", "too_large", "timeout"},
}


@pytest.fixture(scope="module")
def reading() -> Iterator[ParsingChild]:
    child = ParsingChild(timeout_s=300, memory_bytes=MEMORY_BYTES)
    yield child
    child.close()


def end(reading: ParsingChild, path: Path) -> str | None:
    try:
        reading.parse(path)
    except Unreadable as error:
        return error.failure.code.value
    return None


@pytest.mark.parametrize("name", ENDS)
def test_poison_ends_and_the_next_file_is_read(
    reading: ParsingChild, tmp_path: Path, name: str
) -> None:
    poison()[name](tmp_path / name)
    assert end(reading, tmp_path / name) in ENDS[name]
    assert reading.parse(samples() / "tokens.pdf").pages


@pytest.mark.slow
@pytest.mark.parametrize("name", SLOW_ENDS)
def test_heavy_poison_stays_within_its_bounds(
    reading: ParsingChild, tmp_path: Path, name: str
) -> None:
    poison()[name](tmp_path / name)
    assert end(reading, tmp_path / name) in SLOW_ENDS[name]
    assert reading.parse(samples() / "tokens.pdf").pages
    assert psutil.Process().memory_info().rss < 4 * MEMORY_BYTES


def test_every_poison_is_tried() -> None:
    assert poison().keys() == ENDS.keys() | SLOW_ENDS.keys()
