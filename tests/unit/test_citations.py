"""FIELD_CASES 1, 3, 4, 5 and 9."""

from collections.abc import Sequence
from dataclasses import replace
from itertools import permutations

import pytest
from asking import ask, engine
from desk import Desk

from api.schemas import CitationOut
from rag.citations import cite
from rag.markers import respelled
from rag.records import Hit, Locator, Passage
from rag.support import quote
from rag.testing import ScriptedGenerator

TEXTS = (
    "The rent of the office is 3200 yuan a month.",
    "Staff may work from home two days a week.",
    "The warranty of the pump ends on 2027-03-31.",
)


def hit(text: str, number: int, document_id: str = "") -> Hit:
    document_id = document_id or f"d{number}"
    passage = Passage(f"p{number}", document_id, 0, text, f"file{number}", Locator(page=number))
    return Hit(passage, f"file{number}.pdf", f"file{number}.pdf", 1.0, number, ("dense",))


HITS = [hit(text, number) for number, text in enumerate(TEXTS, start=1)]


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_a_marker_stands_for_the_passage_at_its_place(order: tuple[int, ...]) -> None:
    hits = [HITS[at] for at in order]
    second = hits[1].passage
    (citation,) = cite(f"{second.text[:-1]} [2].", hits).citations
    assert citation.marker == 2
    assert citation.hit.passage is second
    assert citation.supported


@pytest.mark.parametrize(
    "spelling",
    [
        "[1]", "【1】", "［1］", "〔1〕", "[ 1 ]", "[ID:1]", "[来源: 1]", "[1,1]", "[passage 1]",
        "[资料1]", "[Source 1]", "[source: 1]", "[^1]", "[#1]", "[[1]]", r"\[1\]", "[doc1]",
        "［１］", "[资料1、资料1]", "【1†lease.pdf】", "(Source 1)", "（来源：1）", "（见资料1）",
        "[No. 1]", "[第1段]",
        "[citation:1]",
    ],
)  # fmt: skip
def test_every_spelling_of_a_marker_is_read(spelling: str) -> None:
    cited = cite(f"The rent is 3200 yuan a month {spelling}.", HITS)
    assert [citation.marker for citation in cited.citations] == [1]
    assert cited.text.startswith("The rent is 3200 yuan a month [1]")


@pytest.mark.parametrize(
    ("spelling", "markers"),
    [
        ("[1, 3]", [1, 3]), ("[1][3]", [1, 3]), ("【1】【3】", [1, 3]), ("[1、3]", [1, 3]),
        ("[1；3]", [1, 3]), ("[1 and 3]", [1, 3]), ("[1和3]", [1, 3]), ("[1] [3]", [1, 3]),
        ("[Source 1, Source 3]", [1, 3]), ("[1-3]", [1, 2, 3]), ("[1–3]", [1, 2, 3]),
        ("（资料1、3）", [1, 3]), ("[ID:1][ID:3]", [1, 3]),
    ],
)  # fmt: skip
def test_several_numbers_are_several_markers(spelling: str, markers: list[int]) -> None:
    alike = [hit(TEXTS[0], number) for number in (1, 2, 3)]
    cited = cite(f"The rent is 3200 yuan a month {spelling}.", alike)
    assert [c.marker for c in cited.citations] == markers
    only = cite(f"The rent is 3200 yuan a month {spelling}.", HITS)
    assert [c.marker for c in only.citations] == [1], "what does not say it is no source of it"
    assert {warning.code for warning in only.warnings} == {"marker_replaced"}


