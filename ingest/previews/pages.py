"""Pictures of pages with the cited words marked, drawn in a child process of their own.

Pages are those of a PDF, an image file, or what LibreOffice makes of a Word or PowerPoint file:
the same rendering in which the words were found when it was read.
"""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.child import Child
from ingest.failures import Unreadable
from ingest.frames import Frame
from ingest.office import RENDERED, OfficeFailed, find_office
from ingest.office import TIMEOUT_S as OFFICE_TIMEOUT_S
from ingest.parsers.images import IMAGES
from ingest.parsers.word_copy import laid_out
from ingest.previews.excerpt import excerpt_html
from ingest.previews.words import quote_boxes
from ingest.process import ChildBroke
from ingest.wire import Json, boxes_from_json, boxes_to_json
from rag.errors import Internal, NotFound, Unsupported
from rag.excerpt import Excerpt, Marks, Picture
from rag.ports import Progress
from rag.quiet import Outbound
from rag.records import Box

if TYPE_CHECKING:
    from PIL.Image import Image

_MARKER_RGBA = (255, 214, 10, 96)
_MAX_WIDTH_PX = 4000
_MAX_HEIGHT_PX = 12_000
_MIN_WIDTH_PX = 16
_MEMORY_BYTES = 2 << 30
_PAGES_PER_CHILD = 500
_PAD = 0.002
"""Share of the page by which a box is widened, so that letters are not cut at the edge."""
_DRAWN = IMAGES | {".pdf"}
_PROBLEMS = {"not_found": NotFound, "unsupported": Unsupported}


class PagePreviewer:
    """The `Previewer` of the service.

    Args:
        timeout_s: for drawing a page, its rendering not counted.
        memory_bytes: for the child, LibreOffice counted.
        renderings: folder of what LibreOffice makes of documents; None to do without it.
        outbound: is told how many connections the child tried to make.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 30.0,
        memory_bytes: int = _MEMORY_BYTES,
        renderings: Path | None = None,
        outbound: Outbound | None = None,
    ) -> None:
        self._renderings = str(renderings) if renderings else None
        self._child = Child(
            "ingest.previews.pages:draw",
            timeout_s=timeout_s + (OFFICE_TIMEOUT_S if renderings else 0.0),
            memory_bytes=memory_bytes,
            calls_per_child=_PAGES_PER_CHILD,
            outbound=outbound,
        )

    def page_picture(self, path: Path, page: int, marks: Marks, *, width_px: int) -> Picture:
        """Page ``page`` as a PNG ``width_px`` wide with what ``marks`` says marked.

        Raises:
            NotFound: there is no such page.
            Unsupported: the file has no pages to draw.
            Internal: drawing it failed.
        """
        suffix = path.suffix.lower()
        if suffix not in _DRAWN and not (self._renderings and suffix in RENDERED):
            raise Unsupported(f"{path.name} has no pages to draw.")
        request = {
            "renderings": self._renderings,
            "path": str(path),
            "page": page,
            "boxes": boxes_to_json(marks.boxes),
            "quote": marks.quote,
            "near": marks.near,
            "width_px": min(max(width_px, _MIN_WIDTH_PX), _MAX_WIDTH_PX),
        }
        try:
            answer, png = self._child.call(request)
        except ChildBroke as error:
            raise Internal(f"Page {page} could not be drawn.") from error
        if png:
            boxes = boxes_from_json(answer["boxes"])
            return Picture(png, boxes, is_quote=bool(answer["is_quote"]))
        problem = _PROBLEMS.get(str(answer.get("problem")), Internal)
        raise problem(str(answer.get("detail") or f"Page {page} could not be drawn."))

    def excerpt_html(self, excerpt: Excerpt, /) -> str:
        """See `ingest.previews.excerpt`; made here: it reads no file."""
        return excerpt_html(excerpt)

    def close(self) -> None:
        self._child.close()


def draw(request: Json, _progress: Progress) -> Frame:
    """Draw a page; runs in the child.

    Raises:
        NotFound, Unsupported: see `PagePreviewer.page_picture`.
    """
    path, number = Path(request["path"]), int(request["page"])
    boxes = tuple(box for box in boxes_from_json(request["boxes"]) if box.page == number)
    marks = Marks(boxes, str(request["quote"]), float(request["near"]))
    words: tuple[Box, ...] = ()
    try:
        if path.suffix.lower() in IMAGES:
            picture = _image(path, number, int(request["width_px"]))
        else:
            pdf = _rendering(path, request["renderings"])
            picture, words = _pdf_page(pdf, number, marks, int(request["width_px"]))
    except FileNotFoundError as error:
        raise NotFound("The file is not there any more.") from error
    marked = words or boxes
    answer = {"boxes": boxes_to_json(marked), "is_quote": bool(words)}
    return answer, _png(_marked(picture, marked))


def _rendering(path: Path, renderings: str | None) -> Path:
    """The file itself if it is a PDF, else what LibreOffice makes of it."""
    if path.suffix.lower() == ".pdf":
        return path
    office = find_office(Path(renderings)) if renderings else None
    if office is None:
        raise Unsupported(f"{path.name} has no pages to draw.", hint="Install LibreOffice.")
    try:
        return laid_out(office, path)
    except OfficeFailed as error:
        raise Unsupported(f"The pages of {path.name} can't be drawn.") from error


def _pdf_page(
    path: Path, number: int, marks: Marks, width_px: int
) -> tuple[Image, tuple[Box, ...]]:
    """The page drawn, and where on it the quote stands."""
    import pypdfium2

    try:
        document = pypdfium2.PdfDocument(path)
    except pypdfium2.PdfiumError as error:
        raise Unsupported("The file can't be opened.") from error
    with document:
        if not 1 <= number <= len(document):
            raise NotFound(f"There is no page {number}.")
        page = document[number - 1]
        width, height = page.get_size()
        scale = min(width_px / max(width, 1), _MAX_HEIGHT_PX / max(height, 1))
        drawn: Image = page.render(scale=scale).to_pil()
        words = quote_boxes(page, marks) if marks.quote and marks.boxes else ()
        return drawn, words


def _image(path: Path, number: int, width_px: int) -> Image:
    """A frame of an image file, the right way up."""
    from ingest.parsers.images import as_shown, opened

    try:
        with opened(path) as image:
            if not 1 <= number <= getattr(image, "n_frames", 1):
                raise NotFound(f"There is no page {number}.")
            image.seek(number - 1)
            shown = as_shown(image)
    except Unreadable as error:
        raise Unsupported("The file can't be opened.") from error
    scale = min(width_px / shown.width, _MAX_HEIGHT_PX / shown.height)
    return shown.resize((round(shown.width * scale) or 1, round(shown.height * scale) or 1))


def _marked(picture: Image, boxes: Sequence[Box]) -> Image:
    from PIL import Image, ImageDraw

    picture = picture.convert("RGBA")
    veil = Image.new("RGBA", picture.size, (0, 0, 0, 0))
    pen = ImageDraw.Draw(veil)
    across, down = picture.size
    for box in boxes:
        corners = (
            (box.x0 - _PAD) * across,
            (box.y0 - _PAD) * down,
            (box.x1 + _PAD) * across,
            (box.y1 + _PAD) * down,
        )
        pen.rectangle(corners, fill=_MARKER_RGBA)
    return Image.alpha_composite(picture, veil).convert("RGB")


def _png(picture: Image) -> bytes:
    target = io.BytesIO()
    picture.save(target, "PNG")
    return target.getvalue()
