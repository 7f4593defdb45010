"""Starts the real service as a user would, for tests from outside."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

DESKSIDE = Path(sys.executable).with_name("deskside")
MODEL = "qwen2.5-coder-0.5b-instruct"
_START_S = 120.0
_READ_S = 300.0


class Service:
    """A running ``deskside serve``."""

    def __init__(self, process: subprocess.Popen[str], url: str, log: Path, data: Path) -> None:
        self.process = process
        self.url = url
        self.log = log
        self.data = data

    def get(self, path: str) -> Any:
        return json.loads(self.fetch(path))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return json.loads(self.fetch(path, body))

    def fetch(self, path: str, body: dict[str, Any] | None = None) -> bytes:
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(
            self.url + path, data, {"Content-Type": "application/json"}
        )
        with urllib.request.urlopen(request, timeout=_READ_S) as response:
            content: bytes = response.read()
            return content

    def delete(self, path: str) -> None:
        request = urllib.request.Request(self.url + path, method="DELETE")
        urllib.request.urlopen(request, timeout=_READ_S).close()

    def ledger(self) -> dict[str, dict[str, Any]]:
        """Documents by path."""
        listed = self.get("/api/documents?limit=1000")["documents"]
        return {document["path"]: document for document in listed}

    def wait_until_read(
        self, count: int, *, within_s: float = _READ_S
    ) -> dict[str, dict[str, Any]]:
        """The ledger, once it holds ``count`` documents and none waits."""
        deadline = time.monotonic() + within_s
        while time.monotonic() < deadline:
            ledger = self.ledger()
            waiting = {"queued", "reading", "embedding", "missing"}
            if len(ledger) == count and not any(d["status"] in waiting for d in ledger.values()):
                return ledger
            time.sleep(0.3)
        raise AssertionError({path: d["status"] for path, d in ledger.items()})

    def run(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        """A command beside the running service."""
        return subprocess.run(
            [DESKSIDE, *arguments, "--data", self.data],
            capture_output=True,
            text=True,
            timeout=_READ_S,
            env=environment(),
            check=False,
        )


def environment(**more: str) -> dict[str, str]:
    """This process's environment without settings of its own."""
    kept = {k: v for k, v in os.environ.items() if not k.startswith("DESKSIDE_")}
    models = {k: v for k, v in os.environ.items() if k == "DESKSIDE_MODELS_DIR"}
    return {**kept, **models, "DESKSIDE_MODEL": MODEL, "PYTHONUNBUFFERED": "1", **more}


@contextmanager
def serving(data: Path, **settings: str) -> Iterator[Service]:
    """``deskside serve`` on ``data`` while the block runs; killed in the end."""
    log = data.with_suffix(".log")
    with log.open("a", encoding="utf-8") as out:
        process = subprocess.Popen(
            [DESKSIDE, "serve", "--port", "0", "--data", data],
            stdout=out,
            stderr=subprocess.STDOUT,
            text=True,
            env=environment(**settings),
        )
        try:
            yield Service(process, _address(process, log, out.tell()), log, data)
        finally:
            process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def _address(process: subprocess.Popen[str], log: Path, start: int) -> str:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline and process.poll() is None:
        with log.open(encoding="utf-8") as said:
            said.seek(start)
            found = re.search(r"http://[\w.:]+", said.read())
        if found:
            return found.group()
        time.sleep(0.1)
    raise AssertionError(log.read_text(encoding="utf-8"))
