"""A Word document's tree as it reads once every tracked change is accepted."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ingest.parsers.word_package import W as _W
from rag.terms import is_cjk

if TYPE_CHECKING:
    from lxml.etree import _Element

_W14 = "{http://schemas.microsoft.com/office/word/2010/wordml}"
_GONE = ("del", "moveFrom")
_KEPT = ("ins", "moveTo")
_WRAPPERS = ("smartTag", "customXml", "fldSimple")
_MAX_LINES_PER_PAGE = 60
_CHARS_PER_LINE = 80
_RENDERED = f"{_W}lastRenderedPageBreak"


def accept_changes(body: _Element) -> bool:
    """Take deletions out and insertions in; True when there were any."""
    rows = [row for row in body.iter(f"{_W}tr") if row.find(f"{_W}trPr/{_W}del") is not None]
    cells = [
        cell for cell in body.iter(f"{_W}tc") if cell.find(f"{_W}tcPr/{_W}cellDel") is not None
    ]
    _join_paragraphs(body)
    deleted = [*rows, *cells, *_all(body, _GONE)]
    for each in deleted:
        _remove(each)
    inserted = _all(body, _KEPT)
    for each in [*inserted, *_all(body, _WRAPPERS)]:
        _unwrap(each, each)
    for control in _all(body, ("sdt",)):
        content = control.find(f"{_W}sdtContent")
        _tick(control, content)
        _unwrap(control, control if content is None else content)
    return bool(deleted or inserted)


def _tick(control: _Element, content: _Element | None) -> None:
    """Show the state of a box to tick as such; ☒ is what Word puts for yes."""
    box = control.find(f"{_W}sdtPr/{_W14}checkbox")
    if box is None or content is None:
        return
    state = box.find(f"{_W14}checked")
    is_ticked = state is not None and state.get(f"{_W14}val", "1") in ("1", "true", "on")
    for sign in _all(content, ("sym",)):
        sign.tag = f"{_W}t"
    for at, sign in enumerate(_all(content, ("t",))):
        sign.text = "" if at else "☑" if is_ticked else "☐"


def _join_paragraphs(body: _Element) -> None:
    """A paragraph whose end was deleted goes on with the next one."""
    mark = f"{_W}pPr/{_W}rPr/{_W}del"
    for paragraph in reversed(list(body.iter(f"{_W}p"))):
        following = paragraph.getnext()
        if following is None or following.tag != f"{_W}p" or paragraph.find(mark) is None:
            continue
        paragraph.extend(child for child in list(following) if child.tag != f"{_W}pPr")
        _remove(following)


def _all(body: _Element, names: tuple[str, ...]) -> list[_Element]:
    """A list, since the tree changes while it is walked."""
    return list(body.iter(*(_W + name for name in names)))


def record_hard_breaks(body: _Element) -> bool:
    """Where Word recorded no page breaks, those the author set count, if they make pages.

    An author who sets one break a chapter gives no page numbers: then there are none.

    Returns:
        Whether there are any that count.
    """
    if next(body.iter(_RENDERED), None) is not None:
        return True
    if max(_lines_between_breaks(body)) > _MAX_LINES_PER_PAGE:
        return False
    set_breaks = [each for each in body.iter(f"{_W}br") if each.get(f"{_W}type") == "page"]
    for each in set_breaks:
        each.tag = _RENDERED
        each.attrib.clear()
    return bool(set_breaks)


def _lines_between_breaks(body: _Element) -> list[float]:
    """A rough count of printed lines from one hard page break to the next."""
    lines = [0.0]
    for each in body.iter(f"{_W}p", f"{_W}t", f"{_W}br"):
        if each.tag == f"{_W}p":
            lines[-1] += 0.5
        elif each.tag == f"{_W}t":
            lines[-1] += _lines(each.text or "")
        elif each.get(f"{_W}type") == "page":
            lines.append(0.0)
    return lines


def _lines(text: str) -> float:
    return len(text) / (_CHARS_PER_LINE / 2 if is_cjk(text) else _CHARS_PER_LINE)


def _remove(element: _Element) -> None:
    parent = element.getparent()
    if parent is not None:
        parent.remove(element)


def _unwrap(element: _Element, content: _Element) -> None:
    """Put the children of ``content`` where ``element`` stands."""
    parent = element.getparent()
    if parent is None:
        return
    at = parent.index(element)
    parent[at : at + 1] = list(content)
