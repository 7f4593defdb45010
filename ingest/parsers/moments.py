"""Days and times of day: from Excel's day numbers, in the words of a format."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Sequence

from ingest.parsers.number_formats import Token

_DAY_ZERO = dt.datetime(1899, 12, 30)
_DAY_ZERO_1904 = dt.datetime(1904, 1, 1)
_LEAP_DAY_THAT_WAS_NONE = 60
_LAST_DAY = 2_958_466
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_DAYS = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"]
_CHINESE_DAYS = "一二三四五六日"


def moment_of(number: float, *, since_1904: bool = False) -> dt.datetime | None:
    """The moment a day number stands for; None for what is none."""
    if not 0 <= number < _LAST_DAY:
        return None
    if not since_1904 and number < _LEAP_DAY_THAT_WAS_NONE:
        number += 1  # Excel counts a 29th of February 1900
    start = _DAY_ZERO_1904 if since_1904 else _DAY_ZERO
    return start + dt.timedelta(milliseconds=round(number * 86_400_000))


def is_moment(tokens: Sequence[Token]) -> bool:
    """Whether a format shows a day, not only a time of day or how long something took."""
    return any(t.kind == "date" and t.text[0] in "yde" for t in tokens) or (
        any(t.kind == "date" and t.text[0] == "m" for t in tokens) and not is_clock(tokens)
    )


def is_clock(tokens: Sequence[Token]) -> bool:
    """Whether a format shows hours, minutes or seconds."""
    return any(t.kind == "date" and t.text[0] in "hs[" for t in tokens)


def moment(when: dt.datetime) -> dt.datetime:
    """Rounded to the second, as formats without fractions show it."""
    return (when + dt.timedelta(milliseconds=500)).replace(microsecond=0)


def spelled(when: dt.datetime, number: float, tokens: Sequence[Token]) -> str:
    """As displayed; where that leaves the year or the order of day and month open, as ISO, too."""
    shown = _spell(moment(when), number, tokens)
    letters = [token.text for token in tokens if token.kind == "date"]
    if not is_moment(tokens) or _is_plain(letters):
        return shown
    timed = any(text[0] in "hs" for text in letters)
    iso = moment(when).isoformat(" ", "minutes") if timed else when.date().isoformat()
    says_more = any(letter.isalpha() for letter in shown) or str(when.year) in shown
    return f"{shown} ({iso})" if says_more else iso


def _is_plain(letters: Sequence[str]) -> bool:
    """Whether all of the year stands there, and nobody can take the month for the day."""
    days = [text for text in letters if text[0] in "yemd"]
    months = next((len(text) for text in letters if text[0] == "m"), 0)
    whole = any(text in ("yyyy", "yyy", "e", "ee") for text in letters)
    return whole and (days[0][0] in "ye" or months > 2 or "d" not in {t[0] for t in days})  # noqa: PLR2004


def _spell(when: dt.datetime, number: float, tokens: Sequence[Token]) -> str:
    halves = any("/" in token.text for token in tokens if token.kind == "date")
    shown: list[str] = []
    for at, token in enumerate(tokens):
        if token.kind != "date":
            shown.append("" if token.kind in ("digit", "percent") else token.text)
        elif token.text.startswith("["):
            shown.append(_elapsed(number, token.text[1:-1]))
        elif "/" in token.text:
            morning, _, evening = token.text.upper().partition("/")
            shown.append(morning if when.hour < 12 else evening)  # noqa: PLR2004 (noon)
        elif token.text[0] == "m" and _is_minutes(tokens, at):
            shown.append(str(when.minute).zfill(len(token.text)))
        else:
            shown.append(_part(when, token.text, halves=halves))
    return "".join(shown).strip(" .")


def _part(when: dt.datetime, letters: str, *, halves: bool) -> str:
    numbers = {"m": when.month, "d": when.day, "h": when.hour, "s": when.second}
    if halves:
        numbers["h"] = when.hour % 12 or 12
    kind, width = letters[0], len(letters)
    if kind in numbers and width <= 2:  # noqa: PLR2004
        return str(numbers[kind]).zfill(width)
    named: dict[str, Callable[[], str]] = {
        "y": lambda: f"{when.year % 100:02}" if width <= 2 else str(when.year),  # noqa: PLR2004
        "e": lambda: str(when.year),
        "a": lambda: ("星期" if width > 3 else "") + _CHINESE_DAYS[when.weekday()],  # noqa: PLR2004
        "m": lambda: _MONTHS[when.month - 1][: {3: 3, 5: 1}.get(width, 99)],
        "d": lambda: _DAYS[when.weekday()][: {3: 3}.get(width, 99)],
    }
    return named[kind]() if kind in named else ""


def _is_minutes(tokens: Sequence[Token], at: int) -> bool:
    """An m after hours or before seconds counts minutes."""
    before = next((t.text for t in reversed(tokens[:at]) if t.kind == "date"), "")
    after = next((t.text for t in tokens[at + 1 :] if t.kind == "date"), "")
    return before[:1] == "h" or before.startswith("[h") or after[:1] == "s"


def _elapsed(number: float, letters: str) -> str:
    seconds = round(number * 86_400)
    unit = {"h": 3600, "m": 60, "s": 1}[letters[0]]
    return str(seconds // unit).zfill(len(letters))
