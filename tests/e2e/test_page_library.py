"""The library in a real browser, over a scripted server: told, found, added, taken away."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import BROWSER

from tests.e2e.stub_app import State
from tests.e2e.stub_library import document
from tests.e2e.stub_server import Served, serving, until

playwright = pytest.importorskip("playwright.sync_api")
expect = playwright.expect

pytestmark = BROWSER


@pytest.fixture
def shelf(served: Served, open_page: Any) -> Any:
    """The library's page with its five documents."""
    page = open_page(f"{served.url}/#/library")
    expect(page.locator(".document")).to_have_count(5)
    return page


def drop(page: Any, **files: str) -> None:
    """Drop files, by name, onto the page."""
    page.evaluate(
        """files => {
          const transfer = new DataTransfer();
          const add = ([name, text]) => transfer.items.add(new File([text], name));
          Object.entries(files).forEach(add);
          window.dispatchEvent(new DragEvent('drop', {dataTransfer: transfer, cancelable: true}));
        }""",
        files,
    )


# ------------------------------------------------------------- what is told


def test_documents_tell_their_state_in_both_languages(shelf: Any) -> None:
    locked = shelf.locator("[data-id=locked]")
    expect(locked).to_contain_text("Could not be read")
    expect(locked).to_contain_text("The file asks for a password. Save a copy")
    expect(locked).to_contain_text("clients / Müller GmbH")
    expect(shelf.locator("[data-id=code] .state")).to_have_text("Reading")
    expect(shelf.locator("[data-id=code]")).to_contain_text("5 of 12 pages")
    inbox = shelf.locator("#inbox")
    expect(inbox).to_contain_text("/home/li/案头/inbox")
    expect(inbox).to_contain_text("1 file waiting · 2.5 pages/s · about 2 min left")
    inbox.locator("summary").click()
    expect(inbox.locator("details")).to_contain_text("链接.pdf It is a link; links are not")
    expect(shelf.locator("#stock")).to_contain_text("5 files, 340 passages")
    expect(shelf.locator("#stock")).to_contain_text("700 MB on this disk; 120 GB are free")
    shelf.click("#language")
    expect(inbox.locator("summary")).to_have_text("文件夹中有 1 项未读取")
    expect(inbox.locator("details")).to_contain_text("这是链接，不会跟随。")
    expect(locked).to_contain_text("文件有密码保护。 请另存一份不带密码的副本再添加。")
    expect(locked.locator("details p")).to_be_hidden()
    expect(shelf.locator("[data-id=scan]")).to_contain_text("第 3 页没有可读的文字。")


@pytest.mark.parametrize(
    ("name", "code", "message", "said"),
    [
        ("a.zip", "unsupported", "Archives (.zip) are not read.", "压缩包不能直接读取。 请解压后"),
        ("a.pdf", "no_text", "Not read: page 3, 7-8; only pictures", "未能读取：第 3, 7-8 页。"),
        ("a.pdf", "corrupt", "The file is damaged.", "文件已损坏，或没有复制完整。"),
        ("a.pdf", "corrupt", "The file is empty (0 bytes).", "文件是空的（0 字节）。 请重新复制"),
        ("a.pdf", "corrupt", "The file is not a PDF, whatever its name says.", "与扩展名不符。"),
        ("a.xls", "corrupt", "The sheet 工资表 is damaged.", "文件已损坏，或没有复制完整。"),
    ],
)
def test_reasons_are_told_in_chinese(
    served: Served, open_page: Any, name: str, code: str, message: str, said: str
) -> None:
    reason = {"code": code, "message": message, "advice": "Do this."}
    served.state.documents = {"it": document("it", name, "failed", reason=reason)}
    page = open_page(f"{served.url}/#/library", locale="zh-CN")
    expect(page.locator("[data-id=it] .reason")).to_contain_text(said)
    page.locator("[data-id=it] summary").click()
    expect(page.locator("[data-id=it]")).to_contain_text(f"{message} Do this.")


