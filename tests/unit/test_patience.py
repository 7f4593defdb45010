"""When a child is given up: with a clock of our own, since days of reading are meant."""

from __future__ import annotations

from ingest.patience import Patience


class Clock:
    """Moves when told, in steps as short as the real one is looked at."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


def passes(patience: Patience, clock: Clock, seconds: int) -> bool:
    """Whether patience lasts that long, looked at twice a second."""
    for _ in range(seconds * 2):
        clock.now += 0.5
        if patience.is_over:
            return False
    return True


def test_a_slow_reader_that_gets_on_is_left_to_finish() -> None:
    clock = Clock()
    patience = Patience(60, 30, clock=clock)
    for page in range(1, 2001):
        assert passes(patience, clock, 8)
        patience.hear(page, 2000)


def test_a_reader_that_tells_the_same_page_forever_is_not() -> None:
    clock = Clock()
    patience = Patience(60, 30, clock=clock)
    for _ in range(20):
        patience.hear(1, 2000)
        if not passes(patience, clock, 10):
            break
    assert 60 <= clock.now <= 80


def test_a_reader_far_too_slow_is_ended_though_it_gets_on() -> None:
    clock = Clock()
    patience = Patience(60, 30, clock=clock)
    page = 0
    while passes(patience, clock, 50):
        page += 1
        patience.hear(page, 10)
    assert page <= 10
    assert clock.now <= 60 + 10 * 30 + 1


def test_a_night_asleep_does_not_count() -> None:
    clock = Clock()
    patience = Patience(60, 30, clock=clock)
    assert passes(patience, clock, 30)
    clock.now += 8 * 3600
    assert passes(patience, clock, 20)
    assert not passes(patience, clock, 60)
