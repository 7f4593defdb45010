"""What was filled in on a PDF page: values of form fields, and notes typed onto it."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

from ingest.parsers.characters import clean
from ingest.parsers.geometry import Rectangle
from ingest.parsers.paragraphs import Line
from ingest.parsers.tables import PageTable
from rag.terms import is_cjk

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

Filled = tuple[str, Rectangle]
"""What stands in a field, and where: left, bottom, right, top in the page's own points."""

_MAX_ANNOTATIONS = 5_000
_HIDDEN, _NO_VIEW = 1 << 1, 1 << 5
_PASSWORD = 1 << 13
_TICKED, _BLANK_BOX = "☑", "☐"
_SHARE_BESIDE = 0.4


def read_filled(page: PdfPage) -> list[Filled]:
    """What is filled in on the page, where a person can see it."""
    import pypdfium2.raw as pdfium

    found: list[Filled] = []
    for annotation in _annotations(page):
        kind = pdfium.FPDFAnnot_GetSubtype(annotation)
        text = ""
        if kind == pdfium.FPDF_ANNOT_WIDGET and page.formenv:
            text = _value(page.formenv.raw, annotation)
        elif kind == pdfium.FPDF_ANNOT_FREETEXT:
            text = _string(partial(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents"))
        text = " ".join(clean(text.replace("\r", "\n")).split())
        if text:
            found.append((text, _place(annotation)))
    return found


def read_notes(page: PdfPage) -> list[Filled]:
    """What somebody noted on the page: behind a sign at its margin, or with words marked in it."""
    import pypdfium2.raw as pdfium

    kinds = (
        *(pdfium.FPDF_ANNOT_TEXT, pdfium.FPDF_ANNOT_HIGHLIGHT, pdfium.FPDF_ANNOT_UNDERLINE),
        *(pdfium.FPDF_ANNOT_SQUIGGLY, pdfium.FPDF_ANNOT_STRIKEOUT, pdfium.FPDF_ANNOT_CARET),
    )
    found: list[Filled] = []
    for annotation in _annotations(page):
        if pdfium.FPDFAnnot_GetSubtype(annotation) in kinds:
            said = _string(partial(pdfium.FPDFAnnot_GetStringValue, annotation, b"Contents"))
            text = " ".join(clean(said.replace("\r", "\n")).split())
            word = "批注" if is_cjk(text) else "Comment"
            found += [(f"{word}: {text}", _place(annotation))] if text else []
    return found


def read_covers(page: PdfPage) -> list[Rectangle]:
    """Where boxes were laid over the page as remarks: some black out what is below them."""
    import pypdfium2.raw as pdfium

    kinds = (
        pdfium.FPDF_ANNOT_SQUARE,
        pdfium.FPDF_ANNOT_REDACT,
        pdfium.FPDF_ANNOT_HIGHLIGHT,
        pdfium.FPDF_ANNOT_POLYGON,
    )
    return [
        _place(each) for each in _annotations(page) if pdfium.FPDFAnnot_GetSubtype(each) in kinds
    ]


def with_filled(
    parts: Sequence[Line | PageTable], filled: Sequence[Line]
) -> list[Line | PageTable]:
    """The parts of a page, what is filled in beside the words that it belongs to."""
    told = list(parts)
    for line in sorted(filled, key=lambda each: (each.y0, each.x0)):
        beside = [at for at, part in enumerate(told) if _is_beside(part, line)]
        above = [at for at, part in enumerate(told) if _bottom(part) <= line.y1]
        at = max(beside, key=lambda n: _left(told[n])) if beside else max(above, default=-1)
        label = told[at] if beside else None
        if isinstance(label, Line) and label.x1 <= line.x0 + label.height:
            told[at] = _joined(label, line)
        else:
            told.insert(at + 1, line)
    return told


def _annotations(page: PdfPage) -> Iterator[Any]:
    """The remarks and fields of a page that are shown."""
    import pypdfium2.raw as pdfium

    count = min(pdfium.FPDFPage_GetAnnotCount(page.raw), _MAX_ANNOTATIONS)
    for at in range(count):
        annotation = pdfium.FPDFPage_GetAnnot(page.raw, at)
        if not annotation:
            continue
        try:
            if not pdfium.FPDFAnnot_GetFlags(annotation) & (_HIDDEN | _NO_VIEW):
                yield annotation
        finally:
            pdfium.FPDFPage_CloseAnnot(annotation)


def _value(form: Any, field: Any) -> str:
    import pypdfium2.raw as pdfium

    kind = pdfium.FPDFAnnot_GetFormFieldType(form, field)
    if kind in (pdfium.FPDF_FORMFIELD_CHECKBOX, pdfium.FPDF_FORMFIELD_RADIOBUTTON):
        return _TICKED if pdfium.FPDFAnnot_IsChecked(form, field) else _BLANK_BOX
    if kind not in (
        pdfium.FPDF_FORMFIELD_TEXTFIELD,
        pdfium.FPDF_FORMFIELD_COMBOBOX,
        pdfium.FPDF_FORMFIELD_LISTBOX,
    ):
        return ""
    is_text = kind == pdfium.FPDF_FORMFIELD_TEXTFIELD
    if is_text and pdfium.FPDFAnnot_GetFormFieldFlags(form, field) & _PASSWORD:
        return ""
    return _string(partial(pdfium.FPDFAnnot_GetFormFieldValue, form, field))


def _string(get: Callable[[Any, int], int]) -> str:
    """What pdfium says through a buffer, in UTF-16."""
    import pypdfium2.raw as pdfium

    size = get(None, 0)
    if size <= 2:  # noqa: PLR2004 (the closing zero)
        return ""
    buffer = ctypes.create_string_buffer(size)
    get(ctypes.cast(buffer, ctypes.POINTER(pdfium.FPDF_WCHAR)), size)
    return buffer.raw[: size - 2].decode("utf-16-le", "replace")


def _place(annotation: Any) -> Rectangle:
    import pypdfium2.raw as pdfium

    box = pdfium.FS_RECTF()
    pdfium.FPDFAnnot_GetRect(annotation, ctypes.byref(box))
    xs, ys = sorted((box.left, box.right)), sorted((box.bottom, box.top))
    return xs[0], ys[0], xs[1], ys[1]


def _is_beside(part: Line | PageTable, line: Line) -> bool:
    """Whether the part begins to the left of the line, on the same row."""
    if isinstance(part, PageTable) or part.x0 > line.x0:
        return False
    return min(part.y1, line.y1) - max(part.y0, line.y0) > _SHARE_BESIDE * min(
        part.height, line.height
    )


def _left(part: Line | PageTable) -> float:
    return part.x0 if isinstance(part, Line) else part.grid.xs[0]


def _bottom(part: Line | PageTable) -> float:
    return part.y0 if isinstance(part, Line) else part.grid.ys[-1]


def _joined(label: Line, value: Line) -> Line:
    """In the label's height: a tall field must not make paragraphs of two rows one."""
    return replace(label, text=f"{label.text} {value.text}", x1=value.x1, pieces=())