@pytest.mark.parametrize(
    ("inbox", "said", "not_said"),
    [
        ({"held_back": 10, "state": "unreachable"}, "10 files are no longer in", "be reached"),
        ({"state": "unreachable"}, "cannot be reached", "no longer in"),
    ],
)
def test_one_trouble_of_the_watched_folder_is_one_alarm(
    served: Served, open_page: Any, inbox: dict[str, Any], said: str, not_said: str
) -> None:
    root = {"code": "root", "path": "", "message": "It can't be reached.", "advice": ""}
    served.state.inbox = {**inbox, "problems": [root] if "held_back" not in inbox else []}
    page = open_page(f"{served.url}/#/library")
    expect(page.locator("#inbox .note")).to_have_count(1)
    expect(page.locator("#inbox")).to_contain_text(said)
    expect(page.locator("#inbox")).not_to_contain_text(not_said)


def test_an_empty_library_says_what_to_do(open_page: Any) -> None:
    with serving(State(empty=True)) as served:
        page = open_page(served.url)
        page.get_by_role("link", name="Add your first files").click()
        expect(page.locator("#documents")).to_contain_text("Drop PDF, Word or Excel files")


def test_details_name_the_places_and_the_pages_not_read(shelf: Any) -> None:
    shelf.get_by_role("button", name="Details: 发票.pdf").click()
    details = shelf.locator("[data-id=scan] .details")
    expect(details).to_contain_text("扫描件/发票.pdf")
    expect(details.locator("dt", has_text="Not read").locator("+ dd")).to_have_text("p. 3")
    shelf.get_by_role("button", name="Details: 发票.pdf").click()
    expect(details).to_have_count(0)


# ------------------------------------------------------------- what is found


def test_documents_are_found_by_name_folder_and_state(shelf: Any) -> None:
    rows = shelf.locator(".document .name")
    shelf.get_by_role("searchbox", name="Find by name").fill("合同")
    expect(rows).to_have_text(["办公室租赁合同.pdf"])
    expect(shelf.get_by_role("button", name="All 1")).to_be_visible()
    shelf.get_by_role("searchbox", name="Find by name").fill("nothing like it")
    shelf.get_by_role("button", name="Show all files").click()
    expect(rows).to_have_count(5)
    folder = shelf.get_by_label("Folder", exact=True)
    folder.select_option("2024")
    expect(rows).to_have_text(["办公室租赁合同.pdf", "ledger Q1.xlsx"])
    expect(folder.locator("option:checked")).to_have_text("2024 (2)")
    folder.select_option("")
    shelf.get_by_role("button", name="Could not be read 1").click()
    expect(rows).to_have_text(["audit report 2023.pdf"])
    shelf.get_by_role("button", name="All 5").click()
    shelf.get_by_role("button", name="Show only clients/Müller GmbH").click()
    expect(rows).to_have_text(["audit report 2023.pdf"])


def test_five_thousand_documents_are_paged_and_searched(served: Served, open_page: Any) -> None:
    served.state.documents = {
        f"d{n}": document(f"d{n}", f"{2000 + n % 20}/client {n % 70}/file {n:04}.pdf")
        for n in range(5000)
    }
    page = open_page(f"{served.url}/#/library")
    expect(page.locator(".document")).to_have_count(100)
    expect(page.locator("nav.pager")).to_contain_text("1–100 of 5,000")
    page.get_by_role("button", name="Next files").click()
    expect(page.locator("nav.pager")).to_contain_text("101–200 of 5,000")
    expect(page.locator(".document .name").first).to_have_text("file 0100.pdf")
    page.get_by_role("searchbox", name="Find by name").fill("4321")
    expect(page.locator(".document .name")).to_have_text(["file 4321.pdf"])
    # News of a document elsewhere in the list changes nothing here but the counts.
    served.state.tell(served.state.documents["d7"] | {"status": "failed"})
    page.get_by_role("searchbox", name="Find by name").fill("")
    page.get_by_role("button", name="Could not be read 1").click()
    expect(page.locator(".document .name")).to_have_text(["file 0007.pdf"])


# -------------------------------------------------------------- what is done


def test_retry_and_delete_with_a_question_first(served: Served, shelf: Any) -> None:
    shelf.get_by_role("button", name="Try again: audit report 2023.pdf").click()
    expect(shelf.locator("[data-id=locked] .state")).to_have_text("Waiting")
    remove = shelf.get_by_role("button", name="Delete: audit report 2023.pdf")
    remove.click()
    shelf.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(shelf.locator("[data-id=locked]")).to_have_count(1)
    remove.click()
    shelf.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(shelf.locator("[data-id=locked]")).to_have_count(0)
    shelf.wait_for_timeout(500)  # the event that tells it missing must not bring the row back
    expect(shelf.locator("[data-id=locked]")).to_have_count(0)
    assert "locked" not in served.state.documents

    expect(shelf.locator("#inbox")).to_contain_text("audit report 2023.pdf is in the trash.")
    shelf.get_by_role("button", name="Undo").click()
    expect(shelf.locator("[data-id=locked] .state")).to_have_text("Waiting")
    expect(shelf.locator("#inbox")).not_to_contain_text("in the trash")


