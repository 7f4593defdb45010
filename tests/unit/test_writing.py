"""What a model writes, mended: punctuation, loops, and both as they stream."""

from __future__ import annotations

import pytest

from rag.prompting import OPENINGS
from rag.punctuation import Punctuation
from rag.repetition import loop_start
from rag.writing import Writing


@pytest.mark.parametrize(
    ("written", "mended"),
    [
        ("租金一年一付,押金另算.", "租金一年一付，押金另算。"),
        ("对吗?对!好;是:", "对吗？对！好；是："),
        ("租金为1,234.50元, 押金3.5万.", "租金为1,234.50元，押金3.5万。"),
        ("时间:下午3:30,共2:1.", "时间：下午3:30,共2:1."),
        ("见 https://例子.中国/搜索?q=甲,乙 和乙.", "见 https://例子.中国/搜索?q=甲,乙 和乙。"),
        ("打开合同.pdf,第三页.", "打开合同.pdf,第三页。"),
        ("联系:zhang@example.com", "联系：zhang@example.com"),
        ("代码 `甲,乙.` 和甲,乙.", "代码 `甲,乙.` 和甲，乙。"),
        ("```\n甲,乙.\n```\n甲,乙.", "```\n甲,乙.\n```\n甲，乙。"),
        ("**押金**: 16,000元[1].", "**押金**：16,000元[1]。"),
        ("金额是三千元[1][2].", "金额是三千元[1][2]。"),
        ("等等...", "等等..."),
        ("Rent, deposit: 3,200. OK?", "Rent, deposit: 3,200. OK?"),
        ("真的??", "真的？？"),
        ('{"租金":3200,"押金":5}', '{"租金":3200,"押金":5}'),
    ],
)
def test_chinese_punctuation_is_mended(written: str, mended: str) -> None:
    whole, letters = Punctuation(), Punctuation()
    assert whole.feed(written) + whole.end() == mended
    assert "".join(letters.feed(letter) for letter in written) + letters.end() == mended


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("哈" * 50, "哈"),
        ("It is so. " + "the the " * 20, "It is so. the"),
        ("租金为3200元。" * 3, "租金为3200元。"),
        ("A long clause of it. Another one of it. " * 3, "A long clause of it. Another one of it."),
        ("1. 租金为三千元整。\n2. 租金为三千元整。\n3. 租金为三千元整。", "1. 租金为三千元整。"),
        ("So. " + "long line of words with 7 and more words of it\n" * 4, None),
    ],
)
def test_a_loop_is_cut_to_what_was_said_once(text: str, kept: str | None) -> None:
    start = loop_start(text)
    assert start is not None
    if kept is not None:
        assert text[:start].strip() == kept


@pytest.mark.parametrize(
    "text",
    [
        "| a | b | c |\n|---|---|---|\n| 0 | 0 | 0 |\n| 0 | 0 | 0 |",
        "|" + "---|" * 12,
        "甲方付租金。乙方收租金。甲方付押金。乙方收押金。",
        "No. No. No.",
        "The rent is 3200. The rent is 3200.",
    ],
)
def test_what_may_well_repeat_is_no_loop(text: str) -> None:
    assert loop_start(text) is None


def test_what_streams_is_what_is_kept() -> None:
    writing = Writing()
    shown = [
        part for letter in "<think>嗯</think>租金3200元,押金另算." for part in writing.feed(letter)
    ] + list(writing.end())
    assert "".join(text for kind, text in shown if kind == "answer") == writing.text
    assert writing.text == "租金3200元，押金另算。"
    assert writing.thoughts == "嗯"


def test_a_loop_in_thoughts_ends_the_reply() -> None:
    writing = Writing()
    list(writing.feed("<think>" + "wait, let me look again. " * 5))
    assert writing.looped
    assert writing.text == ""


@pytest.mark.parametrize("opening", OPENINGS)
def test_the_prompt_given_back_is_no_answer(opening: str) -> None:
    writing = Writing()
    for letter in f"Gladly.\n{opening}\n======\n[1] rent":
        list(writing.feed(letter))
    list(writing.end())
    assert writing.looped
    assert writing.text == "Gladly.\n"


def test_a_fence_of_the_documents_is_none_of_ours() -> None:
    writing = Writing()
    said = "Conflicts are marked with <<<<<<< and =======.\n======\nThe rent is 500."
    list(writing.feed(said))
    list(writing.end())
    assert (writing.looped, writing.text) == (False, said)
