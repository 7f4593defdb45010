"""LibreOffice: pages of Word and PowerPoint files, old kinds, and what happens when it fails."""

from __future__ import annotations

import io
import itertools
import os
import socket
import stat
import subprocess
import sys
import threading
import time
import zipfile
from pathlib import Path

import docx
import psutil
import pytest
from docx.shared import Inches
from PIL import Image, ImageDraw, ImageFont
from samples.folder import samples
from samples.raw_word import lists, p, write_word

from ingest.failures import Unreadable
from ingest.office import (
    Office,
    OfficeFailed,
    find_office,
    reads_formulas,
    revision_of,
    sweep,
)
from ingest.parsers import parse
from ingest.previews import PagePreviewer
from rag.errors import Unsupported
from rag.excerpt import Marks
from rag.records import Reason

ROOT = Path(__file__).resolve().parents[2]
needs_office = pytest.mark.skipif(
    find_office(samples()) is None, reason="LibreOffice is not installed"
)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("previews")


@pytest.fixture
def scripted(tmp_path):
    """A LibreOffice that does as it is told; its last words are the arguments it was given."""

    def made(script, timeout_s=20.0):
        program = tmp_path / "soffice"
        program.write_text(f"#!{sys.executable}\nimport os, sys, time, subprocess\n{script}\n")
        program.chmod(program.stat().st_mode | stat.S_IEXEC)
        return Office(str(program), tmp_path / "previews", timeout_s=timeout_s)

    return made


WRITE = """
out = sys.argv[sys.argv.index("--outdir") + 1]
os.makedirs(out)
open(os.path.join(out, "document.pdf"), "w").write("made of " + os.path.basename(sys.argv[-1]))
"""


def test_a_rendering_is_made_once_a_revision(scripted, tmp_path):
    office = scripted(WRITE)
    one, copy = tmp_path / "a.docx", tmp_path / "b.docx"
    one.write_text("words")
    copy.write_text("words")
    made = office.rendering(one)
    assert made.name == f"{revision_of(one)}.pdf"
    assert made.read_text() == "made of document.docx"
    made.write_text("kept")
    assert office.rendering(copy).read_text() == "kept"
    assert list((tmp_path / "previews/.work").iterdir()) == []


@pytest.mark.parametrize("script", ["sys.exit(1)", "os.abort()", "pass"])
def test_no_output_is_a_failure_and_leaves_nothing(scripted, tmp_path, script):
    (tmp_path / "a.docx").write_text("words")
    with pytest.raises(OfficeFailed) as caught:
        scripted(script).rendering(tmp_path / "a.docx")
    assert not caught.value.timed_out
    assert list((tmp_path / "previews/.work").iterdir()) == []


def test_one_that_takes_too_much_memory_is_ended(scripted, tmp_path, monkeypatch):
    monkeypatch.setattr("ingest.office._MEMORY_BYTES", 1 << 20)
    (tmp_path / "a.docx").write_text("words")
    with pytest.raises(OfficeFailed) as caught:
        scripted("time.sleep(600)", timeout_s=60.0).rendering(tmp_path / "a.docx")
    assert not caught.value.timed_out


def test_time_in_which_nothing_could_run_does_not_count(scripted, tmp_path, monkeypatch):
    clock = itertools.count(step=300.0)
    monkeypatch.setattr("ingest.office.time.monotonic", lambda: next(clock))
    (tmp_path / "a.docx").write_text("words")
    slow = scripted("time.sleep(1)" + WRITE, timeout_s=60.0)
    assert slow.rendering(tmp_path / "a.docx").exists()


def test_one_that_hangs_is_ended_with_all_it_started(scripted, tmp_path):
    (tmp_path / "a.docx").write_text("words")
    script = (
        "child = subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(600)'])\n"
        f"open({str(tmp_path / 'pid')!r}, 'w').write(str(child.pid))\ntime.sleep(600)"
    )
    with pytest.raises(OfficeFailed) as caught:
        scripted(script, timeout_s=2.0).rendering(tmp_path / "a.docx")
    assert caught.value.timed_out
    child = int((tmp_path / "pid").read_text())
    assert not psutil.pid_exists(child) or psutil.Process(child).status() == "zombie"


