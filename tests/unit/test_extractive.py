"""FIELD_CASE 14, after generation: "not found" over good evidence, and over none."""

from __future__ import annotations

from collections.abc import Sequence

import pytest
from asking import ask, engine
from desk import Desk

from rag.citations import cite
from rag.completion import complete
from rag.extractive import says_not_found
from rag.generation import Limits
from rag.records import Answer, Hit, Locator, Passage, Prompt
from rag.testing import ScriptedGenerator
from rag.writing import Writing

LEASE = (
    "The parties are Foo and Bar.",
    "The monthly rent is 4,250 pounds. Ambleford holds the deposit of 12,750 pounds.",
)
CHINESE = ("第一条 每月租金为18,600元。\n第二条 押金为三个月租金，共计55,800元。", "一式两份。")


def answered(desk: Desk, texts: Sequence[str], question: str, reply: str) -> Answer:
    desk.publish("lease.pdf", *texts)
    return ask(desk, ScriptedGenerator(reply), question)


@pytest.mark.parametrize(
    ("texts", "question", "reply", "quoted"),
    [
        (LEASE, "How much is the monthly rent?", "The material does not mention the rent.",
         "The monthly rent is 4,250 pounds."),
        (LEASE, "Who holds the deposit?", "I'm sorry, I cannot find it. No information is given.",
         "Ambleford holds the deposit of 12,750 pounds."),
        (CHINESE, "每月租金是多少？", "资料中没有提到租金[1]。", "第一条 每月租金为18,600元。"),
        (CHINESE, "押金共计多少？", "根据提供的资料，无法确定押金。",
         "第二条 押金为三个月租金，共计55,800元。"),
    ],
)  # fmt: skip
def test_the_passages_answer_where_the_model_says_not_found(
    desk: Desk, texts: Sequence[str], question: str, reply: str, quoted: str
) -> None:
    answer = answered(desk, texts, question, reply)
    assert answer.mode == "extractive"
    assert quoted in answer.text
    assert quoted in [citation.quote for citation in answer.citations]
    for citation in answer.citations:
        assert citation.quote in citation.hit.passage.text, "word for word"
    assert answer.grounded


@pytest.mark.parametrize(
    ("texts", "question", "reply"),
    [
        (LEASE, "What is the monthly rent of the Berlin office?", "It is not mentioned."),
        (LEASE, "Who is the caretaker of the pounds?", "The material does not say."),
        (CHINESE, "每月停车费是多少？", "资料中没有提到停车费。"),
        (CHINESE, "2019年每月租金是多少？", "资料中没有相关信息。"),
    ],
)
def test_near_misses_stay_refused(
    desk: Desk, texts: Sequence[str], question: str, reply: str
) -> None:
    answer = answered(desk, texts, question, reply)
    assert answer.refused
    assert (answer.finish_reason, answer.text, answer.citations) == ("refused", "", ())
    assert answer.hits


def test_a_denial_with_a_marker_over_passages_in_another_language_is_no_answer() -> None:
    passage = Passage("p", "d", 0, LEASE[1], "lease", Locator(page=1))
    hits = (Hit(passage, "lease.pdf", "lease.pdf", 1.0, 1, ("dense",)),)
    cited = cite("资料中没有提到租金[1]。", hits, question="每月停车费是多少？")
    assert says_not_found(cited, hits)


def test_a_denial_that_the_passage_itself_makes_is_an_answer(desk: Desk) -> None:
    said = "The price of the parking space is not specified in this lease."
    answer = answered(desk, [said], "What does the parking space cost?", f"{said[:-1]} [1].")
    assert (answer.mode, answer.grounded) == ("generated", True)


def test_what_the_passage_denies_in_other_words_is_an_answer(desk: Desk) -> None:
    said = "Parking is not part of this lease of the landlord."
    reply = "The lease of the landlord does not include parking [1]."
    assert answered(desk, [said], "Does the lease include parking?", reply).mode == "generated"


def test_a_denial_beside_a_supported_sentence_is_left_as_it_is(desk: Desk) -> None:
    reply = "The monthly rent is 4,250 pounds [2]. A fee is not mentioned."
    answer = answered(desk, LEASE, "What are the monthly rent and the fee?", reply)
    assert answer.mode == "generated"
    assert answer.text.startswith("The monthly rent is 4,250 pounds")


@pytest.mark.parametrize("reply", ["", " \n", "[1][2]", "?!", "zxcv qwer asdf uiop hjkl vbnm"])
def test_nothing_said_is_answered_in_the_passages_words(desk: Desk, reply: str) -> None:
    answer = answered(desk, LEASE, "How much is the monthly rent?", reply)
    assert answer.mode == "extractive"
    assert "The monthly rent is 4,250 pounds." in answer.text


@pytest.mark.parametrize("reply", ["第一章 租金与押金[1]", "请参见合同中的相关章节[1]。"])
def test_a_figure_asked_for_and_not_given_is_looked_up(desk: Desk, reply: str) -> None:
    assert "55,800" in answered(desk, CHINESE, "押金共计多少？", reply).text


def test_noise_over_a_near_miss_is_refused(desk: Desk) -> None:
    answer = answered(desk, CHINESE, "停车位的月费用是多少元？", "请参见合同中的章节[1]。")
    assert answer.refused


def test_thoughts_alone_are_told_as_cut_off(desk: Desk) -> None:
    """FIELD_CASE 55: no empty bubble."""
    answer = answered(desk, LEASE, "How much is the monthly rent?", "<think>the rent, the rent")
    assert (answer.mode, answer.finish_reason) == ("extractive", "length")
    assert [warning.code for warning in answer.warnings] == ["only_thinking"]
    assert answer.thinking == "the rent, the rent"
    assert "<think>" not in answer.text
    assert answer.citations


