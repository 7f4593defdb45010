"""FIELD_CASE 18: follow-ups stand on their own before anything is searched."""

from __future__ import annotations

import pytest
from asking import ask, engine
from desk import Desk

from rag.following import understand
from rag.records import Answer, Earlier
from rag.testing import ScriptedGenerator


@pytest.mark.parametrize(
    ("before", "question", "meant"),
    [
        ("白鹭事务所每月租金是多少？", "那押金呢？", "白鹭事务所押金是多少？"),
        ("乙类城市住宿上限是多少？", "甲类呢", "甲类城市住宿上限是多少？"),
        ("2023年第二季度的收入是多少？", "那成本呢？", "2023年第二季度的成本是多少？"),
        ("2023年第二季度的收入是多少？", "2024年第一季度呢？", "2024年第一季度的收入是多少？"),
        ("凭证 PZ-0286 的经办人是谁？", "PZ-0287呢？", "凭证 PZ-0287 的经办人是谁？"),
        ("How much is the monthly rent for 14 Quarry Lane?", "And the deposit?",
         "How much is the deposit for 14 Quarry Lane?"),
        ("Who holds the deposit?", "What about the keys?", "Who holds the keys?"),
        ("押金是多少？", "它什么时候退？", "它什么时候退？（上一问：押金是多少？）"),
        ("押金是多少？", "什么时候退还？", "什么时候退还？（上一问：押金是多少？）"),
        ("Who holds the deposit?", "When does it come back?",
         "When does it come back? (asked before: Who holds the deposit?)"),
        ("What is the rent?", "Why?", "Why? (asked before: What is the rent?)"),
        ("启明电子2024年的营业收入是多少？", "那远航物流呢？", "远航物流2024年的营业收入是多少？"),
        ("启明电子的法定代表人是谁？", "它的注册资本是多少？", "启明电子的注册资本是多少？"),
        ("启明电子的法定代表人是谁？", "注册资本呢？", "启明电子的注册资本是多少？"),
        ("上海的住宿标准是多少？", "北京呢？", "北京的住宿标准是多少？"),
        ("上海的住宿标准是多少？", "那餐补呢？", "上海的餐补是多少？"),
        ("第一条规定了什么？", "第二条呢？", "第二条规定了什么？"),
        ("租赁合同的押金是多少？", "能退吗？", "能退吗？（上一问：租赁合同的押金是多少？）"),
        ("租金是多少？", "详细说说", "详细说说（上一问：租金是多少？）"),
        ("What was the revenue of Aster Pharma in 2024?", "What about Beacon Insurance?",
         "What was the revenue of Beacon Insurance in 2024?"),
        ("What is the hotel limit in Shanghai?", "and in Beijing?",
         "What is the hotel limit in Beijing?"),
        ("What does the first clause say?", "what about the second one?",
         "What does the second clause say?"),
        ("What was revenue in 2024?", "2023?", "What was revenue in 2023?"),
        ("What is the monthly rent in the Harbour Lane lease of 2024?", "And in 2022?",
         "What is the monthly rent in the Harbour Lane lease of 2022?"),
        ("What is the rent in the Harbour Lane lease of 2024?", "And in the Leeds lease?",
         "What is the rent in the Leeds lease of 2024?"),
        ("What is the rent in the Harbour Lane lease?", "And in Leeds?",
         "And in Leeds? (asked before: What is the rent in the Harbour Lane lease?)"),
        ("What was the revenue in 2024 in Shanghai?", "And in Beijing?",
         "What was the revenue in 2024 in Beijing?"),
        ("What is the rent for 14 Quarry Lane in 2024?", "What about 2023?",
         "What is the rent for 14 Quarry Lane in 2023?"),
        ("How many days for sick leave are paid in 2024?", "and for annual leave?",
         "How many days for annual leave are paid in 2024?"),
        ("What is the rent in leeds of 2024?", "and in london?",
         "What is the rent in london of 2024?"),
        ("What is the rent?", "Is that per month?",
         "Is that per month? (asked before: What is the rent?)"),
        ("What is the rent?", "Tell me more", "Tell me more (asked before: What is the rent?)"),
        ("租金是多少？", "What about the deposit?",
         "What about the deposit? (asked before: 租金是多少？)"),
        ("2023年的合同有几份？", "分别是哪些？", "2023年的合同有哪些？"),
        ("有多少份发票？", "列出来", "有哪些发票？"),
        ("2024年的合同有几份？", "发票呢？", "2024年的发票有几份？"),
        ("有多少份合同提到押金？", "那违约金呢？", "有多少份合同提到违约金？"),
        ("列出研发部的员工", "那市场部呢？", "列出市场部的员工"),
        ("How many invoices do I have?", "Which ones?", "Which invoices do I have?"),
        ("How many invoices do I have?", "And contracts?", "How many contracts do I have?"),
    ],
)  # fmt: skip
def test_a_follow_up_is_made_to_stand_alone(before: str, question: str, meant: str) -> None:
    understood = understand(question, [Earlier(before, "…")])
    assert (understood.question, understood.leans) == (meant, True)


