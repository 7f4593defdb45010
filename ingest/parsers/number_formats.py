"""Number formats as Excel writes them: sections of tokens, what each one shows."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal, cast

Kind = Literal["text", "digit", "point", "comma", "percent", "power", "slash", "date", "whole"]

_TOKEN = re.compile(
    r"""
    "(?P<quoted>[^"]*)"?                    # "元"
    | [\\!](?P<escaped>.)                   # \- and, in Chinese formats, !.
    | [_*].                                 # padding
    | \[\$(?P<currency>[^\]-]*)[^\]]*\]     # [$¥-804]
    | \[(?P<elapsed>h+|m+|s+)\]             # [h]:mm
    | \[(?P<condition>[<>=]+-?[\d.]+)\]     # [>=10000]
    | \[[^\]]*\]                            # [Red], [DBNum1]
    | (?P<whole>General|G/通用格式|通用格式|@)
    | (?P<half>AM/PM|A/P|上午/下午)
    | (?P<date>y+|m+|d+|h+|s+|a{3,4}|e+(?![+-])|g+|b+)
    | (?P<power>E[+-])
    | (?P<digit>[0\#?]) | (?P<point>\.) | (?P<comma>,) | (?P<percent>%) | (?P<slash>/)
    | (?P<section>;) | (?P<literal>.)
    """,
    re.IGNORECASE | re.VERBOSE | re.DOTALL,
)


@dataclass(frozen=True, slots=True)
class Token:
    """A part of a format; ``text`` is what it shows, or the letters that say how."""

    kind: Kind
    text: str


@dataclass(frozen=True, slots=True)
class Section:
    """The format of the numbers that meet ``condition``, ``(">=", 10000.0)``."""

    tokens: tuple[Token, ...]
    condition: tuple[str, float] | None

    @property
    def is_date(self) -> bool:
        return any(token.kind == "date" for token in self.tokens)

    @property
    def is_whole(self) -> bool:
        """The value as it is: ``General``, ``@``, ``@"人"``."""
        return any(token.kind == "whole" for token in self.tokens)

    @property
    def says_something(self) -> bool:
        return any(token.kind == "text" and token.text.strip() for token in self.tokens)


@lru_cache(maxsize=1024)
def sections(number_format: str) -> tuple[Section, ...]:
    """``positive;negative;zero;text``, as many as the format has, one at least."""
    found: list[Section] = []
    tokens: list[Token] = []
    condition: tuple[str, float] | None = None
    for match in _TOKEN.finditer(number_format if number_format.strip() else "General"):
        kind = match.lastgroup
        if kind == "section":
            found.append(Section(tuple(tokens), condition))
            tokens, condition = [], None
        elif kind == "condition":
            condition = _condition(match.group("condition"))
        elif kind:
            tokens.append(_token(kind, match.group(kind)))
    return (*found, Section(tuple(tokens), condition))


def section_for(value: float, number_format: str) -> tuple[Section, bool]:
    """The section that holds for a number, and whether its sign must be added to it."""
    all_ = sections(number_format)
    if any(each.condition for each in all_):
        chosen = next((each for each in all_ if _meets(value, each.condition)), all_[-1])
        return chosen, value < 0
    if value < 0 and len(all_) > 1:
        # Red alone says "negative" on screen, and nothing in plain text.
        return all_[1], bool(all_[1].tokens) and not all_[1].says_something
    if value == 0 and len(all_) > 2:  # noqa: PLR2004 (positive;negative;zero)
        return all_[2], False
    return all_[0], value < 0


def _token(kind: str, text: str) -> Token:
    if kind in ("quoted", "escaped", "currency", "literal"):
        return Token("text", text)
    if kind in ("elapsed", "half", "date"):
        return Token("date", f"[{text.lower()}]" if kind == "elapsed" else text.lower())
    return Token(cast("Kind", kind), text)  # the other groups are named as kinds are


def _condition(written: str) -> tuple[str, float] | None:
    match = re.fullmatch(r"([<>=]+)(-?[\d.]+)", written)
    try:
        return (match[1], float(match[2])) if match else None
    except ValueError:
        return None


def _meets(value: float, condition: tuple[str, float] | None) -> bool:
    if condition is None:
        return True
    sign, bound = condition
    return {
        ">": value > bound,
        "<": value < bound,
        ">=": value >= bound,
        "<=": value <= bound,
        "=": value == bound,
        "<>": value != bound,
    }.get(sign, False)
