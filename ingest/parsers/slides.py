"""PowerPoint: each slide's words with its title as heading, tables, charts, diagrams and notes."""

from __future__ import annotations

import logging
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import islice, product
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.failures import corrupt, empty, pages_failure
from ingest.office import OfficeFailed
from ingest.parsers.characters import clean
from ingest.parsers.forms import pairs_text
from ingest.parsers.gathered import Stood, gathered
from ingest.parsers.grids import Place
from ingest.parsers.pdf import read_page
from ingest.parsers.pictured import elements_of
from ingest.parsers.rendered import Rendering
from ingest.parsers.slide_order import in_order
from ingest.parsers.tables import PageTable, of_texts
from rag.ports import Progress, unheard
from rag.records import Element, ElementKind, Locator, Page, PageStatus, Parsed, Reason

if TYPE_CHECKING:
    from ingest.office import Office

log = logging.getLogger(__name__)

_DIAGRAM = "{http://schemas.openxmlformats.org/drawingml/2006/diagram}relIds"
_DIAGRAM_DATA = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}dm"
_DRAWN_TEXT = "{http://schemas.openxmlformats.org/drawingml/2006/main}t"
_CHART = "{http://schemas.openxmlformats.org/drawingml/2006/chart}"
_NOTES = "Notes"
_PICTURE_SHARE = 0.4
"""A slide without words whose picture is larger than this has words nobody read."""


@dataclass(frozen=True, slots=True)
class _Words:
    """One stretch of a slide; ``printed`` are the pieces a rendering of it shows."""

    kind: ElementKind
    text: str
    printed: tuple[str, ...]
    header: str = ""
    table: PageTable | None = None
    at: int = 0


def parse_pptx(
    path: Path,
    office: Office | None = None,
    *,
    original: Path | None = None,
    progress: Progress = unheard,
) -> Parsed:
    """Read a .pptx or .pptm.

    Args:
        path: the file.
        office: renders the slides, where there is one.
        original: what ``path`` was made of; that is what is rendered and named.
        progress: told of slides that text recognition read.

    Raises:
        Unreadable: it is damaged or holds no text.
    """
    presentation = _open(path)
    slides = list(presentation.slides)
    area = presentation.slide_width * presentation.slide_height
    rendering = _rendering(original or path, office, len(slides))
    elements: list[Element] = []
    stood: list[Stood] = []
    pages: list[Page] = []
    try:
        for number, slide in enumerate(slides, start=1):
            found, status = _read((slide, number), rendering, area, stood)
            elements += found
            pages.append(Page(number, str(number), status, sum(len(e.text) for e in found)))
            progress(number, len(slides))
    finally:
        if rendering:
            rendering.close()
    if not elements:
        raise empty()
    unread = [page.number for page in pages if page.status == "unreadable"]
    flags = {
        "ocr": any(page.status == "ocr" for page in pages),
        "hidden_slides": any(_is_hidden(slide) for slide in slides),
    }
    return Parsed(
        tuple(elements),
        tuple(pages),
        tuple(flag for flag, raised in flags.items() if raised),
        pages_failure(Reason.NO_TEXT, unread) if unread else None,
        gathered(stood),
    )


def _read(
    numbered: tuple[Any, int], rendering: Rendering | None, area: int, stood: list[Stood]
) -> tuple[list[Element], PageStatus]:
    """A slide's words, by text recognition where it is all picture; ``stood`` gets its tables."""
    slide, number = numbered
    found = list(_elements(slide, number, rendering, stood))
    if any(element.locator.page for element in found) or (found and not rendering):
        return found, "text"
    if rendering is None:
        return found, _status(slide, area)
    sheet = read_page(rendering.document, number - 1)
    found = [*elements_of(sheet, Locator(slide=number)), *found]
    return found, sheet.status if sheet.status != "empty" or not found else "text"


