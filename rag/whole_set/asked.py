"""Tells questions about all documents, or all rows of a table, from those that a passage answers.

Precision first: a question is only *perhaps* about a whole set here. What it says beside the words
that ask (`rest`) must later be found among the documents' names or in a table, word for word, else
it is an ordinary question: "how many documents does the visa office want" is not a count of files.
"""

# ruff: noqa: E501 (patterns)
from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

from rag.terms import normalise

Wants = Literal["count", "list"]
Operation = Literal["sum", "mean", "max", "min", "count", "distinct", "list"]
COUNTED = "\0"
"""Stands in the rest of a question where it said how many of a thing there are."""


@dataclass(frozen=True, slots=True)
class Mention:
    """Which documents, or how many, say ``phrase``; ``noun`` is what they were called."""

    wants: Wants
    noun: str
    phrase: str


@dataclass(frozen=True, slots=True)
class Files:
    """The documents themselves, counted or listed; ``noun`` is what they were called."""

    wants: Wants
    noun: str
    rest: str


@dataclass(frozen=True, slots=True)
class Rows:
    """A column of a table, reckoned together; ``rest`` names the column and chooses rows.

    ``said`` is the whole question, the words for the operation among it.
    """

    operation: Operation
    rest: str
    said: str


Asked = Mention | Files | Rows

KINDS = {
    r"pdf": (".pdf",),
    r"word|docx?": (".docx", ".doc", ".docm", ".dotx", ".wps", ".odt", ".rtf"),
    r"excel|xlsx?|csv|电子表格|工作簿|表格|spreadsheet|workbook": (
        ".xlsx", ".xls", ".xlsm", ".csv", ".et", ".ods", ".tsv",
    ),
    r"pptx?|powerpoint|幻灯片|演示文稿|presentation": (".pptx", ".ppt", ".ppsx", ".dps", ".odp"),
    r"邮件|e-?mail": (".eml", ".msg"),
    r"图片|照片|image|picture|photo": (".png", ".jpg", ".jpeg", ".heic", ".webp", ".tif", ".tiff"),
    r"网页|web ?page|html": (".html", ".htm", ".mht", ".mhtml", ".xhtml"),
}  # fmt: skip
"""Words for a kind of file, and how its names end."""

CALLED = (
    ("合同", "contract"), ("协议", "agreement"), ("发票", "invoice"), ("收据", "receipt"),
    ("报告", "report"), ("年报", "annual report"), ("报表", "statement"), ("对账单", "statement"),
    ("租约", "lease"), ("简历", "resume"), ("通知", "notice"), ("账单", "bill"), ("凭证", "voucher"),
    ("报价单", "quote"), ("会议纪要", "minutes"), ("制度", "policy"), ("信函", "letter"),
)  # fmt: skip
"""Words for what files hold, looked for in the names of files and folders, in either language."""

