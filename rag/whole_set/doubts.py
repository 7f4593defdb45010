"""Why figures of a column should not be added up, though all of them are numbers.

Statements hold rows that are taken away from others, or reckoned from them; a balance is carried on
from row to row; and where a table's own total says otherwise, its rows are not what they seem.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import pairwise

from rag.tabular import TableRow
from rag.whole_set.numbers import number_of
from rag.whole_set.reckoning import Doubt, Line, Reckoning
from rag.whole_set.saying import bare_label

_TAKEN = re.compile(
    r"(?:减|减去|扣除|扣减)\s*[:：].*|(?:less|deduct|minus)\s*[:：].*|less .*", re.IGNORECASE
)
_NUMBERED = r"(?:[(（]?[一二三四五六七八九十\divx]+[)）、.．]\s*)?"
_RECKONED = re.compile(
    rf"{_NUMBERED}(?:[^减加:：]{{0,4}}(?:毛利|利润|亏损)(?:总?额)?|综合收益总额|.{{0,12}}净增加额|.{{0,12}}现金流量净额)"
    r"(?:[(（].*[)）])?"
    r"|(?:gross|operating|net|pre-?tax) (?:profit|income|loss|margin|earnings)(?: .{0,20})?"
    r"|(?:profit|income|loss|earnings) (?:before|after|for) .*|ebit(?:da)?",
    re.IGNORECASE,
)  # fmt: skip
"""What is reckoned from the rows above it."""
_ITEMS = re.compile(
    r"收入|成本|费用|流入|流出|销售额|营业额|revenue|sales|turnover|costs?\b|expenses?\b",
    re.IGNORECASE,
)
"""What profits are reckoned from."""
_IN = re.compile(
    r".{0,12}(?:收入|来源|流入)|.*(?:income|revenues?|receipts|inflows?)", re.IGNORECASE
)
_OUT = re.compile(
    r".{0,12}(?:支出|成本|费用|流出)|.*(?:expenses?|expenditures?|costs?|payments|outflows?)",
    re.IGNORECASE,
)
_BALANCES = re.compile(
    r".{0,4}(?:余额|结存|结余)(?:数量|金额)?|(?:剩余|未还|累计).{0,6}|.{1,6}累计"
    r"|(?:running|cumulative) .{1,20}|(?:account |outstanding |remaining )?(?:balance|principal)"
)
_OF_ALL = re.compile(r"(?:总计|合计|共计|总和|(?:grand )?totals?)", re.IGNORECASE)
_OF_SOME = re.compile(r".{0,12}(?:总计|合计|共计|总和)|total .{1,30}|.{1,30} total", re.IGNORECASE)
"""Of all, too, where it is the only one: 支出合计."""
_AMOUNTS = re.compile(r"(?:.{0,4}金额|发生额|交易额|余额|.{0,12}amount|value|balance)")
_DIRECTION = re.compile(
    r"收/?支(?:类型|方向|标志)?|(?:收支|借贷|资金|交易)?(?:方向|标[志识记])|借/?贷|借贷标志"
    r"|(?:transaction )?type|direction|dr/?cr|d/?c|debit/credit"
)
_CAME = re.compile(
    r"收入|收|流入|转入|贷|贷方|进|in|credit|cr\.?|c|deposit|income|received", re.IGNORECASE
)
_WENT = re.compile(
    r"支出|支|付|流出|转出|借|借方|出|out|debit|dr\.?|d|withdrawal|expense|paid", re.IGNORECASE
)
_LINES = re.compile(r"[行栏]次|line(?: no\.?)?", re.IGNORECASE)
"""Tax returns and statements number their lines."""
_MOST_TIMES = 4
_NEARLY = Decimal("0.000001")
_CARRIED_SHARE = 0.5
_LEAST_CHANGES = 2


def doubted(told: Reckoning, body: Sequence[Line], totals: Sequence[Line]) -> Reckoning:
    """The reckoning without its value, and why, where there is a doubt.

    Args:
        told: of one column.
        body: all rows of the table but those that add up others.
        totals: those.
    """
    column = told.column
    if column is None or told.value is None or told.operation in {"distinct", "count", "list"}:
        return told
    doubt = None
    if told.operation in {"sum", "mean"}:
        doubt = _of_statement(told, body, totals)
        doubt = doubt or _of_directions(told, column)
    if doubt is None and told.operation == "sum":
        doubt = _of_balance(told, column, [*body, *totals]) or _of_lines(told, column, totals)
    if doubt is None and len(told.lines) == len(body):
        doubt = _of_total(told, column, totals)
    return replace(told, value=None, groups=(), doubt=doubt) if doubt else told


def _of_statement(told: Reckoning, body: Sequence[Line], totals: Sequence[Line]) -> Doubt | None:
    """Whether rows are taken away, reckoned from others, or what came in and what went out."""
    if len(told.lines) < _LEAST_CHANGES:
        return None
    names = [(line, _name(line.row)) for line in told.lines]
    taken = next((line for line, name in names if _TAKEN.fullmatch(name)), None)
    if taken:
        return Doubt("taken", taken)
    reckoned = next((line for line, name in names if _RECKONED.fullmatch(name)), None)
    has_items = any(_ITEMS.search(name) for line, name in names if line is not reckoned)
    if reckoned and has_items:
        return Doubt("reckoned", reckoned)
    came = next((line for line, name in names if _IN.fullmatch(name)), None)
    is_whole = len(told.lines) == len(body)
    went = (_name(line.row) for line in (*told.lines, *(totals if is_whole else ())))
    return Doubt("opposed", came) if came and any(map(_OUT.fullmatch, went)) else None


def _of_directions(told: Reckoning, column: int) -> Doubt | None:
    """Whether another column says of some of the amounts that they came in, of others went out."""
    header = [bare_label(label) for label in told.table.header]
    if not _AMOUNTS.fullmatch(header[column]):
        return None
    for at, label in enumerate(header):
        said = [cell.line.row.shown[at].strip() for cell in told.cells]
        if _DIRECTION.fullmatch(label) and len(set(map(_way, said)) & {1, -1}) > 1:
            sums: dict[str, Decimal] = {}
            for way, cell in zip(said, told.cells, strict=True):
                sums[way] = sums.get(way, Decimal(0)) + cell.number.value
            return Doubt("directed", told.lines[0], at=at, parts=tuple(sums.items()))
    return None


def _way(said: str) -> int:
    """1 of what came in, -1 of what went out, 0 of anything else."""
    return int(bool(_CAME.fullmatch(said))) - int(bool(_WENT.fullmatch(said)))


def _of_balance(told: Reckoning, column: int, lines: Sequence[Line]) -> Doubt | None:
    """Whether most balances differ from the one before by another figure of the row."""
    label = bare_label(told.table.header[column])
    if not _BALANCES.fullmatch(label) or len(told.lines) < _LEAST_CHANGES:
        return None
    rows = [line.row for line in sorted(lines, key=lambda line: line.at)]
    held = [figures for row in rows if column in (figures := _figures(row))]
    changes = [(abs(after[column] - before[column]), after) for before, after in pairwise(held)]
    changes = [(change, after) for change, after in changes if change]
    carried = sum(
        any(change == abs(value) for at, value in after.items() if at != column)
        for change, after in changes
    )
    is_carried = len(changes) >= _LEAST_CHANGES and carried >= _CARRIED_SHARE * len(changes)
    return Doubt("carried", told.lines[-1]) if is_carried else None


def _of_lines(told: Reckoning, column: int, totals: Sequence[Line]) -> Doubt | None:
    """Whether it is a statement, each line another thing, and none of its totals is the sum."""
    if len(told.lines) < _LEAST_CHANGES or not any(map(_LINES.fullmatch, told.table.header)):
        return None
    added = sum((cell.number.value for cell in told.cells), Decimal(0))
    said = [_figures(line.row).get(column) for line in totals]
    slack = _NEARLY * abs(added) + _rounding(told)
    is_said = any(figure is not None and abs(figure - added) <= slack for figure in said)
    return None if is_said else Doubt("lines", told.lines[0])


def _of_total(told: Reckoning, column: int, totals: Sequence[Line]) -> Doubt | None:
    """Whether the total below all rows is another; of other operations, a multiple of it.

    An average over rows some of which are sums of others is none.
    """
    last = max((line.at for line in told.lines), default=-1)
    named = [line for line in totals if _OF_SOME.fullmatch(_name(line.row))]
    sure = [line for line in totals if _OF_ALL.fullmatch(_name(line.row))]
    said = [
        (line, figure)
        for line in (sure or (named if len(named) == 1 else []))
        if line.at > last
        and (figure := _figures(line.row).get(column)) is not None
    ]  # fmt: skip
    if not said:
        return None
    added = sum((cell.number.value for cell in told.cells), Decimal(0))
    if told.operation in {"max", "min"}:
        added = sum((_figures(line.row).get(column, Decimal(0)) for line in told.lines), Decimal(0))
    slack = _NEARLY * abs(added) + _rounding(told)
    if any(abs(figure - added) <= slack for _, figure in said):
        return None
    line, figure = said[0]
    times = (abs(figure * times - added) <= slack for times in range(2, _MOST_TIMES + 1))
    if told.operation == "sum" or (figure and any(times)):
        return Doubt("total", line, added)
    return None


def _rounding(told: Reckoning) -> Decimal:
    """By how much the figures may be off together where they were written rounded."""
    places = max((cell.number.places for cell in told.cells), default=0)
    return Decimal(len(told.lines) + 1) / 2 * Decimal(10) ** -places if places else Decimal(0)


def _figures(row: TableRow) -> dict[int, Decimal]:
    numbers = (number_of(value, text) for value, text in zip(row.values, row.shown, strict=True))
    return {at: number.value for at, number in enumerate(numbers) if number}


def _name(row: TableRow) -> str:
    """The first words of a row."""
    texts = (
        "".join(text.split()) if not text.isascii() else text.strip()
        for text, value in zip(row.shown, row.values, strict=True)
        if isinstance(value, str)
    )
    return next((text.rstrip(":：") for text in texts if any(map(str.isalpha, text))), "")
