"""Years, quarters and months that a question says, and the columns of a table that hold them."""

# ruff: noqa: E501 (patterns)
from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from rag.tabular import TableRow
from rag.whole_set.saying import bare_label

_MONTHS = (
    "january", "february", "march", "april", "may", "june", "july", "august", "september",
    "october", "november", "december",
)  # fmt: skip
# "may" is mostly a verb.
_NAMES = rf"{'|'.join(name for name in _MONTHS if name != 'may')}|(?:(?<=in )|(?<=for )|(?<=of ))may|may(?=\s+(?:19|20)\d\d)"
_PERIOD_ZH = r"第?[一二三四1-4]季度|[上下]半年"
_QUARTER_EN = r"(?:q[1-4]|(?:first|second|third|fourth|1st|2nd|3rd|4th) quarter)(?![a-z0-9])"
# "H1", or "the second half", may be of something else where no year stands beside it.
_PERIOD_EN = rf"(?:{_QUARTER_EN}|(?:h[12]|(?:first|second|1st|2nd) half)(?![a-z0-9]))"
_ORDINALS = ("一1上first", "二2下second", "三3third", "四4fourth")
_DATE = re.compile(
    rf"(?<!\d)(?P<year>(?:19|20)\d\d)\s*年(?:度)?(?:的)?\s*(?:(?P<month>\d{{1,2}})\s*月(?:份)?|(?P<period>{_PERIOD_ZH}|{_PERIOD_EN}))?"
    rf"|(?<![\w./-])(?P<year_before>(?:19|20)\d\d)\s*[-/]?\s*(?P<period_after>{_PERIOD_ZH}|{_PERIOD_EN})"
    rf"|(?<![a-z0-9])(?P<period_before>{_PERIOD_EN})(?: of| in)?(?: the year)?[ /-]*(?P<year_behind>(?:19|20)\d\d)(?![\d./-]*\d|[a-z_])"
    rf"|(?<![a-z0-9十第])(?P<period_alone>{_PERIOD_ZH}|{_QUARTER_EN})"
    rf"|\b(?P<name>{_NAMES})(?:\s+(?P<year_after>(?:19|20)\d\d))?\b"
    r"|(?<![\w./-])(?P<alone>(?:19|20)\d\d)(?![\d./-]*\d|[a-z_])"
    r"|(?<!\d)(?P<month_alone>\d{1,2})月份?"
)
_WRITTEN = re.compile(r"^((?:19|20)\d\d)[-/.年](\d{1,2})(?:[-/.月]|$)")
_YEAR_LAST = re.compile(r"^(\d{1,2})[-/.](\d{1,2})[-/.]((?:19|20)\d\d)$")
_MONTH_LABELS = frozenset(("月份", "月", "month"))
_YEAR_LABELS = frozenset(("年份", "年", "年度", "year"))
_DATED = re.compile(r"日期|时间|期间|\b(?:date|day|time|period)\b")
_LAST_MONTH = 12
_LAST_DAY = 31
_YEARS = range(1900, 2100)


@dataclass(frozen=True, slots=True)
class Said:
    """A date in a question: the year, 0 for any; the months, empty for all; and its words."""

    year: int
    months: frozenset[int]
    start: int
    end: int
    text: str

    def fits(self, when: tuple[int, int] | None) -> bool:
        """Whether a year and month lie in it."""
        if when is None:
            return False
        return self.year in {0, when[0]} and (not self.months or when[1] in self.months)


def said_in(question: str) -> Said | None:
    """The first date that the question says."""
    found = _DATE.search(question)
    if found is None:
        return None
    years = ("year", "year_before", "year_behind", "year_after", "alone")
    year = int(next((found[name] for name in years if found[name]), 0))
    return Said(year, _months(found), found.start(), found.end(), found.group().strip(" 的"))


