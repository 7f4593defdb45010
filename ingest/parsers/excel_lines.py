"""Rows at the end of a table that are none: who made it, and when, and what to note."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import takewhile

from ingest.parsers.excel_headers import is_signature
from ingest.parsers.forms import is_field
from ingest.parsers.grid import Cell, Row, distinct
from ingest.parsers.table_marks import is_total_name

_ROLE = (
    r"(?:制[表单图]|编[制表]|填[表报写制]|造表|经办|经手|审[核批定]|复核|核[准对]|批准|出纳|会计|记[账帐]|主管|稽核"
    r"|领[款取用]|报销|签[字章名收]|盖章|打印|导出|查询|生成|校对|验收|收款|付款|开票|保管|发货|收货|送货|财务|领导"
    r"|部门|单位|公司|总?经理|法定代表|负责|项目|申请|统计|报送|上报|日期|时间)"
)
_MADE = re.compile(
    rf"{_ROLE}{{0,3}}(?:人|员|者|人员|经理|主任|主管|负责人|日期|时间|签[字章名]|盖章|审[核批]|复核|意见|批准)"
    r"(?:[(（].{0,10}[)）])?[:：]?"
    rf"|{_ROLE}{{1,3}}[:：].*"
    r"|(?:prepared|printed|generated|created|exported|approved|reviewed|checked|signed|issued|posted"
    r"|downloaded|run|compiled)(?: (?:by|on|at|date|from)\b|\s*:).*"
    r"|(?:report|print|run|export) (?:date|time|generated|created).*|signatures?\b.*",
    re.IGNORECASE,
)
_SAID = re.compile(
    r"[(（\[]?(?:注|备注|说明|附注|附[:：]|数据来源|来源|资料来源|以上|上述|本表|本报表|截[至止]|口径)"
    r"|(?:notes?|sources?|as of|remarks?|disclaimer|figures|amounts|all amounts)\b|\*|※|†"
    r"|第?\s*\d+\s*页|共计?\s*\d+\s*[页笔条项行人名个家份张台件户]"
    r"|page \d|[-=—_*]{5,}|\d+ (?:rows?|records?|items?)\b"
    r"|.{0,20}(?:19|20)\d\d年\d{1,2}月\d{1,2}日$"
    r"|(?:end of|- end|\*+ end).*|(?:以下空白|此处空白|完毕|结束|——+)",
    re.IGNORECASE,
)
_LEAST = 2
_WITH_FIGURES = 0.5


def closing(rows: Sequence[Row], labels: dict[int, str]) -> set[int]:
    """The last rows of a table, by number, that only say who made it, and when, or what to note."""
    width, body = len(labels), rows[1:]
    found = {
        row.number
        for row in takewhile(
            lambda row: _closes(row, width) or _is_beside(row, labels), reversed(body)
        )
    }
    said = {row.number for row in takewhile(_is_said, reversed(body))}
    others = [_has_figures(row) for row in rows if row.number not in said | found]
    if sum(others) >= _WITH_FIGURES * len(others):
        found |= said
    totals = [at for at, row in enumerate(rows) if _is_total(row)]
    below = rows[totals[-1] + 1 :] if totals else ()
    if not any(map(_has_figures, below)):
        found.update(row.number for row in below)
    return found


def _is_total(row: Row) -> bool:
    words = (cell.text for cell in row.cells.values() if cell.is_words)
    return _has_figures(row) and is_total_name(next(words, ""))


def _closes(row: Row, width: int) -> bool:
    return width > _LEAST and is_signature(row, width)


def _is_beside(row: Row, labels: dict[int, str]) -> bool:
    """Whether a name that forms ask for stands before one cell merged over all other columns."""
    if len(labels) <= _LEAST or len(distinct(row)) != _LEAST:
        return False
    first, *others = (row.cells[column] for column in sorted(row.cells) if column in labels)
    is_merged = len(others) == len(labels) - 1 and len({cell.origin for cell in others}) == 1
    return is_merged and others[0].origin is not None and is_field(first.text)


def _is_said(row: Row) -> bool:
    """Whether a row has no figure, and its first words are of no thing."""
    text = _first(row).text
    is_of_all = (
        _MADE.fullmatch(text) or _SAID.match(text) or all(map(_tells, distinct(row).values()))
    )
    return bool(is_of_all) and not _has_figures(row)


def _tells(cell: Cell) -> bool:
    return bool(re.match(r"[^\d:：]{2,12}[:：]\s*\S", cell.text))


def _has_figures(row: Row) -> bool:
    return any(
        isinstance(cell.value, int | float) and not isinstance(cell.value, bool)
        for cell in row.cells.values()
    )


def _first(row: Row) -> Cell:
    return row.cells[min(row.cells)]
