"""Downloads over HTTP that resume, survive a dropped line, and refuse a wrong byte."""

from __future__ import annotations

import hashlib
import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx

from rag.errors import DiskFull, Unavailable

log = logging.getLogger(__name__)

Progress = Callable[[int, int], None]
"""Called with (bytes done, bytes in all)."""

BLOCK_BYTES = 1 << 20
ATTEMPTS = 5
ENOSPC = 28
SHA256_HEX = 64


@dataclass(frozen=True, slots=True)
class Statement:
    """What a server says of a file: its size and its SHA-256 (64 hex) or git blob id (40 hex)."""

    size_bytes: int
    digest: str


def unseen(_done: int, _total: int) -> None:
    """Progress that nobody watches."""


def digest_of(path: Path, like: str) -> str:
    """The digest of a file, of the same kind as ``like``."""
    if len(like) == SHA256_HEX:
        digest = hashlib.sha256()
    else:
        digest = hashlib.sha1(f"blob {path.stat().st_size}\0".encode(), usedforsecurity=False)
    with path.open("rb") as file:
        while block := file.read(BLOCK_BYTES):
            digest.update(block)
    return digest.hexdigest()


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file, in hex."""
    return digest_of(path, "0" * SHA256_HEX)


def accept(part: Path, target: Path, stated: Statement) -> Path:
    """Give the finished ``part`` its name, or remove it when a byte is wrong.

    Raises:
        Unavailable: size or checksum are not as stated.
    """
    if part.stat().st_size != stated.size_bytes or digest_of(part, stated.digest) != stated.digest:
        part.unlink()
        raise Unavailable(
            f"{target.name} arrived damaged: its checksum is not the stated one. It was removed.",
            hint="Pull it again; if it happens again, a proxy may be altering downloads.",
        )
    part.replace(target)
    return target


@contextmanager
def room_for(name: str) -> Iterator[None]:
    """Tell a full disk as one."""
    try:
        yield
    except OSError as error:
        if error.errno != ENOSPC:
            raise
        raise DiskFull(
            f"The disk is full; {name} was not fetched to its end.",
            hint="Make room and pull again: it goes on where it stopped.",
        ) from error


def download(
    client: httpx.Client,
    url: str,
    target: Path,
    *,
    stated: Statement,
    progress: Progress = unseen,
    pause: Callable[[float], None] = time.sleep,
) -> Path:
    """Fetch ``url`` into ``target``, going on from what an earlier try left in ``.part``.

    Raises:
        Unavailable: the server refuses, the line stays down, or a byte is wrong.
        DiskFull: no room left.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_name(target.name + ".part")
    failures = 0
    while _size(part) != stated.size_bytes:
        before = _size(part)
        try:
            with room_for(target.name):
                _go_on(client, url, part, stated, progress)
        except httpx.TransportError as error:
            failures = 0 if _size(part) > before else failures + 1
            log.info("download interrupted url=%s error=%s", url, type(error).__name__)
            _give_up_after(failures, target.name, error)
            pause(min(2.0**failures, 30.0))
    return accept(part, target, stated)


def _give_up_after(failures: int, name: str, error: Exception) -> None:
    if failures >= ATTEMPTS:
        raise Unavailable(
            f"The connection broke {failures} times while fetching {name}.",
            hint="Pull again when the network is back: it goes on where it stopped.",
        ) from error


def _size(path: Path) -> int:
    return path.stat().st_size if path.exists() else 0


def _go_on(
    client: httpx.Client, url: str, part: Path, stated: Statement, progress: Progress
) -> None:
    """One request for what is missing; returns with the file whole or raises."""
    have = _size(part)
    if have > stated.size_bytes:
        part.unlink()
        have = 0
    headers = {"Accept-Encoding": "identity"} | ({"Range": f"bytes={have}-"} if have else {})
    with client.stream("GET", url, headers=headers, follow_redirects=True) as response:
        _check(response, url)
        # A server that ignores Range sends the whole file with 200: begin anew.
        have = have if _starts_at(response, have) else 0
        with part.open("r+b" if have else "wb") as file:
            file.seek(have)
            for block in response.iter_bytes():
                file.write(block)
                have += len(block)
                progress(min(have, stated.size_bytes), stated.size_bytes)
                if have > stated.size_bytes:
                    break
    if have < stated.size_bytes:
        raise httpx.ReadError("the body ended early")
    if have > stated.size_bytes:
        part.unlink()
        raise Unavailable(f"The server sent more of {part.stem} than it had stated.")


def _starts_at(response: httpx.Response, offset: int) -> bool:
    said = response.headers.get("Content-Range", "")
    return response.status_code == httpx.codes.PARTIAL_CONTENT and said.startswith(
        f"bytes {offset}-"
    )


def _check(response: httpx.Response, url: str) -> None:
    if response.status_code in (429, 500, 502, 503, 504):
        raise httpx.ReadError(f"the server answered {response.status_code}")
    if not response.is_success:
        raise Unavailable(f"The server answered {response.status_code} for {url}.")