def test_a_word_file_is_read_without_pages_where_rendering_fails(scripted, tmp_path):
    path = write_word(tmp_path / "a.docx", p("The fee is 90."))
    parsed = parse(path, office=scripted("sys.exit(1)"))
    assert parsed.elements[0].locator.page is None
    assert [page.label for page in parsed.pages] == ["a.docx"]


@pytest.mark.parametrize("name", ["a.doc", "a.ppt", "a.odt", "a.rtf", "a.wps", "a.et", "a.ods"])
def test_old_kinds_without_libreoffice_say_what_to_do(tmp_path, name):
    (tmp_path / name).write_bytes(b"{\\rtf1 words}")
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / name)
    assert caught.value.failure.code is Reason.UNSUPPORTED
    assert "LibreOffice" in caught.value.failure.advice


def test_an_old_file_that_can_not_be_opened_is_corrupt_and_a_slow_one_timeout(scripted, tmp_path):
    (tmp_path / "a.doc").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    for script, code in (("sys.exit(0)", Reason.CORRUPT), ("time.sleep(60)", Reason.TIMEOUT)):
        with pytest.raises(Unreadable) as caught:
            parse(tmp_path / "a.doc", office=scripted(script, timeout_s=1.0))
        assert caught.value.failure.code is code


def test_a_start_sweeps_what_nobody_needs(tmp_path):
    keep, drop = "a" * 64, "b" * 64
    for name in (keep, drop):
        (tmp_path / f"{name}.pdf").write_text("x")
    (tmp_path / ".work/left").mkdir(parents=True)
    sweep(tmp_path, {keep})
    assert [kept.name for kept in tmp_path.iterdir()] == [f"{keep}.pdf"]
    sweep(tmp_path / "not there", set())


def test_an_old_encrypted_file_says_so(shared_files):
    with pytest.raises(Unreadable) as caught:
        parse(shared_files / "encrypted/rc4cryptoapi_password.doc")
    assert caught.value.failure.code is Reason.ENCRYPTED


def test_an_encrypted_opendocument_says_so(tmp_path):
    with zipfile.ZipFile(tmp_path / "a.odt", "w") as package:
        package.writestr("META-INF/manifest.xml", "<manifest:encryption-data/>")
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / "a.odt")
    assert caught.value.failure.code is Reason.ENCRYPTED


def _long(path):
    document = docx.Document()
    document.add_heading("Rules", 1)
    for number in range(1, 121):
        document.add_paragraph(f"Rule {number}. The keeper of house {number} locks the gate.")
    document.save(path)
    return path


@needs_office
def test_pages_and_boxes_come_from_the_rendering_and_its_picture_shows_the_words(tmp_path, folder):
    path = _long(tmp_path / "long.docx")
    office = find_office(folder)
    parsed = parse(path, office=office)
    places = [each.locator for each in parsed.elements]
    assert [place.page for place in places] == sorted(place.page for place in places)
    assert len(parsed.pages) == places[-1].page > 2
    assert {place.page_source for place in places} == {"rendered"}
    assert places[-1].label == f"approx. p. {places[-1].page} · Rules"
    assert all(place.boxes for place in places)
    previewer = PagePreviewer(renderings=folder)
    try:
        _check_picture(previewer, path, places[-1])
    finally:
        previewer.close()
    assert [kept.name for kept in folder.glob("*.pdf")] == [f"{revision_of(path)}.pdf"]


def _check_picture(previewer, path, place):
    (box,) = place.boxes
    plain, marked = (
        Image.open(
            io.BytesIO(previewer.page_picture(path, place.page, Marks(boxes), width_px=800).png)
        )
        for boxes in ((), place.boxes)
    )
    inside = [
        (x, y)
        for x in range(int(box.x0 * plain.width), int(box.x1 * plain.width))
        for y in range(int(box.y0 * plain.height), int(box.y1 * plain.height))
    ]
    assert sum(min(plain.getpixel(at)) < 120 for at in inside) > 50  # there are letters
    assert sum(marked.getpixel(at)[2] < 200 for at in inside) > len(inside) / 2


