"""The page in a real browser, over a scripted server: its own states, words and manners."""

from __future__ import annotations

import gzip
import re
from typing import Any

import pytest
from browsing import BROWSER

from tests.e2e.stub_app import WEB, State
from tests.e2e.stub_server import Served, ask, expect, serving, until

LIMIT_BYTES = 150_000

pytestmark = BROWSER


# ------------------------------------------------------------------ asking


def test_an_answer_streams_in_and_its_final_text_replaces_it(served: Served, open_page: Any):
    page = open_page(served.url)
    turn = ask(page, "What is the rent?")
    expect(turn.locator(".prose strong")).to_have_text("8,000 元")
    expect(turn.locator(".prose .chip")).to_have_text(["1", "1", "2", "1"])
    expect(turn.locator("td").last).to_have_class("figure")
    expect(turn.locator(".prose ol li")).to_have_count(2)
    expect(turn.locator(".understood")).to_contain_text("办公室的月租金和押金是多少")
    expect(turn.locator(".speed")).to_contain_text("12.4 tokens/s · first word after 1.8 s")
    expect(turn.locator(".note.warn")).to_contain_text("a source that was not given to it")
    assert served.state.asked[0] == {"question": "What is the rent?", "stream": True}


def test_states_are_told_while_they_last(served: Served, open_page: Any):
    page = open_page(served.url)
    page.evaluate(
        """() => {
          window.said = [];
          const hear = () => {
            const words = document.querySelector('.turn .status')?.textContent;
            if (words && words !== window.said.at(-1)) window.said.push(words);
          };
          const watch = {childList: true, subtree: true, characterData: true};
          new MutationObserver(hear).observe(document.getElementById('thread'), watch);
        }"""
    )
    page.fill("#question", "slow queue")
    page.press("#question", "Enter")
    expect(page.locator(".turn .status")).to_have_text("Writing…")
    assert page.evaluate("window.said") == [
        "Searching your documents…",
        "Found 2 passages. Reading them…",
        "Waiting: 2 questions are ahead of yours",
        "Waiting: 1 question is ahead of yours",
        "Found 2 passages. Reading them…",
        "Writing…",
    ]
    expect(page.locator("#spoken")).to_have_text("Writing…")
    expect(page.locator(".turn")).to_have_attribute("aria-busy", "true")


def test_follow_ups_keep_the_conversation_until_a_new_one(served: Served, open_page: Any):
    page = open_page(served.url)
    ask(page, "rent?")
    ask(page, "and the deposit? (rent)")
    page.click("#fresh")
    expect(page.locator(".turn")).to_have_count(0)
    ask(page, "rent again")
    ids = [asked.get("conversation_id") for asked in served.state.asked]
    assert ids == [None, "conversation-1", None]


def test_stop_keeps_what_was_written_and_frees_the_server(served: Served, open_page: Any):
    page = open_page(served.url)
    page.fill("#question", "slow")
    page.press("#question", "Enter")
    expect(page.locator(".turn .prose")).to_contain_text("Slow and")
    page.click("#stop")
    expect(page.locator(".turn .note.warn")).to_contain_text("Stopped")
    expect(page.locator(".turn .prose")).to_contain_text("Slow and")
    until(lambda: served.state.cancelled == 1)
    ask(page, "rent")


def test_thoughts_can_be_read_while_they_come(served: Served, open_page: Any):
    page = open_page(served.url)
    page.fill("#question", "ponder")
    page.press("#question", "Enter")
    thoughts = page.locator(".turn .thoughts")
    thoughts.get_by_text("How the model thought").click()
    expect(page.locator(".turn .status")).to_have_text("Thinking…")
    expect(thoughts.locator("p")).to_contain_text("The lease says")
    expect(page.locator(".turn")).to_have_attribute("data-phase", "done")
    expect(thoughts.locator("p")).to_be_visible()
    expect(thoughts.locator("p")).to_have_text("The lease says 8,000 in clause 3. " * 4)


def test_enter_sends_but_not_with_shift_nor_while_composing(served: Served, open_page: Any):
    page = open_page(served.url)
    page.fill("#question", "一行")
    page.press("#question", "Shift+Enter")
    page.eval_on_selector(
        "#question",
        "box => box.dispatchEvent(new KeyboardEvent('keydown', "
        "{key: 'Enter', isComposing: true, bubbles: true, cancelable: true}))",
    )
    expect(page.locator(".turn")).to_have_count(0)
    page.keyboard.type("rent")
    page.press("#question", "Enter")
    expect(page.locator(".turn h2")).to_have_text("一行\nrent", use_inner_text=True)


