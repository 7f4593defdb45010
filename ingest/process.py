"""A child process with pipes to it, and a thread that reads what it says."""

from __future__ import annotations

import contextlib
import math
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

_FAMILY_EVERY_S = 0.5
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
            # Not a session of its own: so a system that loses this process wakes and ends the
            # child even where it had been made to wait.
            process_group=0,
        )
        self.calls = 0
        self._said: queue.SimpleQueue[Frame | None] = queue.SimpleQueue()
        if self._process.stdin is None or self._process.stdout is None:
            raise RuntimeError("the child has no pipes")
        self._stdin: BinaryIO = self._process.stdin  # type: ignore[assignment]
        self._stdout: BinaryIO = self._process.stdout  # type: ignore[assignment]
        self._family: dict[int, psutil.Process] = {}
        self._looked_at = -math.inf
        threading.Thread(target=self._listen, name="child-reader", daemon=True).start()

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
        for process in self._everyone():
            with contextlib.suppress(psutil.Error):
                total += process.memory_info().rss
        return total

    def suspend(self) -> None:
        """Make the child and what it started stand still, or nearly so, until `resume`."""
        for process in self._everyone(now=True):
            with contextlib.suppress(psutil.Error):
                if sys.platform == "win32":  # one that stands still there outlives us if we die
                    process.nice(psutil.IDLE_PRIORITY_CLASS)
                else:
                    process.suspend()

    def resume(self) -> None:
        for process in self._family.values():
            with contextlib.suppress(psutil.Error):
                if sys.platform == "win32":
                    process.nice(psutil.BELOW_NORMAL_PRIORITY_CLASS)
                else:
                    process.resume()

    def kill(self) -> None:
        """End the child and whatever it started, also what took a process group of its own."""
        family = self._everyone(now=True)
        if sys.platform != "win32":
            with contextlib.suppress(OSError):
                os.killpg(self._process.pid, signal.SIGKILL)
        for process in family:
            with contextlib.suppress(psutil.Error):
                process.kill()
        with contextlib.suppress(subprocess.TimeoutExpired):
            self._process.wait(_END_TIMEOUT_S)
        with contextlib.suppress(OSError):
            self._stdin.close()

    def _everyone(self, *, now: bool = False) -> list[psutil.Process]:
        """The child and all it ever started; new ones are looked for now and then, as it costs."""
        if now or time.monotonic() - self._looked_at > _FAMILY_EVERY_S:
            self._looked_at = time.monotonic()
            with contextlib.suppress(psutil.Error):
                child = psutil.Process(self._process.pid)
                for process in [child, *child.children(recursive=True)]:
                    self._family.setdefault(process.pid, process)
        return list(self._family.values())

    def _listen(self) -> None:
        with self._stdout:
            while True:
                frame = read_frame(self._stdout)
                self._said.put(frame)
                if frame is None:
                    return
