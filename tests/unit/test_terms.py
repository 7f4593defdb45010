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
