"""Number formats that Excel knows by number and files don't spell out; dates as in China."""

from __future__ import annotations

CUSTOM_FROM = 164
"""Formats from this number on stand in the file."""
_CHINESE = {
    **dict.fromkeys((27, 36, 50, 52, 57), 'yyyy"年"m"月"'),
    **dict.fromkeys((28, 29, 51, 53, 54, 58), 'm"月"d"日"'),
    30: "m-d-yy",
    31: 'yyyy"年"m"月"d"日"',
    32: 'h"时"mm"分"',
    33: 'h"时"mm"分"ss"秒"',
    **dict.fromkeys((34, 55), '上午/下午h"时"mm"分"'),
    **dict.fromkeys((35, 56), '上午/下午h"时"mm"分"ss"秒"'),
}


def format_of(number: int, written: str = "") -> str:
    """The format by its number, or as the file spells it."""
    from openpyxl.styles.numbers import BUILTIN_FORMATS

    return written or str(BUILTIN_FORMATS.get(number) or _CHINESE.get(number, ""))