_GONE = '<w:del w:id="1" w:author="Pell"><w:r><w:delText>{}</w:delText></w:r></w:del>'
_MARK_GONE = '<w:rPr><w:del w:id="3" w:author="Pell"/></w:rPr>'


@needs_office
@pytest.mark.parametrize("kind", [".docx", ".odt"])
def test_a_file_with_tracked_changes_is_laid_out_as_it_reads_in_the_end(kind, tmp_path, folder):
    """With a hundred deleted paragraphs shown, what follows would stand two pages on."""
    office = find_office(folder)
    gone = p("", more=_GONE.format("Deleted words.")).replace("<w:pPr>", f"<w:pPr>{_MARK_GONE}")
    put_in = '<w:ins w:id="2" w:author="Pell"><w:r><w:t>80,000</w:t></w:r></w:ins>'
    body = p("The rent is ", more=_GONE.format("100,000") + put_in) + gone * 100 + p("The end.")
    path = write_word(tmp_path / "a.docx", body)
    if kind != ".docx":
        with office.converted(path, kind) as made:
            path = made.rename(tmp_path / f"a{kind}")
    parsed = parse(path, office=office)
    assert parsed.flags == ("tracked_changes",)
    assert [(each.text, each.locator.page) for each in parsed.elements] == [
        ("The rent is 80,000", 1), ("The end.", 1),
    ]  # fmt: skip
    assert all(each.locator.boxes for each in parsed.elements)
    shown = parse(office.kept(path))
    assert "".join(each.text for each in shown.elements).count("100,000") == 0
    assert len(shown.pages) == 1
    office.kept(path).unlink()  # the picture is made anew, and shows the same
    previewer = PagePreviewer(renderings=folder)
    try:
        previewer.page_picture(path, 1, Marks(parsed.elements[0].locator.boxes), width_px=400)
    finally:
        previewer.close()
    assert "100,000" not in "".join(each.text for each in parse(office.kept(path)).elements)


@needs_office
def test_numbers_tables_and_notes_find_their_place(tmp_path, folder):
    table = "".join(
        f"<w:tr>{''.join(f'<w:tc>{p(cell)}</w:tc>' for cell in row)}</w:tr>"
        for row in (("Zone", "Cap"), ("Amber", "140"))
    )
    note = '<w:r><w:footnoteReference w:id="2"/></w:r>'
    body = p("押金条款", num=(1, 0), more=note) + f"<w:tbl>{table}</w:tbl>" + p("The end.")
    path = write_word(
        tmp_path / "a.docx",
        body,
        numbering=lists(("chineseCountingThousand", "第%1条")),
        footnotes=f'<w:footnote w:id="2">{p("Without interest.")}</w:footnote>',
    )
    parsed = parse(path, office=find_office(folder))
    assert [each.text for each in parsed.elements] == [
        "第一条 押金条款", "[1] Without interest.", "Zone | Cap", "Amber | 140", "The end.",
    ]  # fmt: skip
    assert all(each.locator.boxes for each in parsed.elements)
    assert len(parsed.elements[3].locator.boxes) == 2  # a box a cell
    tops = [each.locator.boxes[0].y0 for each in parsed.elements]
    assert tops[1] == max(tops)  # the note stands at the foot of the page


@needs_office
@pytest.mark.parametrize("kind", [".rtf", ".wps"])
def test_old_kinds_are_read_like_new_ones(tmp_path, folder, kind):
    office = find_office(folder)
    made = ".doc" if kind == ".wps" else kind
    with office.converted(samples() / "差旅制度.docx", made) as old:
        path = old.rename(tmp_path / f"old{kind}")
    parsed = parse(path, office=office)
    rail = next(each for each in parsed.elements if "二等座" in each.text)
    assert rail.locator.section[-1] == "一、交通标准"
    assert rail.locator.page == 1
    assert "乙类 | 380 元 | 不含" in [each.text for each in parsed.elements]


