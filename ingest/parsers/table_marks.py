"""What a table says of its own figures: which rows sum up others, and what amounts are in."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Literal

from rag.tabular import RowMark, Table, TableRow

_TOTAL = re.compile(
    r"(?P<of>.{0,16}?)(?:合计|小计|总计|共计|累计|总和|汇总|承前页|过次页|转次页)"
    r"(?:数|额|金额|数量|人[天月次数]|天数|工[日时]|小时|件数|税额|价税)?(?:[(（].{0,12}[)）])?"
    r"|平均(?:值|数)?|均值|中位数|最大值|最小值"
    r"|(?:grand|sub|over-?all|net)?[- ]?totals?(?P<rest> .{1,40})?"
    r"|(?P<what>.{1,40}) (?:sub-?)?totals?"
    r"|sum|averages?|mean|median|max(?:imum)?|min(?:imum)?|(?:carried|brought) forward"
    r"|结转(?:下[年月页期]|次[页年])",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"合计|小计|总计|共计|承前页|过次页|转次页|结转(?:下[年月页期]|次[页年])|(?:grand |sub-?)?total"
    r"|(?:carried|brought) forward",
    re.IGNORECASE,
)
_PART = re.compile(r"(?:其中|of which|thereof)(?=[:：,， ]|$).*", re.IGNORECASE)
"""What the row above holds already."""
_ALL = re.compile(
    r"all(?: \w+){0,2}|overall|everything|together|全部|全体|总[数量额]|合共|总共", re.IGNORECASE
)
_COUNT = re.compile(r"(?:row |item )?count|(?:总?[人个笔户条项件家次]数)", re.IGNORECASE)
"""Words that data may have, too: the numbers must bear them out."""
_BLANKS = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_LEAST_ROWS = 2
_CLOSE = 1e-6
_MONEY = (
    r"(?:人民币)?(?:[百千万亿]|十万|百万|千万)?"
    r"(?:元|圆|美元|美金|港元|港币|欧元|日元|英镑|韩元|台币|新台币|澳元|加元)(?:人民币)?"
)
_COUNTED = (
    r"[万千百]?(?:吨|人|人次|个|件|台|套|户|次|家|只|辆|亩|公顷|平方米|立方米|平方公里|公里|千米|米"
    r"|厘米|毫米|公斤|千克|克|斤|升|千瓦时|度|小时|天|日|分钟|%|％|‰|㎡|m²|m2|m³|km|cm|mm|kg|g|t|L|kWh"
    r"|h|pcs)"
)
_CODES = r"USD|EUR|GBP|CNY|RMB|HKD|JPY|CHF|AUD|CAD|SGD|KRW|TWD|US\$|HK\$|[¥￥$€£]"
_SCALE = r"(?:'?000s?|k|m|mn|bn|thousands?|millions?|billions?)"
_FOREIGN = (
    rf"(?:{_CODES})(?:[ ’']?{_SCALE})?|{_SCALE}(?: of)? (?:{_CODES}|dollars|euros|pounds|yuan)"
)
_UNIT = rf"(?:{_MONEY}|{_COUNTED}|{_FOREIGN})"
_ABOVE = re.compile(
    rf"单位\s*[:：为]\s*(?P<cn>{_UNIT})(?![\u4e00-\u9fff])"
    rf"|(?:units?|currency)\s*[:：]\s*(?P<en>{_UNIT})(?!\w)"
    rf"|\b(?:in|amounts in)\s+(?P<in>{_FOREIGN}|thousands|millions|billions)(?!\w)",
    re.IGNORECASE,
)
_IN_LABEL = re.compile(
    rf"[(（\[]\s*(?:单位[:：]\s*|in )?(?P<unit>{_UNIT})\s*[)）\]]"
    rf"|(?:/|:|：| in )\s*(?P<tail>{_UNIT})$"
    rf"|\s(?P<code>{_CODES})$",
    re.IGNORECASE,
)
_SIGN = re.compile(
    rf"^[-(（]?\s?(?P<ahead>{_CODES})|(?P<behind>[%％]|元|{_CODES})[)）]?$", re.IGNORECASE
)


def told(table: Table) -> Table:
    """The table with its total rows marked and its units named, as far as it says them."""
    units = tuple(_unit(table, at) for at in range(len(table.header)))
    return replace(
        table,
        rows=tuple(_marked(table.rows)),
        unit=table.unit or _said(table.title),
        units=units if any(units) else (),
    )


def is_total_name(text: str) -> bool:
    """Whether a cell's words name a row that sums up others."""
    return bool(_TOTAL.fullmatch(_bare(text)))


