"""Which generator a machine gets."""

import re

import pytest

from rag.models import machine as machines
from rag.models.catalogue import generators
from rag.models.choose import FREE_BYTES, PATIENCE_S, choose, estimate
from rag.models.machine import Machine, detect_machine

GIB = 2**30
STARTERS = tuple(card for card in generators() if card.name.startswith("qwen2.5"))


def machine(nominal_gib: float, gflops: float, gpu_gib: float = 0) -> Machine:
    """A computer as sold: firmware and graphics keep some of the memory."""
    total = int(nominal_gib * GIB * 0.96)
    return Machine(total, total // 2, 8, gflops, int(gpu_gib * GIB))


@pytest.mark.parametrize(
    ("given", "best", "better"),
    [
        # Fast enough for anything: memory decides.
        (machine(4, 9000), "qwen2.5-coder-0.5b-instruct", None),
        (machine(6, 9000), "qwen3.5-0.8b", None),
        (machine(8, 9000), "qwen3.5-4b-q5_k_s", None),
        (machine(16, 9000), "qwen3.5-9b", None),
        (machine(32, 9000), "qwen3.5-27b", None),
        # Patience decides.
        (machine(32, 1200), "qwen3.5-9b", "qwen3.5-27b"),
        (machine(16, 600), "qwen3.5-4b-q5_k_s", "qwen3.5-9b"),
        (machine(16, 250), "qwen3.5-2b", "qwen3.5-4b"),
        (machine(16, 90), "qwen3.5-0.8b", "qwen2.5-coder-1.5b-instruct"),
        (machine(16, 10), "qwen2.5-coder-0.5b-instruct", "qwen3.5-0.8b"),
        # A graphics card that holds the whole model makes a slow processor no matter.
        (machine(16, 90, gpu_gib=24), "qwen3.5-27b", None),
        (machine(16, 90, gpu_gib=8), "qwen3.5-9b", None),
    ],
)
def test_the_machine_picks_the_model(given, best, better):
    chosen = choose(generators(), given)
    assert chosen.best.card.name == best
    assert (chosen.better.card.name if chosen.better else None) == better


@pytest.mark.parametrize(
    ("gflops", "best"),
    [(260, "qwen2.5-coder-1.5b-instruct"), (150, "qwen2.5-coder-0.5b-instruct")],
)
def test_two_cores_with_only_a_registry_get_the_starter_they_can_run(gflops, best):
    given = Machine(24 * GIB, 20 * GIB, 2, gflops)
    assert choose(STARTERS, given).best.card.name == best


def test_what_is_chosen_keeps_both_promises():
    chosen = choose(generators(), machine(16, 1200))
    assert chosen.suits
    assert chosen.best.left_bytes >= FREE_BYTES
    assert chosen.best.first_token_s <= PATIENCE_S


def test_where_nothing_suits_the_smallest_is_taken_and_said():
    chosen = choose(generators(), machine(2, 10))
    assert chosen.best.card.name == "qwen2.5-coder-0.5b-instruct"
    assert not chosen.suits


@pytest.mark.parametrize(
    ("given", "why"),
    [
        (machine(16, 250), r"first word; qwen3.5-4b would need about \d+ s, more than 20"),
        (machine(8, 9000), "first word; qwen3.5-9b needs more memory than is left"),
        (machine(2, 9000), "the smallest, though 2 GiB of memory are too few; qwen3.5-0.8b needs"),
        (machine(16, 10), r"the smallest; even so about \d+ s to its first word"),
    ],
)
def test_it_says_why(given, why):
    assert re.search(why, choose(generators(), given).why)


def test_the_speed_is_taken_by_the_time_we_were_given(monkeypatch):
    """By the clock a busy machine looked four times slower, and got the smaller model for good."""
    times = iter(range(100))
    monkeypatch.setattr(machines, "physical_cores", lambda: 1)
    monkeypatch.setattr(machines.time, "thread_time", lambda: float(next(times)))
    monkeypatch.setattr(machines.time, "perf_counter", lambda: 0.0)
    # The thread's clock goes on a second at each look: began, two rounds, the end.
    assert machines.measure_gflops(2.0) == pytest.approx(2 * 1024**3 / 3 / 1e9)


def test_no_models_no_choice():
    assert choose((), machine(16, 100)).best is None


def test_the_estimate_is_the_measured_one():
    """1.5B Q4_K_M reads about 90 tokens a second on two cores of about 210 GFLOPS."""
    (card,) = (card for card in STARTERS if "1.5b" in card.name)
    assert estimate(card, machine(24, 210), 4096).first_token_s == pytest.approx(
        1500 / 90, rel=0.05
    )


def test_this_machine_has_figures():
    found = detect_machine()
    assert found.total_bytes >= found.available_bytes > 0
    assert found.cores >= 1
    assert found.gflops > 0
