"""The view of how Deskside does: checks, what left the computer, speed; in both languages."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest
from browsing import BROWSER

from api.errors import STATUS
from tests.e2e import stub_app
from tests.e2e.stub_app import CHECKS, WEB
from tests.e2e.stub_server import Served, expect

pytestmark = BROWSER


def test_the_checks_say_what_is_amiss_and_how_to_mend_it(served: Served, open_page: Any):
    page = open_page(f"{served.url}/#/health")
    health = page.locator("#health")
    expect(health).to_contain_text("2 things need attention")
    worst = health.locator(".check").first
    expect(worst).to_contain_text("Search model not working multilingual-e5-small is not installed")
    expect(worst).to_contain_text("Run: deskside models pull multilingual-e5-small")
    expect(health).not_to_contain_text("Chromium")
    page.click("#language")
    expect(health).to_contain_text("有 2 项需要留意")
    expect(worst).to_contain_text(
        "检索模型缺失或损坏，无法读取和查找。请运行：deskside models pull"
    )
    expect(health).to_contain_text("内存 正常 15.5 GiB")
    seen = health.locator(".checks").inner_text()
    assert "not installed" not in seen, "English is folded away"


def test_what_left_the_computer_is_told_with_its_evidence(served: Served, open_page: Any):
    page = open_page(f"{served.url}/#/health")
    card = page.locator(".card").nth(1)
    expect(card.locator("h3")).to_have_text("Nothing has left this computer since Deskside started")
    expect(card).to_contain_text("Watched since January 5, 2026")
    expect(card).to_contain_text("connections, datagrams, name look-ups")
    expect(card).to_contain_text("Only this computer can open this page")
    served.state.attempts = 3
    page.get_by_role("button", name="Check again").click()
    expect(card.locator("h3")).to_have_text("3 attempts to reach out were refused")
    expect(page.locator("#health")).to_contain_text("11.8 tokens/s, first word after 2.3 s")
    page.click("#language")
    expect(card.locator("h3")).to_have_text("拒绝了 3 次对外连接")
    expect(page.locator("#health")).to_contain_text("索引46 MB")


def test_a_limit_is_no_alarm(served: Served, open_page: Any, monkeypatch: pytest.MonkeyPatch):
    tuning = {"name": "tuning", "status": "ok", "detail": "not measured: cautious", "fix": ""}
    sound = [one for one in CHECKS if one["status"] != "fail" and one["name"] != "tuning"]
    monkeypatch.setattr(stub_app, "CHECKS", [*sound, tuning])
    page = open_page(f"{served.url}/#/health", locale="zh-CN")
    expect(page.locator(".card h3").first).to_have_text("可以使用，有 1 项受限")
    expect(page.locator("#health")).to_contain_text("尚未实测")
    expect(page.locator("#health dd").filter(has_text="e5")).to_have_text("multilingual-e5-small")


def test_a_server_that_is_gone_is_told_there_too(served: Served, open_page: Any):
    page = open_page(served.url, locale="zh-CN")
    page.context.set_offline(True)
    page.get_by_role("link", name="健康").click()
    expect(page.locator("#health")).to_contain_text("连不上案头服务")


def words() -> set[str]:
    text = (WEB / "words.js").read_text("utf-8")
    return set(re.findall(r"^  '([\w.]+)': \[", text, re.MULTILINE))


def test_what_the_server_may_say_has_words_in_both_languages():
    root = Path(__file__).parents[2]
    source = "\n".join(path.read_text("utf-8") for path in (root / "rag").rglob("*.py"))
    notices = set(re.findall(r'Notice\(\s*"(\w+)"', source)) - {"marker_replaced"}
    assert len(notices) > 4
    known = words()
    assert {f"warning.{code}" for code in notices} - known == set()
    assert {f"problem.{code}" for code in STATUS} - known == set()
    doctors = (root / "rag/doctor.py", root / "ingest/doctor.py", root / "api/routes/system.py")
    text = "\n".join(path.read_text("utf-8") for path in doctors)
    names = set(re.findall(r'Check\(\s*"(\w+)"', text)) - {"browser"} | {"embedder"}
    assert {f"check.{name}" for name in names} - known == set()
