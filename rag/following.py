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
from rag.whole_set.asked import is_noun

_BEGINS = re.compile(
    r"^(?:那么|那(?![个些份项条里种家位])|还有|另外|以及|而且|而|然后|所以|换成|如果是|再说)[，,\s]*"
    r"|^(?:and|but|so|then|also|or)\b[\s,]*(?:(?:what|how) about\b\s*)?|^(?:what|how) about\b\s*",
    re.IGNORECASE,
)
# Also, what is ...: whoever says so turns to something new.
_TURNS = re.compile(
    r"^(?:另外|此外|顺便问?(?:一下)?|那?我(?:还)?想(?:再)?问(?:一下|下)?)[，,\s]*"
    r"|^(?:also|by the way)\b[\s,]*",
    re.IGNORECASE,
)
_STARTS = re.compile(r"^(?:so|then|and|but)\b[\s,]*", re.IGNORECASE)
_OWN_TERMS = 2
_OWN_TERMS_AFTER_AND = 4
"""So many terms of its own make a question after "and" stand alone."""
# 能退吗, 继续, tell me more, 2023?: they name nothing that could be searched for.
_BARE = re.compile(
    r"^(?:能|可以|可否|需要|会|必须)[^，。]{1,5}吗$"
    r"|^(?:请|再)?(?:继续|详细[说讲]|展开|举个例子|具体)[说讲]?[说讲]?(?:吧|一下)?$"
    r"|^(?:please )?(?:tell me more|(?:give me )?more details?|go on|continue|explain)\b.{0,10}$"
    r"|^(?:19|20)\d\d年?$",
    re.IGNORECASE,
)  # fmt: skip
# Is it possible to ...: this "it" stands for nothing said before.
_EMPTY_IT = re.compile(
    r"\b(?:is|was) it (?:possible|necessary|allowed|required|true|ok)\b|^it is \w+ing\b",
    re.IGNORECASE,
)
_ENDS = re.compile(r"(?:呢|又?如何)?\s*[？?。.!！]*\s*$")
_LEANS = re.compile(
    r"[它她]|(?<!其)他(?!人)|这|那[个些份项条里种家位]|(?<!应)该(?!死)|(?<!尤)其(?![他它中余实次])|上述|前述|前者|后者"
    r"|\b(?:it|its|they|them|their|he|she|him|his|her|this|these|those|the same|the former"
    r"|the latter)\b|\bthat\b(?=\W*$)|^\W*(?:is|was|does|did|are|were|will|can) that\b"
    r"|^\W*(?:why|when|where|who|how much|how many|how long)\W*$",
    re.IGNORECASE,
)
_ENDS_SHORT = re.compile(r"呢\s*[？?]?\s*$")
_SHORT_CHARS = 16
_ASKS = re.compile(
    r"什么|多少|多久|几|谁|哪|怎|如何|是否|吗|\b(?:what|who|when|where|why|how|is|are|do|does|can)\b",
    re.IGNORECASE,
)
_ASKS_FIRST = re.compile(r"^(?:什么时候|为什么|为何|怎么|多久|多少|由?谁|在?哪|几|能不能|可以)")
_NESTED = re.compile(r"（上一问：|；|）$| \(asked before: |; |\)$")
_FEW_TERMS = 2
_LONGEST_THING = 4
_NUMERALS = "一二三四五六七八九十"
_ORDINALS = r"first|second|third|fourth|fifth|last|next"
# 押金, 餐补, 注册资本 are asked about; 北京, 远航物流 are whose it is.
_IS_ASKED_ABOUT = re.compile(
    r"[金费额率期本入利租补贴假价款税息资酬薪奖险量数]$"
    r"|(?:标准|上限|下限|时间|日期|地址|地点|电话|条款|责任|方式|比例)$"
)
_OF_WHOM = re.compile(
    r"^(?:请|帮我)?(?:列出|列举)?(?:\d{4}年(?:\d{1,2}月)?)?(?P<whose>[^\d的，]{2,12})(?P<when>\d{4}年(?:\d{1,2}月|第.季度)?)?的"
)
_OF_IT = re.compile(r"^(?:它|他|她|其|该公司|这家公司)的")
_AT = r"in|at|for|of|on|from|by|with|to"
_AT_PLACE = re.compile(rf"^(?P<at>{_AT})\s+(?P<thing>.+)$", re.IGNORECASE)
_PROPER = r"[A-Z][\w&'-]*(?:\s+(?:and\s+)?[A-Z][\w&'-]*)*"
_COMMON = r"[A-Za-z][\w'-]*(?:\s+[\w'-]+){0,4}?"
_PHRASE_ENDS = rf"(?=\W*$|,|\s+(?:{_AT}|is|are|was|were|do|does|did|be|paid|due)\b)"
_YEAR = re.compile(r"(?:19|20)\d\d(年?)")
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


