"""Cells as Excel shows them. Dates come as day numbers: 45291 is 2023-12-31."""

from __future__ import annotations

import datetime as dt

import pytest

from ingest.parsers.displayed import behind_shown, displayed
from ingest.parsers.values import typed

ACCOUNTING = '_ ¥* #,##0.00_ ;_ ¥* -#,##0.00_ ;_ ¥* "-"??_ ;_ @_ '
DAY = dt.datetime(2023, 12, 31)


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.13, "0%", "13%"),
        (0.1234, "0.00%", "12.34%"),
        (1234.5, '"¥"#,##0.00', "¥1,234.50"),
        (1234.5, "[$¥-804]#,##0.00", "¥1,234.50"),
        (-1234, "¥#,##0;¥-#,##0", "¥-1,234"),
        (-1234.5, "#,##0.00", "-1,234.50"),
        (-1234.5, "#,##0.00_);(#,##0.00)", "(1,234.50)"),
        (-5.2, "0.00;[Red]0.00", "-5.20"),
        (1234.5, ACCOUNTING, "¥1,234.50"),
        (0, ACCOUNTING, "¥-"),
        (12553, "#,##0\\ ", "12,553"),
        (5, '0"人"', "5人"),
        (1234.5, 'General"元"', "1234.5元"),
        (-3, "G/通用格式", "-3"),
        (12345, "#,##0,", "12"),
        (123456, '0!.0,"万"', "12.3万"),
        (12345678901, '0!.00,,"亿"', "123.46亿"),
        (1234567.8, '#,##0.00,"千"', "1,234.57千"),
        (15000, '[>=10000]0!.0,"万";0', "1.5万"),
        (500, '[>=10000]0!.0,"万";0', "500"),
        (13812345678, "000-0000-0000", "138-1234-5678"),
        (5, "00000", "00005"),
        (0.5, "#.##", ".5"),
        (2.675, "0.00", "2.68"),
        (-0.0001, "0.00", "0.00"),
        (1e20, "0", "100000000000000000000"),
        (12345.678, "0.00E+00", "1.23E+04"),
        (1.5, "# ?/?", "1 1/2"),
        (0.25, "# ??/16", "4/16"),
        (3.0, "General", "3"),
        (0.1 + 0.2, "General", "0.3"),
        (True, "General", "TRUE"),
        (0, ";;;", ""),
        ("  two\nlines ", "@", "two lines"),
        ("李", '0;-0;0;"负责人："@', "负责人：李"),
        ("#REF!", "0.00", "#REF!"),
    ],
)  # fmt: skip
def test_values_read_as_excel_shows_them(value, form, shown):
    assert displayed(value, form).text == shown


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (45291, "yyyy-mm-dd", "2023-12-31"),
        (45291, 'yyyy"年"m"月"d"日"', "2023年12月31日"),
        (45291, 'yyyy"年"m"月"', "2023年12月"),
        (45291, "yyyy.mm.dd", "2023.12.31"),
        (45291, "mm-dd-yy", "2023-12-31"),
        (45291, 'm"月"d"日"', "12月31日 (2023-12-31)"),
        (45291, "mmm-yy", "Dec-23 (2023-12-31)"),
        (45291, "[$-F800]dddd\\,\\ mmmm\\ dd\\,\\ yyyy", "Sunday, December 31, 2023"),
        (45291 + 9 / 24 + 5 / 1440, "yyyy-mm-dd hh:mm", "2023-12-31 09:05"),
        (45291.75, "m/d/yy h:mm", "2023-12-31 18:00"),
        (45291, "m/d/yyyy", "12/31/2023 (2023-12-31)"),
        (45291, "dd.mm.yyyy", "31.12.2023 (2023-12-31)"),
        (45291, "mmm yyyy", "Dec 2023"),
    ],
)
def test_days_read_as_excel_shows_them_and_are_dates(value, form, shown):
    text, when = displayed(value, form)
    assert text == shown
    assert isinstance(when, dt.datetime)
    assert when.date() == DAY.date()


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (0.5, "h:mm AM/PM", ("12:00 PM", 12)),
        (0.75, "h:mm:ss", ("18:00:00", 18)),
        (0.75, '上午/下午h"时"mm"分"', ("下午6时00分", 18)),
        (1.5, "[h]:mm", ("36:00", 36)),
        (45291, "aaaa", ("星期日", 45291)),
        (-1, "yyyy-mm-dd", ("-1", -1)),
    ],
)
def test_times_of_day_and_how_long_something_took_are_hours(value, form, shown):
    assert displayed(value, form) == shown


def test_days_may_be_counted_from_1904_and_over_a_leap_day_that_was_none():
    assert displayed(43829, "yyyy-mm-dd", since_1904=True).text == "2023-12-31"
    assert displayed(59, "yyyy-mm-dd").text == "1900-02-28"
    assert displayed(61, "yyyy-mm-dd").text == "1900-03-01"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1,234.50", 1234.5),
        ("(1,234.50)", -1234.5),
        ("-¥1,234", -1234),
        ("13%", 0.13),
        ("2023-12-31", DAY),
        ("2023/12/31 8:30", dt.datetime(2023, 12, 31, 8, 30)),
        ("2023年12月31日", DAY),
        ("00123", "00123"),
        ("310101199001011234", "310101199001011234"),
        ("13812345678", "13812345678"),
        ("1.2.3", "1.2.3"),
        ("2023-13-45", "2023-13-45"),
        ("(a)", "(a)"),
        ("—", "—"),
    ],
)
def test_text_that_spells_an_amount_or_a_day_has_its_value(text, value):
    assert displayed(text) == (text, value)
    assert typed(text) == value


@pytest.mark.parametrize(
    ("text", "value", "behind"),
    [("8%", 0.075, "7.5%"), ("13%", 0.13, ""), ("12.35万", 123456.78, ""),
     ("12万", 123456.78, "123456.78"), ("1.23百万", 1234567.89, "1234567.89"),
     ("12.35万", 1234567.89, "1234567.89"), ("¥1,234.57", 1234.5678, ""),
     ("(81)", -81.4, "-81.4"), ("12", 12345, "12345"), ("8:30", 0.354, ""), ("1 1/2", 1.5, ""),
     ("3月5日", dt.datetime(2024, 3, 5), ""), ("TRUE", True, ""), ("—", 0, ""), ("5kg", "5kg", "")],
)  # fmt: skip
def test_a_value_that_was_rounded_away_is_told_behind(text, value, behind):
    assert behind_shown(text, value) == behind
