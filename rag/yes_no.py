"""A yes or no at the head of a sentence, and what it says of the question."""

from __future__ import annotations

import re

_YES = r"(?:yes|correct|true|是的|是|对的|对|可以的|可以|能|会|有|需要|应当)"
_NO = r"(?:no|incorrect|false|不是|不对|不可以|不能|不会|没有|不需要|不|否)"
_LEAD = re.compile(
    rf"\s*(?:(?P<yes>{_YES})|(?P<no>{_NO}))\s*(?:[,，.。!！;；:：]\s*|$)", re.IGNORECASE
)
_ASKING = re.compile(r"[?？]|[吗么呢]\s*(?=[?？]|$)")


def led(sentence: str) -> str:
    """What a sentence says behind its yes or no; itself where that is all, or it has none."""
    lead = _LEAD.match(sentence)
    return sentence[lead.end() :] or sentence if lead else sentence


def restated(sentence: str, question: str) -> str | None:
    """The question as a statement that a bare yes affirms, or no denies; None for other words."""
    lead = _LEAD.fullmatch(sentence)
    if lead is None or not question.strip():
        return None
    said = _ASKING.sub("", question).strip()
    if lead["yes"]:
        return said
    return f"不是{said}" if not said.isascii() else f"not {said}"
