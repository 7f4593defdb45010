"""What holds of every file that is read: nothing lost, nothing over the window, honest pages.

Over the generated samples, and the real files where they are at hand.
"""

from __future__ import annotations

import unicodedata
from collections import Counter
from pathlib import Path

import pytest
from samples.folder import samples

from ingest.chunking import Draft, chunk
from ingest.parsers import parse
from rag.records import Parsed
from rag.testing import HashEmbedder

_TARGET, _WINDOW = 120, 200
_SAMPLES = (
    "lease.pdf", "租赁合同.pdf", "turned.pdf", "tokens.pdf", "ledger.xlsx", "费用台账.xlsx",
    "部门汇总.xlsx", "two-tables.xlsx", "差旅制度.docx",
)  # fmt: skip
_REAL = (
    "en_xlsx/2023-half-year-analyses-by-segment.xlsx", "en_xlsx/vodafone.xlsx",
    "en_xlsx/xlsx_07_gap_tolerance_.xlsx", "en_xlsx/xlsx-subtable-cases.xlsx",
    "en_xlsx/tests-example.xls", "zh_xls/zh_balance_sheet_61287.xls",
    "zh_xls/zh_telecom_report_19599-2.xls", "zh_xls/easyexcel_t01.xls",
    "derived/公园_GB18030.csv", "derived/部门预算_合并单元格.xlsx", "csv/semicolon-delimited.csv",
    "zh_docx/title_splitter.docx",
    "en_docx/word_tables.docx", "derived/会计法.docx", "en_pdf/PerksPlus.pdf",
    "en_pdf/multicolumn.pdf", "zh_pdf/refcard-zh_TW-a4.pdf",
)  # fmt: skip


def _check(path: Path) -> None:
    parsed = parse(path)
    drafts = chunk(
        parsed.elements,
        document_name=path.stem,
        token_spans=HashEmbedder().token_spans,
        target_tokens=_TARGET,
        max_tokens=_WINDOW,
    )
    for draft in drafts:
        assert len(HashEmbedder().token_spans(draft.embedded_text)) <= _WINDOW
        assert draft.context.startswith(path.stem[:20])
        headings = draft.locator.section
        assert not headings or headings[-1][:20] in draft.context
        if draft.locator.lines:
            assert len(draft.locator.lines) == draft.text.count("\n") + 1
    _check_nothing_lost(parsed, drafts)
    _check_pages(parsed, drafts)


def _check_nothing_lost(parsed: Parsed, drafts: list[Draft]) -> None:
    body = [each.text for each in parsed.elements if each.kind not in ("header", "footer")]
    said = _letters(" ".join(draft.text for draft in drafts))
    assert not _letters(" ".join(body)) - said


def _check_pages(parsed: Parsed, drafts: list[Draft]) -> None:
    """A page that counts as read can be found, and none that doesn't."""
    by_sheet = {page.label.removesuffix(" (hidden)"): page.number for page in parsed.pages}
    found = {
        by_sheet[place.sheet] if place.sheet is not None else place.page
        for place in (draft.locator for draft in drafts)
    }
    assert all(draft.locator.page_end in (None, draft.locator.page) for draft in drafts)
    if found == {None}:  # a document without pages is one page
        found = {1}
    assert found == {page.number for page in parsed.pages if page.status in ("text", "ocr")}
    unread = [page for page in parsed.pages if page.status == "unreadable"]
    assert bool(unread) <= (parsed.failure is not None)


def _letters(text: str) -> Counter[str]:
    return Counter(filter(str.isalnum, unicodedata.normalize("NFKC", text)))


@pytest.mark.parametrize("name", _SAMPLES)
def test_of_a_sample_all_is_found_within_the_window(name: str) -> None:
    _check(samples() / name)


@pytest.mark.parametrize("name", _REAL)
def test_of_a_real_file_all_is_found_within_the_window(shared_files: Path, name: str) -> None:
    _check(shared_files / name)
