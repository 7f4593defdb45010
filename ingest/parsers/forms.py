"""Forms, where a name and what it stands for lie side by side; and headers that only count."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from rag.tabular import Value

_FIELD = re.compile(
    r".{0,6}(?:姓名|名称|性别|民族|籍贯|学历|学位|专业|职务|职称|职位|岗位|部门|单位|电话|手机|传真|邮箱"
    r"|邮编|地址|住址|住所|编号|号码|识别号|账号|帐号|证号|代码|日期|时间|年龄|金额|单价|总价|数量|月薪|工资|薪资"
    r"|资本|法定代表人|代表人|联系人|负责人|经办人|申请人|审批人|签字|签名|盖章|开户行|开户银行|类型|类别"
    r"|性质|状态|状况|面貌|血型|学校|院校|入职|离职|生日|出生年月|国籍|备注|说明|描述|内容|数值|值|意见"
    r"|范围|期限|规格|型号|品牌|产地|用途|来源|等级|级别|版本|币种|税率|税号|事由|原因|目的|标题|主题"
    r"|工期|租金|押金|保费|保额|免赔额)"
    r"|(?:合同|订单|保单|发票)号|[甲乙丙]方|[供需买卖]方|(?:出租|承租|发包|承包|委托|受托|出借|借款|转让|受让)[方人]"
    r"|(?:购买|销售|收款|付款|汇款|委托)[方人]|(?:报销|领款|填[表报]|出差|收[货件]|[发寄]件|发货|提货|借款|还款|投诉|代理)人|投保人|被保险人|受益人|保险人|出卖人|买受人|供应商|客户|(?:付款|交货|结算|运输)方式|交货地点"
    r"|(?:[\w.&/-]+ ){0,3}(?:names?|sex|gender|age|title|position|department|division|company|phone"
    r"|telephone|mobile|fax|e-?mail|address|city|country|postcode|zip(?: code)?|date|time|birth"
    r"|hired|number|no\.?|id|code|account|bank|iban|amount|total|price|quantity|qty|currency|salary"
    r"|rent|deposit|status|type|category|version|author|owner|manager|contact|customer|client|supplier"
    r"|vendor|project|contract|invoice|order|period|term|start|end|due|purpose|reason|remarks?|notes?"
    r"|comments?|description|content|values?|signature|nationality|education|degree|location|website"
    r"|buyer|seller|purchaser|tenant|landlord|lessor|lessee|insured|insurer|policyholder|beneficiary"
    r"|borrower|lender|policy|premium|excess|delivery|payment(?: terms)?)",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\s*[(（][^)）]{1,12}[)）]$")
_SAID = re.compile(
    r"[A-Za-z]{1,6}[-/]\d[\w/-]*|(?:19|20)\d\d[-/.年]\d{1,2}[-/.月]\d{1,2}日?"
    r"|\d{1,2}[./]\d{1,2}[./](?:19|20)\d\d|\d{1,2}\.? [A-Z][a-z]{2,8} (?:19|20)\d\d"
)
"""Codes and days: what is said of one thing, and the name of no column."""
FACT = re.compile(r"[^\d:：][^:：]{0,11}[:：]\s*\S")
"""A name and what it stands for in one cell."""
_COLON = (":", "：")
_SHARE = 0.5
_VARIETY = 0.9
_VALUES_NAMED = 0.2
"""More of the values that are names of fields: these are columns of names."""
_PAIR = 2
_LEAST = 4
_LAST_DAY = 31


def speak_for_themselves(rows: Sequence[Sequence[str]]) -> bool:
    """Whether cells stand in pairs, a name and its value; nothing heads the columns.

    Args:
        rows: cells by column, blank where there is none; as many in each.
    """
    rows = [row for row in rows if sum(map(bool, row)) > 1]
    if len(rows) < _PAIR or len(rows[0]) % _PAIR:
        return False
    names = [text for row in rows for text in row[::_PAIR] if text]
    values = [text for row in rows for text in row[1::_PAIR] if text]
    if not values or len(set(names)) < _VARIETY * len(names):
        return False
    if _share(names, _has_colon) > _SHARE:
        return _share(values, _has_colon) < _VALUES_NAMED
    if any(map(is_field, rows[0][1::_PAIR])) or _share(values, is_field) > _VALUES_NAMED:
        return False
    if _says_of_one(rows[0]):
        return True
    columns = ([row[at] for row in rows if row[at]] for at in range(0, len(rows[0]), _PAIR))
    return all(_share(names, is_field) >= _SHARE for names in columns) and (
        _share([text for row in rows[1:] for text in row[::_PAIR] if text], is_field) >= _SHARE
    )


def _says_of_one(row: Sequence[str]) -> bool:
    """Whether the first row is pairs already: its names are asked for, a code or a day follows."""
    names, values = row[::_PAIR], row[1::_PAIR]
    return len(names) > 1 and all(map(is_field, names)) and any(map(_SAID.fullmatch, values))


def is_field(text: str) -> bool:
    """Whether the words are what forms ask for: a name, a date, a phone number."""
    bare = _UNIT.sub("", text.rstrip(":： "))
    return bool(_FIELD.fullmatch(bare) or _FIELD.fullmatch(re.sub(r"\s", "", bare)))


def pairs_text(cells: Sequence[str]) -> str:
    """``Name: Pell | Age: 85``; a name may bring its own colon, a value may be lacking."""
    told: list[str] = []
    for name, value in zip(cells[::_PAIR], [*cells[1::_PAIR], ""], strict=False):
        parts = [name.rstrip(":： ") if value else name, value]
        if FACT.match(name) and value:
            told += parts
        else:
            told += filter(None, [": ".join(filter(None, parts))])
    return " | ".join(told)


def counted(values: Sequence[Value]) -> frozenset[int]:
    """Which of a row's neighbouring cells count columns: months 1 to 12, days 26 to 31 and on.

    None of them where no words stand in the row, since figures may follow each other by chance.
    """
    if not any(isinstance(value, str) for value in values):
        return frozenset()
    best: list[int] = []
    run: list[int] = []
    before = 0
    for at, value in enumerate(values):
        number = int(value) if isinstance(value, int | float) and value % 1 == 0 else 0
        follows = bool(run) and (number == before + 1 or (number == 1 and before in range(28, 32)))
        run = [*run, at] if follows else [at]
        before = number
        if 1 <= number <= _LAST_DAY and _counts(values, run) and len(run) > len(best):
            best = run
    return frozenset(best)


def _counts(values: Sequence[Value], run: Sequence[int]) -> bool:
    return len(run) >= _LEAST + (values[run[0]] != 1)


def _has_colon(text: str) -> bool:
    return text.endswith(_COLON)


def _share(texts: Sequence[str], is_so: Callable[[str], bool]) -> float:
    return sum(map(is_so, texts)) / len(texts) if texts else 0.0
