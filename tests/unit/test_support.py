"""What counts as said by a passage: the right row, the right column, no heading. FIELD_CASE 4."""

from __future__ import annotations

import pytest

from rag.citations import cite
from rag.records import Hit, Locator, Passage

NAMED = (
    "项目: 货币资金 | 期末余额: 1,204,500.00 | 期初余额: 986,300.00\n"
    "项目: 应收账款 | 期末余额: 355,000.00 | 期初余额: 412,700.00\n"
    "项目: 资产总计 | 期末余额: 3,204,500.00 | 期初余额: 2,986,300.00"
)
HEADER = "项目 | 期末余额 | 期初余额"
BARE = (
    "货币资金 | 1,204,500.00 | 986,300.00\n应收账款 | 355,000.00 | 412,700.00\n"
    "资产总计 | 3,204,500.00 | 2,986,300.00"
)
SHEETS = {"named": ("报表", NAMED), "headed": ("报表", f"{HEADER}\n{BARE}"),
          "header above": (f"报表\n{HEADER}", BARE)}  # fmt: skip
ENGLISH_NAMED = (
    "Item: Cash and bank | Closing balance: 1,204,500.00 | Opening balance: 986,300.00\n"
    "Item: Receivables | Closing balance: 355,000.00 | Opening balance: 412,700.00"
)
ENGLISH_BARE = (
    "Item | Closing balance | Opening balance\n"
    "Cash and bank | 1,204,500.00 | 986,300.00\nReceivables | 355,000.00 | 412,700.00"
)
PLANS = (
    "Plan: Basic | Monthly fee: 12 pounds | Setup fee: 40 pounds\n"
    "Plan: Plus | Monthly fee: 25 pounds | Setup fee: 60 pounds"
)
LEDGER = (
    "凭证: PZ-0001 | 经办人: 钟采薇 | 金额: 100\n凭证: PZ-0286 | 经办人: 褚明朗 | 金额: 200\n"
    "凭证: PZ-0287 | 经办人: 褚明朗 | 金额: 250"
)
SIDES = {
    "named": "资产: 货币资金 | 期末余额: 1,204.50 | 年初余额: 986.30 | "
    "权益: 短期借款 | 期末余额: 300.00 | 年初余额: 250.00",
    "headed": "资产 | 期末余额 | 年初余额 | 权益 | 期末余额 | 年初余额\n"
    "货币资金 | 1,204.50 | 986.30 | 短期借款 | 300.00 | 250.00",
}
PROFIT = (
    "项目: 营业收入 | 行次: 1 | 本期金额: 8,800,000.00 | 上期金额: 7,650,000.00\n"
    "项目: 营业成本 | 行次: 2 | 本期金额: 5,100,000.00 | 上期金额: 4,900,000.00"
)
YEARS_DOWN = "年度: 2022 | 收入: 100 | 成本: 60\n年度: 2023 | 收入: 120 | 成本: 90"
YEARS_ACROSS = "项目 | 2023年 | 2022年\n收入 | 120 | 100\n成本 | 90 | 60"


def hit(text: str, context: str = "file") -> Hit:
    passage = Passage("p", "d", 0, text, context, Locator())
    return Hit(passage, "file.pdf", "file.pdf", 1.0, 1, ("dense",))


def is_supported(reply: str, question: str, found: Hit) -> bool:
    cited = cite(reply, [found], question=question)
    verdicts = [sentence.supported for sentence in cited.sentences]
    assert verdicts, "something was said"
    assert bool(cited.citations) == any(verdicts), "no source for what none says"
    return all(verdicts)