# After "how many": which ones, list them.
_WHICH = re.compile(
    r"^(?:那|都|分别|具体|它们|他们)*(?:是|有)?(?:哪些|哪几[个份家位人]|谁)(?:人|文件)?$"
    r"|^(?:请|都|全部|逐一)*列(?:出来|一下|出)(?:看看)?$|^分别是(?:什么|谁|哪些)$"
    r"|^(?:please )?(?:list|name|show(?: me)?) (?:them|all of them|those)(?: all)?$"
    r"|^(?:which|what|who) (?:ones?|are (?:they|those|these))(?: are (?:they|those))?$",
    re.IGNORECASE,
)
_MEASURES = "个份篇封张本件名位家行笔条"
_HOW_MANY = re.compile(
    rf"(?:一共|总共|共)?有?(?:多少|几)[{_MEASURES}]?(?!个?(?:[天年月周岁元钱次倍]|小时|分钟))的?"
    r"|\bhow many\b(?! (?:days|weeks|months|years|hours|minutes|times)\b)",
    re.IGNORECASE,
)
_COUNTED_ZH = re.compile(
    rf"(?:多少|几)[{_MEASURES}](?P<noun>[\u4e00-\u9fff]{{2,4}})(?=\W*$|提到|里|中)"
)
_SAYS_THIS = re.compile(r"(?:提到|提及|涉及|包含)了?(?=[^的]+$)")
_COUNTED_EN = re.compile(r"\bhow many (?P<noun>[a-z-]+s)\b", re.IGNORECASE)


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
    if not earlier:
        return Understood(question)
    before = earlier[-1].question_used
    which = _which_of_them(question, before)
    asked = which or _own(question)
    if asked is not None or not _is_follow_up(question):
        return Understood(asked or question, leans=which is not None)
    bare = _ENDS.sub("", _BEGINS.sub("", question.strip()))
    if not bare:
        return Understood(before, leans=True)
    if whose := _OF_WHOM.match(before):
        named = _OF_IT.sub(f"{whose['whose']}的", question.strip())
        if named != question.strip():
            return Understood(named, leans=True)
    names_nothing = bool(_BARE.match(bare)) and not bare[:1].isdigit()
    if names_nothing or _ASKS.search(bare) or _LEANS.search(bare):
        return Understood(_side_by_side(question, before), leans=True)
    changed = _put_in_place(bare, before) or _side_by_side(question, before)
    return Understood(changed, leans=True, thing=frozenset(subject_terms(bare)))


def _which_of_them(question: str, before: str) -> str | None:
    """What was counted ``before`` asked for by name, where that is all the question says."""
    if not _WHICH.match(_ENDS.sub("", question.strip())) or not _HOW_MANY.search(before):
        return None
    return _HOW_MANY.sub("有哪些" if is_cjk(before) else "Which", before, count=1)


def _own(question: str) -> str | None:
    """A question that begins like a follow-up, yet says all itself; without that beginning."""
    text = question.strip()
    turned, started = _TURNS.match(text), _STARTS.match(text)
    if not turned and not started:
        return None
    rest = text[(turned or started).end() :]  # type: ignore[union-attr]
    enough = _OWN_TERMS if turned else _OWN_TERMS_AFTER_AND
    if not _ASKS.search(rest) or _LEANS.search(rest) or len(subject_terms(rest)) < enough:
        return None
    return rest[:1].upper() + rest[1:]


def touches(understood: Understood, hits: Sequence[Hit]) -> bool:
    """Whether a thing named anew stands in any hit: the question before must not carry it alone."""
    alike = [hit for hit in hits if same_script(understood.question, hit.passage.text)]
    if not understood.thing or not alike:
        return True
    return any(understood.thing & set(terms(hit.passage.embedded_text)) for hit in alike)


def _is_follow_up(question: str) -> bool:
    text = question.strip()
    if _BEGINS.match(text) or _LEANS.search(_EMPTY_IT.sub(" ", text)):
        return True
    if _BARE.match(_ENDS.sub("", text)):
        return True
    if len(text) > _SHORT_CHARS or not is_cjk(text):
        return False
    about = subject_terms(text) if _ASKS_FIRST.match(text) else None
    return bool(_ENDS_SHORT.search(text)) or (about is not None and len(about) <= _FEW_TERMS)


