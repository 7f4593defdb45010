"""What of a passage is looked at in one piece: a sentence, or a table's row under its columns."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property
from itertools import pairwise

from rag.records import Hit
from rag.sentences import (
    content_terms,
    figures,
    ordinals,
    overlap,
    says_one,
    sentence_spans,
)
from rag.spelled import is_month, spelled
from rag.terms import normalise, terms

_CELL = " | "
_NAMED = re.compile(r"(\S[^:：\n]{0,59})[:：]\s+(\S.*)", re.DOTALL)
# "April 30, 2026" is one.
_CLAUSE = re.compile(r"[，；;]|,(?=\s)(?!\s(?:19|20)\d\d\b)|\band\b|以及|并且")
# A limit denies nothing: "not less than 30 days", 不得超过六个月. "No. 7" is a number.
_NOT = re.compile(
    r"\bnot\b(?! (?:less|more|later|fewer|only|exceed|longer)\b)"
    r"|\bno\b(?!\.| (?:later|less|more|fewer|longer)\b)"
    r"|\b(?:never|cannot|prohibited|forbidden)\b|n't\b"
    r"|并非|不是|没有|无需|不需要|不得(?!超过|低于|少于|高于)|不可|不能|不予|不享受|禁止|严禁",
    re.IGNORECASE,
)
_UNIT = re.compile(r"\d\s*([a-z]+|[\u4e00-\u9fff])")
_FIGURE = re.compile(
    r"[a-z]*\d+(?:[.,]\d+)*[a-z]*\s*(?:个月|[万亿千百]*元|[年月日天周岁时分条款项章倍人名次家份张台件吨米个])?"
)
_LEADING = re.compile(
    r"人民币|第[^\s条章节款]{1,5}[条章节款]|不得超过|(?<![合总小累])计|[为是共达]"
    r"|\b(?:lasts?|amounts? to|equals?|totals?|up to)\b"
)
_AMOUNT = re.compile(r"(?!(?:19|20)\d\d\Z)[-+(¥$€£]*\d[\d,.]*\s*[%)元]?")
_ISO = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
_SCALED = re.compile(
    r"(?<![\d.,a-zA-Z-])(\d{1,3}(?:,\d{3})+|\d+(?:\.\d{1,4})?)"
    r"(?:\s*(百万|[万亿])|[ -]?(thousand|million|billion|bn)\b)",
    re.IGNORECASE,
)
SCALES = {"万": 10_000, "百万": 1_000_000, "亿": 100_000_000}
SCALES |= {"thousand": 1000, "million": 1_000_000, "billion": 1_000_000_000, "bn": 1_000_000_000}
_LONG_CELL = 80
"""Characters; a row with a longer cell holds prose, which is looked at by the sentence."""
_AMOUNTS = frozenset(("金额", "amount"))
_OF_MONEY = re.compile(r"[价款额费]|合计|\b(?:price|total|cost|fee|amount)s?\b")
# Balance sheets and income statements have two words for each of their columns.
_SAME = (
    (re.compile("上年年末|上年末|上期末|本年年初|年初"), "期初"),
    (re.compile("本年年末|本年末|年末"), "期末"),
    (re.compile("去年|上年"), "上期"),
    (re.compile("今年|本年"), "本期"),
)


@dataclass(frozen=True)
class Cell:
    """One of a row; ``column`` is what its column is called, empty where that is not known."""

    column: str
    text: str

    @cached_property
    def figures(self) -> set[object]:
        return figures_of(self.text)


@dataclass(frozen=True)
class Window:
    """A sentence or row of a passage, read under its ``context``: headings, names of columns."""

    text: str
    context: str
    cells: tuple[Cell, ...] = ()

    @cached_property
    def figures(self) -> set[object]:
        """By value; an amount in millions counts as it stands, and written out."""
        return figures_of(self.text) | figures_of(written_out(self.text))

    @cached_property
    def given(self) -> set[object]:
        """The figures of the headings, too: they hold for every row below."""
        one = {Decimal(1)} if says_one(self.text) else set()
        return self.figures | figures_of(self.context) | one

    @cached_property
    def terms(self) -> frozenset[str]:
        return frozenset(terms(f"{self.context}\n{self.text}"))

    @cached_property
    def own(self) -> frozenset[str]:
        """The terms that tell it from others: of a row, those of its cells alone."""
        said = "\n".join(cell.text for cell in self.cells) if self.cells else self.text
        return frozenset(terms(said))

    @cached_property
    def gist(self) -> frozenset[str]:
        return gist_of(self.text) - units_of(self.text)

    @cached_property
    def is_heading(self) -> bool:
        return self.own <= set(terms(self.context))

    def denies(self, clause: str) -> bool:
        """Whether the part of it that is most like ``clause`` denies something."""
        nearest = max(clauses(self.text), key=lambda part: overlap(clause, part), default="")
        return bool(_NOT.search(nearest))

    def has_in_column(self, figure: object, said: str) -> bool | None:
        """Whether the figure stands under the column that ``said`` names; None: it names none.

        Another column is meant where more of its name is said than of this one's.
        """
        known = [cell for cell in self.cells if cell.column and cell.figures]
        own = [cell for cell in known if figure in cell.figures]
        others = [cell for cell in known if figure not in cell.figures]
        if not own or not others:
            return None
        said_terms = _column_terms(said)
        meant = [_Named(cell, said_terms) for cell in others]
        here = [_Named(cell, said_terms) for cell in own]
        if all(any(other.outdoes(one) for other in meant) for one in here):
            return False
        return True if any(all(one.outdoes(other) for other in meant) for one in here) else None


class _Named:
    """How much of a column's name is said.

    金额 alone, of 不含税金额, may be any amount: 价税合计, too.
    """

    def __init__(self, cell: Cell, said: frozenset[str]) -> None:
        name = _column_terms(cell.column)
        self._is_of_money = bool(_OF_MONEY.search(normalise(cell.column)))
        self._said = name & said
        self._share = len(self._said) / len(name) if name else 0.0
        self._is_loose = self._said < name and self._said <= _AMOUNTS

    def outdoes(self, other: _Named) -> bool:
        if self._is_loose and other._is_of_money:
            return False
        return self._said > other._said and self._share >= other._share


def _column_terms(text: str) -> frozenset[str]:
    for words, one in _SAME:
        text = words.sub(one, text)
    return frozenset(content_terms(text)) if text.strip() else frozenset()


def windows_of(hit: Hit) -> Iterator[Window]:
    """The passage, piece by piece."""
    context = hit.passage.context
    header = _cells_of(context.rpartition("\n")[2])
    for line in hit.passage.text.split("\n"):
        row = _cells_of(line)
        cells = _named(row, header)
        if not row:
            yield from (Window(line[start:end], context) for start, end in sentence_spans(line))
        elif any(cell.column for cell in cells) or any(map(_AMOUNT.fullmatch, row)):
            yield from _rows(line, cells, context)
        else:
            header = row
            yield Window(line.strip(), context)


def _rows(line: str, cells: tuple[Cell, ...], context: str) -> Iterator[Window]:
    """A row, or each side of one, word for word."""
    parts = line.strip().split(_CELL)
    for at in _sides(cells):
        columns = "\n".join(cell.column for cell in cells[at])
        yield Window(_CELL.join(parts[at]).strip(), f"{context}\n{columns}".strip(), cells[at])


def _sides(cells: Sequence[Cell]) -> list[slice]:
    """The parts of a row: one, or two where assets stand beside debts under columns of one name."""
    columns = [cell.column for cell in cells if cell.column]
    if len(set(columns)) == len(columns):
        return [slice(0, len(cells))]
    begin = [at for at in range(1, len(cells)) if cells[at - 1].figures and not cells[at].figures]
    return [slice(*part) for part in pairwise([0, *begin, len(cells)])]


def _cells_of(line: str) -> tuple[str, ...]:
    """The cells of a row; none where it is none, or holds prose."""
    cells = tuple(cell.strip() for cell in line.strip().split(_CELL))
    is_row = len(cells) > 1 and max(map(len, cells)) <= _LONG_CELL
    return cells if is_row else ()


def _named(row: Sequence[str], header: Sequence[str]) -> tuple[Cell, ...]:
    """``Room: B-207 | Use: parking`` names its columns itself, other rows are named by theirs."""
    named = [_NAMED.fullmatch(cell) for cell in row]
    if 2 * sum(map(bool, named)) >= len(row):
        pairs = zip(named, row, strict=True)
        return tuple(Cell(*pair.groups()) if pair else Cell("", text) for pair, text in pairs)
    if len(header) != len(row):
        return tuple(Cell("", text) for text in row)
    return tuple(Cell(column, text) for column, text in zip(header, row, strict=True))


def figures_of(text: str) -> set[object]:
    """Figures by value, months by their number, and ordinals apart: 第二条 holds no 2."""
    days = [each for each in spelled(normalise(text)) if _ISO.fullmatch(each)]
    months = {Decimal(int(part)) for each in days for part in each.split("-")}
    return {*figures(text), *months, *(("第", number) for number in ordinals(text))}


def written_out(text: str) -> str:
    """With 880万 and 8.8 million as 8800000, as tables have it."""
    return _SCALED.sub(_out, text)


def amounts_of(text: str) -> set[tuple[str, int]]:
    """Each amount in millions or the like, as its number and scale: 2.5 million is 2.5, 10^6."""
    return {(found[1].replace(",", ""), _scale_of(found)) for found in _SCALED.finditer(text)}


def _out(amount: re.Match[str]) -> str:
    return str(int(Decimal(amount[1].replace(",", "")) * _scale_of(amount)))


def _scale_of(amount: re.Match[str]) -> int:
    return SCALES[(amount[2] or amount[3]).lower()]


def gist_of(text: str) -> frozenset[str]:
    """The terms without figures and the words that only lead to them."""
    said = _LEADING.sub(" ", _FIGURE.sub(" ", normalise(text)))
    return frozenset(content_terms(said)) if said.strip() else frozenset()


def units_of(text: str) -> set[str]:
    """The terms of the units that stand behind figures; in 30 April there is none."""
    units = (unit for unit in _UNIT.findall(normalise(text)) if not is_month(unit))
    return {term for unit in units for term in terms(unit)}


def clauses(sentence: str) -> list[str]:
    return [clause for clause in _CLAUSE.split(sentence) if clause.strip()]


def is_denied(text: str) -> bool:
    return bool(_NOT.search(text))