@pytest.mark.parametrize("sheet", SHEETS.values(), ids=SHEETS.keys())
@pytest.mark.parametrize(
    ("question", "reply", "right"),
    [
        ("货币资金的期末余额是多少？", "货币资金的期末余额为1,204,500.00元[1]。", True),
        ("货币资金的期末余额是多少？", "1,204,500.00[1]", True),
        ("货币资金的期末余额是多少？", "货币资金的期末余额为986,300.00元[1]。", False),
        ("货币资金的期末余额是多少？", "货币资金为986,300.00元[1]。", False),
        ("货币资金的期末余额是多少？", "986,300.00[1]", False),
        ("货币资金的期末余额是多少？", "货币资金的期末余额为355,000.00元[1]。", False),
        ("货币资金的期末余额是多少？", "期末余额为355,000.00元[1]。", False),
        ("货币资金的期末余额是多少？", "355,000.00[1]", False),
        ("货币资金的年初余额是多少？", "货币资金的年初余额为986,300.00元[1]。", True),
        ("货币资金的年初余额是多少？", "货币资金的年初余额为1,204,500.00元[1]。", False),
        ("货币资金是多少？", "货币资金期末余额1,204,500.00元，期初余额986,300.00元[1]。", True),
        ("货币资金是多少？", "货币资金期末余额986,300.00元，期初余额1,204,500.00元[1]。", False),
        ("货币资金是多少？", "货币资金期末余额1,204,500.00元，期初余额412,700.00元[1]。", False),
        ("货币资金的期末余额是多少？", "货币资金的期初余额为986,300.00元[1]。", True),
    ],
)  # fmt: skip
def test_a_figure_stands_in_the_row_and_under_the_column_that_are_named(
    sheet: tuple[str, str], question: str, reply: str, *, right: bool
) -> None:
    context, text = sheet
    assert is_supported(reply, question, hit(text, context)) == right


@pytest.mark.parametrize("text", [ENGLISH_NAMED, ENGLISH_BARE], ids=["named", "headed"])
@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("The closing balance of cash and bank is 1,204,500.00 [1].", True),
        ("The closing balance of cash and bank is 986,300.00 [1].", False),
        ("The closing balance of cash and bank is 355,000.00 [1].", False),
        ("986,300.00 [1]", False),
        ("1,204,500.00 [1]", True),
        ("Cash and bank closed at 1,204,500.00 and opened at 986,300.00 [1].", True),
    ],
)
def test_the_same_in_english(text: str, reply: str, *, right: bool) -> None:
    question = "What is the closing balance of cash and bank?"
    assert is_supported(reply, question, hit(text)) == right


@pytest.mark.parametrize(
    ("text", "question", "reply", "right"),
    [
        (PLANS, "What is the monthly fee of Plus?", "The monthly fee of Plus is 25 pounds [1].",
         True),
        (PLANS, "What is the monthly fee of Plus?", "The monthly fee of Plus is 12 pounds [1].",
         False),
        (PLANS, "What is the monthly fee of Plus?", "The monthly fee of Plus is 60 pounds [1].",
         False),
        (PLANS, "What does Plus cost?", "Plus costs 25 pounds a month and 60 pounds for setup [1].",
         True),
        (LEDGER, "凭证PZ-0286的金额是多少？", "凭证PZ-0286的金额为200元[1]。", True),
        (LEDGER, "凭证PZ-0286的金额是多少？", "凭证PZ-0286的金额为250元[1]。", False),
        (LEDGER, "凭证PZ-0286的金额是多少？", "250[1]", False),
        (LEDGER, "钟采薇经办的金额是多少？", "钟采薇经办的金额是100元[1]。", True),
        (LEDGER, "钟采薇经办的金额是多少？", "钟采薇经办的金额是200元[1]。", False),
        *((years, "2023年的收入是多少？", reply, right)
          for years in (YEARS_DOWN, YEARS_ACROSS)
          for reply, right in (("2023年的收入为120万元[1]。", True), ("120[1]", True),
                               ("2023年的收入为100万元[1]。", False), ("100[1]", False),
                               ("2023年的收入为90万元[1]。", False), ("90[1]", False))),
        ("项目: 货币资金 | 期末余额: 1,204,500.00", "应收账款的期末余额是多少？",
         "应收账款的期末余额为1,204,500.00元[1]。", False),
    ],
)  # fmt: skip
def test_rows_are_told_apart_by_names_codes_and_years(
    text: str, question: str, reply: str, *, right: bool
) -> None:
    assert is_supported(reply, question, hit(text)) == right


