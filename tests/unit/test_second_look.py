"""The model's own yes or no beside the gate's evidence."""

from __future__ import annotations

from dataclasses import replace

import pytest
from asking import LIMITS, ask, engine
from desk import Desk

from rag import second_look
from rag.prompting import build, whether_stated
from rag.records import Hit, Locator, Passage
from rag.testing import ScriptedGenerator

LEASE = "The rent of the flat is 3200 yuan a month since 2024."
QUESTION = "What is the rent of the flat?"


class Measured(ScriptedGenerator):
    """Named like a model whose word was measured; says first ``look``, then ``reply``."""

    name = "qwen2.5-coder-1.5b-instruct-q4_k_m"

    def __init__(self, look: float | None, reply: str = LEASE) -> None:
        super().__init__(reply)
        self.look = look
        self.looked = 0

    def leaning(self, prompt, /, *, towards, away, cancelled):
        assert prompt.messages[-1].text.endswith(("Yes or No.", "“是”或“否”。"))
        self.looked += 1
        return self.look


@pytest.fixture
def lease(desk: Desk) -> Desk:
    desk.publish("lease.pdf", LEASE)
    return desk


def asked(desk: Desk, model: ScriptedGenerator | None, *, bar: float):
    limits = replace(LIMITS, min_evidence=bar)
    return engine(desk, model, limits=limits).ask(QUESTION).answer()


def evidence(desk: Desk) -> float:
    found = ask(desk, ScriptedGenerator(LEASE), QUESTION).evidence
    assert found is not None
    return found


def test_a_model_that_says_no_refuses_what_the_gate_let_through(lease: Desk) -> None:
    model = Measured(look=-9.0)
    answer = asked(lease, model, bar=0.5)
    assert evidence(lease) > 0.5, "the gate alone lets it through"
    assert (answer.mode, answer.finish_reason, model.prompts) == ("refused", "refused", [])
    assert [hit.document_name for hit in answer.hits] == ["lease.pdf"], "the nearest is offered"
    assert answer.timings.total_ms > 0


def test_a_model_that_says_yes_lets_through_what_the_gate_alone_refused(lease: Desk) -> None:
    bar = evidence(lease) + 1e-4
    assert asked(lease, ScriptedGenerator(LEASE), bar=bar).refused
    assert asked(lease, Measured(look=9.0), bar=bar).mode == "generated"


def test_a_model_that_was_not_measured_or_cannot_look_leaves_it_to_the_gate(lease: Desk) -> None:
    assert asked(lease, ScriptedGenerator("No."), bar=0.5).mode != "refused"
    assert asked(lease, Measured(look=None), bar=0.5).mode == "generated"


def test_without_evidence_no_model_is_asked_nor_needed(lease: Desk) -> None:
    model = Measured(look=9.0)
    far = engine(lease, model).ask("What is the rent of the flat in 2031?").answer()
    assert far.evidence < second_look.LEAST
    assert far.refused
    assert model.looked == 0
    assert asked(lease, None, bar=0.99).refused, "and where the gate alone refuses, none is missed"
    assert asked(lease, None, bar=0.5).mode == "no_model"


@pytest.mark.parametrize(
    ("question", "looks"),
    [
        ("May the flat be sublet?", False),
        ("乙方可以转租吗？", False),
        ("乙方能不能转租", False),
        ("Can you tell me how much the rent is?", True),
        ("Who may sublet?", True),
        ("租金是多少？", True),
    ],
)
def test_a_yes_or_no_is_not_looked_for_as_no_may_be_the_answer(question: str, looks: bool) -> None:
    model = Measured(look=-9.0)
    after = second_look.evidence_after(model, question, hit(1), 0.7, lambda: False)
    assert (after < 0.1, model.looked) == (looks, looks)


def hit(number: int) -> Hit:
    passage = Passage(f"p{number}", "d", number, f"{LEASE} It is no. {number}.", "lease", Locator())
    return Hit(passage, "lease.pdf", "lease.pdf", 1.0, number, ("dense",))


@pytest.mark.parametrize("question", [QUESTION, "房租是多少？"])
def test_the_look_reads_what_the_answer_reads_up_to_the_end_of_the_first_passage(
    question: str,
) -> None:
    prompt = build(question, [hit(1), hit(2)], ScriptedGenerator(), answer_tokens=50)
    look = whether_stated(question, hit(1))
    shared = look.messages[-1].text.index("no. 1.") + len("no. 1.")
    assert look.messages[0] == prompt.messages[0]
    assert look.messages[-1].text[:shared] == prompt.messages[-1].text[:shared]
    assert "no. 2" not in look.messages[-1].text
    assert question in look.messages[-1].text[shared:]


@pytest.mark.parametrize("question", [QUESTION, "房租是多少？"])
def test_evidence_grows_with_the_look_and_with_the_gate(question: str) -> None:
    def after(look: float, before: float) -> float:
        model = Measured(look)
        return second_look.evidence_after(model, question, hit(1), before, lambda: False)

    assert after(-3, 0.6) < after(0, 0.6) < after(3, 0.6)
    assert after(0, 0.3) < after(0, 0.9)