def _bare(text: str) -> str:
    return _BLANKS.sub("", text).strip(" :：.-—")


def _marked(rows: Sequence[TableRow]) -> Iterator[TableRow]:
    totals = [_total(row, first=at == 0) for at, row in enumerate(rows)]
    for at in reversed(range(len(rows))):
        if totals[at]:
            continue
        above = [row for row, kind in zip(rows[:at], totals[:at], strict=True) if not kind]
        if not _adds_up(rows[at], above, is_last=at == len(rows) - 1):
            break
        totals[at] = "plain"
    # Where every row is a total of something, the rows are what the table is about.
    told_of = any(not kind and _numbers(row) for row, kind in zip(rows, totals, strict=True))
    for row, kind in zip(rows, totals, strict=True):
        is_total = kind == "plain" or (told_of and kind == "named")
        yield replace(row, marks=_with_total(row.marks)) if is_total else row


def _with_total(marks: tuple[RowMark, ...]) -> tuple[RowMark, ...]:
    return tuple(dict.fromkeys(("total", *marks)))


def _total(row: TableRow, *, first: bool = False) -> Literal["plain", "named", ""]:
    """Whether a row sums up all (合计) or something (华东小计)."""
    words = _words(row)
    if not words or not (_numbers(row) or row.uncalculated):
        return ""
    found = _TOTAL.fullmatch(words[0])
    if not first and _PART.fullmatch(words[0]):
        return "named"
    if not found:
        return "named" if any(_PLAIN.fullmatch(text) for text in words[1:]) else ""
    name = found["rest"] or found["what"]
    # "Total Station TS-9 | grey | 4": a thing of that name has more words beside it.
    if name and len(set(words)) > 1:
        return ""
    return "named" if name or found["of"] else "plain"


def _words(row: TableRow) -> list[str]:
    """The texts that stand before the first figure."""
    found: list[str] = []
    for text, value in zip(row.shown, row.values, strict=True):
        if isinstance(value, int | float):
            break
        if isinstance(value, str) and any(map(str.isalpha, text)):
            found.append(_bare(text))
    return found


def _adds_up(row: TableRow, above: Sequence[TableRow], *, is_last: bool) -> bool:
    """Whether a row at the end holds the sums, or the count, of the data above it.

    Without words only the last one may.
    """
    words = _words(row)
    if words and _COUNT.fullmatch(words[-1]):
        return set(_numbers(row).values()) == {len(above)}
    if words:
        return bool(_ALL.fullmatch(words[-1])) and _sums_up(row, above)
    return is_last and not any(isinstance(v, str) for v in row.values) and _sums_up(row, above)


def _sums_up(row: TableRow, above: Sequence[TableRow]) -> bool:
    numbers = _numbers(row)
    if len(above) < _LEAST_ROWS or not numbers or row.uncalculated:
        return False
    for at, number in numbers.items():
        total = math.fsum(_numbers(each).get(at, 0.0) for each in above)
        if not math.isclose(total, number, rel_tol=_CLOSE, abs_tol=_CLOSE):
            return False
    return any(numbers.values())


def _numbers(row: TableRow) -> dict[int, float]:
    return {
        at: value
        for at, value in enumerate(row.values)
        if isinstance(value, int | float) and not isinstance(value, bool)
    }


def _unit(table: Table, column: int) -> str:
    """What the name of a column of numbers, or each of its numbers, says they are in."""
    shown = [row.shown[column] for row in table.rows if column in _numbers(row)]
    if not shown:
        return ""
    found = _IN_LABEL.search(table.header[column])
    if found:
        return found["unit"] or found["tail"] or found["code"]
    signs = {_sign(text) for text in shown}
    return signs.pop() if len(signs) == 1 else ""


def _sign(text: str) -> str:
    found = _SIGN.search(text)
    return (found["ahead"] or found["behind"]) if found else ""


def _said(words: str) -> str:
    found = _ABOVE.search(words)
    return (found["cn"] or found["en"] or found["in"]) if found else ""
