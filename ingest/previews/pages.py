"""Pictures of PDF pages with the cited words marked, drawn in a child process of their own."""

from __future__ import annotations

import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.child import Child
from ingest.frames import Frame
from ingest.previews.excerpt import excerpt_html
from ingest.process import ChildBroke
from ingest.wire import Json, boxes_from_json, boxes_to_json
from rag.errors import Internal, NotFound, Unsupported
from rag.ports import Progress
from rag.quiet import Outbound
from rag.records import Box, Excerpt

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_MARKER_RGBA = (255, 214, 10, 96)
_MAX_WIDTH_PX = 4000
_MAX_HEIGHT_PX = 12_000
_MIN_WIDTH_PX = 16
_MEMORY_BYTES = 1 << 30
_PAGES_PER_CHILD = 500
_PAD = 0.002
"""Share of the page by which a box is widened, so that letters are not cut at the edge."""
_PROBLEMS = {"not_found": NotFound, "unsupported": Unsupported}


class PagePreviewer:
    """The `Previewer` of the service."""

    def __init__(
        self,
        *,
        timeout_s: float = 30.0,
        memory_bytes: int = _MEMORY_BYTES,
        outbound: Outbound | None = None,
    ) -> None:
        self._child = Child(
            "ingest.previews.pages:draw",
            timeout_s=timeout_s,
            memory_bytes=memory_bytes,
            calls_per_child=_PAGES_PER_CHILD,
            outbound=outbound,
        )

    def page_png(self, path: Path, page: int, boxes: Sequence[Box], *, width_px: int) -> bytes:
        """Page ``page`` as a PNG ``width_px`` wide with ``boxes`` marked.

        Raises:
            NotFound: there is no such page.
            Unsupported: the file has no pages to draw.
            Internal: drawing it failed.
        """
        if path.suffix.lower() != ".pdf":
            raise Unsupported(f"{path.name} has no pages to draw.")
        request = {
            "path": str(path),
            "page": page,
            "boxes": boxes_to_json(tuple(boxes)),
            "width_px": min(max(width_px, _MIN_WIDTH_PX), _MAX_WIDTH_PX),
        }
        try:
            answer, png = self._child.call(request)
        except ChildBroke as error:
            raise Internal(f"Page {page} could not be drawn.") from error
        if png:
            return png
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
        NotFound, Unsupported: see `PagePreviewer.page_png`.
    """
    import pypdfium2

    number = int(request["page"])
    try:
        document = pypdfium2.PdfDocument(request["path"])
    except pypdfium2.PdfiumError as error:
        raise Unsupported("The file can't be opened.") from error
    except FileNotFoundError as error:
        raise NotFound("The file is not there any more.") from error
    with document:
        if not 1 <= number <= len(document):
            raise NotFound(f"There is no page {number}.")
        marked = [box for box in boxes_from_json(request["boxes"]) if box.page == number]
        return {}, _png(document[number - 1], marked, int(request["width_px"]))


def _png(page: PdfPage, boxes: Sequence[Box], width_px: int) -> bytes:
    from PIL import Image, ImageDraw

    width, height = page.get_size()
    scale = min(width_px / max(width, 1), _MAX_HEIGHT_PX / max(height, 1))
    picture = page.render(scale=scale).to_pil().convert("RGBA")
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
    target = io.BytesIO()
    Image.alpha_composite(picture, veil).convert("RGB").save(target, "PNG")
    return target.getvalue()
