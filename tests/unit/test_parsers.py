from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
from samples.folder import facts, samples

from ingest.failures import Unreadable
from ingest.parsers import SUPPORTED, parse
from ingest.parsers.characters import clean, quality
from ingest.parsers.hyphens import with_hyphens, words
from ingest.parsers.paragraphs import Line, join
from rag.catalog.ledger import media_type_of
from rag.records import Reason

ROOT = Path(__file__).resolve().parents[2]
VENDORS = ("unstructured", "pypdfium2", "openpyxl", "docx", "torch", "spacy")


@pytest.mark.parametrize("fact", facts(), ids=lambda fact: f"{fact.file}: {fact.answer}")
def test_each_fact_is_read_where_it_stands(fact):
    found = [each for each in parse(samples() / fact.file).elements if fact.answer in each.text]
    assert found
    places = [each.locator for each in found]
    assert fact.page in [place.page for place in places]
    assert fact.sheet in [place.sheet for place in places]
    if fact.section:
        assert fact.section in [place.section[-1] for place in places if place.section]
    if fact.row:
        assert any(f"{fact.row}:" in (place.cells or "") for place in places)


@pytest.mark.parametrize(
    ("name", "code", "advice"),
    [
        ("empty.pdf", Reason.CORRUPT, "anew"),
        ("truncated.pdf", Reason.CORRUPT, "anew"),
        ("truncated.docx", Reason.CORRUPT, "anew"),
        ("encrypted.xlsx", Reason.ENCRYPTED, "password"),
        ("password.pdf", Reason.ENCRYPTED, "password"),
        ("old.wps", Reason.UNSUPPORTED, ".docx"),
        ("papers.zip", Reason.UNSUPPORTED, "Unpack it"),
        ("scan.pdf", Reason.NO_TEXT, "200 dpi"),
    ],
)
def test_a_file_that_cannot_be_read_says_why_and_what_to_do(name, code, advice):
    with pytest.raises(Unreadable) as caught:
        parse(samples() / "broken" / name)
    assert caught.value.failure.code is code
    assert advice in caught.value.failure.advice


def test_a_file_of_another_kind_than_its_name_is_corrupt(tmp_path):
    for name in ("a.pdf", "a.docx", "a.xlsx"):
        fake = tmp_path / name
        fake.write_text("just words")
        with pytest.raises(Unreadable) as caught:
            parse(fake)
        assert caught.value.failure.code is Reason.CORRUPT


def test_importing_the_parsers_loads_no_library():
    code = f"import sys, ingest, ingest.parsers; print([v for v in {VENDORS} if v in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


@pytest.mark.parametrize(
    ("encoding", "name"), [("gb18030", "a.txt"), ("utf-16", "b.txt"), ("utf-8-sig", "c.md")]
)
def test_text_is_read_in_the_encoding_it_was_saved_in(tmp_path, encoding, name):
    (tmp_path / name).write_bytes("第一章 押金\n\n押金为三千元。".encode(encoding))
    assert parse(tmp_path / name).elements[-1].text == "押金为三千元。"


def test_a_table_of_markdown_heads_its_rows_and_can_be_counted(tmp_path):
    page = (
        "# Prices\nAll net.\n| Part | Left |\n|:--|--:|\n| Nut \\| bolt | 0 |\n| Rad | 7 |\nEnd.\n"
    )
    (tmp_path / "a.md").write_text(page)
    parsed = parse(tmp_path / "a.md")
    assert [(each.kind, each.text, each.header) for each in parsed.elements] == [
        ("title", "Prices", ""), ("text", "All net.", ""), ("table", "Part | Left", "Part | Left"),
        ("table", "Nut | bolt | 0", "Part | Left"), ("table", "Rad | 7", "Part | Left"),
        ("text", "End.", ""),
    ]  # fmt: skip
    (table,) = parsed.tables
    assert (table.header, table.locator.section) == (("Part", "Left"), ("Prices",))
    assert [row.values for row in table.rows] == [("Nut | bolt", 0), ("Rad", 7)]


def test_bars_in_markdown_alone_make_no_table(tmp_path):
    (tmp_path / "a.md").write_text("a | b\n-----\nc | d\n\n|" + "-" * 5000 + "x\n")
    assert {each.kind for each in parse(tmp_path / "a.md").elements} == {"text"}


def test_csv_rows_keep_their_labels(tmp_path):
    (tmp_path / "登记.csv").write_bytes("姓名;城市\n甲;临溪\n".encode("gb18030"))
    (row,) = parse(tmp_path / "登记.csv").elements
    assert (row.text, row.locator.cells) == ("姓名: 甲 | 城市: 临溪", "A2:B2")


def test_radicals_become_the_characters_they_stand_for():
    assert clean("⽤户⻚⾯⻅⻓⻋") == "用户页面见长车"


def test_chinese_set_with_blanks_is_drawn_together_and_words_are_not():
    assert clean("目 录 与 说 明") == "目录与说明"
    assert clean("第一章 总 则") == "第一章 总 则"


@pytest.mark.parametrize(
    "junk", ["(cid:12)(cid:7)(cid:9)", "\ufffd\ufffd\ufffd", "Ä¿¡¡ÎÄ×Ö", "\ue001\ue002"]
)
def test_junk_is_told_from_text(junk):
    assert quality(junk) < 0.5
    assert quality("Ein schöner Satz über Müller, 合同编号 7。") > 0.95


def _lines(*texts):
    return [Line(text, 0, 10 * at, 100, 10 * at + 9, 9, False) for at, text in enumerate(texts)]


@pytest.mark.parametrize(
    ("lines", "read"),
    [
        (("the agree\x02", "ment holds"), "the agreement holds"),
        (("a cutting\x02", "edge plan", "cutting-edge again"), "a cutting-edge plan"),
        (("costs out\x02", "of-pocket"), "costs out-of-pocket"),
        (("a long\x02", "term view", "a long view", "a term"), "a long-term view"),
    ],
)
def test_words_broken_at_line_ends_are_healed(lines, read):
    broken = _lines(*lines)
    assert join(tuple(with_hyphens(broken, words(broken)))[:2]) == read


def test_real_statutes_keep_every_article_on_its_page(shared_files):
    parsed = parse(shared_files / "derived" / "公司法.pdf")
    articles = [each for each in parsed.elements if each.text.startswith("第")]
    starts = {each.text.split()[0]: each.locator.page for each in articles}
    assert sum(name.endswith("条") for name in starts) == 266
    assert starts["第二百六十六条"] == 22


def test_every_kind_that_is_read_has_a_media_type():
    unknown = [each for each in SUPPORTED if media_type_of(f"a{each}").endswith("octet-stream")]
    assert unknown == []
