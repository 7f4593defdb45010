"""What a table says of its own figures: which rows sum up others, and what amounts are in."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import takewhile
from typing import Literal

from ingest.parsers.table_statistics import is_statistic, statistics
from ingest.parsers.table_sums import (
    is_number,
    is_whole,
    numbers,
    parents,
    span,
    sums_last,
    tiers,
)
from ingest.parsers.thousands import without_unclear
from rag.tabular import RowMark, Table, TableRow

_CARRIED = (
    r"(?:上[年月期]|年初|月初|期初|期末|月末|年末)(?:结转|结存|余额|结余)(?:金额|数)?"
    r"|(?:opening|closing|beginning|ending|starting|final) balance|balance [bc][/.]?[fd]|[bc]/[fd]"
)
"""What was there before, or is left; no turnover."""
_TOTAL = re.compile(
    r"(?P<of>.{0,16}?)(?:合计|小计|总计|共计|累计|总和|汇总|承前页|过次页|转次页)"
    r"(?:数|额|金额|数量|人[天月次数]|天数|工[日时]|小时|[件笔户次]数|税额|价税)?"
    r"(?:[/／、和及与]平均(?:值|数)?)?(?:[(（].{0,12}[)）])?"
    r"|.{0,6}(?:累计|本[年月期页]|全部)发生额"
    rf"|(?P<carried>{_CARRIED})"
    r"|(?:grand|sub|over-?all|net)?[- ]?totals?(?P<rest> .{1,40})?"
    r"|(?P<what>.{1,40}) (?:sub-?)?totals?"
    r"|sum|(?:carried|brought) (?:forward|down)"
    r"|结转(?:下[年月页期]|次[页年])",
    re.IGNORECASE,
)
_PLAIN = re.compile(
    r"本?[年月日页]?(?:合计|小计|总计|共计|累计)|承前页|过次页|转次页|(?:grand |sub-?)?totals?"
    rf"|结转(?:下[年月页期]|次[页年])|(?:carried|brought) (?:forward|down)|{_CARRIED}",
    re.IGNORECASE,
)
_PART = re.compile(r"(?:其中|of which|thereof)(?=[:：,， ]|$).*", re.IGNORECASE)
"""What the row above holds already."""
_COUNT = re.compile(r"(?:row |item )?count|(?:总?[人个笔户条项件家次]数)", re.IGNORECASE)
"""Words that data may have, too: the numbers must bear them out."""
_NUMBERS_LINES = re.compile(r"[行栏列]次|line(?: no\.?)?", re.IGNORECASE)
_NUMBERS = re.compile(r"序号?|行号|编号|№|no\.?|#|row", re.IGNORECASE)
_MOST_BEFORE = 4
"""Year, month, day and number of a voucher may stand before what was booked."""
_LAST_SERIAL = 9999
_BLANKS = re.compile(r"(?<=[\u4e00-\u9fff])\s+(?=[\u4e00-\u9fff])")
_MONEY = (
    r"(?:人民币)?(?:[百千万亿]|十万|百万|千万)?"
    r"(?:元|圆|美元|美金|港元|港币|欧元|日元|英镑|韩元|台币|新台币|澳元|加元)(?:人民币)?"
)
_COUNTED = (
    r"[万千百]?(?:吨|人|人次|个|件|台|套|户|次|家|只|箱|瓶|袋|盒|桶|支|张|卷|包|块|辆|亩|公顷|平方米|立方米|平方公里|公里|千米|米"
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
_NUMBERED = re.compile(r"[(（\[]?(\d{1,2})[)）\]]?(?:\s*[=＝].+)?")
_LEAST = 2
_ALL = 4
_STEMS = frozenset(["栏次", "行次", "甲", "乙", "丙", "丁", *"ABCD", "—", "-"])
_CLOCK = re.compile(r"-?\d+:[0-5]\d(?::[0-5]\d)?")
"""Times, whose values are hours."""
_SIGN = re.compile(
    rf"^[-(（]?\s?(?P<ahead>{_CODES})|(?P<behind>[%％]|元|{_CODES})[)）]?$", re.IGNORECASE
)


def told(table: Table) -> Table:
    """The table with its total rows marked and its units named, as far as it says them."""
    table = without_unclear(table)
    units = tuple(_unit(table, at) for at in range(len(table.header)))
    return replace(
        table,
        rows=tuple(_marked(table)),
        unit=table.unit or _said(table.title),
        units=units if any(units) else (),
    )


def is_total_name(text: str) -> bool:
    """Whether a cell's words name a row that sums up others."""
    name = _bare(text)
    return bool(_TOTAL.fullmatch(name)) or is_statistic(name)