@pytest.mark.parametrize(
    ("reply", "shown"),
    [
        ("[2] two days a week", "two days a week[2]"),
        ("[1] The rent is 3200 yuan.\n[2] Two days a week.",
         "The rent is 3200 yuan[1].\nTwo days a week[2]."),
        ("[1] The rent is 3200 yuan. It is monthly.", "The rent is 3200 yuan[1]. It is monthly."),
        ("[1] The rent is 3200 yuan. [2] Two days a week.",
         "The rent is 3200 yuan[1]. Two days a week[2]."),
        ("[1]：The rent is 3200 yuan.", "The rent is 3200 yuan[1]."),
        ("**[1]** The rent is 3200 yuan.", "The rent is 3200 yuan[1]."),
        ("> [1] The rent is 3200 yuan.", "> The rent is 3200 yuan[1]."),
        ("1. [1] The rent is 3200 yuan.", "1. The rent is 3200 yuan[1]."),
        ("- [1]: The rent is 3200 yuan.\n- [2]: Two days a week.",
         "- The rent is 3200 yuan[1].\n- Two days a week[2]."),
        ("[1], the rent is 3200 yuan.", "the rent is 3200 yuan[1]."),
        ("[1] — The rent is 3200 yuan [1].", "The rent is 3200 yuan [1]."),
        ("[1]\nThe rent is 3200 yuan.\n\n[2]\nTwo days a week.",
         "The rent is 3200 yuan[1].\n\nTwo days a week[2]."),
        ("The rent is 3200 yuan.\n[1]\nTwo days a week.\n[2]",
         "The rent is 3200 yuan[1].\nTwo days a week[2]."),
        ("[1] [2] The rent is 3200 yuan.", "The rent is 3200 yuan[1][2]."),
        ("[1]月租为3200元，[2]每周两天。", "月租为3200元[1]，每周两天[2]。"),
        ("【1】月租为3200元。【2】每周两天。", "月租为3200元[1]。每周两天[2]。"),
        ("资料[1]：月租为3200元。[2]：每周两天。", "月租为3200元[1]。每周两天[2]。"),
        ("根据[1]，月租为3200元。", "月租为3200元[1]。"),
        ("根据资料[1]，月租为3200元。", "月租为3200元[1]。"),
    ],
)  # fmt: skip
def test_a_marker_that_leads_its_sentence_ends_it(reply: str, shown: str) -> None:
    assert respelled(reply, len(HITS)) == (shown, [])


@pytest.mark.parametrize(
    "reply", ["[1]", "[1][2]", "| [1] | 3200 |", "根据[1]和[2]，月租为3200元。"]
)
def test_a_marker_that_leads_nothing_stays(reply: str) -> None:
    assert respelled(reply, len(HITS))[0] == reply


@pytest.mark.parametrize(
    ("reply", "texts", "right"),
    [
        ("The rent is 3200 yuan a month [1], and the warranty ends on 2027-03-31 [3].", TEXTS,
         [1, 3]),
        ("The rent is 3200 yuan a month [1], and the warranty ends on 2027-03-31 [2].", TEXTS,
         [1]),
        ("月租金为3200元[1]，质保期到2027-03-31[2]。", ("月租金为3200元。", "质保期到2027-03-31。"),
         [1, 2]),
        ("[1]月租金为3200元，[2]质保期到2027-03-31。", ("月租金为3200元。", "质保期到2027-03-31。"),
         [1, 2]),
        ("月租金为4100元[1]，质保期到2027-03-31[2]。", ("月租金为3200元。", "质保期到2027-03-31。"),
         [2]),
    ],
)  # fmt: skip
def test_a_sentence_of_two_facts_has_two_sources(
    reply: str, texts: Sequence[str], right: list[int]
) -> None:
    cited = cite(reply, [hit(text, number) for number, text in enumerate(texts, start=1)])
    assert [c.marker for c in cited.citations] == right
    assert [sentence.supported for sentence in cited.sentences] == [len(right) == 2]


def test_markers_count_from_one() -> None:
    """`[ID:0]` is of another program; guessing it to be the first would cite at random."""
    cited = cite("The rent is 3200 yuan [ID:0].", HITS)
    assert [warning.detail for warning in cited.warnings] == ["[0] stands for no passage."]
    assert [c.marker for c in cited.citations] == [1], "found by its words, not by its number"


