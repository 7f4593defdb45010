"""Words the answers are told in, Chinese or English, one sentence a line."""

from __future__ import annotations

import re
from collections.abc import Sequence
from decimal import Decimal

from rag.cells import cell_range, column_name
from rag.records import Locator, Status
from rag.whole_set.asked import Operation
from rag.whole_set.files import Chosen
from rag.whole_set.numbers import told
from rag.whole_set.reckoning import Doubt, Line, Reckoning

MOST_LISTED = 50
_BEFORE = frozenset("¥$€£")
_NO_MONEY = re.compile(
    r"数量?$|[人次天件个月]数|重量|面积|体积|时长|工时|小时|[率比]$|占比|比例|成绩|得分"
    r"|\b(?:quantity|qty|count|number|units|hours?|days?|weight|rate|area|headcount|employees)\b",
    re.IGNORECASE,
)
"""What a table's unit, said above it, is not of."""
_MOST_SHOWN = 12
_MOST_RUNS = 6
"""Numbers of a sum that are written out."""
_NAMES: dict[Operation, tuple[str, str]] = {
    "sum": ("合计", "total"),
    "mean": ("平均", "average"),
    "max": ("最大值", "highest"),
    "min": ("最小值", "lowest"),
    "count": ("行数", "rows"),
    "distinct": ("不同的值", "different values"),
    "list": ("行", "rows"),
}

_GROUPED: dict[Operation, tuple[str, str]] = {
    **_NAMES,
    "max": ("最高", "highest"),
    "min": ("最低", "lowest"),
    "distinct": ("个数", "count"),
    "count": ("行数", "rows"),
}


class Words:
    """Picks the language of the question."""

    def __init__(self, *, chinese: bool) -> None:
        self.chinese = chinese

    def __call__(self, chinese: str, english: str) -> str:
        return chinese if self.chinese else english

    def listed(self, items: Sequence[str]) -> str:
        return self("、", ", ").join(items)


def counted(chosen: Chosen, say: Words) -> list[str]:
    """How many documents there are, of which kinds, and which of them could not be read."""
    documents, words = chosen.documents, chosen.words
    n = len(documents)
    narrowed = f"{say('（', ' (')}{say.listed(chosen.narrowed)}{say('）', ')')}"
    named = say.listed([f"“{word}”" for word in words])
    lines = [
        say(
            f"文件名或文件夹含{named}的文件共 {n} 份" if words else f"共有 {n} 份文件",
            f"{n} {_documents(n)} with {named} in {_their(n)} name or folder"
            if words else f"There {_are(n)} {n} {_documents(n)}",
        )
        + (narrowed if chosen.narrowed else "")
        + say("。", ".")
    ]  # fmt: skip
    kinds: dict[str, int] = {}
    for document in documents:
        ending = document.name.rpartition(".")[2].casefold()
        kinds[ending] = kinds.get(ending, 0) + 1
    if kinds:
        told_kinds = [f".{kind} {kinds[kind]}" for kind in sorted(kinds, key=lambda k: -kinds[k])]
        lines.append(
            say(f"按类型：{say.listed(told_kinds)}。", f"By kind: {say.listed(told_kinds)}.")
        )
    unread = [each for each in documents if each.status in {Status.FAILED, Status.PARTIAL}]
    if unread:
        few = say.listed([each.path for each in unread[:5]])
        lines.append(
            say(f"其中 {len(unread)} 份未能完整读取：{few}。",
                f"{len(unread)} of them could not be read in full: {few}.")
        )  # fmt: skip
    return lines


def mentioned(n: int, words: str, called: Sequence[str], say: Words) -> str:
    """How many documents, of those called so, say the words; their names follow."""
    verb = "mentions" if n == 1 else "mention"
    kind = say.listed([f"“{each}”" for each in called])
    if called:
        return say(f"名称或文件夹表明是{kind}的文件中，提到“{words}”的共 {n} 份：",
                   f"{n} {_documents(n)} called {kind} by {_their(n)} name or folder"
                   f" {verb} “{words}”:")  # fmt: skip
    return say(f"提到“{words}”的文件共 {n} 份：", f"{n} {_documents(n)} {verb} “{words}”:")


