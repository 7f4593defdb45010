"""The scripted server on a port of this computer, and what a test of the page does with it."""

from __future__ import annotations

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from tests.e2e.stub_app import State, build

playwright = pytest.importorskip("playwright.sync_api")
uvicorn = pytest.importorskip("uvicorn")
expect = playwright.expect


@dataclass
class Served:
    """The address of a running app, and what the stub behind it remembers."""

    url: str
    state: State


@contextmanager
def serving(state: State) -> Iterator[Served]:
    """Serve the stub on a free port of this computer."""
    listener = socket.socket()
    listener.bind(("127.0.0.1", 0))
    config = uvicorn.Config(build(state), log_level="warning", timeout_graceful_shutdown=1)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    until(lambda: server.started)
    yield Served(f"http://127.0.0.1:{listener.getsockname()[1]}", state)
    server.should_exit = True
    thread.join(timeout=5)


def until(met: Any, timeout_s: float = 20) -> None:
    deadline = time.monotonic() + timeout_s
    while not met():
        assert time.monotonic() < deadline, "it did not happen in time"
        time.sleep(0.02)


def ask(page: Any, question: str, phase: str = "done") -> Any:
    """Ask, wait for the end, and give the turn."""
    page.fill("#question", question)
    page.press("#question", "Enter")
    turn = page.locator(".turn").last
    expect(turn).to_have_attribute("data-phase", phase)
    return turn
