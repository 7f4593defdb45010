"""Figures like 1.000: reckoned with only where it is sure what they say."""

from __future__ import annotations

import pytest
from docx import Document

from ingest.parsers import parse

_COLUMNS = [
    ((("1.000", "250", "3.500"), ("1.000", 250, "3.500"))),
    ((("1.000", "2.5", "3.500"), (1.0, 2.5, 3.5))),
    ((("1.000", "0.125", "7"), (1.0, 0.125, 7))),
    ((("1.000", "1,250", "7"), (1.0, 1250, 7))),
]


def _csv(path, name, texts):
    path.write_text(f"Item;{name}\n" + "".join(f"lamp {text};{text}\n" for text in texts))
    return path


def _docx(path, name, texts):
    document = Document()
    table = document.add_table(rows=0, cols=2)
    for row in (("Item", name), *((f"lamp {text}", text) for text in texts)):
        for cell, text in zip(table.add_row().cells, row, strict=True):
            cell.text = text
    document.save(path)
    return path


def _html(path, name, texts):
    rows = "".join(f"<tr><td>lamp {text}<td>{text}" for text in texts)
    path.write_text(f"<table><tr><th>Item<th>{name}{rows}</table>")
    return path


@pytest.mark.parametrize("write", [_csv, _docx, _html])
@pytest.mark.parametrize(("texts", "values"), _COLUMNS)
def test_a_point_parts_decimals_only_where_something_tells(write, texts, values, tmp_path):
    path = write(tmp_path / f"a.{write.__name__[1:]}", "Amount", texts)
    (table,) = parse(path).tables
    assert tuple(row.values[1] for row in table.rows) == values
    assert [row.shown[1] for row in table.rows] == list(texts)


@pytest.mark.parametrize("write", [_csv, _docx, _html])
def test_in_chinese_a_point_is_a_decimal_one(write, tmp_path):
    path = write(tmp_path / f"a.{write.__name__[1:]}", "金额", ["1.000", "3.500"])
    (table,) = parse(path).tables
    assert [row.values[1] for row in table.rows] == [1.0, 3.5]
