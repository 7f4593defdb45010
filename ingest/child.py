"""One warm child process that does one thing at a time, under limits of time and memory.

Importing document libraries takes seconds, so the child is kept; they meet hostile files, so it is
watched, and replaced after a number of calls or whenever it broke a limit. The other end of the
pipe is `ingest.child_side`. Two things run this way: reading files and drawing pages.
"""

from __future__ import annotations

import contextlib
import logging
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

from ingest import failures
from ingest.frames import Frame, read_frame, write_frame
from ingest.wire import Json, failure_from_json, parsed_from_json
from rag.errors import Unavailable
from rag.quiet import Outbound
from rag.records import Parsed

log = logging.getLogger(__name__)

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


class Child:
    """Calls a function in a child process; safe to use from many threads, one call at a time.

    Args:
        handler: dotted name, ``module:function``, of what answers a request in the child.
        timeout_s: for one call.
        memory_bytes: resident memory of the child and its own children.
        calls_per_child: after so many calls a fresh one takes over.
        outbound: is told how many connections the child tried to make.
    """

    def __init__(
        self,
        handler: str,
        *,
        timeout_s: float,
        memory_bytes: int,
        calls_per_child: int,
        outbound: Outbound | None = None,
    ) -> None:
        self._outbound = outbound or Outbound()
        self._handler = handler
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._calls_per_child = calls_per_child
        self._lock = threading.Lock()
        self._running: _Running | None = None
        self._closed = False

    def call(self, request: Json) -> Frame:
        """The child's answer.

        Raises:
            ChildBroke: it gave none; the next call gets a fresh child.
            Unavailable: `close` was called.
        """
        with self._lock:
            running = self._ready()
            try:
                running.send((request, b""))
                answer = self._wait(running)
            except ChildBroke as error:
                self._end()
                if self._closed:
                    raise _closing() from error
                log.warning("child_broke handler=%s why=%s", self._handler, type(error).__name__)
                raise
            running.calls += 1
            self._outbound.add(int(answer[0].pop("refused", 0)))
            return answer

    def close(self) -> None:
        """End the child, also in the middle of a call."""
        self._closed = True
        running = self._running
        if running:
            running.kill()

    def _ready(self) -> _Running:
        if self._closed:
            raise _closing()
        running = self._running
        if running and (running.calls >= self._calls_per_child or not running.is_alive):
            self._end()
            running = None
        if running is None:
            running = self._running = _Running(self._handler)
        return running

    def _end(self) -> None:
        if self._running:
            self._running.kill()
        self._running = None

    def _wait(self, running: _Running) -> Frame:
        deadline = time.monotonic() + self._timeout_s
        while True:
            answer = running.receive(_POLL_S)
            if answer is not None:
                return answer
            if self._closed:  # it may have been closed while the child was starting
                raise Died
            if time.monotonic() > deadline:
                raise TookTooLong
            if running.memory_bytes() > self._memory_bytes:
                raise TookTooMuchMemory


class ParsingChild:
    """The `Parser` of the service: reads each file in a warm child process.

    Args:
        function: dotted name of the parser run there, from path to `Parsed`.
    """

    def __init__(
        self,
        *,
        timeout_s: float = 600.0,
        memory_bytes: int = 3 * 2**30,
        files_per_child: int = 50,
        function: str = "ingest.parsers:parse",
        outbound: Outbound | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._function = function
        self._child = Child(
            "ingest.child_side:parse",
            timeout_s=timeout_s,
            memory_bytes=memory_bytes,
            calls_per_child=files_per_child,
            outbound=outbound,
        )

    def parse(self, path: Path, /) -> Parsed:
        """Read the file at ``path``.

        Raises:
            Unreadable: the file is at fault, or reading it broke a limit.
            OSError: it can't be opened just now.
        """
        with path.open("rb"):  # gone or locked is told here, as what it is
            pass
        try:
            answer, _ = self._child.call({"function": self._function, "path": str(path)})
        except TookTooLong as error:
            raise failures.timeout(self._timeout_s) from error
        except TookTooMuchMemory as error:
            raise failures.memory(self._memory_bytes) from error
        except Died as error:
            raise failures.internal() from error
        return self._read(answer)

    def close(self) -> None:
        self._child.close()

    def _read(self, answer: Json) -> Parsed:
        try:
            if "parsed" in answer:
                return parsed_from_json(answer["parsed"])
            if "failure" in answer:
                raise failures.Unreadable(failure_from_json(answer["failure"]))
        except (KeyError, TypeError, ValueError) as error:
            log.warning("child_answer_senseless error=%s", type(error).__name__)
            raise failures.internal() from error
        if answer.get("error") == "MemoryError":
            raise failures.memory(self._memory_bytes)
        log.error("parser_failed error=%s where=%s", answer.get("error"), answer.get("where"))
        raise failures.internal()


class _Running:
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


def _closing() -> Unavailable:
    return Unavailable("Deskside is shutting down.")