def is_unit(text: str) -> bool:
    """Whether a cell's words are what amounts are in, in brackets or not: 万元, (kg)."""
    return bool(re.fullmatch(_UNIT, text.strip("()（） "), re.IGNORECASE))


def _bare(text: str) -> str:
    return _BLANKS.sub("", text).strip(" :：.-—")


def _marked(table: Table) -> Iterator[TableRow]:
    rows = _without_numbering(table)
    totals = [
        _total(row, first=at == 0) or ("named" if "total" in row.marks else "")
        for at, row in enumerate(rows)
    ]
    end = len(rows) - _signed(rows)
    for at in reversed(range(end)):
        if totals[at]:
            continue
        above = [row for row, kind in zip(rows[:at], totals[:at], strict=True) if not kind]
        if not _adds_up(rows[at], above, is_last=at == end - 1):
            break
        totals[at] = "plain"
    if end and totals[end - 1]:  # words below the total: who signs
        totals[end:] = ["named"] * (len(rows) - end)
    if _counts_columns(rows):
        totals[0] = "named"
    for at in (*_spans(rows, totals), *parents(rows), *_parts(rows), *_tiers(rows, totals)):
        totals[at] = totals[at] or "named"
    names = [next(iter(_words(row)), "") for row in rows]
    for at in statistics(rows, names, [bool(kind) for kind in totals]):
        totals[at] = totals[at] or "named"
    # Where every row is a total of something, the rows are what the table is about.
    told_of = any(not kind and numbers(row) for row, kind in zip(rows, totals, strict=True))
    for row, kind in zip(table.rows, totals, strict=True):
        is_total = kind == "plain" or (told_of and kind == "named")
        yield replace(row, marks=_with_total(row.marks)) if is_total else row


def _without_numbering(table: Table) -> Sequence[TableRow]:
    """The rows without what only counts them: it adds up to nothing."""
    counting = {at for at, label in enumerate(table.header) if _counts(label, table.rows, at)}
    if not counting:
        return table.rows
    return [
        replace(
            row,
            shown=tuple("" if at in counting else text for at, text in enumerate(row.shown)),
            values=tuple(None if at in counting else value for at, value in enumerate(row.values)),
        )
        for row in table.rows
    ]


def _counts(label: str, rows: Sequence[TableRow], column: int) -> bool:
    if not _NUMBERS.fullmatch(label):
        return bool(_NUMBERS_LINES.fullmatch(label))
    return all(isinstance(row.values[column], int | None) for row in rows)


def _spans(rows: Sequence[TableRow], totals: Sequence[str]) -> Iterator[int]:
    """Rows that sum up the shorter times above them, as quarters do the months."""
    lengths = [span(_words(row)) for row in rows]
    for at, length in enumerate(lengths):
        if not length or totals[at]:
            continue
        start = next((by + 1 for by in reversed(range(at)) if lengths[by] >= length), 0)
        data = [by for by in range(start, at) if not totals[by]]
        shorter = ([rows[by] for by in data if lengths[by] == each] for each in range(length))
        if _sums_up(rows[at], next(filter(None, shorter), [])):
            yield at


def _tiers(rows: Sequence[TableRow], totals: Sequence[str]) -> Iterator[int]:
    """Rows of groups that begin with their sum, as pivot tables put them, above the total."""
    last = len(rows) - 1
    if last > 0 and totals[last] == "plain":
        data = [at for at in range(last) if not totals[at]]
        yield from (data[at] for at in tiers([rows[at] for at in data], rows[last]))


def _parts(rows: Sequence[TableRow]) -> Iterator[int]:
    """Rows after "of which", as far as together they make up the row above it."""
    for at, row in enumerate(rows):
        words = _words(row)
        if at and words and _PART.fullmatch(words[0]):
            ends = (
                end
                for end in range(at + 2, len(rows) + 1)
                if sums_last(rows[at - 1], rows[at:end], least=end - at)
            )
            yield from range(at, next(ends, at))


