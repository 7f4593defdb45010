"""What every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk, Put

from ingest.scanner import Scanner
from rag.catalog import Catalog

SHARED = Path(__file__).resolve().parents[2] / "shared"


@pytest.fixture
def shared_files() -> Path:
    """Real documents; the test is skipped where they are not at hand."""
    folder = SHARED / "cases" / "files"
    if not folder.is_dir():
        pytest.skip("the folder of real documents is not here")
    return folder


@pytest.fixture
def catalog(tmp_path: Path) -> Iterator[Catalog]:
    opened = Catalog(tmp_path / "catalog.sqlite3")
    yield opened
    opened.close()


@pytest.fixture
def desk(catalog: Catalog) -> Desk:
    return Desk(catalog)


@pytest.fixture
def inbox(tmp_path: Path) -> Path:
    folder = tmp_path / "inbox"
    folder.mkdir()
    return folder


@pytest.fixture
def put(inbox: Path) -> Put:
    def write(path: str, text: str) -> Path:
        file = inbox / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture
def scanner(inbox: Path, desk: Desk) -> Scanner:
    return Scanner(inbox, desk.catalog, desk.index, settle_s=0)
