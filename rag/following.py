"""Makes a follow-up stand on its own: "那押金呢？" asks nothing without the question before it.

By rules, since a small model needs seconds for it and invents names on the way. A follow-up is told
by its words (it begins with 那 or "and", holds a pronoun, is very short). Where it only names
another thing, that takes the place of the thing asked about before; else both questions are kept
side by side. Either way people are shown what was understood.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.questions import subject_terms
from rag.records import Earlier, Hit
from rag.sentences import same_script
from rag.terms import is_cjk, terms

_BEGINS = re.compile(
    r"^(?:那么|那(?![个些份项条里种家位])|还有|另外|以及|而且|而|然后|所以|换成|如果是|再说)[，,\s]*"
    r"|^(?:and|but|so|then|also|or)\b[\s,]*(?:(?:what|how) about\b\s*)?|^(?:what|how) about\b\s*",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:呢|又?如何)?\s*[？?。.!！]*\s*$")
_LEANS = re.compile(
    r"[它她]|(?<!其)他(?!人)|这|那[个些份项条里种家位]|(?<!应)该(?!死)|(?<!尤)其(?![他它中余实次])|上述|前述|前者|后者"
    r"|\b(?:it|its|they|them|their|he|she|him|his|her|this|these|those|the same|the former"
    r"|the latter)\b|\bthat\b(?=\W*$)|^\W*(?:why|when|where|who|how much|how many|how long)\W*$",
    re.IGNORECASE,
)
_ENDS_SHORT = re.compile(r"呢\s*[？?]?\s*$")
_SHORT_CHARS = 16
_ASKS = re.compile(
    r"什么|多少|多久|几|谁|哪|怎|如何|是否|吗|\b(?:what|who|when|where|why|how|is|are|do|does|can)\b",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(r"^(?:什么时候|为什么|为何|怎么|多久|多少|由?谁|在?哪|几|能不能|可以)")
_FEW_TERMS = 2
_LONGEST_THING = 4
_NUMERALS = "一二三四五六七八九十"
# 白鹭事务所 | 每月租金 | 是多少？
_TOPIC_ZH = re.compile(
    r"^(?P<head>(?:.*的)?.*?)(?P<topic>[\u4e00-\u9fff]{2,4}?)"
    r"(?P<rest>(?:一共|总共|分别|应该|应当)?(?:(?:是|有|为)(?:多少|什么|几|谁|哪)|怎么).*)$"
)
# How much is | the monthly rent | for 14 Quarry Lane?
_TOPIC_EN = re.compile(
    r"^(?P<head>(?:what|how|who|when|where|which)\b[^?]*?\s)"
    r"(?P<topic>the (?:[\w-]+ ){0,2}?[\w-]+)"
    r"(?P<rest>(?:\s(?:for|of|in|at|on|by|to|from)\b.*)?\??)$",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Understood:
    """A question made to stand on its own.

    ``thing`` are the terms of what a follow-up names anew (那押金呢？); empty for any other.
    """

    question: str
    leans: bool = False
    thing: frozenset[str] = frozenset()


def understand(question: str, earlier: Sequence[Earlier]) -> Understood:
    """``question`` as it is meant after what was said ``earlier``, oldest first."""
    if not earlier or not _is_follow_up(question):
        return Understood(question)
    before = earlier[-1].question_used
    bare = _ENDS.sub("", _BEGINS.sub("", question.strip()))
    if not bare:
        return Understood(before, leans=True)
    if _ASKS.search(bare) or _LEANS.search(bare):
        return Understood(_side_by_side(question, before), leans=True)
    changed = _put_in_place(bare, before) or _side_by_side(question, before)
    return Understood(changed, leans=True, thing=frozenset(subject_terms(bare)))


def touches(understood: Understood, hits: Sequence[Hit]) -> bool:
    """Whether a thing named anew stands in any hit: the question before must not carry it alone."""
    alike = [hit for hit in hits if same_script(understood.question, hit.passage.text)]
    if not understood.thing or not alike:
        return True
    return any(understood.thing & set(terms(hit.passage.embedded_text)) for hit in alike)


def _is_follow_up(question: str) -> bool:
    text = question.strip()
    if _BEGINS.match(text) or _LEANS.search(text):
        return True
    if len(text) > _SHORT_CHARS or not is_cjk(text):
        return False
    about = subject_terms(text) if _ASKS_FIRST.match(text) else None
    return bool(_ENDS_SHORT.search(text)) or (about is not None and len(about) <= _FEW_TERMS)


def _put_in_place(thing: str, before: str) -> str | None:
    """``before`` with ``thing`` in place of what it asked about."""
    if alike := _of_its_kind(thing, before):
        return re.sub(rf"(?:每[年月日天晚周])?{re.escape(alike)}", lambda _: thing, before, count=1)
    if is_cjk(thing) != is_cjk(before) or (is_cjk(thing) and len(thing) > _LONGEST_THING):
        return None
    topic = (_TOPIC_ZH if is_cjk(before) else _TOPIC_EN).match(before)
    return f"{topic['head']}{thing}{topic['rest']}" if topic else None


def _of_its_kind(thing: str, before: str) -> str | None:
    """The words of ``before`` shaped like ``thing``: 乙类 for 甲类, 2023年 for 2024年."""
    if re.search(rf"\d|第[{_NUMERALS}]", thing):
        shape = re.sub(r"\d+", lambda _: r"\d+", re.escape(thing))
        shape = re.sub(rf"[{_NUMERALS}]", f"[{_NUMERALS}]", shape)
    elif is_cjk(thing) and len(thing) == len("甲类"):
        shape = rf"[\u4e00-\u9fff]{thing[-1]}"
    else:
        return None
    found = re.search(shape, before)
    return found.group() if found and found.group() != thing else None


def _side_by_side(question: str, before: str) -> str:
    asked = question.strip()
    return f"{asked}（上一问：{before}）" if is_cjk(asked) else f"{asked} (asked before: {before})"