def _months(found: re.Match[str]) -> frozenset[int]:
    periods = ("period", "period_after", "period_before", "period_alone")
    period = next((found[name] for name in periods if found[name]), "")
    if period:
        return _months_of(period)
    if found["name"]:
        return frozenset((_MONTHS.index(found["name"]) + 1,))
    month = found["month"] or found["month_alone"]
    return frozenset((int(month),)) if month else frozenset()


def _months_of(period: str) -> frozenset[int]:
    """The months of a quarter or a half of the year."""
    said = re.search(r"first|second|third|fourth|[一二三四上下1-4]", period)
    number = next(at for at, words in enumerate(_ORDINALS) if said and said.group() in words)
    length = 6 if re.search("半|half|^h", period) else 3
    return frozenset(range(number * length + 1, (number + 1) * length + 1))


@dataclass(frozen=True, slots=True)
class DateColumn:
    """A column of dates.

    ``month_at`` says which of the first two numbers of 05/01/2024 is the month, 0 or 1: None where
    no row of the column tells, so that only its years are known.
    """

    at: int
    month_at: int | None = 1
    tells_months: bool = True

    def date_of(self, row: TableRow) -> tuple[int, int] | None:
        """The year and month of its cell, the month 0 where it can't be told; None without one."""
        value = row.values[self.at]
        if isinstance(value, datetime):
            return value.year, value.month
        if not isinstance(value, str):
            return None
        shown = row.shown[self.at].strip()
        if found := _WRITTEN.match(shown):
            return int(found.group(1)), int(found.group(2))
        if found := _YEAR_LAST.match(shown):
            month = int(found.group(1 + self.month_at)) if self.month_at is not None else 0
            return int(found.group(3)), month
        return None


def date_columns(rows: Sequence[TableRow], header: Sequence[str]) -> list[DateColumn]:
    """The columns in which every cell that isn't blank holds a date."""
    columns = (_date_column(rows, at) for at in range(len(header)))
    return [column for column in columns if column is not None]


def month_column(rows: Sequence[TableRow], header: Sequence[str]) -> int | None:
    """The column of months by number, as its name says."""
    return _numbered(rows, header, _MONTH_LABELS, range(1, _LAST_MONTH + 1))


def year_column(rows: Sequence[TableRow], header: Sequence[str]) -> int | None:
    """The column of years by number, as its name says."""
    return _numbered(rows, header, _YEAR_LABELS, _YEARS)


def counts_time(label: str) -> bool:
    """Whether a column holds months or years by number, which nobody adds up."""
    return label in _MONTH_LABELS | _YEAR_LABELS


def may_date(label: str, said: Said) -> bool:
    """Whether a column that isn't understood could tell the rows of that date by its name."""
    plain = bare_label(label)
    if _DATED.search(plain):
        return True
    return plain in (_MONTH_LABELS if said.months else _YEAR_LABELS)


def _numbered(
    rows: Sequence[TableRow], header: Sequence[str], labels: frozenset[str], numbers: range
) -> int | None:
    for at, label in enumerate(header):
        held = [row.values[at] for row in rows if row.shown[at].strip()]
        are_such = all(isinstance(each, int | float) and each in numbers for each in held)
        if bare_label(label) in labels and held and are_such:
            return at
    return None


def _date_column(rows: Sequence[TableRow], at: int) -> DateColumn | None:
    held = [row for row in rows if row.shown[at]]
    if not held or not all(DateColumn(at).date_of(row) for row in held):
        return None
    written = [_YEAR_LAST.match(row.shown[at].strip()) for row in held]
    pairs = [(int(found.group(1)), int(found.group(2))) for found in written if found]
    days = {place for pair in pairs for place in (0, 1) if pair[place] > _LAST_MONTH}
    if not pairs:
        return DateColumn(at)
    if len(days) > 1 or any(max(pair) > _LAST_DAY for pair in pairs):
        return None
    month_at = 1 - days.pop() if days else None
    return DateColumn(at, month_at, tells_months=month_at is not None)
