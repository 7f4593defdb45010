"""FIELD_CASE 22: kills lose nothing and double nothing; `make kill-test` in short."""

from __future__ import annotations

from pathlib import Path

import pytest
from killing import campaign

pytestmark = [pytest.mark.slow]


def test_a_killed_service_ends_where_an_undisturbed_one_does(tmp_path: Path) -> None:
    outcome = campaign(tmp_path, kills=4, seed=7, embedder="fake")
    assert outcome.faults == []
    assert outcome.kills.total() == 4
    assert outcome.passages > 100
