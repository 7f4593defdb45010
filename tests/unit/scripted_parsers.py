"""Parsers that misbehave, run in the child by their dotted names."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

from rag.ports import Progress
from rag.records import Box, Element, Locator, Page, Parsed


def reads(path: Path, *, progress: Progress) -> Parsed:
    """Says the file's name, and which process read it; prints, as libraries do."""
    sys.stdout.write("noise on stdout\n" * 1000)
    os.write(1, b"noise on the descriptor\n")
    place = Locator(page=1, page_source="file", section=("S",), boxes=(Box(1, 0.1, 0.2, 0.3, 0.4),))
    return Parsed((Element("text", path.name, place),), (Page(1, str(os.getpid()), "text", 4),))


def hangs(_path: Path, *, progress: Progress) -> Parsed:
    time.sleep(600)
    raise AssertionError


def leaves(_path: Path, *, progress: Progress) -> Parsed:
    os._exit(3)


def eats(_path: Path, *, progress: Progress) -> Parsed:
    hoard = []
    while True:
        hoard.append(bytearray(os.urandom(1 << 20) * 8))
        time.sleep(0.005)


def fails(_path: Path, *, progress: Progress) -> Parsed:
    raise RuntimeError("the text of the document")


def plods(path: Path, *, progress: Progress) -> Parsed:
    """Ten pages, a fifth of a second each."""
    for page in range(1, 11):
        time.sleep(0.2)
        progress(page, 10)
    return reads(path, progress=progress)


def circles(_path: Path, *, progress: Progress) -> Parsed:
    while True:
        progress(1, 10)
        time.sleep(0.05)


def floods(_path: Path, *, progress: Progress) -> Parsed:
    """Writes nonsense to every descriptor there is, the pipe to its parent too."""
    for descriptor in range(1, 64):
        with contextlib.suppress(OSError):
            os.write(descriptor, b"nonsense " * 500)
    time.sleep(600)
    raise AssertionError


def crashes(_path: Path, *, progress: Progress) -> Parsed:
    os.kill(os.getpid(), signal.SIGSEGV)
    raise AssertionError


def starts_another(path: Path, *, progress: Progress) -> Parsed:
    """Leaves a process in a session of its own, as LibreOffice does, and hangs."""
    code = "import time; hoard = bytearray(180 << 20); time.sleep(600)"
    other = subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    path.with_suffix(".pid").write_text(str(other.pid))
    time.sleep(600)
    raise AssertionError
