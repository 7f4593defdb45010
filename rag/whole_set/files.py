"""Chooses documents by what a question says of them: kind, name, folder, state, date."""

# ruff: noqa: E501 (patterns)
from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from rag.records import Document, Status
from rag.terms import is_cjk, normalise
from rag.whole_set.asked import CALLED, KINDS, Files, without_marks

Fits = Callable[[Document], bool]

_STATES: tuple[tuple[str, frozenset[Status]], ...] = (
    (r"部分(?:读取|读出|可读)|\bpart(?:ial|ly)(?: read)?\b", frozenset({Status.PARTIAL})),
    (r"(?:读取|处理)?失败|读不出来?|无法读取|不能读取?|没有?读出来?|未读出|\bfailed\b|\bunreadable\b"
     r"|\b(?:can|could) ?(?:not|n't) be read\b|\bnot read\b", frozenset({Status.FAILED})),
    (r"排队|等待读取|正在读取?|\b(?:waiting|queued)\b",
     frozenset({Status.QUEUED, Status.READING, Status.EMBEDDING})),
    (r"已?读取?(?:完|好)了?|可以?查询|\bready\b", frozenset({Status.READY})),
)  # fmt: skip
_DATED = re.compile(
    r"(?P<year>20\d\d)\s*年(?:\s*(?P<month>\d{1,2})\s*月)?(?:里|内)?(?:被)?(?P<done>修改|更新|添加|加入|放入)过?的?"
    r"|(?P<done_en>modified|changed|added|updated) in (?:(?P<month_en>[a-z]{3,9}) )?(?P<year_en>20\d\d)"
)
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_ADDED = frozenset({"添加", "加入", "放入", "added"})
_MANY = {"policy": ("policies",)}
# What is said without choosing anything.
_IDLE_ZH = re.compile(
    r"请问|请|帮我|给我|告诉我|我们|我|你|这里|这儿|那里|现在|目前|当前|资料库|知识库|文件库|收件箱|案头|库"
    r"|一共|总共|总计|共|全部|所有|都|里面|里|中|内|的|了|有|是|在|放|存|格式|类型|清单|列表|数量|多少|几?[个份]|呢|吗|下"
)
_IDLE_EN = frozenset((
    "a", "all", "any", "are", "can", "currently", "do", "does", "exist",
    "folder", "folders", "for", "from", "give", "have", "held", "here", "hold", "i", "in", "inbox",
    "indexed", "is", "library", "me", "my", "named", "now", "of", "our", "please", "stored",
    "store", "system", "tell", "the", "there", "type", "under", "we", "what", "which", "with",
    "you", "your", "knowledge", "base", "called",
))  # fmt: skip
_ALTOGETHER = re.compile(r"\b(?:in total|altogether)\b")
_YEAR = re.compile(r"(?<!\d)((?:19|20)\d\d)年度?")
_FOLDER = re.compile(r"文件夹|目录|\bfolders?\b|\bdirectory\b")


@dataclass(frozen=True, slots=True)
class Chosen:
    """The documents meant, and the words they were told by in names and folders.

    ``narrowed`` is what else they had to be: an ending, a state, a date.
    """

    documents: tuple[Document, ...]
    words: tuple[str, ...]
    narrowed: tuple[str, ...] = ()


def choose(asked: Files, documents: Sequence[Document]) -> Chosen | None:
    """The documents meant; None where the question says more than the ledger can tell."""
    rest, fits, state = _by_state(_ALTOGETHER.sub(" ", asked.rest))
    when = _DATED.search(rest)
    rest, dated = _by_date(rest)
    kinds, called, rest = _by_noun(asked.noun, rest)
    words = _words(rest)
    folder = bool(_FOLDER.search(asked.rest))
    for group in called:
        fits.append(_holding(group, _path_of))
    for word in words:
        fits.append(_saying(word, _folder_of if folder and word in words else _path_of))
    fits += dated
    if kinds:
        fits.append(lambda document: document.name.casefold().endswith(kinds))
    found = tuple(document for document in documents if all(fit(document) for fit in fits))
    if not found and (called or words):
        return None  # what they are called says nothing about what there is
    narrowed = (state, when.group() if when and dated else "", "/".join(kinds))
    told = (*(group[0] for group in called), *words)
    return Chosen(found, told, tuple(filter(None, narrowed)))


