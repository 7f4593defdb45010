"""FIELD_CASE 63: how long indexing takes, with a clock of our own."""

from __future__ import annotations

import pytest

from ingest.pace import Pace
from rag.records import Advance

PDF, SHEET = "application/pdf", "text/csv"


class Clock:
    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def pace(clock: Clock) -> Pace:
    return Pace(clock=clock)


def read(pace: Pace, clock: Clock, kind: str, *, size: int, pages: int, seconds: int) -> None:
    pace.begin(size)
    clock.now += seconds
    pace.end(kind, pages)


def test_nothing_is_claimed_before_anything_was_read(pace: Pace) -> None:
    assert pace.pages_per_s is None
    assert pace.seconds_for({PDF: 1000}) is None
    pace.begin(1000)
    assert pace.seconds_for({PDF: 1000}) is None


def test_time_left_goes_down_second_by_second_on_the_first_document(
    pace: Pace, clock: Clock
) -> None:
    pace.begin(1000)
    left = []
    for page in range(1, 101):
        clock.now += 2
        pace.advance(Advance(page, 100, page / 100))
        left.append(pace.seconds_for({PDF: 500}))
    assert left == [pytest.approx(2 * (100 - page) + 100) for page in range(1, 101)]
    assert pace.pages_per_s == pytest.approx(0.5)


def test_what_waits_is_judged_by_its_kind(pace: Pace, clock: Clock) -> None:
    read(pace, clock, PDF, size=1000, pages=10, seconds=10)
    read(pace, clock, SHEET, size=1000, pages=1, seconds=50)
    assert pace.seconds_for({PDF: 2000}) == pytest.approx(20)
    assert pace.seconds_for({SHEET: 2000}) == pytest.approx(100)
    assert pace.seconds_for({"text/plain": 2000}) == pytest.approx(60)


def test_the_one_under_way_shrinks_before_it_tells_of_pages(pace: Pace, clock: Clock) -> None:
    read(pace, clock, PDF, size=1000, pages=10, seconds=10)
    pace.begin(1000)
    clock.now += 4
    assert pace.seconds_for({}) == pytest.approx(6)
    clock.now += 40
    assert pace.seconds_for({}) == 0


def test_a_file_that_failed_at_once_makes_nothing_look_fast(pace: Pace, clock: Clock) -> None:
    read(pace, clock, PDF, size=1000, pages=10, seconds=10)
    read(pace, clock, PDF, size=10**9, pages=0, seconds=0)
    assert pace.seconds_for({PDF: 1000}) == pytest.approx(10)


def test_pages_a_second_are_those_of_late(pace: Pace, clock: Clock) -> None:
    read(pace, clock, PDF, size=1, pages=1000, seconds=10)
    clock.now += 3600  # nothing to read meanwhile
    for _ in range(60):
        read(pace, clock, PDF, size=1, pages=1, seconds=10)
    assert pace.pages_per_s == pytest.approx(0.1, rel=0.2)


def test_nobody_can_tell_more_than_a_day_ahead(pace: Pace, clock: Clock) -> None:
    read(pace, clock, SHEET, size=5_000, pages=1, seconds=93)  # a bomb that was read all the same
    assert pace.seconds_for({SHEET: 300_000_000}) is None
    assert pace.seconds_for({SHEET: 5_000}) == pytest.approx(93)
