"""Server-sent events out of plain iterators that run in a thread of their own."""

from __future__ import annotations

import asyncio
import json
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping
from typing import Any

from fastapi import Request
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import StreamingResponse

from api.errors import as_ours, problem

Named = tuple[str, dict[str, Any]]
"""An event's name and its data."""

_LOOK_EVERY_S = 0.3
_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}


def encode(name: str, data: dict[str, Any]) -> bytes:
    """One event in the wire format."""
    return f"event: {name}\ndata: {json.dumps(data, ensure_ascii=False)}\n\n".encode()


def respond(
    events: Iterator[Named], *, cancel: Callable[[], None], headers: Mapping[str, str]
) -> StreamingResponse:
    """Stream ``events``; ``cancel`` is called when the listener goes away."""
    return StreamingResponse(
        _pumped(events, cancel), media_type="text/event-stream", headers={**_HEADERS, **headers}
    )


async def last(
    events: Iterator[Named], request: Request, *, cancel: Callable[[], None]
) -> dict[str, Any]:
    """The data of the last of ``events``; ``cancel`` is called when the listener goes away."""
    running = asyncio.ensure_future(run_in_threadpool(_last, events))
    while not (await asyncio.wait({running}, timeout=_LOOK_EVERY_S))[0]:
        if await request.is_disconnected():
            cancel()
    return running.result()


def _last(events: Iterator[Named]) -> dict[str, Any]:
    *_, (_name, data) = events
    return data


async def _pumped(events: Iterator[Named], cancel: Callable[[], None]) -> AsyncIterator[bytes]:
    """One thread iterates and closes the iterator, so it never runs in two at once."""
    loop = asyncio.get_running_loop()
    queue: asyncio.Queue[Named | None] = asyncio.Queue()

    def put(event: Named | None) -> None:
        if not loop.is_closed():
            loop.call_soon_threadsafe(queue.put_nowait, event)

    def pump() -> None:
        try:
            for event in events:
                put(event)
        except Exception as error:
            put(("error", problem(as_ours(error))))
        finally:
            put(None)

    threading.Thread(target=pump, name="sse", daemon=True).start()
    try:
        while (event := await queue.get()) is not None:
            yield encode(*event)
    finally:
        cancel()
