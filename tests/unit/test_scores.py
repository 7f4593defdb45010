"""The four numbers that reading must reach; ``make parse-report`` measures them on more pages."""

from __future__ import annotations

from samples.scored import scores

from ingest.parsers import parse


def test_reading_gives_back_what_is_known_to_stand_there(tmp_path):
    missed = [each for each in scores(tmp_path, parse, pages=1) if each.value < each.target]
    assert missed == []
