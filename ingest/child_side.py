"""The child's end of the pipe: ``python -m ingest.child_side module:function``."""

from __future__ import annotations

import importlib
import math
import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any, BinaryIO

import psutil

from ingest.failures import Unreadable
from ingest.frames import Frame, read_frame, telling, write_frame
from ingest.office import find_office
from ingest.wire import Json, failure_to_json, parsed_to_json, tables_to_bytes
from rag.errors import DesksideError
from rag.ports import Progress
from rag.quiet import Outbound, silence
from rag.records import Parsed

Handler = Callable[[Json, Progress], Frame]
"""From a request to its answer; may tell how many pages are done, of how many."""

_NICENESS = 10
_WATCH_EVERY_S = 1.0
_TELL_EVERY_S = 0.1


def parse(request: Json, progress: Progress) -> Frame:
    """Read the file at the request's path with the parser it names."""
    function = resolve(request["function"])
    folder = request.get("renderings")
    wishes: dict[str, Any] = {"office": find_office(Path(folder))} if folder else {}
    if not request.get("ocr", True):
        wishes["ocr"] = False
    parsed: Parsed = function(Path(request["path"]), progress=progress, **wishes)
    return {"parsed": parsed_to_json(parsed)}, tables_to_bytes(parsed.tables)


def resolve(name: str) -> Callable[..., Any]:
    """The function behind ``module:function``."""
    module, _, function = name.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), function)
    return found


def answer(handler: Handler, request: Json, progress: Progress) -> Frame:
    """What the handler says, or what went wrong, in words fit for the pipe."""
    try:
        return handler(request, progress)
    except Unreadable as error:
        return {"failure": failure_to_json(error.failure)}, b""
    except DesksideError as error:
        return {"problem": error.code, "detail": error.detail, "hint": error.hint}, b""
    except Exception as error:
        return {"error": type(error).__name__, "where": _where(error)}, b""


def serve(
    handler: Handler, requests: BinaryIO, answers: BinaryIO, take_refused: Callable[[], int]
) -> None:
    """Answer requests until the parent closes its end; tell it of connections refused here."""
    write_frame(answers, ({"ready": True}, b""))
    while (frame := read_frame(requests)) is not None:
        said, blob = answer(handler, frame[0], _Teller(answers))
        write_frame(answers, ({**said, "refused": take_refused()}, blob))


class _Teller:
    """Tells the parent of pages done; many in a moment are told as one, the last one always."""

    def __init__(self, answers: BinaryIO) -> None:
        self._answers = answers
        self._told_at = -math.inf

    def __call__(self, done: int, total: int) -> None:
        now = time.monotonic()
        if done >= total or now - self._told_at >= _TELL_EVERY_S:
            self._told_at = now
            write_frame(self._answers, telling(done, total))


def main() -> None:
    silence()
    outbound = Outbound()
    outbound.install()
    requests, answers = _claim_pipes()
    _step_back()
    _go_first_when_memory_ends()
    threading.Thread(target=_end_with_parent, args=(os.getppid(),), daemon=True).start()
    serve(resolve(sys.argv[1]), requests, answers, outbound.take)


def _claim_pipes() -> tuple[BinaryIO, BinaryIO]:
    """Take stdin and stdout for the protocol; whatever a library prints goes to stderr."""
    requests = os.fdopen(os.dup(0), "rb")
    answers = os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.dup2(2, 1)
    return requests, answers


def _step_back() -> None:
    """Let questions and the person's own programs go first."""
    psutil.Process().nice(_NICENESS if os.name == "posix" else psutil.BELOW_NORMAL_PRIORITY_CLASS)


def _go_first_when_memory_ends() -> None:
    """Where the whole computer runs out of memory, Linux ends this process and not the service."""
    with suppress(OSError):
        Path("/proc/self/oom_score_adj").write_text("1000", encoding="ascii")


def _end_with_parent(parent: int) -> None:
    """A parent killed in the middle of a call closes the pipe unread; don't outlive it."""
    while os.getppid() == parent:
        time.sleep(_WATCH_EVERY_S)
    if hasattr(os, "killpg") and os.getpgrp() == os.getpid():
        os.killpg(0, signal.SIGKILL)  # LibreOffice, if it runs just now, goes too
    os._exit(1)


def _where(error: BaseException) -> str:
    """The place in the code, without the message: that may quote the document."""
    frames = traceback.extract_tb(error.__traceback__)
    return f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else ""


if __name__ == "__main__":
    main()