@pytest.mark.parametrize("text", SIDES.values(), ids=SIDES.keys())
@pytest.mark.parametrize(
    ("question", "reply", "right"),
    [
        ("货币资金的期末余额是多少？", "货币资金的期末余额为1,204.50元[1]。", True),
        ("货币资金的期末余额是多少？", "货币资金的期末余额为300.00元[1]。", False),
        ("短期借款的期末余额是多少？", "短期借款的期末余额为300.00元[1]。", True),
        ("短期借款的期末余额是多少？", "短期借款的期末余额为1,204.50元[1]。", False),
        ("短期借款的期末余额是多少？", "短期借款的期末余额为250.00元[1]。", False),
        ("短期借款的期末余额是多少？", "1,204.50[1]", False),
    ],
)
def test_assets_and_debts_of_one_row_are_told_apart(
    text: str, question: str, reply: str, *, right: bool
) -> None:
    assert is_supported(reply, question, hit(text)) == right


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("本期营业收入为8,800,000.00元[1]。", True),
        ("本期营业收入为880万元[1]。", True),
        ("营业收入为880万元[1]。", True),
        ("本期营业收入为0.088亿元[1]。", True),
        ("上期营业收入为765万元[1]。", True),
        ("本期营业收入为765万元[1]。", False),
        ("本期营业收入为510万元[1]。", False),
        ("本期营业收入为880元[1]。", False),
        ("本期营业收入为88万元[1]。", False),
    ],
)
def test_amounts_may_be_written_in_ten_thousands(reply: str, *, right: bool) -> None:
    assert is_supported(reply, "本期营业收入是多少？", hit(PROFIT)) == right


@pytest.mark.parametrize(
    ("text", "reply", "right"),
    [
        ("The lease ends on 5 March 2024.", "租约于2024年3月5日到期[1]。", True),
        ("The lease ends on 5 March 2024.", "租约于2024年4月5日到期[1]。", False),
        ("The lease ends on 5 March 2024.", "The lease ends on 2024-03-05 [1].", True),
        ("租约于2024年3月5日到期。", "The lease ends on 5 March 2024 [1].", True),
        ("租约于2024年3月5日到期。", "The lease ends on 5 April 2024 [1].", False),
    ],
)
def test_a_day_is_the_same_in_both_languages(text: str, reply: str, *, right: bool) -> None:
    assert is_supported(reply, "", hit(text)) == right


RENT = hit("Monthly rent and deposit\nThe rent is 3200 yuan.", "lease › Monthly rent and deposit")
ZH_RENT = hit("第三条 租金与押金\n月租金为3200元，押金由安布公司保管。", "租约 › 第三条 租金与押金")


@pytest.mark.parametrize(
    ("found", "question", "reply", "right"),
    [
        (RENT, "How much is the rent?", "Monthly rent and deposit [1].", False),
        (RENT, "How much is the rent?", "The rent is 3200 yuan [1].", True),
        (RENT, "What must be paid?", "Monthly rent and deposit [1].", False),
        (RENT, "Which section sets the rent?", "Monthly rent and deposit [1].", True),
        (ZH_RENT, "租金是多少？", "租金与押金[1]。", False),
        (ZH_RENT, "租金是多少？", "第三条 租金与押金[1]。", False),
        (ZH_RENT, "谁保管押金？", "租金与押金[1]。", False),
        (ZH_RENT, "谁保管押金？", "安布公司[1]。", True),
        (ZH_RENT, "哪一条规定了租金？", "第三条 租金与押金[1]。", True),
        (hit("Deposits are held by Ambleford.", "lease › Deposit"), "Who holds the deposit?",
         "Deposit [1].", False),
        (hit("He came two years ago.", "team › Managing director: Foo Bar"),
         "Who is the managing director?", "Managing director: Foo Bar [1].", True),
        (hit("本公司从事税务咨询。", "章程 › 经营范围"), "经营范围是什么？", "经营范围[1]", False),
        (hit("本公司从事税务咨询。", "章程 › 经营范围"), "经营范围是什么？", "税务咨询[1]", True),
        (hit("Parking is allowed in the yard.", "rules › Parking"), "Is parking allowed?",
         "Parking is allowed [1].", True),
    ],
)  # fmt: skip
def test_a_heading_is_no_answer_but_to_who_asks_for_it(
    found: Hit, question: str, reply: str, *, right: bool
) -> None:
    assert is_supported(reply, question, found) == right