@needs_office
def test_an_opendocument_sheet_keeps_its_cells(tmp_path, folder):
    office = find_office(folder)
    with office.converted(samples() / "two-tables.xlsx", ".ods") as made:
        path = made.rename(tmp_path / "a.ods")
    cells = {each.locator.cells: each.text for each in parse(path, office=office).elements}
    assert cells["A3:B3"] == "Item: Desk | Count: 7"


@needs_office
def test_nothing_a_document_links_to_is_fetched(tmp_path, folder):
    asked = []
    with socket.create_server(("127.0.0.1", 0)) as server:
        server.settimeout(0.2)
        stop = threading.Event()
        thread = threading.Thread(target=_listen, args=(server, asked, stop))
        thread.start()
        address = f"http://127.0.0.1:{server.getsockname()[1]}/x.png"
        path = _linking(tmp_path / "a.docx", address)
        parsed = parse(path, office=find_office(folder))
        stop.set()
        thread.join()
    assert parsed.elements[0].locator.page_source == "rendered"
    assert asked == []


def _linking(path, address):
    """A Word file whose picture lies elsewhere."""
    document = docx.Document()
    document.add_paragraph("Words.")
    picture = io.BytesIO()
    Image.new("RGB", (40, 40), "red").save(picture, "PNG")
    picture.seek(0)
    document.add_picture(picture)
    (embedded,) = [r for r in document.part.rels.values() if r.reltype.endswith("/image")]
    stored = io.BytesIO()
    document.save(stored)
    with zipfile.ZipFile(stored) as source, zipfile.ZipFile(path, "w") as target:
        for name in source.namelist():
            data = source.read(name)
            data = data.replace(b"r:embed=", b"r:link=")
            inside = f'Target="{embedded.target_part.partname.lstrip("/word")}"'.encode()
            outside = f'Target="{address}" TargetMode="External"'.encode()
            target.writestr(name, data.replace(inside, outside))
    return path


def _listen(server, asked, stop):
    while not stop.is_set():
        try:
            connection, _ = server.accept()
        except TimeoutError:
            continue
        asked.append(connection.recv(100))
        connection.close()


def test_without_libreoffice_a_word_file_has_no_picture():
    previewer = PagePreviewer()
    with pytest.raises(Unsupported):
        previewer.page_picture(samples() / "差旅制度.docx", 1, Marks(), width_px=100)
    previewer.close()


def test_a_child_that_is_ended_takes_libreoffice_with_it(scripted, tmp_path, monkeypatch):
    from ingest.child import ParsingChild

    pid = tmp_path / "pid"
    scripted(f"open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)")
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    write_word(tmp_path / "a.docx", p("Words."))
    child = ParsingChild(renderings=tmp_path / "previews")
    reading = threading.Thread(target=_read_in_vain, args=(child, tmp_path / "a.docx"))
    reading.start()
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    child.close()
    reading.join()
    office = int(pid.read_text())
    while psutil.pid_exists(office) and psutil.Process(office).status() != "zombie":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def _read_in_vain(child, path):
    from rag.errors import Unavailable

    with pytest.raises(Unavailable):
        child.parse(path)


@needs_office
def test_a_scan_in_a_word_file_is_read_by_text_recognition(tmp_path, folder):
    scan = Image.new("RGB", (1240, 1754), "white")
    font = ImageFont.load_default(40)
    ImageDraw.Draw(scan).text((120, 300), "The Quillon deposit is 4,300 pounds.", "black", font)
    stored = io.BytesIO()
    scan.save(stored, "PNG")
    stored.seek(0)
    document = docx.Document()
    document.add_heading("Typed heading", 1)
    document.add_page_break()
    document.add_picture(stored, width=Inches(5))
    document.save(tmp_path / "scan.docx")
    parsed = parse(tmp_path / "scan.docx", office=find_office(folder))
    assert [page.status for page in parsed.pages] == ["text", "ocr"]
    assert parsed.flags == ("ocr",)
    read = parsed.elements[-1]
    assert "4,300" in read.text
    assert (read.locator.page, read.locator.section) == (2, ("Typed heading",))
    assert read.locator.boxes


