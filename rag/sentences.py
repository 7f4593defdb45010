"""Sentences, and the facts in them that can be looked up again."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Collection
from decimal import Decimal, InvalidOperation

from rag.numerals import ENGLISH, english_numeral, numeral
from rag.ports import Span
from rag.terms import count_cjk, normalise, terms

# A full stop ends a sentence only before a blank or the end, so 3.14 and v1.2 stay whole.
_END = re.compile(r"(?:[。！？!?；;]+|\.(?=\s|$))[”’\"')）】」』]*|\n+")
# Nor in "John C. Messenger", "Mr. Reed", "No. 7" and "Inc. pays"; "Plan B. The rent" has an end.
_SHORTENED = re.compile(
    r"\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs)\.|(?m:^[ \t]*\d+(?:\.\d+)*)\.(?=[ \t]+\S)"
    r"|\b(?:Nos?|[Aa]rts?|[Ff]igs?|Sec|pp?|approx|ca|max|min|i\.e|e\.g|Tel|Ref)\.(?=[ \t]+\d)"
    r"|\b(?:Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec)\.(?=[ \t]+\d)"
    r"|\b[A-Z]\.(?=[ \t]+(?!(?:The|It|Its|This|In|If|As|An?)\b)[A-Z][\w.])|\.(?=[ \t]+[a-z])"
)
_FIGURE = re.compile(r"\d+(?:\.\d+)?")
# Chinese numerals count only before a unit or as a percentage: 一般 and 万一 hold none. In 120万元
# 万 is part of the unit.
_NUMERAL = re.compile(
    r"(?<!\d)([〇零一二三四五六七八九十百千万亿两]+)"
    r"(?=个|[美欧港日]元|英镑|年|月|日|天|周|岁|时|分|条|款|项|章|元|倍|人|名|次|家|份|张|台|件|吨|米|平方)"
)
# English ones do so, too: "ten years", not "one of the parties".
_ENGLISH = re.compile(
    rf"\b((?:{ENGLISH})(?:[- ](?:and )?(?:{ENGLISH}))*)"
    r"(?=[- ](?:calendar |business |working |full )?(?:years?|months?|weeks?|days?|hours?|minutes?"
    r"|percent|per cent|times|copies|pages|people|persons?|employees|dollars|euros|pounds|yuan)\b)"
)
_ONE = re.compile(
    r"一(?=个月|年|月|日|天|周|次|份|倍)|\bone (?=year|month|week|day|hour|copy|time)"
)
# 壹万捌仟, as sums are written in contracts; one sign alone may be a name (陆家).
_FORMAL = re.compile(r"[零壹贰叁肆伍陆柒捌玖拾佰仟万亿]{2,}")
_PLAIN_SIGNS = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟", "一二三四五六七八九十百千")
# 百分之五点八, 万分之五; the latter is 0.05 %, as it may be written.
_SHARE = re.compile(
    r"(?P<of>[百千万])分之(?P<number>[〇零一二三四五六七八九十百千两]+|\d+(?:\.\d+)?)"
    r"(?:点(?P<part>[〇零一二三四五六七八九]+))?"
)
_TIMES = {"百": 1, "千": 10, "万": 100}
_ORDINAL = re.compile(r"第\s*(\d+|[〇零一二三四五六七八九十百千万两]+)")
_NAME = re.compile(r"(?<![\w-])(?:[A-Z][\w&'-]*[A-Za-z0-9]|\w*\d\w*[A-Za-z]\w*)(?![\w-])", re.ASCII)
_NO_NAME = re.compile(r"\d+(?:st|nd|rd|th|am|pm|kg|km|gb|mb|tb)|EUR|USD|GBP|RMB|CNY|AM|PM", re.I)
_JOINING_SIGNS = frozenset("的了在是和与或及吗呢吧么")
_JOINING_WORDS = frozenset((
    "a", "an", "and", "are", "as", "at", "be", "by", "can", "do", "does", "for", "from", "has",
    "have", "how", "i", "in", "is", "it", "its", "may", "me", "my", "of", "on", "or", "our", "s",
    "shall", "so", "such", "than", "that", "the", "their", "them", "then", "there", "these",
    "they", "this", "to", "was", "we", "were", "what", "when", "where", "which", "who", "why",
    "will", "with", "would", "you", "your",
))  # fmt: skip
_LATIN_WORD = re.compile(r"[^\W\d_\u2e80-\U0003ffff]{2,}")
_SIGNS_A_WORD = 2
_STEM = 5
_MUCH = 0.3
_SOME = 0.2
_BULLET = re.compile(r"^\s*(?:[-*•]|\d{1,2}[.)、])\s+")


def sentence_spans(text: str) -> list[Span]:
    """Where each sentence stands, blanks around it left out; lines end sentences too."""
    spans: list[Span] = []
    start = 0
    shortened = {match.end() for match in _SHORTENED.finditer(text)}
    ends = [match.end() for match in _END.finditer(text) if match.end() not in shortened]
    for end in [*ends, len(text)]:
        piece = text[start:end]
        if piece.strip():
            lead = len(piece) - len(piece.lstrip())
            spans.append((start + lead, start + len(piece.rstrip())))
        start = end
    return spans


def figures(text: str) -> set[Decimal]:
    """The numbers in ``text``; 1,234.50 equals 1234.5, and 2023-05-01 gives 2023, 5 and 1.

    六个月 and 6个月, ten years and 10 years are equal, too; 一 alone is left out, as 一个 is mostly
    an article. Ordinals (第二条) count nothing; see `ordinals`.
    """
    plain = _ORDINAL.sub("第", normalise(_BULLET.sub("", text)))
    plain = _FORMAL.sub(lambda run: run.group().translate(_PLAIN_SIGNS), plain)
    found: set[Decimal] = set()
    for share in _SHARE.finditer(plain):
        found.add(_percent(share))
    plain = _SHARE.sub(" ", plain)
    for written in _NUMERAL.findall(plain):
        if (value := numeral(written)) > 1:
            found.add(Decimal(value))
    found |= {Decimal(v) for v in map(english_numeral, _ENGLISH.findall(plain)) if v > 1}
    for figure in _FIGURE.findall(plain):
        try:
            found.add(Decimal(figure).normalize())
        except InvalidOperation:  # digits of another script
            continue
    return found


def _percent(share: re.Match[str]) -> Decimal:
    written = share["number"]
    whole = written if written[0].isdecimal() else str(numeral(written))
    part = "".join(str(numeral(digit)) for digit in share["part"] or "")
    return (Decimal(f"{whole}.{part}" if part else whole) / _TIMES[share["of"]]).normalize()


def says_one(text: str) -> bool:
    """Whether it holds 一年, one month and the like: where 1 is said, they hold it."""
    return bool(_ONE.search(normalise(text)))


def ordinals(text: str) -> set[int]:
    """The numbers of 第二条, 第 3 页 and the like."""
    return {
        int(number) if number.isdecimal() else numeral(number)
        for number in _ORDINAL.findall(normalise(text))
    }


def names(text: str) -> set[str]:
    """Latin names and codes: capitalised words but the first of a sentence, words with digits.

    Whose something is counts nothing: ``Zone NA's sales`` names NA. Nor are days, times and units
    (5th, 9am, 25kg) names, nor currencies, which have signs as well.
    """
    plain = unicodedata.normalize("NFKC", _BULLET.sub("", text))
    return {
        match.group().casefold().removesuffix("'s")
        for match in _NAME.finditer(plain)
        if (match.start() > 0 or any(letter.isdigit() for letter in match.group()))
        and not _NO_NAME.fullmatch(match.group())
    }


def content_terms(text: str) -> set[str]:
    """The distinct terms of ``text`` without words that only join others, unless it has no more."""
    said = set(terms(text))
    return {term for term in said if not joins(term)} or said


def overlap(sentence: str, passage: str) -> float:
    """Share of the sentence's content terms that the passage holds, 0 to 1."""
    wanted = content_terms(sentence)
    return len(wanted & set(terms(passage))) / len(wanted) if wanted else 0.0


def stems(of: Collection[str]) -> set[str]:
    """English words by their beginnings, so that receives meets received."""
    return {term[:_STEM] if term.isascii() and term.isalpha() else term for term in of}


def joins(term: str) -> bool:
    """Whether it says nothing itself: the, does, and what holds 的 or 吗."""
    return term in _JOINING_WORDS or not _JOINING_SIGNS.isdisjoint(term)


def same_script(one: str, other: str) -> bool:
    """False for a Chinese sentence beside an English text, where terms can't meet.

    A few names in the other script change nothing; a text in both, or of figures, meets either.
    """
    share = _cjk_share(other)
    if share is None:
        return True
    return share >= _SOME if (_cjk_share(one) or 0.0) >= _MUCH else share <= 1 - _SOME


def _cjk_share(text: str) -> float | None:
    """Share of the words of ``text`` that are Chinese, Japanese or Korean; None without words."""
    signs = count_cjk(text) / _SIGNS_A_WORD
    words = signs + len(_LATIN_WORD.findall(text))
    return signs / words if words else None