TRIAL = hit(
    "The trial period is 3 months. During it the salary is 80 percent of 9,000 yuan. Notice during "
    "the trial period is 7 days. After it notice is 30 days. In 2022 revenue was 100 million. In "
    "2023 revenue was 120 million."
)
ZH_TRIAL = hit(
    "第十二条 试用期为3个月。试用期工资为9,000元的80%。"
    "试用期内提前7日通知可以解除合同。转正后须提前30日通知。"
)


@pytest.mark.parametrize(
    ("found", "question", "reply", "right"),
    [
        (TRIAL, "How long is the trial period?", "The trial period is 3 months [1].", True),
        (TRIAL, "How long is the trial period?", "The trial period is 7 days [1].", False),
        (TRIAL, "How long is the trial period?", "The trial period is 30 days [1].", False),
        (TRIAL, "What is the notice?", "Notice during the trial period is 7 days [1].", True),
        (TRIAL, "What is the notice?", "Notice during the trial period is 3 months [1].", False),
        (TRIAL, "What is the notice?", "Notice during the trial period is 30 days [1].", False),
        (TRIAL, "What was revenue in 2023?", "In 2023 revenue was 120 million [1].", True),
        (TRIAL, "What was revenue in 2023?", "In 2023 revenue was 100 million [1].", False),
        (ZH_TRIAL, "试用期多长？", "试用期为3个月[1]。", True),
        (ZH_TRIAL, "试用期多长？", "试用期是7日[1]。", False),
        (ZH_TRIAL, "试用期多长？", "试用期为30日[1]。", False),
        (ZH_TRIAL, "提前几天通知？", "试用期内须提前7日通知[1]。", True),
        (ZH_TRIAL, "提前几天通知？", "试用期内须提前30日通知[1]。", False),
        (ZH_TRIAL, "提前几天通知？", "转正后须提前30日通知[1]。", True),
        (ZH_TRIAL, "提前几天通知？", "转正后须提前7日通知[1]。", False),
    ],
)  # fmt: skip
def test_a_figure_of_the_same_article_is_about_what_its_own_sentence_is(
    found: Hit, question: str, reply: str, *, right: bool
) -> None:
    assert is_supported(reply, question, found) == right


@pytest.mark.parametrize("year", [2023, 2022])
def test_whose_figure_it_is_may_be_said_in_any_way_and_the_row_is_quoted(year: int) -> None:
    """``Area NW's`` stands nowhere; the band above the rows has the year but not the figure."""
    band = f"In thousands of EUR | January–June {year}"
    row = "Area NW | Sales (a): 7,431 | Trading profit: 1,208 | Depreciation: (96)"
    found = hit(f"{band}\n{row}\nArea SE | Sales (a): 5,602 | Trading profit: 917", f"f › {band}")
    question = f"What are Area NW's sales in January–June {year}?"
    said = f"Area NW's sales in January–June {year} were 7,431 thousand EUR [1]."
    assert is_supported(said, question, found)
    assert not is_supported(said.replace("7,431", "5,602"), question, found)
    (citation,) = cite(said, [found], question=question).citations
    assert citation.quote == row