def _put_in_place(thing: str, before: str) -> str | None:
    """``before`` with ``thing`` in place of what it asked about."""
    if alike := _put_for_its_kind(thing, before):
        return alike
    if is_cjk(thing) != is_cjk(before) or thing[:1].isdigit():
        return None
    return _put_in_chinese(thing, before) if is_cjk(thing) else _put_in_english(thing, before)


def _put_in_chinese(thing: str, before: str) -> str | None:
    whose = _OF_WHOM.match(before)
    said = _SAYS_THIS.search(before)
    if said and not is_noun(thing):
        return f"{before[: said.end()]}{thing}？"
    if counted := _COUNTED_ZH.search(before):
        return f"{before[: counted.start('noun')]}{thing}{before[counted.end('noun') :]}"
    if whose and not _IS_ASKED_ABOUT.search(thing):
        return f"{before[: whose.start('whose')]}{thing}{before[whose.end('whose') :]}"
    if whose and re.search(r"的[^的]{2,10}是谁", before):
        return f"{before[: before.rindex('的') + 1]}{thing}是多少？"
    if len(thing) > _LONGEST_THING:
        return None
    topic = _TOPIC_ZH.match(before)
    return f"{topic['head']}{thing}{topic['rest']}" if topic else None


def _put_in_english(thing: str, before: str) -> str | None:
    if placed := _AT_PLACE.match(thing):
        return _put_at_place(placed["at"], placed["thing"], before)
    if counted := re.search(rf"\b({_ORDINALS})\b", thing, re.IGNORECASE):
        found = re.search(rf"\b(?:{_ORDINALS})\b", before, re.IGNORECASE)
        return (
            f"{before[: found.start()]}{counted.group()}{before[found.end() :]}" if found else None
        )
    if re.fullmatch(_PROPER, thing):
        found = re.search(rf"(?<=\s){_PROPER}", before)
        return f"{before[: found.start()]}{thing}{before[found.end() :]}" if found else None
    counted_thing = _COUNTED_EN.search(before)
    if counted_thing and re.fullmatch(r"[a-z-]+s", thing):
        at = counted_thing.span("noun")
        return f"{before[: at[0]]}{thing}{before[at[1] :]}"
    topic = _TOPIC_EN.match(before)
    return f"{topic['head']}{thing}{topic['rest']}" if topic else None


def _put_at_place(at: str, thing: str, before: str) -> str | None:
    """``before`` with ``thing`` at the place of another: in Beijing for in Shanghai."""
    if alike := _put_for_its_kind(thing, before):
        return alike
    if thing[:1].isdigit():
        return None
    # A name takes only a name's place: whose lease it is must not go with "in the ... lease".
    article = r"(?:the|an?)\s+" if re.match(r"(?:the|an?)\s", thing) else r"(?!(?:the|an?)\s)"
    kind = _PROPER if re.fullmatch(_PROPER, thing) else rf"{article}{_COMMON}"
    found = re.search(rf"\b(?i:{at})\s+(?P<other>{kind}){_PHRASE_ENDS}", before)
    return (
        f"{before[: found.start('other')]}{thing}{before[found.end('other') :]}" if found else None
    )


def _put_for_its_kind(thing: str, before: str) -> str | None:
    """``before`` with ``thing`` for words shaped like it: 甲类 for 乙类, 2024年 for 2023年."""
    if year := _YEAR.fullmatch(thing):  # of 14 Quarry Lane in 2024, the 14 is no year
        shape = rf"(?<![\d-])(?:19|20)\d\d{year[1]}(?![\d-])"
    elif re.search(rf"\d|第[{_NUMERALS}]", thing):
        shape = re.sub(r"\d+", lambda _: r"\d+", re.escape(thing))
        shape = re.sub(rf"[{_NUMERALS}]", f"[{_NUMERALS}]", shape)
    elif is_cjk(thing) and len(thing) == len("甲类"):
        shape = rf"[\u4e00-\u9fff]{thing[-1]}"
    else:
        return None
    found = re.search(rf"(?:每[年月日天晚周])?(?P<alike>{shape})", before)
    if not found or found["alike"] == thing:
        return None
    return f"{before[: found.start()]}{thing}{before[found.end() :]}"


def _side_by_side(question: str, before: str) -> str:
    """The question with the one before it, and the first of those that one leaned on."""
    asked = question.strip()
    last, *more = [part for part in _NESTED.split(before) if part]
    if is_cjk(asked):
        return f"{asked}（上一问：{'；'.join([last, *more[-1:]])}）"
    return f"{asked} (asked before: {'; '.join([last, *more[-1:]])})"