def test_all_that_failed_is_tried_again_at_once(served: Served, open_page: Any) -> None:
    for name in ("a", "b"):
        served.state.documents[name] = document(name, f"{name}.pdf", "failed")
    page = open_page(f"{served.url}/#/library")
    page.get_by_role("button", name="Try again all that could not be read").click()
    expect(page.locator("[data-status=queued]")).to_have_count(3)
    expect(page.locator("[data-status=failed]")).to_have_count(0)


def test_the_trash_gives_back_or_erases_after_a_warning(served: Served, shelf: Any) -> None:
    for name in ("ledger Q1.xlsx", "发票.pdf"):
        shelf.get_by_role("button", name=f"Delete: {name}").click()
        shelf.get_by_role("dialog").get_by_role("button", name="Delete").click()
        expect(shelf.locator("#inbox")).to_contain_text(f"{name} is in the trash.")
    shelf.get_by_role("link", name="Trash 2").click()
    expect(shelf.locator(".document")).to_have_count(2)
    expect(shelf.locator("#filters")).to_be_hidden()
    shelf.get_by_role("button", name="Bring back: ledger Q1.xlsx").click()
    expect(shelf.locator("#inbox")).to_contain_text("ledger Q1.xlsx is back")
    shelf.get_by_role("button", name="Erase for good: 发票.pdf").click()
    expect(shelf.get_by_role("dialog")).to_contain_text("This cannot be undone.")
    shelf.get_by_role("dialog").get_by_role("button", name="Erase for good").click()
    expect(shelf.locator("#inbox")).to_contain_text("发票.pdf and its text were destroyed.")
    expect(shelf.locator("#documents")).to_contain_text("The trash is empty")
    shelf.get_by_role("link", name="Files", exact=True).click()
    expect(shelf.locator("[data-id=ledger]")).to_be_visible()
    assert served.state.trash == {}


# -------------------------------------------------------------- what is added


def test_a_folder_keeps_its_paths_and_becomes_ready_live(
    served: Served, shelf: Any, tmp_path: Path
) -> None:
    folder = tmp_path / "合同"
    (folder / "2024").mkdir(parents=True)
    (folder / "2024" / "租约 #1.pdf").write_bytes(b"%PDF-1.4")
    (folder / "~$租约.docx").write_bytes(b"lock")
    shelf.set_input_files("#folder", folder)
    row = shelf.locator("[data-id=up1]")
    expect(row).to_contain_text("合同 / 2024")
    expect(row.locator(".state")).to_have_text("Ready")
    expect(shelf.locator("#uploads")).to_contain_text("1 file added.")
    assert served.state.uploads == ["合同/2024/租约 #1.pdf"]


def test_every_dropped_file_is_told_what_became_of_it(served: Served, open_page: Any) -> None:
    page = open_page(served.url)
    drop(page, **{"new.pdf": "a", "huge.pdf": "b", "paper.caj": "c"})
    uploads = page.locator("#uploads")
    expect(uploads).to_contain_text("1 file added.")
    expect(uploads).to_contain_text("2 files were not added:")
    expect(uploads.locator("li", has_text="huge.pdf").first).to_contain_text(
        "The file is over 200 MB."
    )
    expect(uploads.locator("li", has_text="paper.caj").first).to_contain_text(
        "CAJ papers are not read."
    )
    drop(page, **{"new.pdf": "same"})
    expect(uploads).to_contain_text("1 file was there already.")
    assert served.state.uploads == ["new.pdf"]
    expect(uploads).to_contain_text("2 files were not added:")
    uploads.get_by_role("button", name="Close").click()
    expect(uploads).not_to_contain_text("not added:")


def test_a_name_cannot_turn_the_direction_of_its_letters(served: Served, open_page: Any) -> None:
    served.state.documents = {"it": document("it", "\u202ecod.txt", "ready")}
    page = open_page(f"{served.url}/#/library")
    expect(page.locator("[data-id=it]")).to_contain_text("cod.txt")
    assert "\u202e" not in page.locator("#library").inner_text()


