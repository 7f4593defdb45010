from decimal import Decimal

import pytest

from rag.sentences import figures, names, overlap, same_script, sentence_spans


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("租金是100元。押金200元！", ["租金是100元。", "押金200元！"]),
        ("It is 3.14 m. See v1.2 now.", ["It is 3.14 m.", "See v1.2 now."]),
        ("One\n\nTwo", ["One", "Two"]),
        ("他说“好。”然后走了。", ["他说“好。”", "然后走了。"]),
        ("  ", []),
        ("By John C. Reed of St. Ives. It sold.", ["By John C. Reed of St. Ives.", "It sold."]),
        ("J. R. R. Reed of Acme Inc. pays, e.g. rent. Yes", ["J. R. R. Reed of Acme Inc. pays, "
         "e.g. rent.", "Yes"]),
        ("See No. 7, Art. 5. So be it.", ["See No. 7, Art. 5.", "So be it."]),
        ("Choose Plan B. The rent is 5. No. It rises.", ["Choose Plan B.", "The rent is 5.", "No.",
         "It rises."]),
        ("In the U.S. Army. It is", ["In the U.S. Army.", "It is"]),
    ],
)  # fmt: skip
def test_sentences(text: str, expected: list[str]) -> None:
    assert [text[start:end] for start, end in sentence_spans(text)] == expected


def test_figures_are_compared_by_value() -> None:
    assert figures("¥1,234.50") == figures("1234.5元") == {Decimal("1234.5")}
    assert figures("2023年5月1日") == figures("2023-05-01")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("试用期不得超过六个月", {6}),
        ("试用期6个月", {6}),
        ("第二十条", set()),
        ("百分之八十", {80}),
        ("百分之五点八", {"5.8"}),
        ("万分之五", {"0.05"}),
        ("千分之二点五", {"0.25"}),
        ("百分之5", {5}),
        ("三十万美元", {300000}),
        ("一百零五天", {105}),
        ("三万二千元", {32000}),
        ("十二个月", {12}),
        ("二〇二三年", {2023}),
        ("人民币壹万捌仟陆佰元整", {18600}),
        ("陆家嘴的陆先生", set()),
        ("一般来说，万一统一签订一个合同", set()),
    ],
)
def test_chinese_numerals_are_figures(text: str, expected: set[int | str]) -> None:
    assert figures(text) == {Decimal(value) for value in expected}


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("for as long as ten years", {10}),
        ("Twenty-one calendar days", {21}),
        ("two hundred and fifty pages", {250}),
        ("thirty (30) days", {30}),
        ("one of the two parties", set()),
        ("within one hour", set()),
    ],
)
def test_english_numerals_are_figures_before_a_unit(text: str, expected: set[int]) -> None:
    assert figures(text) == {Decimal(value) for value in expected}


def test_the_number_of_a_list_item_is_no_figure() -> None:
    assert figures("2. The rent is 300.") == {Decimal(300)}


def test_names_are_capitalised_words_within_a_sentence_and_codes() -> None:
    assert names("The contract with Acme covers B-207 and DN80.") == {"acme", "b-207", "dn80"}
    assert names("In May Acme's and O'Neil’s rents rose.") == {"may", "acme", "o'neil"}


def test_overlap_is_a_share_of_the_sentence() -> None:
    assert overlap("the rent is high", "the rent is low") == pytest.approx(1 / 2)
    assert overlap("", "anything") == 0.0


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("租金是多少", "The rent is 3200 yuan.", False),
        ("What is the rent?", "租金是3200元。", False),
        ("What is the rent?", "The rent of 白鹭 is 3200 yuan a month.", True),
        ("租金是多少", "The rent of 白鹭 is 3200 yuan a month, paid in advance.", False),
        ("Harrowgate Ltd 的租金是多少", "租金由 Harrowgate Properties Ltd 收取。", True),
        ("What is the rent?", "Rent 租金 3200, deposit 押金 9600", True),
        ("租金", "3200", True),
        ("rent", "3200", True),
    ],
)
def test_scripts_are_told_by_most_of_the_words(one: str, other: str, same: bool) -> None:
    assert same_script(one, other) is same
