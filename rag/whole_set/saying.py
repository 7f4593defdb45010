"""Whether a question says a label or a value, and what is left of it then."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass

from rag.terms import is_cjk, normalise

_BRACKETS = re.compile(r"\s*[(（\[【][^)）\]】]*[)）\]】]")
_LEAST = 2
_WORD = re.compile(r"[a-z0-9][a-z0-9_'.-]*|[^\W\da-z_]+")
_IDLE_ZH = re.compile(
    r"请问|请|帮我|给我|算一下|计算|算出|算|求|一共|总共|总计|共有|共|全部|所有|这些|这张|这个|该|表格?|数据"
    r"|列|一下|哪一?[个笔项条位家行]|谁|什么|多少钱?|的|是|在|里面|里|其中|中|有|为|和|与|及|了|呢|吗|(?<!万)元|都|由|等于|行|值|数"
)
IDLE_EN = frozenset((
    "a", "all", "an", "and", "are", "at", "calculate", "column", "compute", "did", "do", "does",
    "figure", "find", "for", "from", "give", "has", "have", "how", "in", "is", "many", "me", "much",
    "of", "on", "our", "please", "row", "rows", "sheet", "table", "tell", "the", "there",
    "was", "we", "were", "what", "where", "which", "who", "whose", "with", "value", "values",
    "workbook", "file", "that", "it", "s",
))  # fmt: skip
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)(?!\d)年?度?")
_MONTH = re.compile(r"(?<!\d)0?(\d{1,2})月份?")
_SEPARATORS = re.compile(r"[\s/\\_.,，、()（）\[\]【】-]+")
_KINDS_OF_TABLE = re.compile(r"(?:台账|登记[表簿册]?|明细表?|一?览?表|清单|记录|汇总)$")


@dataclass(frozen=True, slots=True)
class Place:
    """What a table is called by: its title, sheet, headings, file and folders."""

    names: tuple[str, ...]
    """Chinese names whole, and without their year or 台账 at the end; the longest first."""
    text: str

    def holds(self, word: str) -> bool:
        """Whether the word, or number, stands in it whole."""
        return bool(re.search(_pattern(word), self.text))

    def without_dates(self, rest: str) -> str:
        """``rest`` without the years and months that stand in it as whole numbers."""
        years, months = set(_YEAR.findall(self.text)), set(_MONTH.findall(self.text))
        rest = _YEAR.sub(lambda said: " " if said[1] in years else said[0], rest)
        return _MONTH.sub(lambda said: " " if said[1] in months else said[0], rest)


NOWHERE = Place((), "")
"""Of a question's words by themselves."""


def place_of(parts: Iterable[str]) -> Place:
    """The place that these names tell: titles, sheets, a path."""
    text = " ".join(normalise(part) for part in parts)
    whole = {each for each in _SEPARATORS.split(text) if is_cjk(each)}
    names = set(whole)
    for each in whole:
        names.update(_SEPARATORS.split(_MONTH.sub(" ", _YEAR.sub(" ", each))))
    names |= {_KINDS_OF_TABLE.sub("", each) for each in names}
    kept = {each for each in names if len(each) >= _LEAST and not is_date(each)}
    return Place(tuple(sorted(kept, key=lambda n: (-len(n), n))), _SEPARATORS.sub(" ", text))


def is_date(name: str) -> bool:
    """Whether the name says a year or a month and nothing else."""
    return not _MONTH.sub("", _YEAR.sub("", name)).strip()


def bare_label(label: str) -> str:
    """A column's name as people say it: without its unit in brackets."""
    plain = normalise(label)
    return " ".join((_BRACKETS.sub(" ", plain).strip() or plain).split())


def take(words: str, rest: str) -> str | None:
    """``rest`` without ``words``, each part of them once; None where it doesn't say them."""
    parts = words.split() if is_cjk(words) else [words]
    if not words or any(len(part) < _LEAST for part in parts):
        return None
    for part in parts:
        found = re.search(_pattern(part), rest)
        if found is None:
            return None
        rest = f"{rest[: found.start()]} {rest[found.end() :]}"
    return rest


def take_label(label: str, rest: str) -> str | None:
    """As `take`, where people may also say 已付的金额 for 已付金额, amount paid for paid amount."""
    taken = take(label, rest)
    if taken is not None or len(label) < _LEAST:
        return taken
    parts = label.split()
    if not is_cjk(label):
        return take(" ".join(reversed(parts)), rest) if len(parts) == len("ab") else None
    loose = "的?".join(re.escape(character) for character in label if character != " ")
    found = re.search(loose, rest)
    return f"{rest[: found.start()]} {rest[found.end() :]}" if found else None


def is_idle(words: str) -> bool:
    """Whether all of the words choose nothing."""
    return all(word in IDLE_EN for word in words.split())


def leftover(rest: str, place: Place) -> str:
    """What a question says that nothing explains: neither idle words nor names of the place."""
    for name in place.names:
        rest = take(name, rest) or rest
    left: list[str] = []
    for word in _WORD.findall(place.without_dates(rest)):
        if is_cjk(word):
            left += _IDLE_ZH.sub(" ", word).split()
            continue
        bare = word.removesuffix("'s").rstrip(".")
        if bare not in IDLE_EN and not place.holds(bare):
            left.append(word)
    return " ".join(left)


def _pattern(part: str) -> str:
    if is_cjk(part):
        before = r"(?<![\d.])" if part[0].isdigit() else ""
        after = r"(?![\d.])" if part[-1].isdigit() else ""
        return f"{before}{re.escape(part)}{after}"
    plural = "" if part[-1].isdigit() else "(?:s|es)?"
    return rf"(?<![a-z0-9_.]){re.escape(part)}{plural}(?![a-z0-9_]|\.\d)"
