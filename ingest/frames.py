"""What goes through the pipe between a process and its child: JSON, and bytes beside it."""

from __future__ import annotations

import json
import struct
from typing import BinaryIO

from ingest.wire import Json

Frame = tuple[Json, bytes]
"""An answer, or how far one has come: see `telling` and `told_in`."""

_LENGTHS = struct.Struct("<QQ")
_MAX_BYTES = 1 << 30
"""More than any document says; a child gone mad must not fill the service's memory."""


def telling(done: int, total: int) -> Frame:
    """The frame that says ``done`` of ``total`` pages are done, before the answer comes."""
    return {"progress": [done, total]}, b""


def told_in(frame: Frame) -> tuple[int, int] | None:
    """Pages done and pages in all; None when the frame is an answer."""
    match frame[0].get("progress"):
        case [int(done), int(total)]:
            return done, total
        case _:
            return None


def write_frame(stream: BinaryIO, frame: Frame) -> None:
    """Send one frame.

    Raises:
        OSError: the other end is gone.
    """
    data, blob = frame
    # ASCII, since names of files may hold bytes that are no Unicode.
    text = json.dumps(data, ensure_ascii=True, separators=(",", ":")).encode("ascii")
    stream.write(_LENGTHS.pack(len(text), len(blob)))
    stream.write(text)
    stream.write(blob)
    stream.flush()


def read_frame(stream: BinaryIO) -> Frame | None:
    """The next frame; None at the end of the stream, or where it makes no sense."""
    try:
        head = stream.read(_LENGTHS.size)
        if len(head) < _LENGTHS.size:
            return None
        text_bytes, blob_bytes = _LENGTHS.unpack(head)
        if text_bytes + blob_bytes > _MAX_BYTES:
            return None
        text, blob = stream.read(text_bytes), stream.read(blob_bytes)
        data = json.loads(text)
    except (OSError, ValueError):
        return None
    if not isinstance(data, dict) or len(blob) < blob_bytes:
        return None
    return data, blob
