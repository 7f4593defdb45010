"""What a question is about, told from the words that only ask."""

from __future__ import annotations

import re

from rag.sentences import content_terms

_ASKING = re.compile(
    r"什么时候|为什么|怎么样|怎么办|是不是|有没有|能不能|可不可以|什么|多少|多久|多长|多大|哪里|哪儿"
    r"|哪些|哪个|哪家|如何|怎么|怎样|为何|是否|能否|可否|请问|请告诉我|一共|总共|[几谁哪]"
    r"|\bhow (?:much|many|long|often|far|large|big|old)\b|\bplease\b|\btell me\b",
    re.IGNORECASE,
)
_ASKS_FIGURE = re.compile(
    r"多少|多久|多长|多大|什么时候|何时|几|哪[年天日]|"
    r"\bhow (?:much|many|long|often|far|large|big|old)\b|\bwhen\b|\bwhat (?:date|year|time)\b",
    re.IGNORECASE,
)
_ASKS_WHETHER = re.compile(
    r"[吗么][?？\s]*$|是不是|有没有|能不能|可不可以|会不会|要不要|是否|能否|可否"
    r"|^\W*(?:is|are|was|were|do|does|did|has|have|had|can|could|may|must|should|shall|will|would)\b",
    re.IGNORECASE,
)
# 有多少份, list all, how many invoices: but not how many days of notice.
_ASKS_WHOLE = re.compile(
    r"(?:多少|几)[份张个家笔件封篇](?!月|工作日)|所有的?|全部|列出|哪些|合计|总计|总和|总共有"
    r"|\b(?:list|which of|name) (?:all|every|the)\b|\ball (?:of )?the\b"
    r"|\b(?:every|in total|sum of)\b"
    r"|\bhow many (?:documents|files|invoices|contracts|letters|receipts|vouchers|people|companies"
    r"|suppliers|customers|clients|employees|records|rows|entries)\b",
    re.IGNORECASE,
)


def subject_terms(question: str) -> set[str]:
    """The terms of ``question`` without its question words."""
    return content_terms(_ASKING.sub(" ", question))


def asks_figure(question: str) -> bool:
    """Whether a number or a date is wanted."""
    return bool(_ASKS_FIGURE.search(question))


def asks_whether(question: str) -> bool:
    """Whether yes or no is wanted."""
    return bool(_ASKS_WHETHER.search(question)) and not asks_figure(question)


def asks_whole(question: str) -> bool:
    """Whether all of something is wanted, which the passages nearest to a question seldom hold."""
    return bool(_ASKS_WHOLE.search(question))