def reckoned(found: Reckoning, say: Words, *, marker: int) -> list[str]:
    """What was reckoned, over which rows, how, and what was left out."""
    where = f"{found.table.path.rpartition('/')[2]}{say('，', ', ')}{_place(found)}"
    by = [say.listed(list(found.chosen_by))] if found.chosen_by else []
    rows = say(
        f"{len(found.lines)} 行", f"{len(found.lines)} {'row' if len(found.lines) == 1 else 'rows'}"
    )
    if found.operation == "list":
        return _rows(found, say, say("；", "; ").join([*by, where]), f"[{marker}]")
    basis = say("；", "; ").join([*by, rows, where])
    mark = f"[{marker}]"
    if found.groups:
        return [*_by_group(found, say, basis, mark), *_left_out(found, say)]
    if found.column is None:
        basis = say("；", "; ").join([*by, where])
        return [
            say(f"共 {rows}（{basis}）{mark}。", f"{rows} ({basis}) {mark}."),
            *_left_out(found, say),
        ]
    label = found.table.header[found.column]
    if found.operation == "distinct":
        return _told_apart(
            found, say, f"({basis}) {mark}" if not say.chinese else f"（{basis}）{mark}"
        )
    name = say(*_NAMES[found.operation])
    if found.value is None:
        return _not_reckoned(found, say, label, basis, mark)
    value = _with_unit(found.value, found)
    first = say(
        f"“{label}”{name} = {value}（{basis}）{mark}。",
        f"“{label}” {name} = {value} ({basis}) {mark}.",
    )
    return [first, *_arithmetic(found, say), *_left_out(found, say)]


def _rows(found: Reckoning, say: Words, basis: str, mark: str) -> list[str]:
    """The rows themselves, as the table shows them."""
    n, left = len(found.lines), len(found.lines) - MOST_LISTED
    rows = say(f"{n} 行", f"{n} {'row' if n == 1 else 'rows'}")
    shown = [f"- {_row(line.row.shown)}" for line in found.lines[:MOST_LISTED]]
    more = [say(f"另有 {left} 行未列出。", f"{left} more are not listed here.")] if left > 0 else []
    head = " | ".join(label for label in found.table.header if label)
    return [
        say(f"共 {rows}（{basis}）{mark}：{head}", f"{rows} ({basis}) {mark}: {head}"),
        *shown, *more, *_left_out(found, say),
    ]  # fmt: skip


def _by_group(found: Reckoning, say: Words, basis: str, mark: str) -> list[str]:
    """What each group comes to, the one asked for first."""
    header, left = found.table.header, len(found.groups) - MOST_LISTED
    by = header[found.grouped_by or 0]
    name = say(*_GROUPED[found.operation])
    label = header[found.column] if found.column is not None else ""
    if found.is_which:
        first = [each.group for each in found.groups if each.value == found.value]
        value = _with_unit(found.value or Decimal(0), found.groups[0])
        head = say(
            f"按“{by}”合计，“{label}”{name}的是{say.listed(first)}，{value}（{basis}）{mark}。",
            f"Added up by “{by}”, the {name} “{label}” is that of {say.listed(first)}:"
            f" {value} ({basis}) {mark}.",
        )
    else:
        head = say(f"按“{by}”的“{label}”{name}（{basis}）{mark}：",
                   f"“{label}” {name} by “{by}” ({basis}) {mark}:")  # fmt: skip
    lines = [
        f"- {each.group}{say('：', ': ')}{_with_unit(each.value or Decimal(0), each)}"
        f"{say('（', ' (')}{_place(each)}{say('）', ')')}"
        for each in found.groups[:MOST_LISTED]
    ]
    more = [say(f"另有 {left} 项未列出。", f"{left} more are not listed here.")] if left > 0 else []
    return [head, *lines, *more, *_single(found, say)]


def _single(found: Reckoning, say: Words) -> list[str]:
    """The row with the highest figure, where groups were asked for by what they come to."""
    if not found.is_which:
        return []
    best = max if found.operation == "max" else min
    row = best(found.cells, key=lambda cell: cell.number.value).line.row
    name = say(*_GROUPED[found.operation])
    return [
        say(f"单行{name}的是：{_row(row.shown)}。", f"The {name} single row: {_row(row.shown)}.")
    ]