_EN_PLURAL = {"policy": "polic(?:y|ies)", "minutes": "minutes"}
_GENERIC = r"文件|文档|资料|documents?|files?"
_NOUN = "|".join((
    *sorted((zh for zh, _ in CALLED), key=len, reverse=True),
    *(_EN_PLURAL.get(en, f"{en}s?") for _, en in sorted(CALLED, key=lambda c: -len(c[1]))),
    *(f"(?:{kind})s?" for kind in KINDS),
    _GENERIC,
))  # fmt: skip
_NOUNS = rf"(?P<noun>(?:{_NOUN})(?:\s*(?:格式)?的?\s*(?:{_NOUN}))*)"
_MEASURE = r"(?:个|份|篇|封|张|本|件)"
# A noun followed by anything else is part of a longer word or of another question: 合同金额.
_THEN = r"(?=$|[\s,，是在被都已没无不未可读处失部等正排])"
_NO_MIDDLE = (
    "is|are|was|were|do|does|did|has|have|had|can|could|will|would|should|shall|the|a|an|in|on|at|by"
    "|of|for|to|that|total|sum|amount|number|count|average"
)
_MID = rf"(?P<mid>(?:(?!(?:{_NO_MIDDLE})\b)[\w-]+ ){{0,3}}?)"
_COUNTS = (
    rf"(?:一共|总共|共)?有?(?:多少|几){_MEASURE}?的?\s*{_NOUNS}{_THEN}",
    rf"{_NOUNS}(?:里|中)?(?:一共|总共|总计|共)?有?(?:多少|几){_MEASURE}?(?=$|[?？。])",
    rf"{_NOUNS}的?(?:总数|数量|份数)(?:是|有)?(?:多少)?$",
    rf"\bhow many (?:of (?:the|my|our) )?{_MID}{_NOUNS}\b",
    rf"\b(?:number|count) of (?:the |my |our )?{_MID}{_NOUNS}\b",
)
_LISTS = (
    rf"(?:列出|列举|列一下|显示|给出)(?:一下)?(?:所有|全部)?的?(?P<mid>.*?){_NOUNS}(?:的?(?:清单|列表|名单|目录))?(?:吧|一下)?$",
    rf"(?:都?有|是)?哪些{_NOUNS}{_THEN}",
    rf"{_NOUNS}(?:都|里|中)?(?:都)?有哪些$",
    rf"\b(?:list|show(?: me)?|name)(?: all| every)?(?: of)?(?: the| my| our)? {_MID}{_NOUNS}\b",
    rf"\b(?:which|what) {_MID}{_NOUNS}\b",
)
_ONE = re.compile(rf"(?:{'|'.join(en for _, en in CALLED if en != 'minutes')}|document|file)$")
"""A noun for one thing: who says "show me the invoice" wants no list of all of them."""
_SAYS_ZH = r"(?:提到|提及|提过|写到|讲到|说到|涉及|包含|含有|出现)(?:了|过)?"
_SAYS_EN = r"(?:mentions?|refers? to|contains?|includes?|talks? about|say)"
_MENTIONS: tuple[tuple[Wants, str], ...] = (
    ("list", rf"^(?:请问|请)?(?:都?有|是)?(?:哪些|哪几[份个篇]|哪[份个篇])(?P<noun>(?:{_NOUN})+)(?:里面?|中|当中)?(?:都|曾)?{_SAYS_ZH}(?P<phrase>.+)$"),
    ("count", rf"^(?:请问|请)?(?:一共|总共|共)?有?(?:多少|几){_MEASURE}?(?P<noun>(?:{_NOUN})+)(?:里面?|中|当中)?(?:都|曾)?{_SAYS_ZH}(?P<phrase>.+)$"),
    ("list", rf"^(?P<phrase>.+?)(?:都|曾)?(?:在|出现在)(?:哪些|哪几[份个篇])(?P<noun>(?:{_NOUN})+)(?:里面?|中|当中)?(?:都|被)*(?:{_SAYS_ZH})?$"),
    ("list", rf"^(?:请|帮我)?(?:列出|找出|查找)(?:所有|全部)?{_SAYS_ZH}(?P<phrase>.+?)的(?:所有|全部)?(?P<noun>(?:{_NOUN})+)$"),
    ("list", rf"^(?:please )?(?:which|what) (?:of (?:the|my|our) )?(?P<noun>{_NOUN})(?: all)? {_SAYS_EN} (?P<phrase>.+)$"),
    ("count", rf"^how many (?:of (?:the|my|our) )?(?P<noun>{_NOUN}) {_SAYS_EN} (?P<phrase>.+)$"),
    ("list", rf"^(?:please )?(?:list|find|show(?: me)?)(?: all| every)?(?: of)?(?: the| my| our)? (?P<noun>{_NOUN}) (?:that|which) {_SAYS_EN} (?P<phrase>.+)$"),
)  # fmt: skip
_LONGEST_PHRASE = 40
_SHORTEST_PHRASE = 2