def test_a_model_that_repeats_itself_is_stopped(desk: Desk) -> None:
    desk.publish("lease.pdf", *LEASE)
    limits = Limits(top_k=3, answer_tokens=2000, answer_timeout_s=60.0, min_evidence=0.09)
    model = ScriptedGenerator("The monthly rent is 4,250 pounds [1]. " * 50)
    answer = engine(desk, model, limits=limits).ask("How much is the monthly rent?").answer()
    assert answer.text == "The monthly rent is 4,250 pounds [1]."
    assert answer.finish_reason == "length"
    assert [warning.code for warning in answer.warnings] == ["repetition"]
    assert answer.usage.completion_tokens < 150, "it was stopped, not only cut"


def test_half_a_marker_at_a_cut_is_left_out(desk: Desk) -> None:
    desk.publish("lease.pdf", *LEASE)
    reply = "The monthly rent is 4,250 pounds [1]."
    limits = Limits(len(LEASE), reply.index("1]") + 1, answer_timeout_s=60.0, min_evidence=0.09)
    answer = engine(desk, ScriptedGenerator(reply), limits=limits).ask("monthly rent").answer()
    assert answer.finish_reason == "length"
    assert "[" not in answer.text.removesuffix("[1]")


def test_a_copied_heading_is_no_answer() -> None:
    """Seen with 0.5B: the line that says where a passage stands, given back as the reply."""
    where = "travel-policy › Claims"
    passage = Passage("p", "d", 0, "Claims are sent to Imogen Vale.", where, Locator())
    prompt = Prompt((), (Hit(passage, "travel-policy.docx", "travel-policy.docx", 1.0, 1, ()),))

    def told(reply: str, asked: str = "Who receives travel claims?") -> Answer:
        writing = Writing()
        list(writing.feed(reply))
        list(writing.end())
        draft = Answer("", "generated", "stop", prompt.hits, asked, 1, 1)
        return complete(draft, writing, prompt)

    assert told(f"[1] {where}").mode == "extractive"
    assert told(f"({where})[1]").mode == "extractive"
    assert told(f"[1] {where}").text == "Claims are sent to Imogen Vale.[1]"
    assert told("(travel-policy › Claims)\n[1]").mode == "extractive"
    assert told("[1] travel-policy [1] Claims").mode == "extractive"
    named = told("travel-policy [1]", "Which document is about claims?")
    assert (named.mode, named.text) == ("generated", "travel-policy [1]")
    beside = told(f"{where}\nClaims\nClaims are sent to Imogen Vale [1].")
    assert (beside.mode, beside.text) == ("generated", "Claims are sent to Imogen Vale [1].")


def test_an_answer_that_stands_nowhere_is_withdrawn(desk: Desk) -> None:
    desk.publish("lease.pdf", "The tenant of the house pays the agent.", "The house has a garden.")
    asked = "How much does the tenant of the house pay for the garden shed?"
    answer = ask(desk, ScriptedGenerator("He pays 250 pounds for the shed [1]."), asked)
    assert (answer.mode, answer.text, answer.citations) == ("refused", "", ())
    assert [notice.code for notice in answer.warnings] == ["answer_withdrawn"]
    assert answer.hits, "the nearest passages are shown"


def test_the_passages_answer_where_what_the_model_wrote_stands_nowhere(desk: Desk) -> None:
    desk.publish("lease.pdf", "The monthly rent of the house is 4,250 pounds.")
    asked = "What is the monthly rent of the house in dollars?"
    answer = ask(desk, ScriptedGenerator("It is 9,999 [1]."), asked)
    assert (answer.mode, answer.citations[0].marker) == ("extractive", 1)
    assert "4,250" in answer.text
    told = [notice.code for notice in answer.warnings]
    assert told == ["answer_withdrawn"], "nothing of the markers of what is not shown"


def test_over_sure_evidence_it_is_shown_without_a_source(desk: Desk) -> None:
    """A small model words a right answer in ways that no check follows."""
    desk.publish("lease.pdf", "The monthly rent of the house is 4,250 pounds.")
    answer = ask(desk, ScriptedGenerator("It is 9,999 [1]."), "What is the monthly rent?")
    assert answer.evidence is not None
    assert answer.evidence > 0.9
    assert (answer.mode, answer.text, answer.citations) == ("generated", "It is 9,999.", ())
    assert not answer.grounded


def test_a_sentence_that_stands_nowhere_beside_one_that_does_is_shown(desk: Desk) -> None:
    """FIELD_CASE 4."""
    desk.publish("lease.pdf", "The monthly rent of the house is 4,250 pounds.")
    reply = "The monthly rent is 4,250 pounds [1]. The garden is tended by elves [1]."
    answer = ask(desk, ScriptedGenerator(reply), "What is the monthly rent?")
    assert answer.mode == "generated"
    assert [(s.markers, s.supported) for s in answer.sentences] == [((1,), True), ((), False)]
    assert answer.text.endswith("elves.")


def test_across_languages_names_may_be_spelled_otherwise(desk: Desk) -> None:
    desk.publish("租约.pdf", "出租方是北京恒远置业有限公司，押金为9750元。")
    reply = "The landlord is Beijing Hengyuan Property Co., Ltd. [1]"
    answer = ask(desk, ScriptedGenerator(reply), "Who is the landlord? 出租方")
    assert (answer.mode, answer.sentences[0].supported) == ("generated", False)
