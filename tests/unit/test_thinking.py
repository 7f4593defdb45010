"""FIELD_CASE 55: stray and unclosed think tags."""

from __future__ import annotations

import pytest

from rag.thinking import Thinking, speaks_of_tags


def parted(reply: str, size: int, *, quotable: bool = False) -> tuple[str, str]:
    thinking = Thinking(quotable=quotable)
    for at in range(0, len(reply), size):
        list(thinking.feed(reply[at : at + size]))
    list(thinking.end())
    return thinking.thoughts, thinking.answer


@pytest.mark.parametrize("size", [1, 2, 5, 1000], ids=lambda size: f"by-{size}")
@pytest.mark.parametrize(
    ("reply", "thoughts", "answer"),
    [
        ("<think>hm, 3200?</think>\n\nIt is 3200.", "hm, 3200?", "It is 3200."),
        ("hm, 3200?</think>It is 3200.", "hm, 3200?", "It is 3200."),
        ("<think>hm, and on", "hm, and on", ""),
        ("<think>\n\n</think>\n\nIt is 3200.", "", "It is 3200."),
        ("<think></think>", "", ""),
        ("hm</think>", "hm", ""),
        ("<THINKING>hm</THINKING>It is 3200.", "hm", "It is 3200."),
        ("Well. <think>hm</think>It is 3200.", "hm", "Well. It is 3200."),
        ("<think>a</think>It is 3200.</think>", "a", "It is 3200."),
        ("<think>a</think>b</think>It is 3200.", "ab", "It is 3200."),
        ('<think>it says "</think>" there</think>Yes.', 'it says "</think>" there', "Yes."),
        ("<think>use `x` or ` so</think>Yes.", "use `x` or ` so", "Yes."),
        ("Write `<think>` and `</think>`.", "", "Write `<think>` and `</think>`."),
        ("They are “<think>” and “</think>”.", "", "They are “<think>” and “</think>”."),
        ("```xml\n<think>a</think>\n```\nSo.", "", "```xml\n<think>a</think>\n```\nSo."),
        ("If a <b and c < d, then </", "", "If a <b and c < d, then </"),
    ],
)
def test_thoughts_are_told_from_the_answer(
    reply: str, thoughts: str, answer: str, size: int
) -> None:
    assert parted(reply, size) == (thoughts, answer)


@pytest.mark.parametrize("size", [1, 1000])
def test_a_quoted_passage_may_hold_the_tags(size: int) -> None:
    material = "A reply opens with <think> and goes on after </think>."
    assert speaks_of_tags(material)
    assert parted(material, size, quotable=True) == ("", material)
    reply = f"<think>let me see</think>It says: {material}"
    assert parted(reply, size, quotable=True) == ("let me see", f"It says: {material}")


def test_parts_come_as_soon_as_they_are_sure() -> None:
    thinking = Thinking()
    assert list(thinking.feed("<think>so")) == [("thinking", "so")]
    assert list(thinking.feed("</thi")) == []
    assert list(thinking.feed("nk>Y")) == [("answer", "Y")]
    assert list(thinking.feed("es <")) == [("answer", "es ")]
    assert list(thinking.end()) == [("answer", "<")]