_OPERATIONS: tuple[tuple[Operation, str], ...] = (
    ("mean", r"平均值?|均值|\b(?:average|mean)\b"),
    ("max", r"最大值?|最高|最多|\b(?:highest|largest|maximum|max|biggest)\b"),
    ("min", r"最小值?|最低|最少|\b(?:lowest|smallest|minimum|min)\b"),
    ("list", r"^(?:请|帮我)?(?:列出|列举|列一下|显示|给出)(?:一下)?(?:所有|全部)?的?|(?:都?有|是)哪些"
             r"|^(?:please )?(?:list|show(?: me)?)(?: all| every)?\b"),
    ("sum", r"(?:一共|总共|共计|总计)(?:花|付|用|交)?了?(?=(?:是|为)?多少(?:钱|元)?$)|合计|总计|总和|总额|加起来|求和|总(?=金额|价|费用|成本|收入|支出|数量|工资|销售额|营业额)"
            r"|\b(?:sum(?: of)?|in total|total|altogether|add up)\b"),
    ("count", r"(?:有|共)?(?:多少|几)(?:行|笔|条(?![款件])|项(?!目))(?:记录|数据)?"
              r"|\bhow many (?:rows|entries|records|lines)\b"),
    ("distinct", r"(?:有|共)?(?:多少|几)(?:个(?!月|小时|工作日|星期|季度)|名(?!字)|位(?!置)|家|张|份|单(?!位)|(?=人))|\bhow many\b"
                 r"(?! (?:rows|entries|records|lines)\b)"),
)  # fmt: skip
# 最低工资 is a thing of its own.
_NOT_OF_TABLES = re.compile(r"最低工资|\bminimum wage\b")
_MARKS = re.compile(r"[?？。!！,，、;；:：\"'“”‘’「」《》]")


def readings(question: str) -> list[Asked]:
    """What the question may ask of a whole set, the surest first; empty for an ordinary one."""
    plain = normalise(question).strip().rstrip("?？。.!！ ")
    found = (_mention(plain), _files(plain, "count", _COUNTS), _files(plain, "list", _LISTS))
    return [*(each for each in found if each), *_rows(plain)]


def is_noun(words: str) -> bool:
    """Whether the words are one for documents: files, invoices, 合同."""
    return bool(re.fullmatch(_NOUN, normalise(words).strip()))


def without_marks(text: str) -> str:
    """``text`` without quotation and other marks, in single blanks."""
    return " ".join(_MARKS.sub(" ", text).split())


def _mention(plain: str) -> Mention | None:
    for wants, pattern in _MENTIONS:
        found = re.match(pattern, plain)
        if found is None:
            continue
        phrase = without_marks(found["phrase"]).removesuffix("的内容").strip()
        phrase = re.sub(r"^(?:the|an?) ", "", phrase)
        if _SHORTEST_PHRASE <= len(phrase) <= _LONGEST_PHRASE:
            return Mention(wants, found["noun"], phrase)
    return None


def _files(plain: str, wants: Wants, patterns: tuple[str, ...]) -> Files | None:
    for pattern in patterns:
        found = re.search(pattern, plain)
        if found and not _is_of_one(found, wants):
            middle = found.groupdict().get("mid") or ""
            rest = f"{plain[: found.start()]} {middle} {plain[found.end() :]}"
            return Files(wants, found["noun"].strip(), without_marks(rest))
    return None


def _is_of_one(found: re.Match[str], wants: Wants) -> bool:
    """Whether it asks about one thing after all, or for how many minutes something lasts."""
    if wants == "count":
        return bool(re.search(r"(?<!meeting )minutes$", found.group()))
    return bool(re.match(r"(?:list|show|name)\b(?!.*\b(?:all|every)\b)", found.group())) and bool(
        _ONE.search(found["noun"])
    )


def _rows(plain: str) -> list[Rows]:
    """Each way to reckon the question speaks of; the words for it taken out of the rest."""
    found = operations(plain)
    if len(found) != 1 or _NOT_OF_TABLES.search(plain):
        return []
    return [Rows(found[0], without_operation(plain, found[0]), plain)]


def operations(said: str) -> list[Operation]:
    """What the words ask to be reckoned."""
    return [name for name, pattern in _OPERATIONS if re.search(pattern, said)]


def without_operation(said: str, operation: Operation) -> str:
    """The words without those that ask for it; see `COUNTED`."""
    instead = f" {COUNTED} " if operation == "distinct" else " "
    return re.sub(dict(_OPERATIONS)[operation], instead, said)
