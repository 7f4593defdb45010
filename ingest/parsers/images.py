"""Pictures: photographs and scans of pages, read by text recognition, a page a frame."""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import Unreadable, corrupt, too_large
from ingest.parsers.ocr import MAX_SIDE_PX, Picture, read_picture
from ingest.parsers.sheets import Sheet, to_parsed
from rag.ports import Progress, unheard
from rag.records import Parsed, Reason

if TYPE_CHECKING:
    from PIL.Image import Image

IMAGES = frozenset({".png", ".jpg", ".jpeg", ".tif", ".tiff", ".bmp", ".webp", ".heic", ".heif"})
MAX_PIXELS = 100_000_000
"""A picture of more is a bomb, or needs more memory than a laptop can spare."""
MAX_FRAMES = 500
MIN_PIXELS = 60_000
"""Smaller pictures inside documents are logos and icons."""


def parse_image(path: Path, *, progress: Progress = unheard) -> Parsed:
    """Read a picture; ``progress`` is told after each of its frames.

    Raises:
        Unreadable: it is damaged, too large, or shows no writing.
    """
    sheets: list[Sheet] = []
    with opened(path) as image:
        frames = getattr(image, "n_frames", 1)
        if frames > MAX_FRAMES:
            raise too_large(f"The picture has {frames} frames.")
        for number in range(1, frames + 1):
            image.seek(number - 1)
            sheets.append(_read(image, number))
            progress(number, frames)
    return to_parsed(sheets)


def read_inside(data: bytes) -> Sheet | None:
    """What a picture inside a document shows; None where it can't be opened or is too small."""
    from PIL import Image

    try:
        with Image.open(io.BytesIO(data)) as image:
            if image.width * image.height < MIN_PIXELS:
                return None
            return _read(image, 1)
    except (OSError, SyntaxError, ValueError, EOFError, Unreadable, Image.DecompressionBombError):
        return None


@contextmanager
def opened(path: Path) -> Iterator[Image]:
    """The picture at ``path``, its frames not yet decoded.

    Raises:
        Unreadable: it is damaged or too large, also where that shows within the block.
    """
    from PIL import Image, UnidentifiedImageError

    if path.suffix.lower() in (".heic", ".heif"):
        import pi_heif

        pi_heif.register_heif_opener()
    bombs = (Image.DecompressionBombError, Image.DecompressionBombWarning)
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", Image.DecompressionBombWarning)
            with Image.open(path) as image:
                yield image
    except bombs as error:
        raise _too_many_pixels() from error
    except (UnidentifiedImageError, OSError, SyntaxError, ValueError, EOFError) as error:
        raise corrupt("The picture is damaged or was not copied completely.") from error


def _read(image: Image, number: int) -> Sheet:
    reading = read_picture(_pixels(image))
    if not reading.lines:
        reason = None if reading.is_legible else Reason.NO_TEXT
        return Sheet(number, "empty" if reading.is_legible else "unreadable", reason=reason)
    return Sheet(
        number,
        "ocr",
        lines=reading.lines,
        tables=reading.tables,
        height=reading.height,
        shown=reading.shown,
        is_unsure=not reading.is_sure,
    )


def as_shown(image: Image) -> Image:
    """The frame turned as its camera says, transparent parts white, no side over `MAX_SIDE_PX`."""
    from PIL import Image as images
    from PIL import ImageOps

    if image.width * image.height > MAX_PIXELS:
        raise _too_many_pixels()
    image.draft("RGB", (MAX_SIDE_PX, MAX_SIDE_PX))  # a JPEG is decoded smaller where it can be
    image.load()
    shown = ImageOps.exif_transpose(image)
    shown.thumbnail((MAX_SIDE_PX, MAX_SIDE_PX))
    layered = shown.convert("RGBA")
    paper = images.new("RGBA", layered.size, "white")
    return images.alpha_composite(paper, layered).convert("RGB")


def _pixels(image: Image) -> Picture:
    import numpy as np

    return np.ascontiguousarray(np.asarray(as_shown(image))[:, :, ::-1])


def _too_many_pixels() -> Exception:
    return too_large(f"The picture has more than {MAX_PIXELS // 10**6} million pixels.")