def _open(path: Path) -> Any:
    import pptx
    from lxml.etree import XMLSyntaxError
    from pptx.exc import PythonPptxError

    try:
        return pptx.Presentation(str(path))
    except (PythonPptxError, zipfile.BadZipFile, XMLSyntaxError, KeyError, ValueError) as error:
        raise corrupt() from error


def _rendering(path: Path, office: Office | None, slides: int) -> Rendering | None:
    """The slides as pages, where each slide has one."""
    if office is None:
        return None
    try:
        rendering = Rendering(office.rendering(path))
    except OfficeFailed as error:
        log.warning("not_rendered why=%s", error)
        return None
    if rendering.pages == slides:
        return rendering
    log.warning("rendering_differs pages=%d slides=%d", rendering.pages, slides)
    rendering.close()
    return None


def _elements(
    slide: Any, number: int, rendering: Rendering | None, stood: list[Stood]
) -> Iterator[Element]:
    title = " ".join(_title(slide).split())
    place = Locator(slide=number, section=(title,) if title else ())
    if rendering:
        place = replace(place, page=number, page_source="rendered")
    if title:
        yield from _placed([_Words("title", title, (title,))], place, rendering, stood)
    for shape in in_order(slide.shapes):
        if not _is_title(slide, shape):
            yield from _placed(list(_shape(shape, slide)), place, rendering, stood)
    if slide.has_notes_slide and slide.notes_slide.notes_text_frame is not None:
        notes = clean(slide.notes_slide.notes_text_frame.text.replace("\v", "\n")).strip()
        if notes:  # no page: the picture of a slide does not show them
            section = (*place.section, _NOTES)
            yield Element("text", notes, Locator(slide=number, section=section))


def _placed(
    said: list[_Words], place: Locator, rendering: Rendering | None, stood: list[Stood]
) -> Iterator[Element]:
    """What a shape says, each stretch with the boxes it stands in."""
    printed = [piece for words in said for piece in words.printed]
    found = iter(rendering.place_on(place.slide or 1, printed) if rendering else ())
    for words in said:
        here = place
        if rendering:
            ranges = [at for runs in islice(found, len(words.printed)) for at in runs]
            here = replace(place, boxes=rendering.boxes(ranges))
        level = 1 if words.kind == "title" else 0
        if words.table:
            stood.append(Stood(words.table, words.at, here))
        yield Element(words.kind, words.text, here, level, words.header)


def _title(slide: Any) -> str:
    title = slide.shapes.title
    return clean(title.text_frame.text.replace("\v", " ")) if title is not None else ""


def _is_title(slide: Any, shape: Any) -> bool:
    title = slide.shapes.title
    return title is not None and shape.shape_id == title.shape_id


def _shape(shape: Any, slide: Any) -> Iterator[_Words]:
    if hasattr(shape, "shapes"):  # a group
        for each in in_order(shape.shapes):
            yield from _shape(each, slide)
    elif getattr(shape, "has_table", False) and shape.has_table:
        yield from _table(shape.table)
    elif getattr(shape, "has_chart", False) and shape.has_chart:
        yield from _chart(shape.chart)
    elif shape.has_text_frame:
        yield from _paragraphs(shape)
    else:
        yield from _diagram(shape, slide)


def _paragraphs(shape: Any) -> Iterator[_Words]:
    if shape.is_placeholder and "SLIDE_NUMBER" in str(shape.placeholder_format.type):
        return
    for paragraph in shape.text_frame.paragraphs:
        text = clean(paragraph.text.replace("\v", "\n")).strip()
        if text:
            yield _Words("list_item" if shape.is_placeholder else "text", text, (text,))


