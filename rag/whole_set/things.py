"""The column whose different values a question counts: suppliers, customers, people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.whole_set.asked import COUNTED
from rag.whole_set.saying import bare_label

_PEOPLE_WORDS = "人|员工|人员|职员|people|employees|staff"
_PEOPLE = re.compile(rf"{COUNTED} *(?:different )?(?:{_PEOPLE_WORDS})")
_PERSON = re.compile(r"姓名|员工(?:姓名)?|employee(?: name)?|full name|staff name")
_NAMED_BY = re.compile(r"(?:编?号码?|编号|名称|姓名|名| (?:no|number|id|name|code))$")


def names_of(label: str) -> set[str]:
    """What people call the things of a column: 供应商 of 供应商名称."""
    bare = bare_label(label)
    return {bare, _NAMED_BY.sub("", bare)}


def counted_column(rest: str, header: Sequence[str]) -> tuple[int | None, str]:
    """The column that stands beside "how many", and the question without either."""
    best: tuple[int, int, str] | None = None
    for at, label in enumerate(header):
        for name in names_of(label):
            left = _beside(name, rest)
            if left is not None and (best is None or len(name) > best[0]):
                best = (len(name), at, left)
    if best:
        return best[1], best[2]
    people = _PEOPLE.search(rest)
    named = [at for at, label in enumerate(header) if _PERSON.fullmatch(bare_label(label))]
    if people and len(named) == 1:
        return named[0], f"{rest[: people.start()]} {rest[people.end() :]}"
    return None, rest


def is_of_people(label: str) -> bool:
    """Whether a column holds people's names."""
    return bool(_PERSON.fullmatch(bare_label(label)))


def without_people(rest: str) -> str:
    """``rest`` without a word for people in general."""
    return re.sub(rf"(?:的)?(?:{_PEOPLE_WORDS})(?![a-z\u4e00-\u9fff])", " ", rest, count=1)


def _beside(name: str, rest: str) -> str | None:
    if len(name) < len("ab"):
        return None
    said = re.escape(name)
    after = rf"{COUNTED} *(?:different |distinct |不同的?|的)?{said}(?:s|es)?(?![a-z0-9])"
    before = rf"{said} *(?:一共|总共|共|有)* *{COUNTED}(?=\s*$)"
    found = re.search(f"{after}|{before}", rest)
    return f"{rest[: found.start()]} {rest[found.end() :]}" if found else None
