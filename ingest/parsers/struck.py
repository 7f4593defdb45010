"""Words that are struck through: no longer meant, and still to be read."""

from __future__ import annotations

from rag.terms import is_cjk

FLAG = "struck_out"
_ZH, _EN = ("[已划去：", "]"), ("[struck out: ", "]")


def as_struck(words: str) -> str:
    """The words, saying that they are struck through."""
    ahead, behind = _ZH if any(map(is_cjk, words)) else _EN
    return f"{ahead}{words.strip()}{behind}"