def _table(table: Any) -> Iterator[_Words]:
    rows = [[" ".join(clean(cell.text).split()) for cell in row.cells] for row in table.rows]
    known = of_texts(rows, _owners(table)) if rows else None
    heads = rows[: known.first] if known else rows[:1] if len(rows) > 1 else []
    header = "\n".join(" | ".join(row).strip() for row in heads)
    for at, row in enumerate(rows):
        if any(row):
            cells = known.filled(at, row) if known else row
            text = pairs_text(cells) if known and known.is_form else " | ".join(cells).strip()
            yield _Words("table", text, tuple(filter(None, row)), header, known, at)


def _owners(table: Any) -> dict[Place, Place]:
    """For each place that a merged cell covers, where that begins."""
    owner: dict[Place, Place] = {}
    for r, row in enumerate(table.rows):
        for c, cell in enumerate(row.cells):
            if cell.is_merge_origin:
                covered = product(range(cell.span_height), range(cell.span_width))
                owner |= {(r + down, c + across): (r, c) for down, across in covered}
    return owner


def _chart(chart: Any) -> Iterator[_Words]:
    """The figures behind a chart, as a table: a category a row, a series a column."""
    if chart.has_title and chart.chart_title.has_text_frame:
        title = clean(chart.chart_title.text_frame.text).strip()
        if title:
            yield _Words("text", title, (title,))
    for plot in chart.plots:
        rows = _figures(plot)
        known = of_texts(rows, {}, heads=1)
        header = " | ".join(rows[0]).strip()
        for at, row in enumerate(rows[1:], start=1):
            printed = tuple(filter(None, row))
            yield _Words("table", " | ".join(row).strip(), printed, header, known, at)


def _figures(plot: Any) -> list[list[str]]:
    """A chart's figures as rows below the names of its series."""
    series = list(plot.series)
    shares = [_is_share(each, plot) for each in series]
    rows = [["", *(clean(each.name or "") for each in series)]]
    for at, category in enumerate(plot.categories):
        values = [each.values[at] if at < len(each.values) else None for each in series]
        told = [_figure(*pair) for pair in zip(values, shares, strict=True)]
        rows.append([clean(str(category)), *told])
    return rows


def _figure(value: float | None, is_share: bool) -> str:
    if value is None:
        return ""
    return f"{value * 100:.12g}%" if is_share else f"{value:.12g}"


def _is_share(series: Any, plot: Any) -> bool:
    """Whether the labels of a series, its cells or, without either, its axis show per cent."""
    labels = (each._element.find(f"{_CHART}dLbls/{_CHART}numFmt") for each in (series, plot))
    own = [each.get("formatCode") for each in labels if each is not None and not _is_linked(each)]
    cells = series._element.findtext(f"{_CHART}val//{_CHART}formatCode")
    axes = plot._element.getparent().iterfind(f"{_CHART}valAx/{_CHART}numFmt")
    axis = [each.get("formatCode") for each in axes if not _is_linked(each)]
    formats = [each for each in (*own, cells, *axis) if each and each != "General"]
    return bool(formats) and "%" in formats[0]


def _is_linked(number_format: Any) -> bool:
    return number_format.get("sourceLinked") in ("1", "true")


def _diagram(shape: Any, slide: Any) -> Iterator[_Words]:
    """The words of a SmartArt diagram, which stand in a part of their own."""
    from lxml import etree

    for reference in shape._element.iter(_DIAGRAM):
        part = slide.part.related_part(reference.get(_DIAGRAM_DATA))
        parser = etree.XMLParser(resolve_entities=False, no_network=True)
        for text in etree.fromstring(part.blob, parser).iter(_DRAWN_TEXT):
            words = clean(text.text or "").strip()
            if words:
                yield _Words("list_item", words, (words,))


def _status(slide: Any, area: int) -> PageStatus:
    pictures = [shape for shape in slide.shapes if hasattr(shape, "image")]
    shown = max((shape.width * shape.height for shape in pictures), default=0)
    return "unreadable" if shown > _PICTURE_SHARE * area else "empty"


def _is_hidden(slide: Any) -> bool:
    return slide._element.get("show") in ("0", "false")
