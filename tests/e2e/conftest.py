"""A browser for the tests that look at the page."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from browsing import ARGUMENTS, CHROMIUM

PATIENCE_MS = 20_000
"""A machine with two busy cores is slow; who waits for what comes loses nothing."""


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    from playwright.sync_api import expect, sync_playwright

    expect.set_options(timeout=PATIENCE_MS)
    with sync_playwright() as driver:
        launched = driver.chromium.launch(executable_path=CHROMIUM, args=ARGUMENTS)
        yield launched
        launched.close()


@pytest.fixture
def open_page(browser: Any) -> Iterator[Any]:
    """Opens pages, and fails the test on any script error or breach of the security policy."""
    contexts: list[Any] = []
    faults: list[str] = []

    def hear(message: Any) -> None:
        if "Content Security Policy" in message.text:
            faults.append(message.text)

    def opened(url: str, locale: str = "en-US", width: int = 1280) -> Any:
        context = browser.new_context(locale=locale, viewport={"width": width, "height": 800})
        context.set_default_timeout(PATIENCE_MS)
        contexts.append(context)
        page = context.new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.on("console", hear)
        page.goto(url)
        return page

    yield opened
    for context in contexts:
        context.close()
    assert faults == []


@pytest.fixture
def served() -> Iterator[Any]:
    """The scripted server, running."""
    from tests.e2e.stub_app import State
    from tests.e2e.stub_server import serving

    with serving(State()) as running:
        yield running
