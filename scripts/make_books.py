"""Writes a set of workbooks whose questions are answered by one cell.

    python scripts/make_books.py FOLDER [--books 4] [--rows 60]

makes ``FOLDER/documents/<year>/<book>.xlsx``, half in Chinese and half in English, with two sheets
each, and ``FOLDER/questions.jsonl`` for ``deskside eval --documents``. Rows are alike but for a
code, a name and their figures; the same codes come back in every year.
"""

# ruff: noqa: E501 (the questions)
from __future__ import annotations

import argparse
import json
import random
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from openpyxl import Workbook
from openpyxl.utils import get_column_letter
from openpyxl.worksheet.worksheet import Worksheet

_SEED = 7
_LAST_YEAR = 2024
_TITLE_ROWS = 2
_ASK_EVERY = 5


@dataclass(frozen=True, slots=True)
class Kind:
    """One sheet: its columns, the things it lists, and the question for a column of figures."""

    sheet: str
    header: tuple[str, ...]
    things: tuple[str, ...]
    code: str
    questions: tuple[tuple[int, str], ...]


_BOOKS = {
    "租赁台账": (
        Kind("商铺", ("编号", "承租人", "面积(平方米)", "月租金(元)", "押金(元)"), ("白鹭", "青松", "海棠", "明月", "长风"), "SP-{n:04d}", ((3, "{year}年商铺{code}的月租金是多少？"), (4, "{code}号商铺{year}年的押金是多少元？"))),
        Kind("车位", ("车位号", "使用人", "层数", "月费(元)", "保证金(元)"), ("王晨", "李敏", "赵刚", "孙丽", "周涛"), "CW-{n:04d}", ((3, "{year}年车位{code}每月收多少费用？"),)),
    ),
    "inventory": (
        Kind("Machines", ("Asset", "Maker", "Hours", "Book value", "Service cost"), ("Aster", "Beacon", "Cirrus", "Delta", "Eastridge"), "MC-{n:04d}", ((3, "What is the book value of machine {code} in {year}?"), (4, "How much did servicing {code} cost in {year}?"))),
        Kind("Vehicles", ("Plate", "Driver", "Seats", "Mileage", "Fuel cost"), ("Ann", "Bob", "Carl", "Dora", "Emil"), "VH-{n:04d}", ((3, "What was the mileage of vehicle {code} in {year}?"),)),
    ),
}  # fmt: skip


def main() -> None:
    """Write the workbooks and the questions."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--books", type=int, default=4, help="in all, half in each language")
    parser.add_argument("--rows", type=int, default=60, help="of each sheet")
    given = parser.parse_args()
    dice = random.Random(_SEED)  # noqa: S311 (no secret)
    given.folder.mkdir(parents=True)
    with (given.folder / "questions.jsonl").open("w", encoding="utf-8") as questions:
        for at in range(given.books):
            for row in _book(given.folder, at, given.rows, dice):
                questions.write(json.dumps(row, ensure_ascii=False) + "\n")


def _book(folder: Path, at: int, rows: int, dice: random.Random) -> Iterator[dict[str, object]]:
    """One workbook; gives its questions."""
    title, kinds = list(_BOOKS.items())[at % len(_BOOKS)]
    year = _LAST_YEAR - at // len(_BOOKS)
    name = f"{year}/{title}.xlsx"
    book = Workbook()
    book.remove(book.active)
    for kind in kinds:
        asked = _fill(book.create_sheet(kind.sheet), kind, f"{title} {year}", rows, dice)
        for number, (cells, value, question) in enumerate(asked):
            yield {
                "id": f"{title}-{year}-{kind.sheet}-{number}",
                "question": question.replace("{year}", str(year)),
                "answers": [value],
                "doc_id": name,
                "sheet": kind.sheet,
                "cells": cells,
            }
    target = folder / "documents" / name
    target.parent.mkdir(parents=True, exist_ok=True)
    book.save(target)


def _fill(
    sheet: Worksheet, kind: Kind, title: str, rows: int, dice: random.Random
) -> Iterator[tuple[str, str, str]]:
    """Write a title, a header and the rows; gives cell, value and question of some."""
    sheet.append((title,))
    sheet.append(kind.header)
    for n in range(1, rows + 1):
        code = kind.code.format(n=n * 7)
        figures = [dice.randint(2, 900), dice.randint(1_000, 99_999), dice.randint(1_000, 99_999)]
        sheet.append((code, dice.choice(kind.things), *figures))
        if n % _ASK_EVERY:
            continue
        column, question = kind.questions[n // _ASK_EVERY % len(kind.questions)]
        cell = f"{get_column_letter(column + 1)}{n + _TITLE_ROWS}"
        yield cell, str(figures[column - 2]), question.replace("{code}", code)


if __name__ == "__main__":
    main()
