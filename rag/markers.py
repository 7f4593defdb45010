"""Markers in every spelling that models emit, each as ``[n]``.

Seen: ``[1]``, ``【1】``, ``［1］``, ``[1,2]``, ``[1-3]``, ``[ID:1]``, ``[^1]``, ``[Source 1]``,
``[资料1、资料2]``, ``（来源：1）``, ``【1†lease.pdf】``. A bare ``(1)``
may count anything and stays.
"""

from __future__ import annotations

import re
from collections.abc import Collection

from rag.sentences import sentence_spans

Claim = tuple[str, tuple[int, ...]]
"""Words, and the numbers of the passages that are said to hold them."""

_WORDS = (
    r"(?:citation|passage|sources?|ref|reference|document|doc|item|note|no\.?|id"
    r"|资料|来源|出处|段落|文档|文件|材料|参考|引用|见|参见|第)"
)
_PREFIX = rf"(?:[#^]|{_WORDS}\s*[:：#]?\s*)*"
_LIST = (
    rf"{_PREFIX}\d{{1,2}}(?:\s*(?:[,，、;；&+–—~～-]|and|和|与|至)\s*{_PREFIX}\d{{1,2}})*"
    r"\s*(?:段|†[^\]】\n]{0,40})?"
)
_MARKER = re.compile(
    rf"\\?[\[［【〔]{{1,2}}\s*({_LIST})\s*\\?[\]］】〕]{{1,2}}"
    # In round brackets only with a word that says so: (1) may count anything, (第2条) is a clause.
    rf"|[(（]\s*(?:参?见)?((?:citation|passage|sources?|资料|来源|出处)\s*[:：#]?\s*{_LIST})\s*[)）]",
    re.IGNORECASE,
)
_RANGE = re.compile(r"(\d+)\s*[–—~～至-]\s*(\d+)")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]*`)", re.DOTALL)
_NUMBER = re.compile(r"\d+")
_RUNS = re.compile(r"((?:\s*\[\d{1,2}\])+)")
_OURS = re.compile(r"\s*\[(\d{1,2})\]")
# A marker after the full stop belongs to the sentence before it.
_LATE = re.compile(r"([。！？!?；;.]+)([ \t]*(?:\[\d{1,2}\])+)")
# Words that only lead to a marker: 来源是[1], 资料编号为[2].
_LEAD = re.compile(
    r"[，,（(]?\s*(?<!根据)(?<!依据)(?:资料编号|参考资料|资料|来源|依据|出处)\s*(?:是|为|[:：])?\s*(?=\[\d{1,2}\])"
)
_RUN = r"(?:\[\d{1,2}\][ \t]*)+"
_APART = r"[ \t]*(?:[.:：、，,)）—–-]+[ \t]*)?"
# Markers that open a line, set off like a heading or not, belong to the end of what follows.
_BULLETS = r"[ \t]*(?:>[ \t]*)?(?:[-*•]|\d{1,2}[.)、])?[ \t]*"
_OPENING = re.compile(
    rf"({_BULLETS})(?:\*\*)?(?:(?:根据|依据|按照)(?:资料)?(?=(?:\[\d{{1,2}}\])+[，,]))?"
    rf"({_RUN})(?:\*\*)?{_APART}(?=[^\s\[])"
)
# On such a line, those after a stop or a comma open the next sentence or clause.
_NEXT = re.compile(rf"(?<=[。！？!?；;.，,])[ \t]*({_RUN}){_APART}(?=[^\s\[])")
# A line of markers alone: with what follows where the reply begins so, else with what precedes.
_ALONE_FIRST = re.compile(rf"^([ \t]*{_RUN}){_APART}\n+(?=\S)", re.MULTILINE)
_ALONE = re.compile(rf"(?<=\S)[ \t]*\n[ \t]*({_RUN})(?=\n|\Z)")
_STOPS = "。！？!?；;.，,"
_DANGLING = re.compile(r"[，,]\s*(?=(?:\[\d{1,2}\])+\s*(?:[。！？!?；;]|\.(?!\w)|$))", re.MULTILINE)


def respelled(raw: str, count: int) -> tuple[str, list[int]]:
    """Every spelling as ``[n]``, before the full stop; the numbers that stand for nothing."""
    dropped: list[int] = []

    def respell(match: re.Match[str]) -> str:
        numbers = _numbers(next(filter(None, match.groups())))
        dropped.extend(n for n in numbers if not 1 <= n <= count)
        return "".join(f"[{n}]" for n in numbers if 1 <= n <= count)

    pieces = _CODE.split(raw)  # ``rows[1]`` in code is no marker
    pieces[::2] = [_MARKER.sub(respell, piece) for piece in pieces[::2]]
    text = "".join(pieces)
    text = _LEAD.sub("", text)
    text = _ALONE_FIRST.sub(r"\1 ", text) if _ALONE_FIRST.match(text) else _ALONE.sub(r"\1", text)
    text = "\n".join(map(_led, text.split("\n")))
    text = _LATE.sub(lambda late: late.group(2).strip() + late.group(1), _DANGLING.sub("", text))
    return text, list(dict.fromkeys(dropped))


def _led(line: str) -> str:
    """The line with markers that lead a sentence, or a clause, at the end of it."""
    opening = _OPENING.match(line)
    if not opening:
        return line
    lead, run = opening.groups()
    first, *more = _NEXT.split(line[opening.end() :])
    runs, said = [run, *more[::2]], [first, *more[1::2]]
    blanks = [" " if each[-1].isascii() else "" for each in said[:-1]]
    ended = map("".join, zip(map(_ended, said, runs), [*blanks, ""], strict=True))
    return lead + "".join(ended)


def _ended(said: str, run: str) -> str:
    """What is said, with the markers at the end of its first sentence."""
    _, end = next(iter(sentence_spans(said)))
    stem = said[:end].rstrip(_STOPS + " ")
    new = "".join(marker for marker in run.split() if not stem.endswith(marker))
    return f"{stem}{new}{said[len(stem) :]}"


def _numbers(listed: str) -> list[int]:
    """1 and 3 of ``1, 3``; 1, 2 and 3 of ``1-3``. What follows † is a file's name."""
    plain = listed.split("†", maxsplit=1)[0]
    for first, last in _RANGE.findall(plain):
        plain += "," + ",".join(map(str, range(int(first), int(last) + 1)))
    return sorted({int(number) for number in _NUMBER.findall(plain)})


def claims_in(shown: str) -> list[Claim]:
    """What a sentence says up to each of its runs of markers; all of it, where it goes on."""
    *pieces, rest = _RUNS.split(shown)
    if not pieces or any(map(str.isalnum, rest)):
        return [(without_markers(shown), markers_in(shown))]
    return [
        (said.strip(), markers_in(run)) for said, run in zip(pieces[::2], pieces[1::2], strict=True)
    ]


def markers_in(shown: str) -> tuple[int, ...]:
    """The numbers of the markers in a text spelled our way, in order, each once."""
    return tuple(dict.fromkeys(int(n) for n in _OURS.findall(shown)))


def only(shown: str, kept: Collection[int]) -> str:
    """The text with no other markers than those ``kept``; in code there are none."""
    pieces = _CODE.split(shown)
    pieces[::2] = [
        _OURS.sub(lambda found: found.group() if int(found[1]) in kept else "", piece)
        for piece in pieces[::2]
    ]
    return "".join(pieces)


def without_markers(shown: str) -> str:
    return _OURS.sub("", shown).strip()