@pytest.mark.parametrize(
    "question",
    [
        "押金一共是多少？",
        "其他费用有哪些？",
        "尤其是违约金，应该怎么算？",
        "What is the notice period?",
        "Which clause says that rent is due monthly?",
        "Who receives travel claims?",
    ],
)
def test_a_question_that_leans_on_nothing_is_left_alone(question: str) -> None:
    assert understand(question, [Earlier("租金是多少？", "…")]).question == question


@pytest.mark.parametrize(
    ("question", "meant"),
    [
        ("另外，员工的年假有几天？", "员工的年假有几天？"),
        ("那我想问一下年假有几天", "年假有几天"),
        ("Also, how many days of annual leave do employees get?",
         "How many days of annual leave do employees get?"),
        ("So what are the data retention rules for HR files?",
         "What are the data retention rules for HR files?"),
        ("Is it possible to end the lease early?", "Is it possible to end the lease early?"),
        ("员工手册里怎么规定迟到？", "员工手册里怎么规定迟到？"),
    ],
)  # fmt: skip
def test_a_new_subject_does_not_drag_the_old_one_in(question: str, meant: str) -> None:
    understood = understand(question, [Earlier("租金是多少？", "…")])
    assert (understood.question, understood.leans) == (meant, False)


def test_the_first_question_leans_on_nothing() -> None:
    assert understand("那押金呢？", []).question == "那押金呢？"


def test_the_model_is_given_what_was_said_before(desk: Desk) -> None:
    desk.publish("lease.pdf", "The monthly rent for 14 Quarry Lane is 4,250 pounds.",
                 "The deposit for 14 Quarry Lane is 12,750 pounds.")  # fmt: skip
    model = ScriptedGenerator("The deposit for 14 Quarry Lane is 12,750 pounds [1].")
    before = Earlier("How much is the monthly rent for 14 Quarry Lane?", "4,250 pounds [1].")
    answer = engine(desk, model).ask("And the deposit?", earlier=[before]).answer()
    assert answer.question_used == "How much is the deposit for 14 Quarry Lane?"
    assert "12,750" in answer.citations[0].quote
    said = model.prompts[0].messages[1].text
    assert (
        said.rindex("======") < said.index(before.question_used) < said.index(answer.question_used)
    )
    assert before.answer in said
    engine(desk, model).ask("What is the deposit?", earlier=[before]).answer()
    assert before.answer not in model.prompts[1].messages[1].text, "it leans on nothing"


def test_a_thing_that_no_passage_names_is_not_carried_by_the_question_before(desk: Desk) -> None:
    desk.publish("租约.pdf", "白鹭事务所每月租金是18,600元。")
    before = Earlier("白鹭事务所每月租金是多少？", "18,600元[1]。")
    model = ScriptedGenerator("白鹭事务所每月租金是18,600元[1]。")

    def asked(question: str) -> Answer:
        return engine(desk, model).ask(question, earlier=[before]).answer()

    assert asked("那停车费呢？").refused
    assert model.prompts == []
    assert asked("那租金呢？").mode == "generated"
    assert ask(desk, model, before.question_used).mode == "generated"


@pytest.mark.parametrize(
    ("turns", "meant"),
    [
        (("Who chairs the board?", "And why is that?", "And who pays for it?", "And when is it?"),
         "And when is it? (asked before: And who pays for it?; Who chairs the board?)"),
        (("谁主持会议？", "那为什么呢？", "那谁来付？"),
         "那谁来付？（上一问：那为什么呢？；谁主持会议？）"),
    ],
)  # fmt: skip
def test_what_was_asked_before_is_not_nested(turns: tuple[str, ...], meant: str) -> None:
    earlier: list[Earlier] = []
    for asked in turns:
        used = understand(asked, earlier).question
        earlier.append(Earlier(used, ""))
    assert used == meant
