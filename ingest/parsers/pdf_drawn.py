"""What is drawn on a PDF page beside its text: pictures, and letters drawn as curves."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pypdfium2 import PdfPage

_MAX_DEPTH = 4
_PICTURE_SHARE = 0.02
"""An image over a fiftieth of the page may hold text; smaller ones are logos and rules."""
_SCAN_SHARE = 0.4
_DRAWN_PATHS = 40
"""Letters drawn as curves need many paths; a frame or a rule needs few."""


@dataclass(frozen=True, slots=True)
class Drawn:
    """``picture_share`` is that of the page which its largest picture takes."""

    picture_share: float
    paths: int

    @property
    def may_hold_text(self) -> bool:
        """Whether something could be text that was scanned or drawn."""
        return self.picture_share > _PICTURE_SHARE or self.paths > _DRAWN_PATHS

    @property
    def is_scan(self) -> bool:
        """Whether the page is mostly a picture."""
        return self.picture_share > _SCAN_SHARE


def look(page: PdfPage) -> Drawn:
    """What is drawn on the page."""
    import pypdfium2.raw as pdfium

    width, height = page.get_size()
    share, paths = 0.0, 0
    for drawn in page.get_objects(max_depth=_MAX_DEPTH):
        if drawn.type == pdfium.FPDF_PAGEOBJ_IMAGE:
            left, bottom, right, top = drawn.get_bounds()
            share = max(share, (right - left) * (top - bottom) / (width * height or 1))
        paths += drawn.type == pdfium.FPDF_PAGEOBJ_PATH
    return Drawn(share, paths)