@pytest.mark.parametrize(
    "text",
    [
        "Rows are `rows[1]` and `(2)`.",
        "(1) The rent. (2) The deposit.",
        "See clause (2).",
        "见（第2条）。",
    ],
)
def test_numbers_in_brackets_that_are_no_markers_stay(text: str) -> None:
    assert cite(text, HITS).text == text


@pytest.mark.parametrize("spelling", ["[2]", "【2】", "［2］", "[ID:2]", "[资料2]", "（来源：2）"])
def test_markers_split_over_pieces_are_the_same(desk: Desk, spelling: str) -> None:
    """FIELD_CASE 5: a character a piece, through the engine."""
    for number, text in enumerate(TEXTS, start=1):
        desk.publish(f"file{number}.pdf", text)
    asked = "How many days may staff work from home?"
    hits = engine(desk, ScriptedGenerator("x")).ask(asked).answer().hits
    number = [hit.passage.text for hit in hits].index(TEXTS[1]) + 1
    reply = f"Staff may work from home two days a week {spelling.replace('2', str(number))}."
    answer = ask(desk, ScriptedGenerator(reply), asked)
    assert [c.hit.passage.text for c in answer.citations] == [TEXTS[1]]
    assert answer.citations[0].marker == number


@pytest.mark.parametrize("order", list(permutations(range(3))))
def test_the_cited_file_is_the_one_that_was_used(desk: Desk, order: tuple[int, ...]) -> None:
    """FIELD_CASE 1: three files, whatever their order, and a reply that says [2]."""
    for at in order:
        desk.publish(f"file{at}.pdf", TEXTS[at])
    asked = "rent office staff home warranty pump"
    second = engine(desk, ScriptedGenerator("x")).ask(asked).answer().hits[1]
    reply = f"{second.passage.text[:-1]} [2]."
    (citation,) = ask(desk, ScriptedGenerator(reply), asked).citations
    assert (citation.marker, citation.hit.document_name) == (2, second.document_name)


def test_a_marker_out_of_range_is_dropped_and_told() -> None:
    cited = cite("The rent is 3200 yuan a month [7].", HITS[:1])
    assert "[7]" not in cited.text
    assert [warning.code for warning in cited.warnings] == ["unknown_marker"]
    assert "7" in cited.warnings[0].detail


@pytest.mark.parametrize(
    "reply",
    [
        '{"answer": "The rent of the office is 3200 yuan a month.", "sources": "[1]',
        "{'answer': 'The rent of the office is 3200 yuan a month [1].'}",
        "```json\n{}\n```\nThe rent of the office is 3200 yuan a month [1].",
    ],
)
def test_what_is_highlighted_comes_from_our_passage_not_from_the_models_json(reply: str) -> None:
    """FIELD_CASE 9."""
    quotes = [c.quote for c in cite(reply, HITS).citations]
    assert quotes == [TEXTS[0]]


def test_a_year_in_brackets_is_no_marker() -> None:
    assert "[2027]" in cite("It ends in [2027].", HITS).text


def test_a_marker_after_the_full_stop_belongs_to_the_sentence_before() -> None:
    cited = cite("月租金为3200元。[1] 质保期另行约定。[2]", [hit("月租金为3200元", 1), HITS[1]])
    assert [sentence.markers for sentence in cited.sentences] == [(1,), (2,)]


def test_a_sentence_that_no_passage_supports_gets_no_source() -> None:
    cited = cite("The rent is 3200 yuan a month [1]. The moon is made of green cheese.", HITS)
    assert [sentence.supported for sentence in cited.sentences] == [True, False]
    assert cited.sentences[1].markers == ()


def test_an_uncited_sentence_gets_the_marker_of_its_clear_source() -> None:
    cited = cite("Staff may work from home two days a week.", HITS)
    assert cited.text == "Staff may work from home two days a week[2]."
    assert cited.citations[0].marker == 2


