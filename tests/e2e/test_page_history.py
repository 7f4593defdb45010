"""The conversations at the side, in a real browser: kept over reloads, tabs and broken lines."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import BROWSER

from tests.e2e.stub_app import RENT
from tests.e2e.stub_server import Served, ask, expect, until

pytestmark = BROWSER


def row(page: Any, title: str) -> Any:
    return page.locator(".history-row").filter(has_text=title)


def act(page: Any, title: str, action: str) -> None:
    """Point at a row, whose actions then come to the fore, and use one."""
    row(page, title).hover()
    page.locator("#history").get_by_label(f"{action}{title}").click()


def shown_by_hovering(page: Any, chip: Any, quote: Any) -> bool:
    page.mouse.move(0, 0)
    chip.hover()
    return bool(quote.is_visible())


def test_a_reload_and_the_back_button_keep_the_conversation(served: Served, open_page: Any):
    page = open_page(served.url)
    ask(page, "the rent?")
    ask(page, "and the rent of the garage?")
    expect(page).to_have_url(re.compile(r"#/ask/conversation-1$"))
    page.reload()
    expect(page.locator(".turn h2")).to_have_text(["the rent?", "and the rent of the garage?"])
    chip = page.locator(".turn").last.locator(".chip").first
    chip.scroll_into_view_if_needed()
    quote = page.get_by_role("tooltip")
    until(lambda: shown_by_hovering(page, chip, quote))  # scrolling may still hide it
    expect(quote).to_contain_text("月租金人民币8,000元")
    chip.click()
    expect(page.locator("#source mark")).to_contain_text("8,000元")

    page.click("#fresh")
    expect(page.locator(".turn")).to_have_count(0)
    ask(page, "another rent")
    expect(page).to_have_url(re.compile(r"#/ask/conversation-2$"))
    row(page, "the rent?").get_by_role("link", name="the rent?").first.click()
    expect(page.locator(".turn")).to_have_count(2)
    page.go_back()
    expect(page.locator(".turn h2")).to_have_text(["another rent"])
    page.get_by_role("link", name="Library").click()
    page.get_by_role("link", name="Ask").click()
    expect(page.locator(".turn h2")).to_have_text(["another rent"])
    ask(page, "a follow-up on rent")
    assert served.state.asked[-1]["conversation_id"] == "conversation-2"


def test_rename_export_and_delete(served: Served, open_page: Any, tmp_path: Path):
    page = open_page(served.url)
    ask(page, "rent?")
    act(page, "rent?", "Rename: ")
    field = page.get_by_label("New title")
    expect(field).to_be_focused()
    field.fill("Office lease")
    field.press("Enter")
    expect(row(page, "Office lease")).to_be_visible()
    expect(page.locator(".history-row a[aria-current]")).to_be_focused()
    assert served.state.talks["conversation-1"]["title"] == "Office lease"

    act(page, "Office lease", "Rename: ")
    page.get_by_label("New title").fill("never")
    page.keyboard.press("Escape")
    expect(row(page, "Office lease")).to_be_visible()

    with page.expect_download() as download:
        act(page, "Office lease", "Save as Markdown: ")
    download.value.save_as(tmp_path / "talk.md")
    assert (tmp_path / "talk.md").read_text("utf-8") == "# Office lease\n"

    act(page, "Office lease", "Delete: ")
    page.get_by_role("dialog").get_by_role("button", name="Cancel").click()
    expect(row(page, "Office lease")).to_be_visible()
    act(page, "Office lease", "Delete: ")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(page.locator(".history-row")).to_have_count(0)
    expect(page.locator(".turn")).to_have_count(0)
    expect(page.locator("#history")).to_contain_text("will be kept here")


def test_titles_are_searched(served: Served, open_page: Any):
    for n in range(9):
        talk = served.state.talk(f"Question {n}")
        talk["messages"].append({"message_id": "m", "question": "?", "answer": {}, "at": ""})
    page = open_page(served.url, locale="zh-CN")
    page.get_by_label("搜索标题").fill("question 7")
    expect(page.locator(".history-row")).to_have_text(["Question 7"])
    page.get_by_label("搜索标题").fill("nothing")
    expect(page.locator("#history")).to_contain_text("没有标题包含")


def test_two_tabs_show_the_same(served: Served, open_page: Any):
    first = open_page(served.url)
    ask(first, "rent?")
    second = first.context.new_page()
    second.goto(f"{served.url}/#/ask/conversation-1")
    expect(second.locator(".turn")).to_have_count(1)
    ask(second, "and the rent of the garage?")
    expect(first.locator(".turn h2")).to_have_text(["rent?", "and the rent of the garage?"])
    second.click("#theme")
    expect(first.locator("html")).to_have_attribute("data-theme", "dark")
    second.click("#language")
    expect(first.locator("html")).to_have_attribute("lang", "zh-CN")
    act(second, "rent?", "删除：")
    second.get_by_role("dialog").get_by_role("button", name="删除").click()
    expect(first.locator("#thread")).to_contain_text("这次对话已不存在")
    ask(first, "rent again")
    assert "conversation_id" not in served.state.asked[-1]


def test_a_stream_cut_midway_keeps_the_question(served: Served, open_page: Any):
    page = open_page(served.url, locale="zh-CN")
    turn = ask(page, "broken rent", "failed")
    expect(turn).to_contain_text("回答尚未完成，连接就中断了。")
    expect(turn.locator("h2")).to_have_text("broken rent")
    expect(turn.locator(".prose")).not_to_be_empty()
    turn.get_by_role("button", name="再问一次").click()
    until(lambda: len(served.state.asked) == 2)
    expect(page.locator(".turn")).to_have_count(1)
    page.reload()
    expect(page.locator("#question")).to_have_value("broken rent")


def test_a_reload_while_writing_finds_what_was_kept(served: Served, open_page: Any):
    page = open_page(served.url)
    page.fill("#question", "slow")
    page.press("#question", "Enter")
    expect(page.locator(".turn .prose")).to_contain_text("Slow and")
    page.reload()
    expect(page.locator(".turn .prose")).to_have_text("Slow and")
    expect(page.locator(".turn")).to_contain_text("Cut off: the answer was stopped.")
    expect(page.locator("#question")).to_have_value("slow")


def test_a_server_that_forgot_the_broken_question_takes_it_as_new(served: Served, open_page: Any):
    page = open_page(served.url)
    turn = ask(page, "broken rent", "failed")
    served.state.talks.clear()  # killed before it kept anything, and started again
    turn.get_by_role("button", name="Ask again").click()
    until(lambda: "conversation_id" not in served.state.asked[-1] and len(served.state.asked) == 3)
    expect(page.locator(".turn")).to_contain_text("The connection broke")


def test_a_conversation_is_not_drawn_anew_under_who_reads_it(served: Served, open_page: Any):
    talk = served.state.talk("rent?")
    talk["messages"].append({"message_id": "m", "question": "rent?", "answer": RENT, "at": ""})
    page = open_page("about:blank")
    page.clock.install()
    page.goto(served.url)
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    page.fill("#question", "half typed")
    row(page, "rent?").get_by_role("link").first.click()
    chip = page.locator(".turn .chip").first
    chip.focus()
    page.clock.fast_forward(60_000)
    expect(chip).to_be_focused()
    assert sum(url.endswith("/conversation-1") for url in asked) == 1, "a draft waits for nothing"

    other = page.context.new_page()
    other.goto(served.url)
    act(other, "rent?", "Rename: ")
    with page.expect_response("**/api/conversations/conversation-1"):
        other.get_by_label("New title").fill("Office lease")
        other.keyboard.press("Enter")
    expect(row(page, "Office lease")).to_be_visible()
    expect(chip).to_be_focused()


def test_a_change_that_was_not_made_is_said_and_what_was_typed_stays(
    served: Served, open_page: Any
):
    page = open_page(served.url)
    ask(page, "rent?")
    act(page, "rent?", "Rename: ")
    field = page.get_by_label("New title")
    field.fill("Office lease")
    page.context.set_offline(True)
    field.press("Enter")
    alert = page.locator("#history").get_by_role("alert")
    expect(alert).to_contain_text("Cannot reach Deskside")
    expect(field).to_have_value("Office lease")
    page.context.set_offline(False)
    field.press("Enter")
    expect(row(page, "Office lease")).to_be_visible()
    expect(alert).to_have_count(0)

    page.context.set_offline(True)
    act(page, "Office lease", "Delete: ")
    page.get_by_role("dialog").get_by_role("button", name="Delete").click()
    expect(alert).to_contain_text("Cannot reach Deskside")
    expect(row(page, "Office lease")).to_be_visible()


def test_a_slow_and_broken_network_is_said_and_recovered_from(served: Served, open_page: Any):
    page = open_page(served.url, locale="zh-CN")
    ask(page, "租金")
    page.route("**/api/conversations/*", lambda route: route.abort())
    page.reload()
    expect(page.locator("#thread")).to_contain_text("连不上案头服务")
    page.unroute("**/api/conversations/*")
    page.get_by_role("button", name="重试").click()
    expect(page.locator(".turn")).to_have_count(1)


def test_a_question_left_goes_on_and_is_found_in_the_history(served: Served, open_page: Any):
    page = open_page(served.url)
    page.fill("#question", "slow")
    page.press("#question", "Enter")
    expect(page.locator(".turn .prose")).to_contain_text("Slow and")
    page.click("#fresh")
    ask(page, "rent")
    expect(row(page, "slow")).to_be_visible(timeout=10_000)
    assert served.state.cancelled == 0
    row(page, "slow").get_by_role("link").first.click()
    expect(page.locator(".turn .prose")).to_contain_text("Slow and complete.")


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("fault", "案头的一个部件暂不可用。 请到“健康”页查看是哪个部件、怎样恢复。"),
        ("busy", "排队的问题太多，请稍后再试。 大约一分钟后再问。"),
    ],
)
def test_failures_are_told_in_chinese_to_who_reads_chinese(
    served: Served, open_page: Any, question: str, said: str
):
    turn = ask(open_page(served.url, locale="zh-CN"), question, "failed")
    expect(turn.locator(".note > p")).to_have_text(said)
    expect(turn.locator(".note details p")).not_to_be_visible()


def test_a_chinese_name_makes_no_chinese_sentence(served: Served, open_page: Any):
    page = open_page(served.url, locale="zh-CN")
    said = "Another file lies at 项目资料/note.txt now. Move that one first."
    page.route(
        "**/api/ask",
        lambda route: route.fulfill(status=409, json={"code": "conflict", "detail": said}),
    )
    turn = ask(page, "租金", "failed")
    expect(turn.locator(".note > p")).to_have_text("已有同名但内容不同的文件。")
    expect(turn.locator(".note details p")).to_be_hidden()


def test_an_answer_is_copied_with_its_sources(served: Served, open_page: Any):
    page = open_page(served.url)
    page.context.grant_permissions(["clipboard-read", "clipboard-write"])
    turn = ask(page, "rent")
    turn.get_by_role("button", name="Copy with sources").click()
    expect(turn.locator(".copy")).to_have_text("Copied")
    text = page.evaluate("navigator.clipboard.readText()")
    assert text.startswith("rent\n\n月租金为 8,000 元")
    assert "[1] 2024/租约/办公室租赁合同.pdf, p. 3\n    “乙方应于每月5日前" in text
    assert "not found in the sources:\n⚠ Late payment costs" in text


def test_the_drawer_of_a_phone_works_by_keyboard(served: Served, open_page: Any):
    page = open_page(served.url, width=360)
    ask(page, "rent")
    page.locator("#menu").press("Enter")
    expect(page.locator("#drawer")).to_be_visible()
    page.keyboard.press("Escape")
    expect(page.locator("#drawer")).not_to_be_visible()
    expect(page.locator("#menu")).to_be_focused()
    page.click("#menu")
    page.get_by_role("button", name="Close").click()
    expect(page.locator("#drawer")).not_to_be_visible()
    page.click("#menu")
    row(page, "rent").get_by_role("link").first.click()
    expect(page.locator("#drawer")).to_be_visible()