@pytest.mark.parametrize(
    ("question", "phase", "said"),
    [
        ("weather", "done", "Your documents do not seem to answer this."),
        ("weather", "done", "Closest passages – not an answer"),
        ("modelless", "done", "No language model can answer just now"),
        ("withdrawn", "done", "none of the passages bears out, so it is not shown"),
        ("unsourced", "done", "not found in the sources"),
        ("cut", "done", "Cut off: the answer reached its length limit"),
        ("fault", "failed", "The model stopped working. Run deskside doctor."),
        ("busy", "failed", "Four questions are waiting. Ask again in a minute."),
        ("broken rent", "failed", "The connection broke before the answer was complete."),
    ],
)
def test_other_endings_are_honest(
    served: Served, open_page: Any, question: str, phase: str, said: str
):
    turn = ask(open_page(served.url), question, phase)
    expect(turn).to_contain_text(said)
    if phase == "failed":
        expect(turn.get_by_role("button", name="Ask again")).to_be_visible()


@pytest.mark.parametrize("question", ["withdrawn", "unsourced"])
def test_where_nothing_bears_an_answer_out_the_passages_are_there_to_look_in(
    served: Served, open_page: Any, question: str
):
    turn = ask(open_page(served.url), question)
    expect(turn.locator(".hits")).to_contain_text("Matching passages")
    expect(turn).not_to_contain_text("not an answer")
    expect(turn).not_to_contain_text("do not seem to answer")


def test_an_answer_over_all_files_folds_its_many_sources(served: Served, open_page: Any):
    turn = ask(open_page(served.url), "everything")
    expect(turn.locator(".note")).to_contain_text("from the list of all your documents")
    expect(turn.locator(".prose li")).to_have_count(9)
    expect(turn.locator(".sources ul")).not_to_be_visible()
    turn.get_by_text("9 sources").click()
    expect(turn.locator(".sources li")).to_have_count(9)
    expect(turn.locator(".speed")).not_to_contain_text("passages")


def test_refused_passages_can_be_opened_but_carry_no_citation(served: Served, open_page: Any):
    page = open_page(served.url)
    turn = ask(page, "weather")
    expect(turn.locator(".chip")).to_have_count(0)
    turn.locator(".hits .source-line").first.click()
    expect(page.locator("#source .passage")).to_contain_text("第三条 租金及支付方式")
    expect(page.locator("#source mark")).to_have_count(0)


def test_a_server_that_is_gone_is_said_in_plain_words(served: Served, open_page: Any):
    page = open_page(served.url)
    page.context.set_offline(True)
    expect(ask(page, "rent", "failed")).to_contain_text("Is it still running?")


# --------------------------------------------------------------- citations


def test_a_chip_works_by_keyboard_alone(served: Served, open_page: Any):
    page = open_page(served.url)
    turn = ask(page, "rent")
    turn.locator(".chip").first.focus()
    page.keyboard.press("Tab")
    expect(page.get_by_role("tooltip")).to_be_visible()
    page.keyboard.press("Enter")
    expect(page.locator("#source h2")).to_be_focused()


def test_unsupported_sentences_say_so_in_words(served: Served, open_page: Any):
    turn = ask(open_page(served.url), "rent")
    expect(turn.locator(".unsupported")).to_have_text(["Late payment costs 5 % a month."])
    expect(turn.locator(".unsupported-note")).to_have_text(["⚠ not found in the sources"])
    # A table rule and a list number claim nothing, so they are not counted.
    expect(turn.locator(".note.warn")).to_contain_text("1 sentence could not be matched")
    expect(turn.locator(".sources .doubt")).to_have_count(1)
    expect(turn.locator(".chip.doubtful")).to_have_text(["2"])


def test_a_document_cannot_inject_html(served: Served, open_page: Any):
    page = open_page(served.url)
    turn = ask(page, "rent")
    turn.locator(".chip").first.click()
    expect(page.locator("#source .passage")).to_contain_text("<img src=x onerror=")
    expect(turn.locator(".prose")).to_contain_text("<script>")
    for inside in (turn, page.locator("#source .passage")):
        expect(inside.locator("img, script, iframe, a")).to_have_count(0)
    assert page.title() == "Deskside · ask your own files"