BILLS = (
    "单号: B-01 | 日期: 2024年1月9日 | 客户: 东岭机械 | 价税合计: 1,130.00\n"
    "单号: B-02 | 日期: 2024年2月6日 | 客户: 海纳物流 | 价税合计: 5,085.00\n"
    "单号: B-03 | 日期: 2024年3月5日 | 客户: 东岭机械 | 价税合计: 4,294.00\n"
    "单号: B-04 | 日期: 2024年7月5日 | 客户: 海纳物流 | 价税合计: 911.00"
)
WAGES = (
    "姓名: 甘露 | 部门: 财务部 | 岗位: 财务主管 | 实发工资: 17,285\n"
    "姓名: 钱多 | 部门: 财务部 | 岗位: 出纳 | 实发工资: 9,744\n部门: 合计 | 实发工资: 27,029"
)
ENGLISH_BILLS = (
    "Invoice: B-01 | Customer: Eastridge | Net sales: 1,130.00\n"
    "Invoice: B-02 | Customer: Haina | Net sales: 5,085.00\n"
    "Invoice: B-03 | Customer: Eastridge | Net sales: 4,294.00\n"
    "Invoice: Total | Customer: – | Net sales: 10,509.00"
)


@pytest.mark.parametrize(
    ("text", "question", "reply", "right"),
    [
        (BILLS, "东岭机械的价税合计一共多少？", "价税合计：1,130.00 [1]", False),
        (BILLS, "2024年第一季度开给东岭机械的一共多少？", "一共1,130.00元[1]。", False),
        (BILLS, "2024年2月开给海纳物流的一共多少？", "一共5,085.00元[1]。", True),
        (BILLS, "B-03的价税合计是多少？", "B-03的价税合计是4,294.00元[1]。", True),
        (WAGES, "各部门的实发工资合计分别是多少？", "财务部的实发工资合计是17,285元[1]。", False),
        (WAGES, "实发工资合计是多少？", "实发工资合计是27,029元[1]。", True),
        (WAGES, "甘露的实发工资一共多少？", "甘露的实发工资是17,285元[1]。", True),
        (ENGLISH_BILLS, "What are the net sales to Eastridge in total?",
         "The net sales to Eastridge are 1,130.00 in total [1].", False),
        (ENGLISH_BILLS, "What are the net sales to Haina in total?",
         "The net sales to Haina are 5,085.00 [1].", True),
        (ENGLISH_BILLS, "What are the total net sales?", "The total net sales are 10,509.00 [1].",
         True),
        ("Item: Net sales | 2023: 120 | 2022: 100\nItem: Cost of sales | 2023: 90 | 2022: 60",
         "What were total sales in 2023?", "Total sales in 2023 were 120 [1].", True),
    ],
)  # fmt: skip
def test_one_row_is_not_the_sum_of_those_that_are_asked_for(
    text: str, question: str, reply: str, *, right: bool
) -> None:
    assert is_supported(reply, question, hit(text)) == right


LONE = (
    "姓名: 甘露 | 部门: 财务部 | 实发工资: 17,285\n姓名: 钱多 | 部门: 财务部 | 实发工资: 9,744\n"
    "姓名: 田野 | 部门: 研发部 | 实发工资: 20,520"
)


@pytest.mark.parametrize(
    ("question", "reply", "right"),
    [
        ("各部门的实发工资合计分别是多少？", "研发部的实发工资合计是20,520元[1]。", False),
        ("研发部的实发工资合计是多少？", "研发部的实发工资合计是20,520元[1]。", True),
        ("谁的实发工资最高？", "甘露的实发工资最高，为17,285元[1]。", False),
        ("谁的实发工资最高？", "田野的实发工资最高，为20,520元[1]。", True),
        ("财务部实发工资最高的是谁？", "甘露的实发工资最高，为17,285元[1]。", True),
        ("谁的实发工资最低？", "甘露的实发工资最低，为17,285元[1]。", False),
        ("谁的实发工资最低？", "钱多的实发工资最低，为9,744元[1]。", True),
        ("实发工资最高的两位是谁？", "甘露的实发工资是17,285元[1]。", True),
        ("各部门最高的实发工资分别是多少？", "财务部最高的实发工资是17,285元[1]。", True),
    ],
)
def test_a_row_is_not_its_group_and_not_the_most_where_another_has_more(
    question: str, reply: str, *, right: bool
) -> None:
    assert is_supported(reply, question, hit(LONE)) == right