def _row(shown: Sequence[str]) -> str:
    return " | ".join(text for text in shown if text)


def _told_apart(found: Reckoning, say: Words, basis: str) -> list[str]:
    """How many different values there are, and which, where they are few."""
    label, n = found.table.header[found.column or 0], len(found.different)
    values = "different value" if n == 1 else "different values"
    lines = [say(f"“{label}”有 {n} 个不同的值{basis}。", f"{n} {values} of “{label}” {basis}.")]
    if n <= _MOST_SHOWN:
        listed = say.listed(found.different)
        lines.append(say(f"分别是：{listed}。", f"They are: {listed}."))
    return [*lines, *_left_out(found, say)]


def _with_unit(value: Decimal, found: Reckoning) -> str:
    """A figure with what its cells are in, or else its column or its table."""
    table = found.table
    own = next((cell.number.unit for cell in found.cells if cell.number.unit), "")
    column = table.units[found.column] if table.units and found.column is not None else ""
    label = table.header[found.column] if found.column is not None else ""
    unit = own or column or ("" if _NO_MONEY.search(label) else table.unit)
    figure = told(value, "%" if own == "%" else "", _places(found))
    if unit in _BEFORE:
        return f"{unit}{figure}"
    return figure if unit in {"", "%"} else f"{figure} {unit}"


def _places(found: Reckoning) -> int:
    return max((cell.number.places for cell in found.cells), default=0)


def _not_reckoned(found: Reckoning, say: Words, label: str, basis: str, mark: str) -> list[str]:
    if found.doubt:
        why = _doubt(found, found.doubt, say)
    elif found.units:
        units = say.listed([unit or say("无单位", "none") for unit in found.units])
        why = say(f"单位不一致（{units}）", f"its figures have different units ({units})")
    else:
        few = say.listed(
            [f"{_cell(line, found)} “{_shown(line, found)}”" for line in found.spoilt[:5]]
        )
        n = len(found.spoilt)
        why = say(f"有 {n} 个单元格不是数字：{few}", f"{n} of its cells hold no number: {few}")
    return [say(f"无法计算“{label}”：{why}（{basis}）{mark}。",
                f"“{label}” can't be reckoned: {why} ({basis}) {mark}.")]  # fmt: skip


def _doubt(found: Reckoning, doubt: Doubt, say: Words) -> str:
    place, shown = _cell(doubt.line, found), _shown(doubt.line, found)
    texts = [text for text in doubt.line.row.shown if text.strip()]
    name = next((text for text in texts if any(map(str.isalpha, text))), texts[0] if texts else "")
    row = f"“{name}”" + (say(f"（{place}）", f" ({place})") if place else "")
    added = told(doubt.added or Decimal(0), "", _places(found))
    sums = [f"{way or '–'} {told(value, '', _places(found))}" for way, value in doubt.parts]
    parts = say.listed(sums)
    why = {
        "taken": say(
            f"其中{row}等行是减项，逐行相加没有意义",
            f"rows such as {row} are taken away from others, so adding all up means nothing",
        ),
        "reckoned": say(
            f"其中{row}等行由其他行算出，逐行相加会重复",
            f"rows such as {row} are reckoned from others, so adding all up counts twice",
        ),
        "opposed": say(
            f"其中既有收入（如{row}）也有支出，相加没有意义",
            f"there is income, such as {row}, and expense among them, so they don't add up",
        ),
        "directed": say(
            f"“{found.table.header[doubt.at]}”不同，不能相加：{parts}",
            f"“{found.table.header[doubt.at]}” differs, so they don't add up: {parts}",
        ),
        "lines": say(
            "这是按行次填列的报表，各行项目不同，逐行相加没有意义",
            "it is a statement, each line another thing, so its lines don't add up",
        ),
        "carried": say(
            f"余额逐行结转，相加没有意义；最后一行为 {shown}（{place}）",
            f"a balance is carried on and doesn't add up; the last one is {shown} ({place})",
        ),
        "total": say(
            f"各行相加为 {added}，而表中{row}为 {shown}，两者不符，请核对",
            f"its rows add up to {added}, but {row} says {shown}; please check",
        ),
    }
    return why[doubt.kind]