# ---------------------------------------------------------------- language


def test_the_language_follows_the_browser_and_a_choice_is_remembered(
    served: Served, open_page: Any
):
    page = open_page(served.url, locale="zh-CN")
    expect(page.locator("html")).to_have_attribute("lang", "zh-CN")
    turn = ask(page, "租金")
    turn.locator(".chip").first.click()
    expect(page.locator("#source .place")).to_have_text("第 3 页")
    page.click("#language")
    expect(page.locator("#source .place")).to_have_text("p. 3")
    expect(turn.locator(".unsupported-note")).to_have_text("⚠ not found in the sources")
    page.reload()
    expect(page.locator("html")).to_have_attribute("lang", "en")
    expect(page.locator("#send")).to_have_text("Ask")


def test_every_word_used_exists_in_both_languages():
    words = (WEB / "words.js").read_text("utf-8")
    known = set(re.findall(r"^  '([\w.]+)': \[", words, re.MULTILINE))
    sources = [path for path in WEB.iterdir() if path.suffix in (".js", ".html")]
    text = "\n".join(path.read_text("utf-8") for path in sources if path.name != "words.js")
    used = set(re.findall(r"\bt\('([\w.]+)'", text))
    used |= set(re.findall(r'data-t(?:-\w+)?="([\w.]+)"', text))
    assert used - known == set()
    # A yuan sign inside a pattern is no word; two Chinese characters together would be.
    code = "\n".join(path.read_text("utf-8") for path in WEB.glob("*.js") if path.stem != "words")
    assert not re.search(r"[\u4e00-\u9fff]{2}", re.sub(r"//.*|/\*.*?\*/", "", code))


# ----------------------------------------------------------------- the key


def test_the_key_is_asked_for_once_and_the_call_repeated(open_page: Any):
    with serving(State(key="sesame")) as served:
        page = open_page(served.url)
        page.fill("#key", "wrong")
        page.click("dialog button[type=submit]")
        expect(page.get_by_role("alert")).to_have_text("That key was not accepted.")
        page.fill("#key", "sesame")
        page.press("#key", "Enter")
        expect(page.locator("dialog")).to_have_count(0)
        ask(page, "rent")
        page.get_by_role("link", name="Library").click()
        expect(page.locator(".document")).to_have_count(5)


def test_a_key_not_given_at_once_may_be_given_later(open_page: Any):
    with serving(State(key="sesame")) as served:
        page = open_page(f"{served.url}/#/library")
        page.get_by_role("button", name="Cancel").click()
        expect(page.locator("dialog")).to_have_count(0)
        page.locator("#inbox").get_by_role("button", name="Enter the key").click()
        page.fill("#key", "sesame")
        page.press("#key", "Enter")
        expect(page.locator(".document")).to_have_count(5)
        expect(page.locator("#history")).to_contain_text("will be kept here")


# --------------------------------------------------------------- the frame


@pytest.mark.parametrize("locale", ["en-US", "zh-CN"])
def test_nothing_scrolls_sideways_on_a_phone(served: Served, open_page: Any, locale: str):
    page = open_page(served.url, locale=locale, width=360)
    turn = ask(page, "rent")
    turn.locator(".chip").first.click()
    panel = page.locator("#source")
    expect(panel.locator("img")).to_be_visible()
    assert panel.bounding_box()["width"] == 360
    wide = "document.documentElement.scrollWidth - window.innerWidth"
    assert page.evaluate(wide) <= 0
    page.goto(f"{served.url}/#/library")
    expect(page.locator(".document")).to_have_count(5)
    assert page.evaluate(wide) <= 0


def test_the_page_is_small_and_asks_nobody_else():
    files = [path for path in WEB.iterdir() if path.is_file()]
    # As it travels: the service compresses it (tests/unit/test_api.py).
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < LIMIT_BYTES
    text = "\n".join(path.read_text("utf-8") for path in files)
    assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(", text)
    page = (WEB / "index.html").read_text("utf-8")
    assert not re.search(r"\son\w+=|\sstyle=|<style|<script(?![^>]*\bsrc=)", page)
