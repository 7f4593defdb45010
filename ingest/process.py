"""A child process with pipes to it, and a thread that reads what it says."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import BinaryIO

import psutil

from ingest.frames import Frame, read_frame, write_frame

_POLL_S = 0.05
_START_TIMEOUT_S = 60.0
_END_TIMEOUT_S = 5.0
_ROOT = Path(__file__).resolve().parent.parent


class ChildBroke(Exception):
    """The child gave no answer and was ended."""


class TookTooLong(ChildBroke):
    """Over the time limit."""


class TookTooMuchMemory(ChildBroke):
    """Over the memory limit."""


class Died(ChildBroke):
    """Killed by a signal, left by ``os._exit``, or said something that makes no sense."""


class Running:
    """A child process, and a thread that reads what it says."""

    def __init__(self, handler: str) -> None:
        paths = [str(_ROOT), os.environ.get("PYTHONPATH", "")]
        # stderr is dropped: libraries write document text there. What fails is told in frames.
        self._process = subprocess.Popen(  # noqa: S603
            [sys.executable, "-m", "ingest.child_side", handler],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(filter(None, paths))},
            start_new_session=True,
        )
        self.calls = 0
        self._said: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the child has no pipes")
        self._stdin: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._stdout: BinaryIO = self._process.stdout  # type: ignore[assignment]
        threading.Thread(target=self._listen, name="child-reader", daemon=True).start()
        self._greet()

    @property
    def is_alive(self) -> bool:
        return self._process.poll() is None

    def send(self, frame: Frame) -> None:
        try:
            write_frame(self._stdin, frame)
        except OSError as error:
            raise Died from error

    def receive(self, timeout_s: float) -> Frame | None:
        """What the child said; None when nothing came in that time.

        Raises:
            Died: it will never say anything again.
        """
        try:
            said = self._said.get(timeout=timeout_s)
        except queue.Empty:
            return None
        if said is None:
            raise Died
        return said

    def memory_bytes(self) -> int:
        """Resident bytes of the child and everything it started."""
        total = 0
        with contextlib.suppress(psutil.Error):
            child = psutil.Process(self._process.pid)
            for process in [child, *child.children(recursive=True)]:
                with contextlib.suppress(psutil.Error):
                    total += process.memory_info().rss
        return total

    def kill(self) -> None:
        """End the child and whatever it started; it had its own process group."""
        with contextlib.suppress(OSError):
            if hasattr(os, "killpg"):
                os.killpg(self._process.pid, signal.SIGKILL)
            else:
                self._process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_TIMEOUT_S)
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _greet(self) -> None:
        """Wait until it has started, so that a call's time is its own."""
        started = time.monotonic()
        try:
            while self.receive(_POLL_S) is None:
                if time.monotonic() - started > _START_TIMEOUT_S:
                    raise TookTooLong
        except ChildBroke:
            self.kill()
            raise

    def _listen(self) -> None:
        with self._stdout:
            while True:
                frame = read_frame(self._stdout)
                self._said.put(frame)
                if frame is None:
                    return
