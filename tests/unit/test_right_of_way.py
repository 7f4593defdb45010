"""FIELD_CASE 64: answers come first, and ingest still gets on."""

from __future__ import annotations

import dataclasses
import threading

import pytest
from asking import engine as engine_on
from desk import Desk

from rag.index import Index
from rag.records import Locator, Passage
from rag.right_of_way import RightOfWay
from rag.testing import ScriptedGenerator
from rag.turns import Turns

PASSAGE = Passage("", "d", 0, "The monthly rent is 4,250 pounds.", "lease", Locator(page=1))


class Clock:
    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def way(clock: Clock) -> RightOfWay:
    return RightOfWay(patience_s=60, turn_s=5, clock=clock)


def test_the_way_is_taken_while_any_question_is_under_way(way: RightOfWay) -> None:
    assert not way.is_taken
    first, second = way.enter(), way.enter()
    assert way.is_taken
    assert way.wait(0) is False
    first()
    first()
    assert way.is_taken
    second()
    assert way.wait(0) is True


def test_ingest_gets_a_turn_though_questions_never_end(way: RightOfWay, clock: Clock) -> None:
    taken = 0
    leave = way.enter()
    for second in range(650):
        clock.now += 1
        taken += way.is_taken
        if second % 7 == 0:  # one ends, the next one comes at once
            leave()
            leave = way.enter()
    assert 590 <= taken <= 605


def test_after_a_break_questions_go_first_again(way: RightOfWay, clock: Clock) -> None:
    with way.question():
        clock.now += 61
        assert not way.is_taken
    clock.now += 6
    with way.question():
        assert way.is_taken


def test_who_waits_is_let_go_when_all_is_closed(way: RightOfWay) -> None:
    way.enter()
    waiting = threading.Thread(target=way.give_way)
    waiting.start()
    waiting.join(0.3)
    assert waiting.is_alive()
    way.close()
    waiting.join(5)
    assert not waiting.is_alive()


def test_a_question_has_the_way_from_its_arrival_to_its_end(desk: Desk) -> None:
    way = RightOfWay()
    model = ScriptedGenerator("The rent is 4,250 pounds. [1]")
    engine = engine_on(desk, model, turns=Turns(2, way))
    desk.publish("lease.pdf", "The monthly rent is 4,250 pounds.")
    asking = engine.ask("How much is the monthly rent?")
    assert way.is_taken
    next(iter(asking))
    assert way.is_taken
    asking.close()
    assert not way.is_taken


@pytest.mark.parametrize("question", ["", "What is the capital of Atlantis?"])
def test_a_question_without_a_generation_leaves_the_way_too(desk: Desk, question: str) -> None:
    way = RightOfWay()
    engine = engine_on(desk, None, turns=Turns(2, way))
    try:
        engine.ask(question).answer()
    except Exception as error:
        assert "empty" in str(error)
    assert not way.is_taken


def test_no_batch_is_embedded_meanwhile(desk: Desk) -> None:
    way = RightOfWay()
    index = Index(desk.catalog, desk.store, desk.embedder, give_way=way.give_way)
    passages = [dataclasses.replace(PASSAGE, passage_id=str(at)) for at in range(40)]
    begun = threading.Event()
    leave = way.enter()
    embedding = threading.Thread(
        target=index.embed, args=(passages,), kwargs={"progress": lambda _done: begun.set()}
    )
    embedding.start()
    assert not begun.wait(0.3)
    assert desk.embedder.embedded == 0
    leave()
    embedding.join(10)
    assert desk.embedder.embedded == 40
