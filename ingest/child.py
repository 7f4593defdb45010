"""One warm child process that does one thing at a time, under limits of time and memory.

Importing document libraries takes seconds, so the child is kept; they meet hostile files, so it is
watched, and replaced after a number of calls or whenever it broke a limit. The other end of the
pipe is `ingest.child_side`. Two things run this way: reading files and drawing pages.
"""

from __future__ import annotations

import logging
import threading
from pathlib import Path

from ingest import failures
from ingest.frames import Frame, told_in
from ingest.patience import Patience
from ingest.process import ChildBroke, Died, Running, TookTooLong, TookTooMuchMemory
from ingest.wire import Json, failure_from_json, parsed_from_json
from rag.errors import Unavailable
from rag.ports import Progress, unheard
from rag.quiet import Outbound
from rag.records import Parsed
from rag.right_of_way import RightOfWay

log = logging.getLogger(__name__)

_POLL_S = 0.05
_START_TIMEOUT_S = 60.0
_PAGE_S = 30.0
"""Text recognition takes up to 10 s a page on a slow computer."""


class Child:
    """Calls a function in a child process; safe to use from many threads, one call at a time.

    Args:
        handler: dotted name, ``module:function``, of what answers a request in the child.
        timeout_s: for one call, from one page done to the next.
        memory_bytes: resident memory of the child and its own children.
        calls_per_child: after so many calls a fresh one takes over.
        outbound: is told how many connections the child tried to make.
        right_of_way: while questions have it the child stands still, and its time, too.
    """

    def __init__(
        self,
        handler: str,
        *,
        timeout_s: float,
        memory_bytes: int,
        calls_per_child: int,
        outbound: Outbound | None = None,
        right_of_way: RightOfWay | None = None,
    ) -> None:
        self._outbound = outbound or Outbound()
        self._right_of_way = right_of_way or RightOfWay()
        self._handler = handler
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._calls_per_child = calls_per_child
        self._lock = threading.Lock()
        self._running: Running | None = None
        self._closed = False

    def call(self, request: Json, progress: Progress = unheard) -> Frame:
        """The child's answer; ``progress`` is told, in this thread, what it says meanwhile.

        Raises:
            ChildBroke: it gave none; the next call gets a fresh child.
            Unavailable: `close` was called.
        """
        with self._lock:
            try:
                running = self._ready()
                running.send((request, b""))
                answer = self._wait(running, Patience(self._timeout_s, _PAGE_S), progress)
            except ChildBroke as error:
                self._end()
                if self._closed:
                    raise _closing() from error
                log.warning("child_broke handler=%s why=%s", self._handler, type(error).__name__)
                raise
            except BaseException:  # the caller's: what the child goes on to say is for nobody
                self._end()
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

    def _ready(self) -> Running:
        if self._closed:
            raise _closing()
        running = self._running
        if running and (running.calls >= self._calls_per_child or not running.is_alive):
            self._end()
            running = None
        if running is None:
            running = self._running = Running(self._handler)
            self._wait(running, Patience(_START_TIMEOUT_S, 0), unheard)  # until it greets
        return running

    def _end(self) -> None:
        if self._running:
            self._running.kill()
        self._running = None

    def _wait(self, running: Running, patience: Patience, progress: Progress) -> Frame:
        while True:
            if self._right_of_way.is_taken:
                self._step_aside(running)
                patience.stand_still()
            said = running.receive(_POLL_S)
            if said is not None:
                told = told_in(said)
                if told is None:
                    return said
                patience.hear(*told)
                progress(*told)
            if self._closed:  # it may have been closed while the child was starting
                raise Died
            if patience.is_over:
                raise TookTooLong
            if running.memory_bytes() > self._memory_bytes:
                raise TookTooMuchMemory

    def _step_aside(self, running: Running) -> None:
        """Let the child stand still while questions are answered."""
        running.suspend()
        try:
            while not self._closed and not self._right_of_way.wait(_POLL_S):
                pass
        finally:
            running.resume()


class ParsingChild:
    """The `Parser` of the service: reads each file in a warm child process.

    Args:
        function: dotted name of the parser run there, from path to `Parsed`; see
            `ingest.parsers.parse`.
        renderings: folder for what LibreOffice makes of documents; None to do without it.
        ocr: whether scans and pictures are read.
    """

    def __init__(  # noqa: PLR0913
        self,
        *,
        timeout_s: float = 600.0,
        memory_bytes: int = 3 * 2**30,
        files_per_child: int = 50,
        function: str = "ingest.parsers:parse",
        renderings: Path | None = None,
        ocr: bool = True,
        outbound: Outbound | None = None,
        right_of_way: RightOfWay | None = None,
    ) -> None:
        self._timeout_s = timeout_s
        self._memory_bytes = memory_bytes
        self._function = function
        self._wishes: Json = {"renderings": str(renderings)} if renderings else {}
        if not ocr:
            self._wishes["ocr"] = False
        self._child = Child(
            "ingest.child_side:parse",
            timeout_s=timeout_s,
            memory_bytes=memory_bytes,
            calls_per_child=files_per_child,
            outbound=outbound,
            right_of_way=right_of_way,
        )

    def parse(self, path: Path, /, *, progress: Progress = unheard) -> Parsed:
        """Read the file at ``path``.

        Raises:
            Unreadable: the file is at fault, or reading it broke a limit.
            OSError: it can't be opened just now.
        """
        with path.open("rb"):  # gone or locked is told here, as what it is
            pass
        try:
            request = {"function": self._function, "path": str(path), **self._wishes}
            answer, tables = self._child.call(request, progress)
        except TookTooLong as error:
            raise failures.timeout(self._timeout_s) from error
        except TookTooMuchMemory as error:
            raise failures.memory(self._memory_bytes) from error
        except Died as error:
            raise failures.internal() from error
        return self._read(answer, tables)

    def close(self) -> None:
        self._child.close()

    def _read(self, answer: Json, tables: bytes) -> Parsed:
        try:
            if "parsed" in answer:
                return parsed_from_json(answer["parsed"], tables)
            if "failure" in answer:
                raise failures.Unreadable(failure_from_json(answer["failure"]))
        except (KeyError, TypeError, ValueError) as error:
            log.warning("child_answer_senseless error=%s", type(error).__name__)
            raise failures.internal() from error
        if answer.get("error") == "MemoryError":
            raise failures.memory(self._memory_bytes)
        log.error("parser_failed error=%s where=%s", answer.get("error"), answer.get("where"))
        raise failures.internal()


def _closing() -> Unavailable:
    return Unavailable("Deskside is shutting down.")
