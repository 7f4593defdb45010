"""Whether a question says a label or a value, and what is left of it then."""

from __future__ import annotations

import re

from rag.terms import is_cjk, normalise

_BRACKETS = re.compile(r"\s*[(（\[【][^)）\]】]*[)）\]】]")
_LEAST = 2
_WORD = re.compile(r"[a-z0-9][a-z0-9_'.-]*|[^\W\da-z_]+")
_IDLE_ZH = re.compile(
    r"请问|请|帮我|给我|算一下|计算|算出|算|求|一共|总共|总计|共有|共|全部|所有|这些|这张|这个|该|表格?|数据"
    r"|列|一下|哪一?[个笔项条位家行]|谁|什么|多少|的|是|在|里面|里|中|有|为|和|与|及|了|呢|吗|它|其|万?元|都|由|等于|行|值|数"
)
_IDLE_EN = frozenset((
    "a", "all", "an", "and", "are", "at", "calculate", "column", "compute", "did", "do", "does",
    "figure", "find", "for", "from", "give", "has", "have", "how", "in", "is", "many", "me", "much",
    "of", "on", "our", "please", "row", "rows", "sheet", "table", "tell", "the", "there", "to",
    "was", "we", "were", "what", "where", "which", "who", "whose", "with", "value", "values",
    "workbook", "file", "that", "it", "s",
))  # fmt: skip


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


def leftover(rest: str, known: str) -> str:
    """What a question says that nothing explains: neither idle words nor the words of ``known``."""
    left: list[str] = []
    for word in _WORD.findall(rest):
        if not is_cjk(word):
            bare = word.removesuffix("'s").rstrip(".")
            is_known = bare in known if bare.isdigit() else re.search(_pattern(bare), known)
            if bare not in _IDLE_EN and not is_known:
                left.append(word)
            continue
        left += [part for part in _IDLE_ZH.sub(" ", word).split() if part not in known]
    return " ".join(left)


def _pattern(part: str) -> str:
    if is_cjk(part):
        return re.escape(part)
    return rf"(?<![\w]){re.escape(part)}(?:s|es)?(?![\w])"
