"""FIELD_CASE 22: a kill at any moment loses nothing and doubles nothing."""

from __future__ import annotations

import random
import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from running import serving
from samples.folder import samples

from rag.adapters.chroma import ChromaStore

pytestmark = [pytest.mark.real_models, pytest.mark.slow]

FILES = ("lease.pdf", "租赁合同.pdf", "差旅制度.docx", "部门汇总.xlsx", "tokens.pdf")
KILLS = 3
LONGEST_S = 6.0

Row = tuple[str, str, int, str, str]


def passages(data: Path) -> list[Row]:
    with sqlite3.connect(data / "catalog.sqlite3") as connection:
        rows: list[Row] = connection.execute(
            "SELECT l.path, d.published, p.ordinal, p.text, p.locator FROM passages p"
            " JOIN documents d USING (document_id) JOIN locations l USING (document_id)"
            " ORDER BY l.path, p.ordinal"
        ).fetchall()
    return rows


def ids(data: Path) -> set[str]:
    with sqlite3.connect(data / "catalog.sqlite3") as connection:
        return {row[0] for row in connection.execute("SELECT passage_id FROM passages")}


def fill(data: Path) -> None:
    (data / "inbox").mkdir(parents=True)
    for name in FILES:
        shutil.copy(samples() / name, data / "inbox")


def test_a_killed_service_ends_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    calm, rough = tmp_path / "calm", tmp_path / "rough"
    fill(calm)
    fill(rough)
    with serving(calm) as service:
        service.wait_until_read(len(FILES))
    moments = random.Random(20261130)
    for _ in range(KILLS):
        with serving(rough) as service:
            time.sleep(moments.uniform(0, LONGEST_S))
            service.process.kill()
    with serving(rough) as service:
        service.wait_until_read(len(FILES))
    assert passages(rough) == passages(calm)
    store = ChromaStore(rough / "chroma")
    assert store.ids() == ids(rough)
    store.close()
