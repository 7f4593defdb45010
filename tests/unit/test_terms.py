import pytest

from rag.terms import codes, is_cjk, terms


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("增值税", ["增值", "值税"]),
        ("税", ["税"]),
        ("ＩＮＶ－２０２３", ["inv-2023", "inv", "2023"]),
        ("租金1,234.50元", ["租金", "1234.50", "1234", "50", "元"]),
        ("DN80 pipe", ["dn80", "pipe"]),
        ("don't stop.", ["don", "t", "stop"]),
        ("", []),
    ],
)
def test_terms_of(text: str, expected: list[str]) -> None:
    assert terms(text) == expected


def test_chinese_beside_latin_is_split_between_scripts() -> None:
    assert terms("在DN80管道") == ["在", "dn80", "管道"]


def test_cjk_is_recognised_within_english() -> None:
    assert is_cjk("the 合同 of 2023")
    assert not is_cjk("the contract of 2023")


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("第八十二条", {"第82条"}),
        ("第 82 条", {"第82条"}),
        ("invoice INV-2031-0417", {"inv-2031-0417", "2031", "0417"}),
        ("in 2023, room B-207", {"2023", "b-207"}),
        ("14 Quarry Lane, 3.5 %, 120 pages", set()),
    ],
)
def test_codes_are_what_tells_one_thing_from_all_others(text: str, expected: set[str]) -> None:
    assert set(codes(terms(text))) == expected


DAY = ["2024年3月5日", "2024-03-05", "2024/3/5", "2024.3.5", "3/5/2024", "5 March 2024",
       "March 5, 2024", "5-Mar-2024", "Mar. 5th, 2024", "二〇二四年三月五日",
       "２０２４年３月５号"]  # fmt: skip


@pytest.mark.parametrize("asked", DAY)
@pytest.mark.parametrize("written", DAY)
def test_a_day_is_found_however_it_is_written(asked: str, written: str) -> None:
    assert {"2024-03-05", "2024-03"} <= set(terms(asked)) & set(terms(f"日期: {written} | 金额: 5"))


@pytest.mark.parametrize("text", ["2024年3月", "March 2024", "二〇二四年三月"])
def test_a_month_is_found_in_its_days(text: str) -> None:
    assert "2024-03" in set(terms(text)) & set(terms("2024-03-05"))


@pytest.mark.parametrize(
    "text", ["2024-13-45", "1.2.3.2024.1", "version 2024.3", "2024年13月", "30/31/2024"]
)
def test_what_no_calendar_has_is_no_day(text: str) -> None:
    assert not [term for term in terms(text) if term.startswith("2024-") and term not in text]


@pytest.mark.parametrize(
    ("asked", "written"),
    [("1234567.89", "金额: 1,234,567.89"), ("123.46万", "金额: 1,234,567.89"),
     ("123.5万元", "¥1,234,567"), ("1234600", "123.46万元"), ("123.46万", "1,234,600元"),
     ("1.2亿", "金额: 123,456,789.00"), ("120000000元", "去年收入约1.2亿元"),
     ("123.46万", "收入为1234567.89元"), ("123.46 万元", "金额: 123.46万")],
)  # fmt: skip
def test_an_amount_is_found_rounded_and_in_ten_thousands(asked: str, written: str) -> None:
    told = {term for term in terms(asked) if term[-1].isdigit() and len(term) > 3}
    assert told & set(terms(written))


@pytest.mark.parametrize("text", ["INV 20240305", "call 13800138000", "account 6222021234567890"])
def test_a_number_that_may_be_a_code_is_no_amount(text: str) -> None:
    assert not [term for term in terms(text) if term[0] in "wy"]
