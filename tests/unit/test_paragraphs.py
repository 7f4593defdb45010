"""Lines of a page as paragraphs: numbers that a line's end cuts, and the facts of a form."""

import pytest

from ingest.parsers.paragraphs import Line, join, to_blocks


def _lines(*texts, widths=()):
    return [
        Line(text, 70.0, 100.0 + 16 * at, 70.0 + width, 112.0 + 16 * at, 11.0, bold=False)
        for at, (text, width) in enumerate(zip(texts, widths or [400] * len(texts), strict=True))
    ]


@pytest.mark.parametrize(
    ("texts", "read"),
    [
        (("建筑面积186.", "5平方米，"), "建筑面积186.5平方米，"),
        (("免租期至20", "24年4月30日。"), "免租期至2024年4月30日。"),
        (("金额为人民币32,", "500元。"), "金额为人民币32,500元。"),
        (("Call 1-", "800-555-0100 now."), "Call 1-800-555-0100 now."),
        (("1.1 正确的起点 1", "1.2 需要的工具 3"), "1.1 正确的起点 1 1.2 需要的工具 3"),
        (("There were 20", "24 people came later."), "There were 20 24 people came later."),
    ],
)
def test_a_number_cut_by_a_lines_end_is_one(texts, read):
    assert join(tuple(_lines(*texts))) == read


def test_a_short_line_ends_with_its_number():
    assert (
        join(tuple(_lines("附件共3", "2024年起施行", widths=(100, 400)))) == "附件共3 2024年起施行"
    )


def test_facts_of_a_form_stand_apart_while_sentences_run_on():
    facts = ("合同编号：ZL-0318", "出租方（甲方）：北方置业", "签订日期：2031年3月18日")
    sentence = ("说明：本合同自双方签字之日起生效，一式两份，双方各执一份，具有", "同等效力。")
    blocks = to_blocks(_lines(*facts, *sentence, widths=(150, 190, 170, 400, 60)))
    assert [block.text for block in blocks] == [*facts, "".join(sentence)]
