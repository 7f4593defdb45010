"""Numbers as word processors write them in lists: 3, iii, C, 三, 叁, ③."""

from __future__ import annotations

from collections.abc import Callable

_DIGITS = "零一二三四五六七八九"
_PLACES = ("", "十", "百", "千")
_LEGAL = str.maketrans("一二三四五六七八九十百千", "壹贰叁肆伍陆柒捌玖拾佰仟")
_TRADITIONAL_LEGAL = str.maketrans("一二三四五六七八九十百千", "壹貳參肆伍陸柒捌玖拾佰仟")
_ROMAN = (
    (1000, "M"), (900, "CM"), (500, "D"), (400, "CD"), (100, "C"), (90, "XC"), (50, "L"),
    (40, "XL"), (10, "X"), (9, "IX"), (5, "V"), (4, "IV"), (1, "I"),
)  # fmt: skip
_MYRIAD = 10_000
_CIRCLED, _LAST_CIRCLED = 0x2460, 20
_FULL_WIDTH = 0xFEE0
_LETTERS = 26


def numeral(number: int, form: str) -> str:
    """``number`` in a ``w:numFmt`` of OOXML; decimal for forms that are not known."""
    write = _FORMS.get(form)
    return str(number) if write is None else write(number)


def chinese(number: int) -> str:
    """一, 十二, 二十, 一百零五; decimal from 10,000 on."""
    if not 0 < number < _MYRIAD:
        return str(number)
    written = ""
    gap = False
    for place in range(3, -1, -1):
        digit = number // 10**place % 10
        if digit:
            written += ("零" if gap and written else "") + _DIGITS[digit] + _PLACES[place]
        gap = digit == 0
    return written.removeprefix("一") if written.startswith("一十") else written


def _roman(number: int) -> str:
    written = ""
    for worth, sign in _ROMAN:
        count, number = divmod(number, worth)
        written += sign * count
    return written


def _letters(number: int) -> str:
    """A to Z, then AA, BB as Word goes on."""
    if number < 1:
        return str(number)
    times, at = divmod(number - 1, _LETTERS)
    return chr(ord("A") + at) * (times + 1)


def _circled(number: int) -> str:
    return chr(_CIRCLED + number - 1) if 1 <= number <= _LAST_CIRCLED else str(number)


def _full_width(number: int) -> str:
    return "".join(chr(ord(digit) + _FULL_WIDTH) for digit in str(number))


def _one_by_one(number: int) -> str:
    return "".join("〇一二三四五六七八九"[int(digit)] for digit in str(number))


def _from(signs: str) -> Callable[[int], str]:
    """The n-th of the signs; decimal beyond the last."""
    return lambda number: signs[number - 1] if 1 <= number <= len(signs) else str(number)


_FORMS: dict[str, Callable[[int], str]] = {
    "bullet": lambda _: "",
    "none": lambda _: "",
    "decimalZero": lambda number: f"{number:02d}",
    "upperRoman": _roman,
    "lowerRoman": lambda number: _roman(number).lower(),
    "upperLetter": _letters,
    "lowerLetter": lambda number: _letters(number).lower(),
    "decimalEnclosedCircle": _circled,
    "decimalEnclosedCircleChinese": _circled,
    "decimalFullWidth": _full_width,
    "decimalFullWidth2": _full_width,
    "chineseCounting": chinese,
    "chineseCountingThousand": chinese,
    "taiwaneseCounting": chinese,
    "taiwaneseCountingThousand": chinese,
    "japaneseCounting": chinese,
    "chineseLegalSimplified": lambda number: chinese(number).translate(_LEGAL),
    "ideographLegalTraditional": lambda number: chinese(number).translate(_TRADITIONAL_LEGAL),
    "ideographDigital": _one_by_one,
    "taiwaneseDigital": _one_by_one,
    "japaneseDigitalTenThousand": _one_by_one,
    "ideographTraditional": _from("甲乙丙丁戊己庚辛壬癸"),
    "ideographZodiac": _from("子丑寅卯辰巳午未申酉戌亥"),
}