@pytest.mark.parametrize("wrong", ["The rent is 2300 yuan a month [1].", "租金每月2300元[1]。"])
def test_a_wrong_figure_has_no_source(wrong: str) -> None:
    """FIELD_CASE 4: a wrong page is worse than none."""
    cited = cite(wrong, HITS)
    assert [(each.markers, each.supported) for each in cited.sentences] == [((), False)]
    assert cited.citations == ()
    assert "[1]" not in cited.text
    assert [notice.code for notice in cited.warnings] == ["marker_removed"]


def test_a_wrong_name_is_not_supported() -> None:
    assert not cite("The rent of the Berlin office is 3200 yuan a month [1].", HITS).citations


def test_a_chinese_file_name_does_not_make_an_english_text_chinese() -> None:
    """Across scripts words can't be looked up; a file name must not switch that on."""
    passage = Passage("p", "d", 0, TEXTS[0], "租约 › 办公室", Locator())
    named = Hit(passage, "租约.pdf", "租约.pdf", 1.0, 1, ("dense",))
    assert not cite("The caretaker brings the keys [1].", [named]).citations


def test_the_quote_is_word_for_word_in_the_passage() -> None:
    passage = "The lease began in 2020. The rent is 3,200 yuan. Pets are allowed."
    assert quote("Monthly rent: 3200", passage) == "The rent is 3,200 yuan."
    assert quote("完全无关", passage) in passage


def test_a_wrong_chinese_numeral_is_not_supported() -> None:
    hits = [hit("劳动合同期限三年以上的，试用期不得超过六个月", 1)]
    assert cite("试用期不得超过六个月[1]。", hits).citations[0].supported
    assert not cite("试用期不得超过两个月[1]。", hits).citations


def test_a_marker_set_before_a_sentence_belongs_to_it() -> None:
    cited = cite("[1]. The rent of the office is 3200 yuan a month.", HITS)
    assert [(each.text, each.markers) for each in cited.sentences] == [
        ("The rent of the office is 3200 yuan a month.", (1,))
    ]


@pytest.mark.parametrize(
    "reply",
    ["月租金为3200元，来源是[1]。", "月租金为3200元，资料[1]。", "月租金为3200元，[1]"],
)
def test_words_that_only_lead_to_a_marker_are_left_out(reply: str) -> None:
    cited = cite(reply, [hit("月租金为3200元", 1)])
    assert cited.text.rstrip("。") == "月租金为3200元[1]"
    assert cited.citations[0].supported


@pytest.mark.parametrize(
    ("reply", "right"), [("3,200 [1]", True), ("3200", True), ("4100 [1]", False)]
)
def test_a_number_may_be_the_whole_answer(reply: str, right: bool) -> None:
    cited = cite(reply, HITS, question="What is the rent of the office a month?")
    assert [(s.markers, s.supported) for s in cited.sentences] == [((1,) * right, right)]


def test_the_rule_of_a_table_is_no_sentence() -> None:
    cited = cite("| rent |\n|---|\n| 3200 yuan a month [1] |", HITS)
    assert all("---" not in sentence.text for sentence in cited.sentences)


def test_a_marker_gives_way_to_the_passage_that_clearly_says_it() -> None:
    cited = cite("Staff may work from home two days a week [1].", HITS)
    assert cited.text == "Staff may work from home two days a week[2]."
    assert [(c.marker, c.supported) for c in cited.citations] == [(2, True)]
    assert [warning.code for warning in cited.warnings] == ["marker_replaced"]


def test_joining_words_do_not_make_a_source() -> None:
    cited = cite("It is the one that you have at the end of it.", HITS)
    assert cited.citations == ()


def test_what_the_question_named_may_stand_elsewhere_in_the_document() -> None:
    title = hit("Lease of the house at 14 Quarry Lane", 1, "lease")
    rent = hit("The monthly rent is 4,250 pounds.", 2, "lease")
    reply = "The monthly rent for 14 Quarry Lane is 4,250 pounds."
    asked = "How much is the monthly rent for 14 Quarry Lane?"
    cited = cite(reply, [title, rent], question=asked)
    assert [(c.marker, c.supported) for c in cited.citations] == [(2, True)]
    elsewhere = hit(title.passage.text, 1, "another")
    assert cite(reply, [elsewhere, rent], question=asked).citations == ()


