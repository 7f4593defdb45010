"""What every test may use."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from desk import Desk

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