def _arithmetic(found: Reckoning, say: Words) -> list[str]:
    if found.operation in {"max", "min"}:
        rows = [_row(cell.line.row.shown) for cell in found.cells[:5]]
        return [say(f"所在行：{row}。", f"It stands in: {row}.") for row in rows]
    cells = [cell.number for cell in found.cells]
    numbers = [told(each.value, each.unit, each.places) for each in cells]
    if not 1 < len(numbers) <= _MOST_SHOWN or found.value is None:
        return []
    added = " + ".join(numbers)
    result = told(found.value, cells[0].unit, _places(found))
    summed = f"{added} = {result}"
    if found.operation == "mean":
        summed = f"({added}) ÷ {len(numbers)} = {result}"
    return [say(f"计算：{summed}。", f"Reckoned: {summed}.")]


def _left_out(found: Reckoning, say: Words) -> list[str]:
    lines = []
    blank = len(found.lines) - len(found.cells)
    if found.column is not None and found.operation in {"sum", "mean"} and blank:
        lines.append(
            say(f"另有 {blank} 行该列为空，未计入。", f"{blank} more rows are blank there.")
        )
    if found.totals:
        n = found.totals
        lines.append(say(f"表中的 {n} 行合计未重复计入。", f"Rows of totals left out: {n}."))
    hidden = sum("hidden" in line.row.marks for line in found.lines)
    if hidden:
        lines.append(say(f"其中 {hidden} 行在表中是隐藏的。", f"Hidden rows among them: {hidden}."))
    if found.below:
        lines.append(
            say(f"注意：“{found.below}”列在所计行的下方有空白单元格，无法确定那些行是否也属于它，未计入。",
                f"Note: “{found.below}” is blank in rows right below; whether they belong to it"
                " can't be told, so they are not counted.")
        )  # fmt: skip
    if found.column is not None and found.column in found.table.hidden_columns:
        lines.append(say("该列在表中是隐藏的。", "The column is hidden in the sheet."))
    return lines


def used_cells(found: Reckoning) -> Locator:
    """The place of what was reckoned: the column's cells, or the rows where all columns count."""
    place = found.table.locator
    ranges = [cell_range(line.row.cells) for line in used(found)]
    known = [each for each in ranges if each]
    if not known:
        return place
    top, bottom = min(each.top for each in known), max(each.bottom for each in known)
    left, right = known[0].left, known[0].right
    if found.column is not None:
        left = right = known[0].left + found.column
    start, end = f"{column_name(left)}{top}", f"{column_name(right)}{bottom}"
    return Locator(
        sheet=place.sheet, cells=start if start == end else f"{start}:{end}", section=place.section
    )


def used(found: Reckoning) -> Sequence[Line]:
    """The rows that the result rests on."""
    if found.column is None or found.value is None or found.operation == "distinct":
        return found.lines
    return [cell.line for cell in found.cells]


def _place(found: Reckoning) -> str:
    """The cells as people write them; rows apart from each other one by one, where they are few."""
    place = used_cells(found)
    ranges = [each for line in used(found) if (each := cell_range(line.row.cells))]
    runs: list[list[int]] = []
    for each in ranges:
        if runs and each.top == runs[-1][-1] + 1:
            runs[-1].append(each.top)
        else:
            runs.append([each.top])
    if found.column is None or not 1 < len(runs) <= _MOST_RUNS:
        return place.label or found.table.title
    name = column_name(ranges[0].left + found.column)
    parts = [f"{name}{run[0]}" + (f":{name}{run[-1]}" if len(run) > 1 else "") for run in runs]
    return f"{place.sheet}!{','.join(parts)}"


def _cell(line: Line, found: Reckoning) -> str:
    place = cell_range(line.row.cells)
    return f"{column_name(place.left + (found.column or 0))}{place.top}" if place else ""


def _shown(line: Line, found: Reckoning) -> str:
    return line.row.shown[found.column or 0][:40]


def _documents(n: int) -> str:
    return "document" if n == 1 else "documents"


def _their(n: int) -> str:
    return "its" if n == 1 else "their"


def _are(n: int) -> str:
    return "is" if n == 1 else "are"