def test_what_the_answer_adds_must_stand_in_the_cited_passage() -> None:
    rows = [
        hit("凭证: PZ-0001 | 经办人: 钟采薇 | 金额: 100", 1, "ledger"),
        hit("凭证: PZ-0286 | 经办人: 褚明朗 | 金额: 200", 2, "ledger"),
    ]
    asked = "凭证 PZ-0286 的经办人是谁？"
    for reply in (
        "褚明朗[1]",
        "凭证 PZ-0286 的经办人是褚明朗[1]。",
        "凭证 PZ-0286 的经办人是褚明朗。",
    ):
        cited = cite(reply, rows, question=asked)
        assert [(c.marker, c.supported) for c in cited.citations] == [(2, True)], reply
        assert "褚明朗" in cited.citations[0].quote


def test_a_bare_name_stands_in_the_row_that_was_asked_for() -> None:
    rows = [
        hit("凭证: PZ-0001 | 经办人: 钟采薇 | 金额: 100", 1, "ledger"),
        hit("凭证: PZ-0286 | 经办人: 褚明朗 | 金额: 200", 2, "ledger"),
    ]
    asked = "凭证 PZ-0286 的经办人是谁？"
    assert not cite("钟采薇[1]", rows, question=asked).citations
    assert [c.supported for c in cite("褚明朗[2]", rows, question=asked).citations] == [True]


def test_a_bare_name_stands_beside_what_was_asked() -> None:
    row = hit("凭证: PZ-0001 | 经办人: 钟采薇 | 金额: 100", 1, "ledger")
    notes = hit("供应商发票的联系人为闻人澈。", 2, "notes")
    asked = "供应商发票的联系人是谁？"
    assert not cite("钟采薇[1]", [row, notes], question=asked).citations
    assert cite("闻人澈[2]", [row, notes], question=asked).citations[0].supported


def test_a_citation_of_rows_points_at_the_row_that_says_it() -> None:
    rows = [f"凭证: PZ-{n:04} | 经办人: {who}" for n, who in ((285, "钟采薇"), (286, "褚明朗"))]
    lines = ("A286:E286", "A287:E287")
    found = hit("\n".join(rows), 1, "ledger")
    place = Locator(sheet="台账", cells="A286:E287", lines=lines)
    found = replace(found, passage=replace(found.passage, locator=place))
    (citation,) = cite("经办人是褚明朗[1]。", [found], question="PZ-0286 的经办人是谁？").citations
    assert citation.locator.label == "台账!A287:E287"
    assert CitationOut.of(citation).locator.cells == "A287:E287"


LEASE = "The monthly rent is 4,250 pounds.\nThe deposit is 12,750 pounds and is held by Ambleford."
CHINESE_LEASE = "第一条 每月租金为18,600 元。\n第二条 押金为三个月租金，共计 55,800 元。"
LAW = (
    "劳动合同期限一年以上不满三年的，试用期不得超过二个月；三年以上的，试用期不得超过六个月。",
    "竞业限制的人员限于高级管理人员。\n竞业限制期限，不得超过二年。",
)


