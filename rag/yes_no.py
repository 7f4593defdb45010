"""What opens a sentence and says nothing by itself: a yes or no, "according to the material"."""

from __future__ import annotations

import re

from rag.windows import is_denied

_YES = r"(?:yes|correct|true|是的|是|对的|对|可以的|可以|能|会|有|需要|应当|允许)"
_NO = r"(?:no|incorrect|false|不是|不对|不可以|不能|不会|没有|不需要|无需|不允许|不行|不|否)"
_ORIGIN = re.compile(
    r"\s*(?:(?:根据|依据|按照)[^，,。]{0,12}[，,：:]"
    r"|(?:according to|based on) the (?:material|document|passage|text)s?[^,]{0,12},)\s*(?=\S)",
    re.IGNORECASE,
)
_LEAD = re.compile(
    rf"\W*(?:(?P<yes>{_YES})|(?P<no>{_NO}))[*\s]*(?:[,，.。!！;；:：–—-]\s*|$)", re.IGNORECASE
)
_ASKING = re.compile(r"[?？]|[吗么呢]\s*(?=[?？]|$)")


def led(sentence: str, question: str) -> str:
    """What a sentence says behind such an opening; itself where that is all, or it has none.

    "Yes, he may not" contradicts itself: its yes is left to be looked up, and found nowhere.
    """
    said = _ORIGIN.sub("", sentence, count=1) if _ORIGIN.match(sentence) else sentence
    lead = _LEAD.match(said)
    if lead is None or (lead["yes"] and is_denied(said) and not is_denied(question)):
        return said
    return said[lead.end() :] or said


def restated(sentence: str, question: str) -> str | None:
    """The question as a statement that a bare yes affirms, or no denies; None for other words."""
    lead = _LEAD.fullmatch(sentence)
    if lead is None or not question.strip():
        return None
    said = _ASKING.sub("", question).strip()
    if lead["yes"]:
        return said
    return f"不是{said}" if not said.isascii() else f"not {said}"
