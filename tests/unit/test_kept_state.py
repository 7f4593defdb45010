"""What the engine keeps from one prompt to the next changes no reply, recurrent layers or not.

Qwen3.5's state can't be cut where two prompts part, so all that can go wrong is tried on a model of
its family made here, of random weights.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from tiny_model import Family, write_tiny_model

from rag.models.offload import Offload
from rag.records import Message, Piece, Prompt

pytest.importorskip("llama_cpp")
from rag.adapters.llama import Llama

MATERIAL = "The rent of the office is 3200 yuan a month. " * 5
QUESTION = Prompt(
    (Message("system", "Be brief."), Message("user", f"{MATERIAL}How much is the rent?")), ()
)
ANOTHER = Prompt((Message("system", "Be brief."), Message("user", f"{MATERIAL}Who pays it?")), ())
FOLLOW_UP = Prompt(
    (
        *QUESTION.messages,
        Message("assistant", "3200 yuan."),
        Message("user", "And for the year?"),
    ),
    (),
)
PROMPTS = {"question": QUESTION, "another": ANOTHER, "follow-up": FOLLOW_UP}


def load(file: Path, *, thinking: bool = False) -> Llama:
    offload = Offload(context_tokens=1024, batch_tokens=64, gpu_layers=0, threads=1)
    return Llama(file, offload, thinking=thinking)


def reply(model: Llama, prompt: Prompt) -> list[str]:
    pieces = model.generate(prompt, max_tokens=24, cancelled=lambda: False)
    return [piece.text for piece in pieces]


class Broken:
    """A generation to be broken off within a batch: llama.cpp asks while it computes."""

    def __init__(self, model: Llama, *, looks: int) -> None:
        self._left = looks
        self._pieces = model.generate(QUESTION, max_tokens=24, cancelled=self._ends)

    def _ends(self) -> bool:
        self._left -= 1
        return self._left < 0

    def run(self, *, pieces: int = 0) -> list[Piece]:
        """``pieces`` of it in peace, then broken off at the next look."""
        got = [next(self._pieces) for _ in range(pieces)]
        self._left = 0 if pieces else self._left
        return [*got, *self._pieces]


@pytest.fixture(scope="module", params=["qwen35", "qwen3"])
def file(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    family: Family = request.param
    return write_tiny_model(tmp_path_factory.mktemp("tiny") / f"{family}.gguf", family)


@pytest.fixture(scope="module")
def fresh(file: Path) -> dict[str, list[str]]:
    """Each prompt's reply by a model that has read nothing before."""
    replies = {}
    for name, prompt in PROMPTS.items():
        model = load(file)
        replies[name] = reply(model, prompt)
        model.close()
    assert len({tuple(texts) for texts in replies.values()}) == len(PROMPTS)
    return replies


@pytest.fixture
def model(file: Path) -> Iterator[Llama]:
    loaded = load(file)
    yield loaded
    loaded.close()


def test_the_family_is_what_it_should_be(file: Path, model: Llama) -> None:
    assert model.engine._is_hybrid == (file.stem == "qwen35")


def test_questions_that_begin_alike_are_answered_as_if_alone(
    model: Llama, fresh: dict[str, list[str]]
) -> None:
    for name in ("question", "another", "question", "question", "follow-up", "another"):
        assert reply(model, PROMPTS[name]) == fresh[name], name


@pytest.mark.parametrize("looks", [1, 20, 150, 400])
@pytest.mark.parametrize("then", ["question", "another", "follow-up"])
def test_a_prompt_that_was_broken_off_leaves_nothing(
    model: Llama, fresh: dict[str, list[str]], looks: int, then: str
) -> None:
    assert Broken(model, looks=looks).run()[-1].finish == "cancelled"
    assert reply(model, PROMPTS[then]) == fresh[then]


def test_what_is_broken_off_is_no_matter_for_the_terminal(
    model: Llama, capfd: pytest.CaptureFixture[str]
) -> None:
    Broken(model, looks=150).run()
    Broken(model, looks=10**9).run(pieces=2)
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("pieces", [1, 2, 6])
@pytest.mark.parametrize("then", ["question", "another", "follow-up"])
def test_a_reply_that_was_broken_off_leaves_nothing(
    model: Llama, fresh: dict[str, list[str]], pieces: int, then: str
) -> None:
    got = Broken(model, looks=10**9).run(pieces=pieces)
    assert (len(got), got[-1].finish) == (pieces + 1, "cancelled")
    assert reply(model, PROMPTS[then]) == fresh[then]


@pytest.mark.parametrize("limit", [1, 5])
def test_a_reply_that_was_cut_leaves_nothing(
    model: Llama, fresh: dict[str, list[str]], limit: int
) -> None:
    list(model.generate(QUESTION, max_tokens=limit, cancelled=lambda: False))
    for name in ("question", "follow-up"):
        assert reply(model, PROMPTS[name]) == fresh[name]


def test_thought_tags_are_text_even_where_a_file_calls_them_control_tokens(file: Path) -> None:
    model = load(file, thinking=True)
    *_, opening = model.tokens(QUESTION)[-2:-1]
    assert model._bytes_of(opening) == b"<think>"
    end = model.engine.tokenize(b"<|im_end|>", add_bos=False, special=True)
    assert model._bytes_of(end[0]) == b""
    first = next(model.generate(QUESTION, max_tokens=4, cancelled=lambda: False))
    assert first == Piece("<think>", tokens=0), "the template began the thought"
    model.close()
    model = load(file)
    first = next(model.generate(QUESTION, max_tokens=4, cancelled=lambda: False))
    assert first.tokens == 1
    model.close()
