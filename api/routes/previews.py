"""What a citation is shown by: its page as a picture, or the words and cells around it."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import HTMLResponse, Response

from api.deps import Given, Services
from api.schemas import MAX_QUOTE_CHARS, PictureQuery
from rag.errors import NotFound
from rag.excerpt import Excerpt, Marks
from rag.records import Passage

router = APIRouter(prefix="/api", tags=["documents"])

_NEIGHBOURS = 3
_NEIGHBOUR_ROWS = 8
_PREVIEW_POLICY = (
    "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none';"
    " frame-ancestors 'self'; sandbox"
)
"""Words of a document, looked at beside the answer: nothing in them runs, loads or leads away."""

Quote = Annotated[str, Query(max_length=MAX_QUOTE_CHARS)]
"""What of the passage is marked: a citation's words. All of it where it doesn't say them."""


@router.get("/documents/{document_id}/pages/{number}.png", response_class=Response)
def page_picture(
    document_id: str, number: int, services: Given, asked: Annotated[PictureQuery, Query()]
) -> Response:
    """A page as a picture, the passage or a quote of it highlighted; headers say what was."""
    marks, is_row = Marks(), False
    if asked.passage:
        cited = _passage(services, document_id, asked.passage)
        marks, is_row = _marks(cited, number, asked.quote)
    picture = services.previewer.page_picture(
        services.originals.file_of(document_id), number, marks, width_px=asked.width
    )
    boxes = [[box.x0, box.y0, box.x1, box.y1] for box in picture.boxes]
    headers = _told(boxes, is_quote=picture.is_quote or is_row)
    headers["Deskside-Boxes"] = json.dumps(boxes)
    return Response(picture.png, media_type="image/png", headers=headers)


@router.get("/documents/{document_id}/preview")
def preview(
    document_id: str, services: Given, passage: str | None = None, quote: Quote = ""
) -> HTMLResponse:
    """The text or sheet around a passage, it or a quote of it marked; else the beginning."""
    name = services.core.catalog.ledger.document(document_id).name
    passages = services.core.catalog.passages
    cited = window = None
    if passage:
        cited = _passage(services, document_id, passage)
        shown = passages.around(cited, reach=_NEIGHBOURS)
        row = replace(cited, locator=cited.place_of(quote))
        window = services.core.catalog.tables.around(row, reach=_NEIGHBOUR_ROWS)
    else:
        shown = passages.stretch(document_id, 0, 2 * _NEIGHBOURS)
    if not shown:
        raise NotFound(f"There is no text of {name} to show.", hint="It may not be read yet.")
    page = services.previewer.excerpt_html(Excerpt(name, tuple(shown), passage, window, quote))
    headers = _told(cited, is_quote=bool(cited and quote and quote in cited.text))
    headers["Content-Security-Policy"] = _PREVIEW_POLICY
    return HTMLResponse(page, headers=headers)


def _marks(passage: Passage, number: int, quote: str) -> tuple[Marks, bool]:
    """What is to be marked on page ``number``, and whether that is just the lines of the quote."""
    place = passage.place_of(quote)
    boxes = tuple(box for box in place.boxes if box.page == number)
    is_row = len(place.boxes) < len(passage.locator.boxes)
    if not quote or quote not in passage.text:
        return Marks(boxes), False
    near = 0.0 if is_row else passage.text.find(quote) / len(passage.text)
    return Marks(boxes, quote, near), is_row


def _told(marked: object, *, is_quote: bool) -> dict[str, str]:
    words = "none" if not marked else "quote" if is_quote else "passage"
    return {"Deskside-Marked": words, "Cache-Control": "no-store"}


def _passage(services: Services, document_id: str, passage_id: str) -> Passage:
    found = services.core.catalog.passages.get([passage_id]).get(passage_id)
    if found is None or found[0].document_id != document_id:
        raise NotFound(
            "That passage is not in this document any more.", hint="Ask again to find it anew."
        )
    return found[0]