def test_a_service_that_is_killed_leaves_no_libreoffice(scripted, tmp_path):
    pid = tmp_path / "pid"
    scripted(f"open({str(pid)!r}, 'w').write(str(os.getpid()))\ntime.sleep(600)")
    write_word(tmp_path / "a.docx", p("Words."))
    service = subprocess.Popen(
        [sys.executable, "-c", "import sys, pathlib; from ingest.child import ParsingChild;"
         "at = pathlib.Path(sys.argv[1]); ParsingChild(renderings=at).parse(at / 'a.docx')",
         tmp_path],
        env={**os.environ, "PATH": f"{tmp_path}{os.pathsep}{os.environ['PATH']}"},
        cwd=ROOT,
    )  # fmt: skip
    deadline = time.monotonic() + 60
    while not (pid.exists() and pid.read_text()) and time.monotonic() < deadline:
        time.sleep(0.05)
    service.kill()
    service.wait()
    office = int(pid.read_text())
    while psutil.pid_exists(office) and psutil.Process(office).status() != "zombie":
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_a_new_word_file_under_an_old_name_is_read_as_what_it_is(tmp_path):
    path = write_word(tmp_path / "a.doc", p("The fee is 90."))
    assert [each.text for each in parse(path).elements] == ["The fee is 90."]


def test_an_old_word_file_under_a_new_name_is_told_as_what_it_is(tmp_path):
    (tmp_path / "a.docx").write_bytes(b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600))
    with pytest.raises(Unreadable) as caught:
        parse(tmp_path / "a.docx")
    assert "an old Word document" in caught.value.failure.message
    assert "LibreOffice" in caught.value.failure.advice


def test_a_rendering_that_is_cut_off_is_thrown_away(scripted, tmp_path):
    path = write_word(tmp_path / "a.docx", p("The fee is 90."))
    parsed = parse(path, office=scripted(WRITE))  # which writes no PDF
    assert parsed.elements[0].locator.page is None
    assert list((tmp_path / "previews").glob("*.pdf")) == []


def test_a_program_that_can_not_be_started_is_a_failure(tmp_path):
    (tmp_path / "a.docx").write_text("words")
    with pytest.raises(OfficeFailed):
        Office(str(tmp_path / "gone"), tmp_path / "previews").rendering(tmp_path / "a.docx")
    with pytest.raises(FileNotFoundError):
        Office("soffice", tmp_path / "previews").rendering(tmp_path / "gone.docx")


def test_a_rendering_of_other_words_is_not_believed(scripted, tmp_path):
    lease = str(samples() / "lease.pdf")
    copying = WRITE + f"import shutil; shutil.copy({lease!r}, os.path.join(out, 'document.pdf'))"
    path = write_word(tmp_path / "a.docx", p("Words that stand in no lease, whatever it says."))
    parsed = parse(path, office=scripted(copying))
    assert parsed.elements[0].locator.page is None
    assert not parsed.elements[0].locator.boxes


@needs_office
@pytest.mark.skipif(not reads_formulas(), reason="LibreOffice is installed without Math")
@pytest.mark.parametrize("kind", [".odt", ".doc", ".rtf"])
def test_formulas_of_old_kinds_are_read(tmp_path, folder, kind):
    names = 'xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"'
    over = "".join(
        f"<m:{part}><m:r><m:t>{said}</m:t></m:r></m:{part}>"
        for part, said in (("num", "a+b"), ("den", "12"))
    )
    math = f"<m:oMath {names}><m:f>{over}</m:f></m:oMath>"
    office = find_office(folder)
    made = write_word(tmp_path / "a.docx", p("The rate is ", more=math))
    with office.converted(made, kind) as old:
        path = old.rename(tmp_path / f"old{kind}")
    text = " ".join(each.text for each in parse(path, office=office).elements)
    assert "(a+b)/12" in text.replace(" ", "")