def of_kind(noun: str, documents: Sequence[Document]) -> tuple[list[Document], tuple[str, ...]]:
    """Those of the documents that are what the noun says, and the words it was told by.

    A document is called by the last such word of its name (合同管理制度 is no contract), or by a
    folder it lies in.
    """
    kinds, called, _ = _by_noun(normalise(noun), "")
    found = [each for each in documents if not kinds or each.name.casefold().endswith(kinds)]
    for group in called:
        found = [each for each in found if any(_is_called(at, group) for at in each.locations)]
    return found, tuple(group[0] for group in called)


def _is_called(path: str, group: Sequence[str]) -> bool:
    folder, _, name = normalise(path).rpartition("/")
    if _says(folder, group):
        return True
    aliases = [alias for pair in CALLED for alias in pair if alias in name]
    last = max((name.rfind(alias) + len(alias) for alias in aliases), default=0)
    return any(name.rfind(a) + len(a) == last for a in aliases if a in group)


def _by_state(rest: str) -> tuple[str, list[Fits], str]:
    for pattern, states in _STATES:
        if found := re.search(pattern, rest):
            return re.sub(pattern, " ", rest), [_is_in(states)], found.group()
    return rest, [], ""


def _is_in(states: frozenset[Status]) -> Fits:
    return lambda document: document.status in states


def _by_date(rest: str) -> tuple[str, list[Fits]]:
    found = _DATED.search(rest)
    if found is None:
        return rest, []
    year = int(found["year"] or found["year_en"])
    month = int(found["month"] or 0)
    if found["month_en"]:
        short = found["month_en"][:3]
        if short not in _MONTHS:
            return rest, []
        month = _MONTHS.index(short) + 1
    is_added = (found["done"] or found["done_en"]) in _ADDED

    def fits(document: Document) -> bool:
        moment = document.added_at if is_added else document.modified_at
        return moment.year == year and month in {0, moment.month}

    return _DATED.sub(" ", rest), [fits]


def _by_noun(noun: str, rest: str) -> tuple[tuple[str, ...], list[tuple[str, ...]], str]:
    """Endings of the kind named, the words of names looked for, and what is left of the rest."""
    endings: list[str] = []
    said = f"{noun} {rest}"
    for kind, suffixes in KINDS.items():
        pattern = rf"(?<![a-z])(?:{kind})s?(?![a-z])"
        if re.search(pattern, said):
            endings += suffixes
            noun, rest = re.sub(pattern, " ", noun), re.sub(pattern, " ", rest)
    called: list[tuple[str, ...]] = [
        (zh, en, *_MANY.get(en, ())) if zh in noun else (en, zh, *_MANY.get(en, ()))
        for zh, en in CALLED
        if zh in noun or re.search(rf"\b{re.escape(en[:-1])}", noun)
    ]
    return tuple(endings), called, rest


def _words(rest: str) -> list[str]:
    """What is left of the question once all that chooses nothing is gone."""
    bare = _YEAR.sub(r" \1 ", _FOLDER.sub(" ", rest))
    words = []
    for word in without_marks(bare).split():
        if is_cjk(word):
            words += _IDLE_ZH.sub(" ", word).split()
        elif word.removesuffix("'s") not in _IDLE_EN:
            words.append(word)
    return words


def _holding(group: Sequence[str], where: Callable[[Document], str]) -> Fits:
    return lambda document: _says(where(document), group)


def _saying(word: str, where: Callable[[Document], str]) -> Fits:
    """Whether the word stands there: a number or a Latin word whole."""
    before = r"(?<!\d)" if word[0].isdigit() else r"(?<![a-z])" if word[0].isascii() else ""
    after = r"(?!\d)" if word[-1].isdigit() else r"(?:s|es)?(?![a-z])" if word[-1].isascii() else ""
    pattern = re.compile(f"{before}{re.escape(word)}{after}")
    return lambda document: bool(pattern.search(where(document)))


def _says(path: str, group: Sequence[str]) -> bool:
    return any(word in path for word in group)


def _path_of(document: Document) -> str:
    return " ".join(normalise(path) for path in document.locations)


def _folder_of(document: Document) -> str:
    return " ".join(normalise(path.rpartition("/")[0]) for path in document.locations)
