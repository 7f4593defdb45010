"""FIELD_CASE 62: what tries to leave the computer is refused and counted."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]

TRY = """
import socket
from rag.quiet import Outbound
outbound = Outbound()
outbound.install()
listener = socket.create_server(("127.0.0.1", 0))
socket.create_connection(listener.getsockname()).close()
datagram = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
for attempt in (
    lambda: socket.socket().connect(("192.0.2.1", 80)),
    lambda: datagram.sendto(b"x", ("192.0.2.1", 53)),
    lambda: socket.create_connection(("example.invalid", 80)),
    lambda: socket.gethostbyname("example.invalid"),
):
    try:
        attempt()
    except PermissionError:
        continue
    raise SystemExit("not refused")
print(outbound.attempts, outbound.take(), outbound.attempts)
"""


def test_only_this_computer_is_connected_to() -> None:
    done = subprocess.run(
        [sys.executable, "-c", TRY], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.split() == ["4", "4", "0"]


def test_telemetry_is_off_before_any_vendor_is_imported() -> None:
    code = (
        "import os; from rag.quiet import OPT_OUTS, silence; silence();"
        "print(all(os.environ[name] == value for name, value in OPT_OUTS.items()))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "True"
