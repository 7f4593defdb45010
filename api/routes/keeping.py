"""Everything in one file, for another place or another computer."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import chain

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from api.client import SIZE_HEADER
from api.deps import Given

router = APIRouter(prefix="/api", tags=["keeping"])


@router.get("/backup", response_class=StreamingResponse)
def backup(services: Given) -> StreamingResponse:
    """A zip of the catalogue with its vectors, the originals and the trash, as of now."""
    name = f"deskside-{datetime.now(UTC):%Y%m%d-%H%M%S}.zip"
    pieces = services.backup.stream()
    first = next(pieces)  # a full disk is told while it can still become a status
    return StreamingResponse(
        chain((first,), pieces),
        media_type="application/zip",
        headers={
            "Content-Disposition": f'attachment; filename="{name}"',
            "Cache-Control": "no-store",
            SIZE_HEADER: str(services.backup.size_bytes()),
        },
    )
