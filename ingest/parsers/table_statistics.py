"""Rows that tell of others without being one: the average of a class, its best mark, who passed."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from statistics import fmean

from ingest.parsers.table_sums import numbers
from rag.tabular import TableRow

_RATE = r"不?(?:及格|合格)|优秀|优良|优生|良好|中等|低分|高分|通过|达标|出勤|到考|缺考|[ABCD]等"
_SCORE = r"(?:值|数|分数?|成绩|价|单价|工资|额|得分)?"
_MEAN = re.compile(
    rf".{{0,6}}平均{_SCORE}|均[值分价]|[人户]均.{{0,3}}"
    r"|(?:class |group |overall |team )?(?:average|mean|avg\.?)(?: \w+)?",
    re.IGNORECASE,
)
_MOST = re.compile(
    rf".{{0,4}}最[高大多]{_SCORE}|(?:highest|max(?:imum)?|best|top)(?: \w+)?", re.IGNORECASE
)
_LEAST = re.compile(
    rf".{{0,4}}最[低小少]{_SCORE}|(?:lowest|min(?:imum)?|worst)(?: \w+)?", re.IGNORECASE
)
_OTHER = re.compile(
    rf"(?:{_RATE})(?:率|百分比|比例)|占比|比[例重]|百分比|构成比?|(?:同比|环比)?(?:增长|增减|变动)[率额幅度]?|同比|环比|完成率"
    r"|(?:% of|share of|percent(?:age)? of) .{1,20}|percent(?:age)?|share|growth(?: rate)?"
    r"|标准差|标准偏差|方差|极差|全距|中位数|众数"
    r"|st(?:andar)?d\.? ?dev(?:iation)?\.?|variance|range|median|mode"
    r"|(?:pass|fail|success|failure)(?:ing)? rate",
    re.IGNORECASE,
)
_COUNT = re.compile(
    rf"(?:{_RATE})(?:人数|人次)|(?:应考|实考|参考|参加|考试|应到|实到|班级|总)?人数"
    r"|(?:passed|failed|passes|fails)"
    r"|(?:no\.?|number|count) of (?:students|pupils|people|persons|staff|employees|participants)",
    re.IGNORECASE,
)
"""What data may be called, too: only beside what is surely none."""
_REACHES: tuple[tuple[re.Pattern[str], Callable[[list[float]], float]], ...] = (
    (_MEAN, fmean),
    (_MOST, max),
    (_LEAST, min),
)
_ROUNDED = 0.5
"""Averages are often written without decimals."""


def is_statistic(name: str) -> bool:
    """Whether words may name what was reckoned from the rows above."""
    return any(words.fullmatch(name) for words in (_MEAN, _MOST, _LEAST, _OTHER))


def statistics(
    rows: Sequence[TableRow], names: Sequence[str], totals: Sequence[bool]
) -> Iterator[int]:
    """Rows that only tell of those above.

    Where such names are what the table is about (average, best, share of each class) they are data:
    they must be fewer than the rows they tell of, or one of them must be what it says.

    Args:
        rows: of a table.
        names: the first words of each.
        totals: which of them sum up others.
    """
    sure = [is_statistic(name) for name in names]
    may = [sure[at] or bool(_COUNT.fullmatch(name)) for at, name in enumerate(names)]
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and (may[end] or (totals[end] and end > at)):
            end += 1
        run = [each for each in range(at, end) if may[each]]
        if any(sure[each] for each in run):
            above = _data(range(at - 1, -1, -1), may, totals)
            data = [rows[each] for each in above or _data(range(end, len(rows)), may, totals)]
            if len(run) < len(data) or any(_bears_out(rows[by], names[by], data) for by in run):
                yield from run
        at = max(end, at + 1)


def _data(places: range, may: Sequence[bool], totals: Sequence[bool]) -> list[int]:
    """The rows at ``places`` up to those that tell of others, sums of groups passed over."""
    found: list[int] = []
    for at in places:
        if may[at] and found:
            break
        if not (may[at] or totals[at]):
            found.append(at)
    return found


def _bears_out(row: TableRow, name: str, data: Sequence[TableRow]) -> bool:
    """Whether each of its numbers is the average, or the extreme, that the row is called."""
    reckon = next((how for words, how in _REACHES if words.fullmatch(name)), None)
    if reckon is None:
        return False
    told = list(map(numbers, data))
    held = {column: [own[column] for own in told if column in own] for column in numbers(row)}
    if not held or not all(held.values()):
        return False
    off = (abs(reckon(held[column]) - value) for column, value in numbers(row).items())
    return all(each <= _ROUNDED for each in off)
