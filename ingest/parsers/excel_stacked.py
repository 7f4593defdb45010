"""Tables that stand right below each other: where a new header begins among the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from ingest.parsers.excel_headers import is_form
from ingest.parsers.forms import is_field, says_of_one
from ingest.parsers.grid import Cell, Row, distinct

_HEAD = re.compile(
    r"(?:.{0,6}(?:客户|供应商|产品|商品|品名|物料|项目|科目|序号|员工|人员|公司|门店|渠道|合同|月份|年份|季度"
    r"|年度|月|年|日|城市|地区|区域|国家|余额|欠款|账龄|收入|支出|成本|利润|费用|税额|合计|小计|总计|预算|实际"
    r"|销量|销售额|库存|比例|占比|率|增减|变动|本期|上期|期初|期末|人数|次数|天数|额|量|数|指标|计划|完成)"
    r"|(?:[\w.&/%-]+ ){0,3}(?:items?|products?|regions?|branch|store|month|year|quarter|plan|actual"
    r"|budget|forecast|sales|revenue|cost|costs|profit|balance|paid|open|share|rate|change|units?"
    r"|stock|count|sum|employee|staff|room|area|tax|net|gross|fee|days?|hours?))",
    re.IGNORECASE,
)
_SAYS_NOTHING = re.compile(
    r"无|暂无|[未待停缺不已].{0,6}|面议|免费?|同上|n/?a|tbd|none|nil|free|pending|unknown"
    r"|open|see .*",
    re.IGNORECASE,
)
"""What stands in the place of a figure heads nothing."""
_CODE = re.compile(r"\d{5}|(?:19|20)\d\d[-/.年]\d")
_MAX_NAME_CHARS = 30
_HEAD_SHARE = 0.5
_SURE_SHARE = 0.75
_MAX_FORM_ROWS = 12
_PAIR = 2


def is_repeat(row: Row, labels: dict[int, str]) -> bool:
    """Whether a row says the header again, as on each page that is printed."""
    texts = {column: cell.text.rstrip(":： ") for column, cell in row.cells.items()}
    return len(texts) >= _PAIR and texts == labels


def form_above(rows: Sequence[Row]) -> tuple[int, bool]:
    """How many of the first rows are a form, with a table right below, and whether it is in pairs.

    No rows where that isn't so.
    """
    for at in range(1, min(len(rows) - 1, _MAX_FORM_ROWS)):
        names = distinct(rows[at])
        if (
            len(names) > _PAIR
            and all(map(_is_name, names.values()))
            and _share(names.values()) >= _SURE_SHARE
            and _figures(rows[at + 1]) <= set(rows[at].cells)
        ):
            is_one = at == 1 and bool(_figures(rows[at + 1])) and _is_pairs(rows[0])
            is_pairs = is_form(rows[:at]) or is_one
            is_said = bool(_figures(rows[at + 1])) and _is_said(rows[:at])
            if is_pairs or is_said:
                return at, is_pairs
    return 0, False


def _is_pairs(row: Row) -> bool:
    """Whether one row is names that forms ask for, and what they stand for."""
    texts = [cell.text for cell in distinct(row).values()]
    return says_of_one(texts) and not any(map(is_field, texts[1::_PAIR]))


def _is_said(rows: Sequence[Row]) -> bool:
    """Whether rows name what stands behind the names: each has one of a form, and words besides.

    A header of several rows has no codes or days.
    """
    texts = [[cell.text for cell in distinct(row).values()] for row in rows]
    named = [sum(map(is_field, each)) for each in texts]
    is_coded = any(_CODE.search(text) for each in texts for text in each)
    return is_coded and all(0 < n < len(each) for n, each in zip(named, texts, strict=True))


def new_headers(rows: Sequence[Row]) -> Iterator[int]:
    """Which of a table's rows head another one: names between figures, over each of them."""
    above: set[int] = set()
    for at, row in enumerate(rows[:-1]):
        if above and _heads_anew(row, above, rows[at + 1]):
            yield at
            above = set()
        else:
            above = _figures(row) or (above if len(distinct(row)) == 1 else set())


def _heads_anew(row: Row, above: set[int], below: Row) -> bool:
    figures = _figures(below)
    names = distinct(row)
    if not figures or len(names) < _PAIR or not all(map(_is_name, names.values())):
        return False
    over = above & set(names)
    if not figures <= set(names) or not over or len(names) < len(distinct(below)):
        return False
    if len({cell.text for cell in names.values()}) < len(names):
        return False
    if any(_SAYS_NOTHING.fullmatch(names[column].text) for column in over):
        return False
    share = _share(names.values())
    return row.bold or (share >= _HEAD_SHARE if len(names) > _PAIR else share == 1)


def _figures(row: Row) -> set[int]:
    """Columns with numbers or dates."""
    return {
        column
        for column, cell in row.cells.items()
        if isinstance(cell.value, int | float | datetime)
    }


def _is_name(cell: Cell) -> bool:
    return cell.is_words and len(cell.text) <= _MAX_NAME_CHARS and not cell.text.startswith("=")


def _share(cells: Iterable[Cell]) -> float:
    """How many of the words are such as head columns."""
    texts = [cell.text for cell in cells]
    return sum(is_field(text) or bool(_HEAD.fullmatch(text)) for text in texts) / len(texts)