WOODS = "name: 栖霞林场 | area: 420.0\nname: 东坪林场 | area: 310.5"


@pytest.mark.parametrize(
    ("text", "reply", "right"),
    [
        (WOODS, "栖霞林场的面积为420.0[1]。", True),
        (WOODS, "栖霞林场的面积为420.0公顷[1]。", False),
        (WOODS, "栖霞林场的面积为420.0 平方公里[1]。", False),
        (WOODS.replace("area", "area (ha)"), "栖霞林场的面积为420.0公顷[1]。", True),
        (WOODS.replace("area", "面积（平方千米）"), "栖霞林场的面积为420.0 km²[1]。", True),
        (WOODS.replace("area", "面积（平方千米）"), "栖霞林场的面积为420.0公顷[1]。", False),
        ("栖霞林场面积420㎡，院墙长60m。", "栖霞林场的面积为420平方米[1]。", True),
        ("栖霞林场面积420㎡，院墙长60m。", "栖霞林场的院墙长60米[1]。", True),
        ("栖霞林场面积420㎡，院墙长60m。", "栖霞林场的院墙长60公里[1]。", False),
        ("The yard of Aldbury has 420 sqm.", "The yard of Aldbury has 420 m² [1].", True),
        ("The yard of Aldbury has 420 sqm.", "The yard of Welwyn has 420 m² [1].", False),
    ],
)
def test_a_unit_of_measure_is_not_made_up(text: str, reply: str, *, right: bool) -> None:
    question = "How large is the yard?" if reply.startswith("The") else "栖霞林场有多大？"
    assert is_supported(reply, question, hit(text)) == right


TAXED = (
    "单号: B-05 | 客户: 海纳物流 | 数量: 31 | 不含税金额: 15,500.00 | 价税合计: 16,430.00\n"
    "单号: B-06 | 客户: 东岭机械 | 数量: 22 | 不含税金额: 9,900.00 | 价税合计: 10,494.00"
)


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("海纳物流[1]，金额16,430.00。", True),
        ("海纳物流[1]，金额15,500.00。", True),
        ("海纳物流[1]，金额31。", False),
        ("海纳物流[1]，金额10,494.00。", False),
        ("海纳物流[1]，不含税金额16,430.00。", False),
        ("海纳物流[1]，价税合计15,500.00。", False),
    ],
)
def test_an_amount_may_be_with_tax_or_without(reply: str, *, right: bool) -> None:
    assert is_supported(reply, "B-05是开给谁的？金额多少？", hit(TAXED)) == right


@pytest.mark.parametrize(
    ("text", "question", "reply", "right"),
    [
        ("The tenant may keep pets.", "May the tenant keep pets?", "Yes [1].", True),
        ("The tenant may keep pets.", "May the tenant keep pets?", "No [1].", False),
        ("The tenant may not keep pets.", "May the tenant keep pets?", "No [1].", True),
        ("The tenant may not keep pets.", "May the tenant keep pets?", "Yes [1].", False),
        ("The tenant may keep pets.", "May the guests smoke?", "Yes [1].", False),
        ("The tenant may keep pets.", "May the tenant keep pets?",
         "Yes, the tenant may keep pets [1].", True),
        ("The tenant may not keep pets.", "May the tenant keep pets?",
         "Yes, the tenant may not keep pets [1].", False),
        ("Pets are prohibited.", "Are pets prohibited?", "Yes, pets are prohibited [1].", True),
        ("承租方可以养宠物。", "承租方可以养宠物吗？", "可以[1]。", True),
        ("承租方可以养宠物。", "承租方可以养宠物吗？", "是的，可以养宠物[1]。", True),
        ("承租方可以养宠物。", "承租方可以抽烟吗？", "是的[1]。", False),
    ],
)  # fmt: skip
def test_a_bare_yes_says_what_was_asked(text: str, question: str, reply: str, right: bool) -> None:
    assert is_supported(reply, question, hit(text)) == right


