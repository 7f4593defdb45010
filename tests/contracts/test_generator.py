"""What every `Generator` must do, real or fake."""

from __future__ import annotations

import pytest

from rag.errors import InvalidRequest
from rag.models.catalogue import card_of
from rag.models.library import path_of
from rag.ports import Generator
from rag.prompting import build
from rag.records import Hit, Locator, Message, Passage, Piece, Prompt
from rag.settings import Settings
from rag.testing import ScriptedGenerator

NAME = "qwen2.5-coder-0.5b-instruct"


def real() -> Generator:
    from rag.adapters.llama import Llama
    from rag.models.offload import Offload

    return Llama(path_of(card_of(NAME), Settings().models_dir), Offload(context_tokens=1024))


@pytest.fixture(
    scope="module",
    params=[
        pytest.param(
            lambda: ScriptedGenerator("房租是3200元，每月支付。", context_tokens=1024), id="fake"
        ),
        pytest.param(real, id="llama", marks=pytest.mark.real_models),
    ],
)
def generator(request: pytest.FixtureRequest) -> Generator:
    made: Generator = request.param()
    return made


def prompt(text: str) -> Prompt:
    return Prompt((Message("system", "用中文简短回答。"), Message("user", text)), ())


def run(generator: Generator, text: str, *, max_tokens: int = 40) -> list[Piece]:
    return list(generator.generate(prompt(text), max_tokens=max_tokens, cancelled=lambda: False))


QUESTION = "资料：房租是3200元。问题：房租是多少？请完整回答。"


def test_the_last_piece_alone_says_why_it_ended(generator: Generator) -> None:
    pieces = run(generator, QUESTION)
    assert pieces[-1].finish in ("stop", "length")
    assert all(piece.finish is None for piece in pieces[:-1])
    text = "".join(piece.text for piece in pieces)
    assert "3200" in text
    assert "\ufffd" not in text


def test_a_reply_is_cut_at_max_tokens(generator: Generator) -> None:
    pieces = run(generator, QUESTION, max_tokens=2)
    assert sum(piece.tokens for piece in pieces) == 2
    assert pieces[-1].finish == "length"


def test_a_cancelled_reply_ends_at_once(generator: Generator) -> None:
    pieces = list(generator.generate(prompt(QUESTION), max_tokens=40, cancelled=lambda: True))
    assert [piece.finish for piece in pieces] == ["cancelled"]


def test_a_reply_can_be_cancelled_while_the_prompt_is_read(generator: Generator) -> None:
    """FIELD_CASE 58: a closed tab must not keep the model busy for the rest of the prompt."""
    asked = iter([False, True])
    long = "资料：" + "房租是3200元，每月支付，押一付三。" * 12 + QUESTION
    pieces = list(
        generator.generate(prompt(long), max_tokens=40, cancelled=lambda: next(asked, True))
    )
    assert pieces[-1].finish == "cancelled"
    assert len(pieces) <= 2
    assert "3200" in "".join(piece.text for piece in run(generator, QUESTION))


def test_a_reply_left_half_way_does_not_harm_the_next(generator: Generator) -> None:
    half = generator.generate(prompt(QUESTION), max_tokens=40, cancelled=lambda: False)
    next(iter(half))
    del half
    assert "3200" in "".join(piece.text for piece in run(generator, QUESTION))


def lean(generator: Generator, text: str, *, cancelled: bool = False) -> float | None:
    return generator.leaning(
        prompt(text), towards=["房", "是"], away=["No", "否"], cancelled=lambda: cancelled
    )


def test_how_it_would_begin_can_be_looked_at_without_harm(generator: Generator) -> None:
    before = "".join(piece.text for piece in run(generator, QUESTION))
    found = lean(generator, QUESTION)
    assert found is not None
    assert found > 0, "its reply begins with the rent"
    assert lean(generator, QUESTION) == pytest.approx(found, abs=0.2)
    assert "".join(piece.text for piece in run(generator, QUESTION)) == before


def test_a_look_can_be_cancelled_and_needs_room(generator: Generator) -> None:
    assert lean(generator, QUESTION, cancelled=True) is None
    with pytest.raises(InvalidRequest):
        lean(generator, "很长的问题。" * 1024)


def test_a_prompt_without_room_is_refused(generator: Generator) -> None:
    long = "很长的问题。" * 1024
    assert generator.count_tokens(prompt(long)) > generator.context_tokens
    with pytest.raises(InvalidRequest):
        run(generator, long)


def test_counting_grows_with_the_text(generator: Generator) -> None:
    assert 0 < generator.count_tokens(prompt("短")) < generator.count_tokens(prompt("长" * 50))


def test_control_tokens_in_a_document_are_plain_text(generator: Generator) -> None:
    """`<|im_end|>` of a document must take several tokens, as letters do, never end a turn."""
    plain = generator.count_tokens(prompt("x"))
    assert generator.count_tokens(prompt("x<|im_end|>")) - plain > 1


def test_ten_long_passages_fit_its_own_count_whole_or_not_at_all(generator: Generator) -> None:
    """FIELD_CASE 54: a window of 1024, counted by the real tokenizer."""
    texts = [f"第{n}条 房租是3200元。" + "双方应遵守约定。" * 30 for n in range(1, 11)]
    passages = [Passage(text[:4], "d", 0, text, "租约", Locator()) for text in texts]
    hits = [Hit(passage, "租约.pdf", "租约.pdf", 1.0, 1, ("dense",)) for passage in passages]
    built = build("房租是多少？", hits, generator, answer_tokens=400)
    assert generator.count_tokens(built) <= generator.context_tokens - 400
    assert 0 < len(built.hits) < 10
    assert built.dropped == 10 - len(built.hits)
    pieces = list(generator.generate(built, max_tokens=20, cancelled=lambda: False))
    assert pieces[-1].finish in ("stop", "length")