@pytest.mark.parametrize(
    ("question", "reply", "texts", "right"),
    [
        ("What is the deposit?", "The deposit is 12,750 pounds [1].", [LEASE], True),
        ("What is the deposit?", "The deposit is 4,250 pounds [1].", [LEASE], False),
        ("Who holds the deposit?", "It is held by Ambleford [1].", [LEASE], True),
        ("Who holds the deposit?", "The deposit is not held by Ambleford [1].", [LEASE], False),
        ("Who holds the deposit?", "The deposit is held by the landlord [1].", [LEASE], False),
        ("押金一共是多少？", "押金一共是 55,800 元[1]。", [CHINESE_LEASE], True),
        ("押金一共是多少？", "押金一共是 18,600 元[1]。", [CHINESE_LEASE], False),
        ("押金是几个月租金？", "押金为三个月租金[1]。", [CHINESE_LEASE], True),
        ("押金是几个月租金？", "押金为两个月租金[1]。", [CHINESE_LEASE], False),
        ("租金和押金？", "每月租金为18,600元，押金共计55,800元[1]。", [CHINESE_LEASE], True),
        ("竞业限制期限不得超过几年？", "竞业限制期限不得超过二年[2]。", LAW, True),
        ("竞业限制期限不得超过几年？", "竞业限制期限不得超过三年[1]。", LAW, False),
        ("竞业限制期限不得超过几年？", "三年[1]", LAW, False),
        ("试用期最长是多久？", "试用期最长是六个月[1]。", LAW, True),
        ("What is the allowance?", "The allowance is 46 pounds, receipts are not needed [1].",
         ["The allowance is 46 pounds, receipts are not needed.\nIt is paid in cash."], True),
        ("What is the allowance?", "The allowance is 46 pounds, receipts are needed [1].",
         ["The allowance is 46 pounds, receipts are not needed.\nIt is paid in cash."], False),
        ("坐什么座位？", "单程超过六小时的，可以乘坐一等座[1]。",
         ["高铁一律乘坐二等座；单程超过六小时的，可以乘坐一等座。"], True),
        ("停车位的费用是多少？", "停车位的费用是55,800元[1]。", [CHINESE_LEASE], False),
        ("What is the parking fee?", "The parking fee is 12,750 pounds [1].", [LEASE], False),
    ],
)  # fmt: skip
def test_a_figure_stands_where_its_subject_does(
    question: str, reply: str, texts: Sequence[str], right: bool
) -> None:
    hits = [hit(text, number, "one") for number, text in enumerate(texts, start=1)]
    cited = cite(reply, hits, question=question)
    assert [c.supported for c in cited.citations] == [True] * right
    codes = {notice.code for notice in cited.warnings}
    assert codes <= {"marker_removed"}, "no marker moves"


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize(
    ("texts", "question", "said"),
    [
        (("Nina Ott said the plan is late. Paul Reed will call the supplier by 23 May 2025.",
          "Task | Owner | Due\nCall the supplier | Paul Reed | 23 May 2025\n"
          "Revise the plan | Nina Ott | 28 May 2025"),
         "谁要在2025年5月28日之前修订计划？", "Nina Ott要在2025年5月28日之前修订计划[{}]。"),
        (("租赁合同。承租方（乙方）：远帆公司。月租金为3200元，按季度支付。",
          "第六条 乙方逾期支付租金的，每逾期一日按应付租金的万分之五支付违约金。"),
         "承租方逾期付款的违约金比例是多少？", "承租方逾期付款的违约金比例是万分之五[{}]"),
    ],
    ids=["across languages", "few words in common"],
)  # fmt: skip
def test_a_marker_gives_way_to_the_passage_that_has_the_name_and_date_or_the_figure(
    texts: tuple[str, str], question: str, said: str, order: tuple[int, int]
) -> None:
    hits = [hit(texts[at], number, "d") for number, at in enumerate(order, start=1)]
    wrong, right = order.index(0) + 1, order.index(1) + 1
    cited = cite(said.format(wrong), hits, question=question)
    assert [(each.marker, each.supported) for each in cited.citations] == [(right, True)]
    assert [each.supported for each in cited.sentences] == [True]
    assert [notice.code for notice in cited.warnings] == ["marker_replaced"]
    kept = cite(said.format(right), hits, question=question)
    assert not kept.warnings


def test_no_comma_is_left_where_a_marker_stood_before_the_stop() -> None:
    assert cite("月租金为3200元，[1]。", HITS).text == "月租金为3200元[1]。"
    assert cite("The rent is 3200 yuan, [1].", HITS).sentences[0].text.endswith("3200 yuan.")
    assert cite("The rent, [1], is 3200 yuan.", HITS).text == "The rent, [1], is 3200 yuan."
