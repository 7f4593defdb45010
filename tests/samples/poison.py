"""Files made to hurt whoever opens them, made anew at each run; each is named by what it does."""

from __future__ import annotations

import io
import struct
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
S = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
MIB = 1 << 20


def poison() -> dict[str, Callable[[Path], None]]:
    """Makers by file name."""
    return {
        "bomb.docx": _zeros("word/media/a.bin"),
        "bomb.xlsx": _zeros("xl/media/a.bin"),
        "bomb.epub": _zeros("OEBPS/a.bin"),
        "nested.docx": _nested,
        "many-parts.docx": _many_parts,
        "lying-size.docx": _lying_size,
        "overlapping.docx": _overlapping,
        "laughs.docx": lambda path: _docx(path, _laughs(f"<w:document {W}>", "w:t")),
        "blowup.docx": lambda path: _docx(path, _blowup()),
        "huge-xml.docx": lambda path: _docx(path, _huge_document(120)),
        "laughs.xlsx": lambda path: _xlsx(path, strings=_laughs(f"<sst {S}>", "t")),
        "formatted-rows.xlsx": lambda path: _xlsx(path, _formatted_rows(1_048_576)),
        "last-cell.xlsx": lambda path: _xlsx(path, _last_cell()),
        "wide.xlsx": lambda path: _xlsx(path, _wide(16_384, 60)),
        "merged.xlsx": lambda path: _xlsx(path, _merged()),
        "page-tree.pdf": _page_tree,
        "xref-loop.pdf": _xref_loop,
        "vast-page.pdf": _vast_page,
        "two-thousand.pdf": _two_thousand,
        "one-line.txt": lambda path: path.write_bytes(b"alder " * (100 * MIB // 6)) and None,
        "deep.html": lambda path: (
            path.write_text("<div>" * 100_000 + "deep" + "</div>" * 100_000, encoding="utf-8")
            and None
        ),
        "deep.md": lambda path: path.write_text("> " * 200_000 + "deep", encoding="utf-8") and None,
    }


# -- packages


def _package(path: Path, parts: dict[str, bytes | Iterator[bytes]]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts.items():
            with package.open(name, "w", force_zip64=True) as part:
                for block in [data] if isinstance(data, bytes) else data:
                    part.write(block)


def _docx(path: Path, document: bytes | Iterator[bytes]) -> None:
    import docx

    whole = io.BytesIO()
    docx.Document().save(whole)
    _replaced(whole, path, {"word/document.xml": document})


def _xlsx(path: Path, sheet: bytes | Iterator[bytes] = b"", strings: bytes = b"") -> None:
    from openpyxl import Workbook

    book, whole = Workbook(), io.BytesIO()
    book.active["A1"] = "Alder"
    book.save(whole)
    given = {"xl/worksheets/sheet1.xml": sheet, "xl/sharedStrings.xml": strings}
    _replaced(whole, path, {name: data for name, data in given.items() if data})


def _replaced(whole: io.BytesIO, path: Path, given: dict[str, bytes | Iterator[bytes]]) -> None:
    with zipfile.ZipFile(whole) as package:
        parts = {name: package.read(name) for name in package.namelist()}
    _package(path, {**parts, **given})


def _zeros(name: str) -> Callable[[Path], None]:
    """A part that unpacks to far more than it weighs."""

    def make(path: Path) -> None:
        with (
            zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=1) as package,
            package.open(name, "w", force_zip64=True) as part,
        ):
            for _ in range(1030):
                part.write(bytes(MIB))

    return make


def _nested(path: Path) -> None:
    """A package in a package in a package, each part a bomb itself."""
    data: bytes = zlib.compress(bytes(8 * MIB))
    for _ in range(5):
        inner = io.BytesIO()
        with zipfile.ZipFile(inner, "w", zipfile.ZIP_DEFLATED) as package:
            for at in range(8):
                package.writestr(f"{at}.zip", data)
        data = inner.getvalue()
    _package(path, {"word/document.xml": b"<w:document/>", "word/embeddings/a.docx": data})


def _many_parts(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as package:
        for at in range(25_000):
            package.writestr(f"word/{at}", b"")


def _lying_size(path: Path) -> None:
    """Says of 200 MB that they are 100 bytes, in both headers."""
    _docx(path, _huge_document(200))
    data = bytearray(path.read_bytes())
    name = b"word/document.xml"
    for magic, at_size, at_name in ((b"PK\1\2", 24, 46), (b"PK\3\4", 22, 30)):
        at = data.find(magic)
        while at >= 0:
            if data[at + at_name : at + at_name + len(name)] == name:
                struct.pack_into("<I", data, at + at_size, 100)
            at = data.find(magic, at + 4)
    path.write_bytes(data)


def _overlapping(path: Path) -> None:
    """Many entries over the same compressed bytes."""
    squeezer = zlib.compressobj(9, zlib.DEFLATED, -15)
    size = 4 * MIB
    body = squeezer.compress(bytes(size)) + squeezer.flush()
    crc = zlib.crc32(bytes(size))
    name = b"word/document.xml"
    local = struct.pack("<4s5H3I2H", b"PK\3\4", 20, 0, 8, 0, 0, crc, len(body), size, len(name), 0)
    directory = b"".join(
        struct.pack(
            "<4s6H3I5H2I", b"PK\1\2", 20, 20, 0, 8, 0, 0, crc, len(body), size,
            len(name) + 5, 0, 0, 0, 0, 0, 0,
        ) + name + b"%05d" % at
        for at in range(1000)
    )  # fmt: skip
    start = len(local) + len(name) + len(body)
    end = struct.pack("<4s4H2IH", b"PK\5\6", 0, 0, 1000, 1000, len(directory), start, 0)
    path.write_bytes(local + name + body + directory + end)


# -- XML


def _laughs(opening: str, tag: str) -> bytes:
    entities = ['<!ENTITY a0 "ha">']
    entities += [f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 12)]
    inner = f"<{tag}>&a11;</{tag}>"
    if tag == "w:t":
        inner = f"<w:body><w:p><w:r>{inner}</w:r></w:p></w:body>"
    else:
        inner = f"<si>{inner}</si>"
    closing = f"</{opening[1:].split(maxsplit=1)[0]}>"
    head = f'<?xml version="1.0"?><!DOCTYPE x [{"".join(entities)}]>'
    return (head + opening + inner + closing).encode()


def _blowup() -> bytes:
    big = "alder " * 20_000
    head = f'<?xml version="1.0"?><!DOCTYPE x [<!ENTITY a "{big}">]>'
    run = f"<w:p><w:r><w:t>{'&a;' * 20_000}</w:t></w:r></w:p>"
    return f"{head}<w:document {W}><w:body>{run}</w:body></w:document>".encode()


def _huge_document(mebibytes: int) -> Iterator[bytes]:
    yield f"<w:document {W}><w:body>".encode()
    paragraph = b"<w:p><w:r><w:t>Alder</w:t></w:r></w:p>"
    for _ in range(mebibytes):
        yield paragraph * (MIB // len(paragraph))
    yield b"</w:body></w:document>"


def _sheet(rows: Iterator[bytes], *, dimension: str = "", after: bytes = b"") -> Iterator[bytes]:
    said = f'<dimension ref="{dimension}"/>' if dimension else ""
    yield f"<worksheet {S}>{said}<sheetData>".encode()
    yield from rows
    yield b"</sheetData>" + after + b"</worksheet>"


def _text(at: str, words: str) -> bytes:
    return f'<c r="{at}" t="inlineStr"><is><t>{words}</t></is></c>'.encode()


def _formatted_rows(count: int) -> Iterator[bytes]:
    """A million rows that hold nothing but their formats, over the whole width."""

    def rows() -> Iterator[bytes]:
        yield b'<row r="1">' + _text("A1", "Alder") + b"</row>"
        for at in range(2, count + 1):
            yield f'<row r="{at}" s="0" customFormat="1"><c r="A{at}" s="0"/></row>'.encode()

    return _sheet(rows(), dimension="A1:XFD1048576")


def _last_cell() -> Iterator[bytes]:
    first = b'<row r="1">' + _text("A1", "Alder") + b"</row>"
    last = b'<row r="1048576">' + _text("XFD1048576", "Birch") + b"</row>"
    return _sheet(iter([first, last]), dimension="A1:XFD1048576")


def _wide(columns: int, count: int) -> Iterator[bytes]:
    from openpyxl.utils import get_column_letter

    letters = [get_column_letter(at) for at in range(1, columns + 1)]
    return _sheet(
        f'<row r="{row}">'.encode()
        + b"".join(f'<c r="{letter}{row}"><v>{row}</v></c>'.encode() for letter in letters)
        + b"</row>"
        for row in range(1, count + 1)
    )


def _merged() -> Iterator[bytes]:
    """One cell merged over the whole sheet."""
    first = b'<row r="1">' + _text("A1", "Alder") + b"</row>"
    after = b'<mergeCells count="1"><mergeCell ref="A1:XFD1048576"/></mergeCells>'
    return _sheet(iter([first]), after=after)


# -- PDF


def _pdf(path: Path, objects: list[bytes], trailer: bytes = b"") -> None:
    data, places = b"%PDF-1.7\n", []
    for number, body in enumerate(objects, start=1):
        places.append(len(data))
        data += b"%d 0 obj\n" % number + body + b"\nendobj\n"
    table = b"xref\n0 %d\n0000000000 65535 f \n" % (len(objects) + 1)
    table += b"".join(b"%010d 00000 n \n" % place for place in places)
    start = len(data)
    prev = trailer.replace(b"HERE", b"%d" % start)
    data += table + b"trailer <</Size %d /Root 1 0 R %s>>\n" % (len(objects) + 1, prev)
    path.write_bytes(data + b"startxref\n%d\n%%%%EOF" % start)


def _page_tree(path: Path) -> None:
    """A tree of pages whose branches grow into each other."""
    _pdf(
        path,
        [
            b"<</Type /Catalog /Pages 2 0 R>>",
            b"<</Type /Pages /Kids [3 0 R 3 0 R 3 0 R] /Count 1000000000>>",
            b"<</Type /Pages /Kids [2 0 R 3 0 R 2 0 R] /Parent 3 0 R /Count 1000000000>>",
        ],
    )


def _xref_loop(path: Path) -> None:
    """The table of objects says that an earlier one stands where it stands itself."""
    page = b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 200 200] /Contents 4 0 R>>"
    _pdf(
        path,
        [
            b"<</Type /Catalog /Pages 2 0 R>>",
            b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
            page,
            b"<</Length 5 0 R>> stream\nBT ET\nendstream",
            b"5 0 R",
        ],
        b"/Prev HERE",
    )


def _vast_page(path: Path) -> None:
    """The largest page there may be, wholly covered by a picture of 20,000 x 20,000."""
    side = 20_000
    squeezer = zlib.compressobj(9)
    pixels = b"".join(squeezer.compress(bytes(side)) for _ in range(side)) + squeezer.flush()
    draw = b"q 14400 0 0 14400 0 0 cm /I Do Q"
    picture = b"/Type /XObject /Subtype /Image /ColorSpace /DeviceGray /BitsPerComponent 8"
    _pdf(
        path,
        [
            b"<</Type /Catalog /Pages 2 0 R>>",
            b"<</Type /Pages /Kids [3 0 R] /Count 1>>",
            b"<</Type /Page /Parent 2 0 R /MediaBox [0 0 14400 14400] /Contents 4 0 R"
            b" /Resources <</XObject <</I 5 0 R>>>>>>",
            b"<</Length %d>> stream\n%s\nendstream" % (len(draw), draw),
            b"<<%s /Width %d /Height %d /Filter /FlateDecode /Length %d>> stream\n%s\nendstream"
            % (picture, side, side, len(pixels), pixels),
        ],
    )


def _two_thousand(path: Path) -> None:
    from reportlab.pdfgen.canvas import Canvas

    canvas = Canvas(str(path), invariant=1)
    for number in range(1, 2001):
        for line in range(40):
            canvas.drawString(40, 780 - 18 * line, f"Page {number}, line {line}, of the Alder roll")
        canvas.showPage()
    canvas.save()
