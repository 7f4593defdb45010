"""The column whose different values a question counts: suppliers, customers, people."""

from __future__ import annotations

import re
from collections.abc import Sequence

from rag.terms import is_cjk, normalise
from rag.whole_set.asked import COUNTED
from rag.whole_set.saying import bare_label

_LEAST = 2
_PEOPLE_WORDS = "人|员工|人员|职员|people|employees|staff"
_PEOPLE = re.compile(rf"{COUNTED} *(?:different )?(?:{_PEOPLE_WORDS})")
_PERSON = re.compile(r"姓名|员工(?:姓名)?|employee(?: name)?|full name|staff name")
_NAMED_BY = re.compile(r"(?:编?号码?|编号|名称|姓名|名| (?:no|number|id|name|code))$")

# What is sold or paid to somebody, or bought from them, is found in a column of that side.
_BUYERS = re.compile(
    r"客户|买方|购买方|购货|受票|收货|\b(?:customer|client|buyer|bill(?:ed)? to|sold to)\b"
)
_SELLERS = re.compile(r"供应商|供货|供方|卖方|销售方|收款|\b(?:supplier|vendor|seller|payee)\b")
_SIDES = (
    (_BUYERS, r"(?:开具?|卖|售|销售|发)给\s*{0}"),
    (_BUYERS, r"给\s*{0}\s*开具?的?"),
    (_BUYERS, r"\b(?:(?:invoiced|billed|sold|issued) )?to {0}"),
    (_SELLERS, r"(?:支付|付款?|打款?|汇款?)给\s*{0}"),
    (_SELLERS, r"[向从]\s*{0}\s*(?:采购|购买|购入|买)的?"),
    (_SELLERS, r"\b(?:paid |payments? )?to {0}"),
    (_SELLERS, r"\b(?:bought|purchased|ordered) from {0}"),
)


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


def without_side(value: str, label: str, rest: str) -> str:
    """``rest`` with the bare value for what was sold, or paid, to it, in a column of that side."""
    for side, said in _SIDES:
        if side.search(label):
            rest = re.sub(said.format(re.escape(value)), f" {value} ", rest, count=1)
    return rest


def is_in_all(rows: Sequence[Sequence[str]], word: str) -> bool:
    """Whether the names of all rows have a Chinese word in them, so that it chooses none.

    Names are the different cells of a column: 莫干山森林公园 and 草鱼塘森林公园, of 森林公园.
    """
    if len(rows) < _LEAST or len(word) < _LEAST or not is_cjk(word):
        return False
    columns = ([normalise(shown) for shown in column] for column in zip(*rows, strict=True))
    return any(
        len(set(names)) == len(rows) and all(word in name for name in names) for names in columns
    )
