"""FIELD_CASES 57 and 58: many who ask at once, and those who go away, over a real socket."""

from __future__ import annotations

import json
import signal
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
import uvicorn

from api.app import create_app, open_services
from rag.records import Piece, Prompt
from rag.settings import Settings
from rag.testing import BlankPreviewer, HashEmbedder, LineParser, MemoryStore, ScriptedGenerator
from rag.wiring import open_core

REPLY = "The rent is 3200 yuan a month [1]."


class Slow(ScriptedGenerator):
    """Takes its time over each character, and counts how many speak at once."""

    def __init__(self, *, letter_s: float, times: int = 1) -> None:
        super().__init__(" ".join([REPLY] * times))
        self._letter_s = letter_s
        self.speaking = 0
        self.most = 0

    def generate(
        self, prompt: Prompt, *, max_tokens: int, cancelled: Callable[[], bool]
    ) -> Iterator[Piece]:
        self.speaking += 1
        self.most = max(self.most, self.speaking)
        try:
            for piece in super().generate(prompt, max_tokens=max_tokens, cancelled=cancelled):
                time.sleep(self._letter_s)
                yield piece
        finally:
            self.speaking -= 1


@contextmanager
def serving(tmp_path: Path, model: ScriptedGenerator, **given: Any) -> Iterator[httpx.Client]:
    settings = Settings(
        data=tmp_path / "data", settle_s=0.0, min_evidence=0.09, reconcile_every_s=0.2, **given
    )
    core = open_core(settings, embedder=HashEmbedder(), store=MemoryStore(), generator=model)
    services = open_services(settings, core=core, parser=LineParser(), previewer=BlankPreviewer())
    server = uvicorn.Server(uvicorn.Config(create_app(services), port=0, log_level="warning"))
    thread = threading.Thread(target=server.run)
    thread.start()
    while not server.started:
        time.sleep(0.02)
    port = server.servers[0].sockets[0].getsockname()[1]
    try:
        with httpx.Client(base_url=f"http://127.0.0.1:{port}", timeout=60) as client:
            _put_lease(client)
            yield client
    finally:
        server.should_exit = True
        thread.join()


def _put_lease(client: httpx.Client) -> None:
    file = {"file": ("x", b"# Rent\nThe rent is 3200 yuan a month.")}
    sent = client.post("/api/documents", files=file, data={"path": "lease.pdf"}).json()
    while client.get(f"/api/documents/{sent['document_id']}").json()["status"] != "ready":
        time.sleep(0.05)


def leave_after(client: httpx.Client, words: bytes, *, stream: bool) -> None:
    """Ask, and close the connection once ``words`` came, or at once if there are none."""
    body = json.dumps({"question": "What is the rent?", "stream": stream}).encode()
    with socket.create_connection((client.base_url.host, client.base_url.port)) as line:
        line.sendall(
            b"POST /api/ask HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"
            + f"Content-Length: {len(body)}\r\n\r\n".encode()
            + body
        )
        heard = b""
        while words not in heard:
            heard += line.recv(4096)
        if not words:
            time.sleep(0.5)


@pytest.mark.parametrize(("words", "stream"), [(b"event: token", True), (b"", False)])
def test_who_goes_away_frees_the_model(tmp_path: Path, words: bytes, stream: bool) -> None:
    """The reply left behind would take 36 s more."""
    model = Slow(letter_s=0.1, times=10)
    with serving(tmp_path, model, queue_limit=0, answer_tokens=360) as client:
        leave_after(client, words, stream=stream)
        left = time.monotonic()
        body = {"question": "What is the rent?", "stream": True}
        while True:
            with client.stream("POST", "/api/ask", json=body) as response:
                if response.status_code == 200:
                    assert next(response.iter_lines()) == "event: hits"
                    break
            # Two seconds are promised; the slack is for busy computers.
            assert time.monotonic() - left < 10
            time.sleep(0.05)


def test_ten_at_once_are_answered_in_turn_or_told_to_come_back(tmp_path: Path) -> None:
    model = Slow(letter_s=0.003)
    with serving(tmp_path, model, queue_limit=4) as client, ThreadPoolExecutor(10) as people:
        asked = [
            people.submit(client.post, "/api/ask", json={"question": "What is the rent?"})
            for _ in range(10)
        ]
        answers = [each.result() for each in asked]
    told = [answer.status_code for answer in answers]
    assert set(told) <= {200, 429}
    assert told.count(200) >= 5, "one speaks, four wait"
    assert model.most == 1
    for answer in answers:
        if answer.status_code == 200:
            assert answer.json()["answer"] == REPLY
        else:
            assert int(answer.headers["retry-after"]) > 0


SOAK = Path(__file__).resolve().parents[2] / "scripts" / "soak.py"


@contextmanager
def soaking(client: httpx.Client, *options: str) -> Iterator[subprocess.Popen[str]]:
    command = [sys.executable, str(SOAK), "--url", str(client.base_url), "--people", "3", *options]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as run:
        try:
            yield run
        finally:
            run.kill()


def test_a_long_soak_stops_when_it_is_told_to(tmp_path: Path) -> None:
    model = Slow(letter_s=0.01, times=3)
    with serving(tmp_path, model) as client, soaking(client, "--minutes", "600") as run:
        while len(model.prompts) < 2:  # it is well under way
            assert run.poll() is None, run.communicate()[0]
            time.sleep(0.05)
        run.send_signal(signal.SIGINT)
        said = run.communicate(timeout=60)[0]
    assert run.returncode == 0, said
    assert said.splitlines()[-1] == "held"


def test_a_soak_ends_with_its_service(tmp_path: Path) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as gone:
        gone.wait()
    pid = ("--pid", str(gone.pid))
    with serving(tmp_path, ScriptedGenerator(REPLY)) as client, soaking(client, *pid) as run:
        said = run.communicate(timeout=60)[0]
    assert run.returncode == 1, said
    assert "the service ended" in said
