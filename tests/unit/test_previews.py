from __future__ import annotations

import io

import pypdfium2
import pytest
from PIL import Image
from samples.folder import samples

from ingest.parsers import parse
from ingest.parsers.geometry import fractions
from ingest.parsers.pdf_text import show
from ingest.previews import PagePreviewer
from rag.errors import NotFound, Unsupported
from rag.excerpt import Marks
from rag.records import Box


@pytest.fixture(scope="module")
def previewer():
    drawing = PagePreviewer()
    yield drawing
    drawing.close()


def _drawn(previewer, name, page=1, boxes=(), width_px=600):
    marks = Marks(tuple(boxes))
    drawn = previewer.page_picture(samples() / name, page, marks, width_px=width_px)
    return Image.open(io.BytesIO(drawn.png)).convert("RGB")


def _is_marked(pixel):
    red, _, blue = pixel
    return red > 200 and blue < red - 40


def test_a_page_is_drawn_at_the_width_asked_for(previewer):
    picture = _drawn(previewer, "lease.pdf", width_px=400)
    assert abs(picture.width - 400) <= 1
    assert picture.height > picture.width


@pytest.mark.parametrize("name", ["租赁合同.pdf", "turned.pdf"])
def test_the_words_found_are_the_words_marked(previewer, name):
    boxes = parse(samples() / name).elements[0].locator.boxes
    picture = _drawn(previewer, name, boxes=boxes)
    plain = _drawn(previewer, name)
    (box,) = boxes
    dark = [
        (x, y) for x in range(picture.width) for y in range(picture.height)
        if min(plain.getpixel((x, y))) < 100
        and box.x0 <= x / picture.width <= box.x1 and box.y0 <= y / picture.height <= box.y1
    ]  # fmt: skip
    if name == "租赁合同.pdf" and not dark:
        pytest.skip("this computer has no Chinese font, and the file brings none")
    assert len(dark) > 50  # the box has letters in it
    middle = ((box.x0 + box.x1) / 2 * picture.width, (box.y0 + 0.001) * picture.height)
    assert _is_marked(picture.getpixel((int(middle[0]), int(middle[1]))))


def test_boxes_of_other_pages_are_not_drawn(previewer):
    marked = _drawn(previewer, "lease.pdf", 2, [Box(1, 0, 0, 1, 1)])
    assert marked.getpixel((5, 5)) == (255, 255, 255)


def test_a_page_that_is_not_there_is_not_found(previewer):
    with pytest.raises(NotFound):
        _drawn(previewer, "lease.pdf", 4)


@pytest.mark.parametrize("name", ["ledger.xlsx", "broken/truncated.pdf"])
def test_what_has_no_pages_is_unsupported(previewer, name):
    with pytest.raises(Unsupported):
        _drawn(previewer, name)


def test_a_photograph_is_drawn_the_right_way_up_with_its_words_marked(previewer, tmp_path):
    photo = Image.new("RGB", (300, 200), "white")
    photo.paste("black", (0, 0, 300, 20))  # dark at what the camera took for the top
    turned = Image.Exif()
    turned[274] = 6  # to be shown turned by 90 degrees: that edge is on the right
    photo.save(tmp_path / "photo.jpg", exif=turned)
    box = Box(1, 0.1, 0.4, 0.3, 0.6)
    png = previewer.page_picture(tmp_path / "photo.jpg", 1, Marks((box,)), width_px=200).png
    picture = Image.open(io.BytesIO(png)).convert("RGB")
    assert picture.size == (200, 300)
    assert max(picture.getpixel((197, 150))) < 60
    assert _is_marked(picture.getpixel((40, 150)))
    with pytest.raises(NotFound):
        previewer.page_picture(tmp_path / "photo.jpg", 2, Marks(()), width_px=200)


def test_a_damaged_photograph_is_unsupported(previewer, tmp_path):
    (tmp_path / "photo.png").write_bytes(b"\x89PNG\r\n\x1a\n no more")
    with pytest.raises(Unsupported):
        previewer.page_picture(tmp_path / "photo.png", 1, Marks(()), width_px=200)


def _quoted(previewer, name, quote):
    """What is marked of a passage of the sample that says the quote, and its own boxes."""
    element = next(each for each in parse(samples() / name).elements if quote in each.text)
    place = element.locator
    marks = Marks(place.boxes, quote, element.text.find(quote) / len(element.text))
    return previewer.page_picture(samples() / name, place.page, marks, width_px=600), place.boxes


def _read_in(name, boxes):
    """What stands in the boxes of a page."""
    with pypdfium2.PdfDocument(samples() / name) as document:
        page = document[boxes[0].page - 1]
        back = show(page).then(fractions(*page.get_size())).inverse()
        places = [back.rectangle(box.x0, box.y0, box.x1, box.y1) for box in boxes]
        said = [page.get_textpage().get_text_bounded(*place) for place in places]
    return "".join("".join(said).split())


@pytest.mark.parametrize(
    ("name", "quote"),
    [
        ("租赁合同.pdf", "每月租金为人民币壹万"),
        ("turned.pdf", "safe opens with"),
        ("lease.pdf", "4,250 pounds"),
    ],
)
def test_of_a_line_just_the_words_quoted_are_marked(previewer, name, quote):
    drawn, around = _quoted(previewer, name, quote)
    assert drawn.is_quote
    assert _read_in(name, drawn.boxes) == "".join(quote.split())
    assert all(box in around or _area(box) < _area(around[0]) for box in drawn.boxes)


def _area(box):
    return (box.x1 - box.x0) * (box.y1 - box.y0)


def test_a_quote_that_is_not_there_leaves_the_passage_marked(previewer):
    element = parse(samples() / "lease.pdf").elements[0]
    marks = Marks(element.locator.boxes, "words of another file", 0.0)
    drawn = previewer.page_picture(samples() / "lease.pdf", 1, marks, width_px=300)
    assert (drawn.boxes, drawn.is_quote) == (element.locator.boxes, False)
