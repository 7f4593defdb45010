"""Scans: pages drawn as pictures, in Chinese and English, upright, turned and askew."""

from __future__ import annotations

import functools
import io
from collections.abc import Sequence
from pathlib import Path

from PIL import Image, ImageDraw, ImageFont

_DPI = 150
_PT = _DPI / 72
_MARGIN = 70

NOTE_ZH = (
    "合同编号：QH-2031-0417，签订于临溪市。",
    "每月租金为人民币壹万捌仟陆佰元，每季度首月五日前支付。",
    "押金为三个月租金，合同终止后十五日内无息退还。",
)
NOTE_EN = (
    "The monthly rent is 4,250 pounds, due on the third working day.",
    "The deposit is held by the Ambleford Deposit Scheme.",
    "Keys are handed over to the caretaker, Mr Osric Pell.",
)


@functools.cache
def font(size_pt: float) -> ImageFont.FreeTypeFont:
    """A font with Chinese and Latin letters, for 150 dpi."""
    import pylopdf_fonts_zh_cn

    file = Path(pylopdf_fonts_zh_cn.__file__).parent / "NotoSansSC-Regular.otf"
    return ImageFont.truetype(str(file), round(size_pt * _PT))


def scan(lines: Sequence[str], *, size_pt: float = 11, width_px: int = 1240) -> Image.Image:
    """The lines under each other on white paper."""
    step = round(size_pt * 1.8 * _PT)
    page = Image.new("L", (width_px, 2 * _MARGIN + step * len(lines)), 255)
    pen = ImageDraw.Draw(page)
    for at, line in enumerate(lines):
        pen.text((_MARGIN, _MARGIN + at * step), line, font=font(size_pt), fill=20)
    return page


def ruled(rows: Sequence[Sequence[str]], *, cell_px: tuple[int, int] = (270, 60)) -> Image.Image:
    """A table with rules around every cell."""
    across, down = cell_px
    left, top = _MARGIN, _MARGIN
    columns = len(rows[0])
    page = Image.new("L", (2 * left + across * columns, 2 * top + down * len(rows)), 255)
    pen = ImageDraw.Draw(page)
    for r, row in enumerate(rows):
        for c, text in enumerate(row):
            x, y = left + c * across, top + r * down
            pen.rectangle((x, y, x + across, y + down), outline=0, width=3)
            pen.text((x + 14, y + 14), text, font=font(11), fill=20)
    return page


def to_pdf(path: Path, pictures: Sequence[Image.Image]) -> Path:
    """A PDF with a picture a page, as a scanner makes it."""
    from reportlab.lib.utils import ImageReader
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), invariant=1)
    for picture in pictures:
        size = picture.width / _PT, picture.height / _PT
        buffer = io.BytesIO()
        picture.save(buffer, "PNG")
        canvas.setPageSize(size)
        canvas.drawImage(ImageReader(buffer), 0, 0, *size)
        canvas.showPage()
    canvas.save()
    return path
