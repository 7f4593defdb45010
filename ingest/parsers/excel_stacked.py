"""Tables that stand right below each other: where a new header begins among the rows."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime

from ingest.parsers.excel_headers import find_header, is_form, tells
from ingest.parsers.forms import is_field
from ingest.parsers.grid import Cell, Row, distinct

_HEAD = re.compile(
    r"(?:.{0,6}(?:客户|供应商|产品|商品|品名|物料|项目|科目|序号|员工|人员|公司|门店|渠道|合同|月份|年份|季度"
    r"|年度|月|年|日|城市|地区|区域|国家|余额|欠款|账龄|收入|支出|成本|利润|费用|税额|合计|小计|总计|预算|实际"
    r"|行次|栏次|累计|摘要|借方|贷方|借贷|方向|凭证字?号?|附注|货物|班级|学号|成绩|语文|数学|英语|总分|名次|户名"
    r"|收/支|.{1,3}费|税款|地点|补[贴助]?|餐补|户号|销量|销售额|库存|比例|占比|率|增减|变动|本期|上期|期初|期末|人数|次数|天数|额|量|数|指标|计划|完成)"
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
_OF_PAGE = re.compile(
    r"第?\s*\d+\s*页|接上[页表]|[(（]?续(?:[表页]|上[表页]|[)）])|^\W*续\W*$|\bpage\b|\bcont(?:inued|['’]?d)\b|\(cont\.?\)",
    re.IGNORECASE,
)
_MAX_NAME_CHARS = 30
_MAX_LINES_ABOVE = 12
"""More rows before a header are a table of their own."""
_HEAD_SHARE = 0.5
_SURE_SHARE = 0.75
_LOW_SHARE = 0.3
_MAX_FORM_ROWS = 12
_PAIR = 2

_Said = tuple[tuple[int, str], ...]
"""The texts of a row by column."""


def is_line(row: Row) -> bool:
    """Whether one cell of words is all there is."""
    cells = distinct(row)
    return len(cells) == 1 and next(iter(cells.values())).is_words


def parts(rows: Sequence[Row]) -> Iterator[list[Row]]:
    """The rows of each table, its titles with it.

    The same header again is left out where a new page of print says it; below a line of its own
    it heads another part: income, then expenses.
    """
    begin = 0
    left_out: set[int] = set()
    for at, height, repeats in _headings(rows):
        cut = at
        while begin < cut - 1 and _is_above(rows[cut - 1]):
            cut -= 1
        said = {_said(row) for row in rows[begin:cut]}
        of_page = {line for line in range(cut, at) if _is_of_page(rows[line], said)}
        if repeats and len(of_page) == at - cut:
            left_out |= of_page | set(range(at, at + height))
            continue
        yield [row for place, row in enumerate(rows[begin:cut], begin) if place not in left_out]
        begin = cut
    if rows:
        yield [row for place, row in enumerate(rows[begin:], begin) if place not in left_out]


def _headings(rows: Sequence[Row]) -> Iterator[tuple[int, int, bool]]:
    """Where a header begins below the first, of how many rows, and whether it is the same again."""
    heads = list(new_headers(rows))
    head, below = _head(rows[: heads[0] if heads else len(rows)])
    for at in range(len(rows) - 1):
        if head and at >= below and [_said(row) for row in rows[at : at + len(head)]] == head:
            below = at + len(head)
            yield at, len(head), True
        elif at in heads and at >= below:
            known = head or _head(rows[:at])[0]
            if known or at > _MAX_LINES_ABOVE:
                head, below = [_said(rows[at])], at + 1
                yield at, 1, False


def _head(rows: Sequence[Row]) -> tuple[list[_Said], int]:
    """What the header says, row by row, and where it ends."""
    width = max((len(distinct(row)) for row in rows), default=0)
    start, height = find_header(rows, width)
    return [_said(row) for row in rows[start : start + height]], start + height


def _said(row: Row) -> _Said:
    return tuple((column, cell.text) for column, cell in row.cells.items())


def _is_above(row: Row) -> bool:
    """Whether it may stand above a table: one cell of words, or names and what they stand for."""
    return is_line(row) or (tells(row) and not _figures(row))


def _is_of_page(row: Row, said: set[_Said]) -> bool:
    """Whether a line stands there for a new page alone: its number, a title said before."""
    text = next(iter(row.cells.values())).text
    return bool(_OF_PAGE.search(text)) or _said(row) in said


def form_above(rows: Sequence[Row]) -> tuple[int, bool]:
    """How many of the first rows are a form, with a table right below, and whether it is in pairs.

    No rows where that isn't so.
    """
    for at in range(1, min(len(rows) - 1, _MAX_FORM_ROWS)):
        names, figures = distinct(rows[at]), _figures(rows[at + 1])
        are_pairs = _are_pairs(rows[:at])
        if (
            len(names) > _PAIR
            and all(map(_is_name, names.values()))
            and _share(names.values()) >= (_LOW_SHARE if are_pairs else _SURE_SHARE)
            and not _is_pairs(rows[at])
            and {min(rows[at + 1].cells), *figures} <= set(rows[at].cells)
            and not _shares_cells(rows[at - 1], rows[at])
        ):
            is_pairs = is_form(rows[:at]) or (
                at == 1 and bool(figures) and _is_pairs(rows[0]) and len(distinct(rows[0])) > _PAIR
            )
            if is_pairs or (figures and (are_pairs or _is_coded(rows[:at]))):
                return at, is_pairs
    return 0, False


def _shares_cells(row: Row, below: Row) -> bool:
    """Whether a merged cell reaches from one row into the next, as in a header of two rows."""
    origins = {cell.origin for cell in row.cells.values() if cell.origin}
    return any(cell.origin in origins for cell in below.cells.values())


def _is_pairs(row: Row) -> bool:
    """Whether a row is names that forms ask for, each before what it stands for.

    One without a name may stand first, for several rows.
    """
    texts = [cell.text for cell in distinct(row).values()]
    texts = texts[len(texts) % _PAIR :]
    return (
        bool(texts)
        and all(map(is_field, texts[::_PAIR]))
        and not any(map(is_field, texts[1::_PAIR]))
    )


def _are_pairs(rows: Sequence[Row]) -> bool:
    """Whether all rows are in pairs, or lines; a single pair may be a title."""
    return (
        all(is_line(row) or tells(row) or _is_pairs(row) for row in rows)
        and sum(len(distinct(row)) // _PAIR for row in rows if _is_pairs(row)) > 1
    )


def _is_coded(rows: Sequence[Row]) -> bool:
    """Whether each row names something, among codes and days: a header of several has none."""
    texts = [[cell.text for cell in distinct(row).values()] for row in rows]
    named = [sum(map(is_field, each)) for each in texts]
    is_coded = any(_CODE.search(text) for each in texts for text in each)
    return is_coded and all(0 < n < len(each) for n, each in zip(named, texts, strict=True))


def new_headers(rows: Sequence[Row]) -> Iterator[int]:
    """Which of a table's rows head another one: names between figures, over each of them."""
    above: set[int] = set()
    before: set[int] = set()  # a total has fewer figures than the rows above it
    for at, row in enumerate(rows[:-1]):
        if above and _heads_anew(row, above | before, rows[at + 1]):
            yield at
            above = before = set()
        else:
            figures = _figures(row) or (above if len(distinct(row)) == 1 else set())
            above, before = figures, above


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