@pytest.mark.parametrize(
    ("choice", "uploads", "trash"),
    [
        ("Keep both", ["Employee handbook & policies (final) (2).docx"], []),
        ("Replace", ["Employee handbook & policies (final).docx"], ["code"]),
        ("Leave out", [], []),
    ],
)
def test_a_clash_of_names_is_settled_by_choice(
    served: Served, shelf: Any, choice: str, uploads: list[str], trash: list[str]
) -> None:
    drop(shelf, **{"Employee handbook & policies (final).docx": "another"})
    shelf.locator("#uploads").get_by_role("button", name=re.compile(f"^{choice}")).click()
    expect(shelf.locator("#uploads .note.warn")).to_have_count(0)
    done = "1 file was left out." if choice == "Leave out" else "1 file added."
    expect(shelf.locator("#uploads")).to_contain_text(done)
    assert served.state.uploads == uploads
    assert list(served.state.trash) == trash


def test_a_full_disk_halts_the_rest_until_told_to_go_on(served: Served, shelf: Any) -> None:
    served.state.full = True
    drop(shelf, **{"a.pdf": "a", "b.pdf": "b"})
    uploads = shelf.locator("#uploads")
    expect(uploads.get_by_role("alert")).to_contain_text("2 files are still to be added.")
    served.state.full = False
    uploads.get_by_role("button", name="Go on").click()
    expect(uploads).to_contain_text("2 files added.")
    assert served.state.uploads == ["a.pdf", "b.pdf"]


def test_adding_can_be_stopped(served: Served, shelf: Any) -> None:
    shelf.route("**/api/documents", lambda route: None)  # the first is on its way for ever
    drop(shelf, **{"a.pdf": "a", "b.pdf": "b"})
    expect(shelf.locator("#uploads")).to_contain_text("Adding 1 of 2: a.pdf")
    shelf.get_by_role("button", name="Stop adding").click()
    expect(shelf.locator("#uploads")).to_contain_text("2 files were left out.")
    assert served.state.uploads == []


# --------------------------------------------------------------- the network


def test_without_events_the_list_still_moves(served: Served, open_page: Any) -> None:
    page = open_page("about:blank")
    page.route("**/api/events", lambda route: route.abort())
    page.goto(f"{served.url}/#/library")
    expect(page.locator(".document")).to_have_count(5)
    del served.state.documents["ledger"]
    expect(page.locator(".document")).to_have_count(4)


def test_a_broken_network_is_said_and_mends_itself(served: Served, shelf: Any) -> None:
    shelf.context.set_offline(True)
    shelf.get_by_role("searchbox", name="Find by name").fill("ledger")
    expect(shelf.get_by_role("alert")).to_contain_text("Cannot reach Deskside")
    expect(shelf.locator(".document")).to_have_count(5)
    drop(shelf, **{"a.pdf": "a"})
    expect(shelf.locator("#uploads").get_by_role("alert")).to_contain_text(
        "1 file is still to be added."
    )
    shelf.context.set_offline(False)
    shelf.locator("#uploads").get_by_role("button", name="Go on").click()
    expect(shelf.locator(".document .name")).to_have_text(["ledger Q1.xlsx"])
    expect(shelf.get_by_role("alert")).to_have_count(0)
    assert served.state.uploads == ["a.pdf"]
    served.state.tell(served.state.documents["ledger"] | {"status": "reading", "pages_done": 1})
    expect(shelf.locator("[data-id=ledger] .state")).to_have_text("Reading")


def test_what_one_tab_does_the_other_shows(served: Served, shelf: Any) -> None:
    other = shelf.context.new_page()
    other.goto(f"{served.url}/#/library")
    expect(other.locator(".document")).to_have_count(5)
    until(lambda: len(served.state.news) >= 1)
    drop(other, **{"news.pdf": "a"})
    expect(other.locator("[data-id=up1] .state")).to_have_text("Ready")
    shelf.bring_to_front()
    expect(shelf.locator("[data-id=up1] .state")).to_have_text("Ready")
    shelf.get_by_role("button", name="Delete: news.pdf").click()
    shelf.get_by_role("dialog").get_by_role("button", name="Delete").click()
    other.bring_to_front()
    expect(other.locator("[data-id=up1]")).to_have_count(0)