@pytest.mark.parametrize(
    ("text", "reply", "right"),
    [
        ("The revenue was 120 million euros.", "收入是1.2亿欧元[1]。", True),
        ("The revenue was 120 million euros.", "收入是12亿欧元[1]。", False),
        ("收入为1.2亿元。", "The revenue was 120 million yuan [1].", True),
        ("The revenue was 2.5 billion.", "The revenue was 2,500 million [1].", True),
        ("The revenue was 2.5 billion.", "The revenue was 2.5 million [1].", False),
        ("The revenue was 2.5 billion.", "The revenue was 2.5 billion [1].", True),
    ],
)
def test_millions_may_be_written_out_or_in_another_unit(text: str, reply: str, right: bool) -> None:
    assert is_supported(reply, "What was the revenue?", hit(text)) == right


def test_a_word_of_the_subject_may_be_bent() -> None:
    text = "The rules led to the establishment of the Court of Auditors in 1975. It met in 1977."
    question = "When was the Court of Auditors established?"
    said = "The Court of Auditors was established in {} [1]."
    assert is_supported(said.format(1975), question, hit(text))


@pytest.mark.parametrize(
    ("reply", "right"),
    [
        ("第三年月租金为人民币41,200元[1]。", True),
        ("第二年月租金为人民币41,200元[1]。", False),
        ("第一年月租金为人民币38,500元[1]。", True),
        ("第二年月租金在第一年基础上上浮3%[1]。", True),
    ],
)
def test_the_third_year_is_not_the_second(reply: str, right: bool) -> None:
    text = (
        "第三条 第一年月租金为人民币38,500元；第二年月租金在第一年基础上上浮3%；"
        "第三年月租金为人民币41,200元。"
    )
    assert is_supported(reply, f"{reply[:3]}的月租金是多少？", hit(text)) == right


@pytest.mark.parametrize(
    ("text", "question", "reply", "right"),
    [
        ("Give not less than ninety (90) days' notice.", "How much notice is needed?",
         "At least 90 days' notice is needed [1].", True),
        ("The fee shall not exceed EUR 500.", "What is the fee at most?",
         "The fee is EUR 500 at most [1].", True),
        ("Smoking in the office is prohibited.", "May staff smoke in the office?", "Yes [1].",
         False),
        ("公司严禁员工在办公区域吸烟。", "员工可以在办公区域吸烟吗？", "可以[1]。", False),
        ("年假不得超过15天。", "年假最长几天？", "年假最长15天[1]。", True),
        ("The first film came out on November 9, 1988.", "When did the first film come out?",
         "The first film came out on November 9, 1988 [1].", True),
        ("月租金为人民币18,600元。", "月租金是多少？", "根据资料，月租金为18,600.00元[1]。", True),
        ("The invoice is due on 5 May 2024.", "When is the invoice due?",
         "The invoice is due on May 5th, 2024 [1].", True),
        ("保修期为一年。", "保修期多久？", "保修期为1年[1]。", True),
        ("The parcel weighs 25 kg.", "What does the parcel weigh?", "The parcel weighs 25kg [1].",
         True),
        ("第三十七条 劳动者提前三十日书面通知用人单位，可以解除劳动合同。",
         "员工提前几天通知可以辞职？",
         "员工提前30天通知可以辞职[1]。", True),
    ],
)  # fmt: skip
def test_what_small_models_say_in_other_words(
    text: str, question: str, reply: str, right: bool
) -> None:
    assert is_supported(reply, question, hit(text)) == right
