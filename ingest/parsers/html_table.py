"""The rows of an HTML table, merged cells filled over their whole range."""

from __future__ import annotations

_MAX_SPAN = 200
"""A hostile span must not blow a row up."""


def table_rows(html: str) -> list[list[str]]:
    """Rows of cell texts; a merged cell says its text in every row and once in a row."""
    if not html:
        return []
    from lxml import html as parser

    hanging: dict[int, tuple[int, str]] = {}
    rows: list[list[str]] = []
    for row in parser.fromstring(html).iter("tr"):
        cells: list[str] = []
        for cell in row.iterchildren("td", "th"):
            _fill(cells, hanging)
            text = " ".join(" ".join(cell.itertext()).split())
            down = _span(cell.get("rowspan"))
            if down > 1:
                hanging[len(cells)] = (down - 1, text)
            cells += [text] + [""] * (_span(cell.get("colspan")) - 1)
        _fill(cells, hanging)
        rows.append(cells)
    return rows


def _fill(cells: list[str], hanging: dict[int, tuple[int, str]]) -> None:
    while len(cells) in hanging:
        left, text = hanging.pop(len(cells))
        if left > 1:
            hanging[len(cells)] = (left - 1, text)
        cells.append(text)


def _span(value: str | None) -> int:
    return min(max(int(value), 1), _MAX_SPAN) if value and value.isdecimal() else 1
