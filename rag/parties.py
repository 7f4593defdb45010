"""Firms by their full names, and whether a document speaks of one."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Sequence

from rag.sentences import joins
from rag.terms import is_cjk, normalise, terms

_CHINESE = re.compile(
    r"([\w()·]{2,30}?)(?:股份有限公司|有限责任公司|有限公司|会计师事务所|律师事务所)"
)
_BEFORE = re.compile(
    r"[和与跟同及给对向由在是的把被问]|公司|签约方|[甲乙丙]方|设立|成立|开办|创办|注册|上市|[一两几]家|[一两几]个"
)
"""Words that lead up to a name. Where a name holds one, the rest of it still tells enough."""
_LATIN = re.compile(
    r"((?:\b[A-Z][\w&'.-]*,?\s+){1,4})"
    r"(?:Ltd|Limited|Inc|LLC|LLP|PLC|GmbH|Corp|Corporation)\b"
)
_ENOUGH = 0.5
"""Share of a Chinese name that must stand in one piece: 恒远置业 is 北京恒远置业有限公司, but a
document of 北京恒远置业 and 上海云帆软件 does not speak of 上海恒远软件."""


def firms(text: str) -> list[str]:
    """The names of firms in ``text``, without their 有限公司 or Ltd and what stands before them."""
    chinese = (_BEFORE.split(run)[-1] for run in _CHINESE.findall(normalise(text)))
    latin = [run.strip(" ,\n\t") for run in _LATIN.findall(text)]
    told = [name for name in chinese if len(name) > 1 and is_cjk(name)]
    return told + [name for name in latin if _first(name)]


def speaks_of(name: str, said: Collection[str], holds: Callable[[str], bool]) -> bool:
    """Whether enough of a firm's name stands together: of a Latin one its first word.

    Args:
        name: as `firms` gives it.
        said: terms of the passages found.
        holds: whether any passage of the document has a term.
    """
    pieces = terms(name) if is_cjk(name) else _first(name)
    held = [piece in said or holds(piece) for piece in pieces]
    return _longest_run(held) >= _ENOUGH * len(pieces)


def _first(name: str) -> list[str]:
    return [term for term in terms(name) if not joins(term)][:1]


def _longest_run(held: Sequence[bool]) -> int:
    longest = run = 0
    for each in held:
        run = run + 1 if each else 0
        longest = max(longest, run)
    return longest