def _signed(rows: Sequence[TableRow]) -> int:
    """How many of the last rows hold neither a number nor a formula."""
    silent = takewhile(lambda row: not (numbers(row) or row.uncalculated), reversed(rows))
    return sum(1 for _ in silent)


def _with_total(marks: tuple[RowMark, ...]) -> tuple[RowMark, ...]:
    return tuple(dict.fromkeys(("total", *marks)))


def _counts_columns(rows: Sequence[TableRow]) -> bool:
    """Whether the row right below a header numbers the columns: 甲, 1, 2, 3=1-2.

    Data of small numbers goes on with others of its kind.
    """
    if len(rows) < _LEAST or not rows[1].shown:
        return False
    texts = [text for text in rows[0].shown if text]
    first = [int(found[1]) for text in texts if (found := _NUMBERED.fullmatch(text))]
    others = [text for text in texts if not _NUMBERED.fullmatch(text) and text not in _STEMS]
    in_order = len(first) > 1 and first == list(range(1, 1 + len(first)))
    below, is_named = rows[1].shown[0], not _NUMBERED.fullmatch(rows[0].shown[0])
    goes_on = below in _STEMS or not any(map(str.isalpha, below))
    return in_order and not (others or goes_on) and (is_named or len(first) >= _ALL)


def _total(row: TableRow, *, first: bool = False) -> Literal["plain", "named", ""]:
    """Whether a row sums up all (合计) or something (华东小计)."""
    words = _words(row)
    if not words or not (numbers(row) or row.uncalculated):
        return ""
    found = _TOTAL.fullmatch(words[0])
    if not first and _PART.fullmatch(words[0]):
        return "named"
    if not found:
        return "named" if any(_PLAIN.fullmatch(text) for text in words[1:]) else ""
    name = found["rest"] or found["what"] or (found["of"] if _start(row) else "")
    # "Total Station TS-9 | grey | 4": a thing of that name has more words beside it.
    if name and len(set(words)) > 1:
        return ""
    of = found["of"] or found["carried"]
    return "named" if name or of else "plain"


def _start(row: TableRow) -> int:
    """How many cells stand before the row's name, where numbers do: 3, 合计; 1, 31, 本月合计."""
    counts = 0
    for at, value in enumerate(row.values[: _MOST_BEFORE + 1]):
        if isinstance(value, str):
            return at if counts else 0
        if value is None:
            continue
        if not isinstance(value, int) or value > _LAST_SERIAL:
            return 0
        counts += 1
    return 0


def _words(row: TableRow) -> list[str]:
    """The texts that stand before the first figure."""
    found: list[str] = []
    start = _start(row)
    for text, value in zip(row.shown[start:], row.values[start:], strict=True):
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
        return set(numbers(row).values()) == {len(above)}
    if words:
        return is_whole(words[-1]) and _sums_up(row, above)
    # A currency that stands in each row says nothing of this one.
    alike = above and all(
        value == before
        for value, before in zip(row.values, above[-1].values, strict=True)
        if isinstance(value, str)
    )
    return bool(is_last and alike and _sums_up(row, above))


def _sums_up(row: TableRow, above: Sequence[TableRow]) -> bool:
    """Whether the row holds the sums of all of them."""
    return sums_last(row, above, least=len(above), first=_start(row))


def _unit(table: Table, column: int) -> str:
    """What the name of a column of numbers, or each of its numbers, says they are in."""
    shown = [row.shown[column] for row in table.rows if is_number(row.values[column])]
    if not shown:
        return ""
    found = _IN_LABEL.search(table.header[column])
    if found:
        return found["unit"] or found["tail"] or found["code"]
    if all(map(_CLOCK.fullmatch, shown)):
        return "h"
    signs = {_sign(text) for text in shown}
    return signs.pop() if len(signs) == 1 else ""


def _sign(text: str) -> str:
    found = _SIGN.search(text)
    return (found["ahead"] or found["behind"]) if found else ""


def _said(words: str) -> str:
    found = _ABOVE.search(words)
    return (found["cn"] or found["en"] or found["in"]) if found else ""
