"""Files people hand in: stored into the inbox, and found there again."""

from __future__ import annotations

import errno
import os
import re
import uuid
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ingest.folder import is_ignored, read_source
from rag.errors import Conflict, DiskFull, InvalidRequest, NotFound, TooLarge, Unavailable

if TYPE_CHECKING:
    from ingest.inbox import Inbox
    from rag.catalog import Catalog

_BLOCK = 1 << 20
_PATH_LIMIT_BYTES = 1024
_NAME_LIMIT_BYTES = 255
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]')
_DRAFT = re.compile(r"\.[0-9a-f]{32}\.part")
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)


class Originals:
    """The inbox as a place to put files into."""

    def __init__(self, inbox: Inbox, catalog: Catalog) -> None:
        self._inbox = inbox
        self._catalog = catalog

    def add(self, path: str, content: IO[bytes], *, limit_bytes: int) -> str:
        """Store an upload at ``path``; returns the document's id.

        Raises:
            InvalidRequest: the path makes no sense.
            Conflict: another file has that path.
            TooLarge: over ``limit_bytes``.
            DiskFull: no room left.
            Unavailable: the inbox is not there, or not to be written to.
        """
        checked = check_path(path)
        check_there(self._inbox.path)
        target = self._inbox.path / checked
        with room():
            make_folder(target)
            draft = target.parent / f".{uuid.uuid4().hex}.part"
            try:
                _copy(content, draft, limit_bytes=limit_bytes)
                self._place(draft, target)
            finally:
                draft.unlink(missing_ok=True)
        return self._inbox.take(checked)

    def sweep(self) -> None:
        """At the start: clear away what uploads cut short by a kill have left."""
        if self._inbox.path.is_dir():
            for file in self._inbox.path.rglob("*.part"):
                if _DRAFT.fullmatch(file.name):
                    with suppress(OSError):  # an inbox that is read only
                        file.unlink()

    def file_of(self, document_id: str) -> Path:
        """Where the original can be read.

        Raises:
            NotFound: there is no such document, or its file is gone.
        """
        document = self._catalog.ledger.document(document_id)
        for path in document.locations:
            file = self._inbox.path / path
            if file.is_file():
                return file
        raise NotFound(f"The file {document.name} is not in the inbox any more.")

    def _place(self, draft: Path, target: Path) -> None:
        try:
            os.link(draft, target)  # fails where the name is taken, unlike a rename
        except FileExistsError:
            if not target.is_file() or not _equal(draft, target):
                raise Conflict(
                    f"Another file named {target.name} lies there already.",
                    hint="Rename yours, or delete the other first.",
                ) from None
        except OSError:  # no hard links on this file system
            if target.exists():
                raise Conflict(f"Another file named {target.name} lies there.") from None
            draft.rename(target)


def check_there(inbox: Path) -> None:
    """Refuse what can't be done without the inbox; made anew it would look like a mass deletion.

    Raises:
        Unavailable: the inbox is not there.
    """
    if not inbox.is_dir():
        raise Unavailable(
            "The watched folder is not there.",
            hint="Connect the drive or share it lies on, or put the folder back.",
        )


def check_path(path: str) -> str:
    """``path`` as relative to the inbox with forward slashes.

    Raises:
        InvalidRequest: it leads out of the inbox, or no file could be named so everywhere.
    """
    parts = path.replace("\\", "/").split("/")
    wrong = (
        any(part in ("", ".", "..") or _FORBIDDEN.search(part) for part in parts)
        or any(_DEVICES.match(part) or part.endswith((" ", ".")) for part in parts)
        or any(len(part.encode()) > _NAME_LIMIT_BYTES for part in parts)
        or len(path.encode()) > _PATH_LIMIT_BYTES
    )
    if wrong:
        raise InvalidRequest(
            f"A file can't be stored under the name {path[:80]!r}.",
            hint='Leave out .. and < > : " | ? * and keep the name under 80 characters.',
        )
    if any(is_ignored(part) for part in parts):
        raise InvalidRequest(
            f"{parts[-1]} is a hidden, temporary or lock file; those are not read.",
            hint="Close the program that has it open and add the document itself.",
        )
    return "/".join(parts)


def make_folder(target: Path) -> None:
    """The folder of a file to be.

    Raises:
        Conflict: a file lies in its place.
    """
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
    except (FileExistsError, NotADirectoryError) as error:
        raise Conflict(
            f"A file lies where the folder {target.parent.name} should be.",
            hint="Rename the folder, or delete that file first.",
        ) from error


def _copy(content: IO[bytes], draft: Path, *, limit_bytes: int) -> None:
    written = 0
    with draft.open("wb") as file:
        while block := content.read(_BLOCK):
            written += len(block)
            if written > limit_bytes:
                raise TooLarge(
                    f"The file is over {limit_bytes // 2**20} MB.",
                    hint="Split it, or raise DESKSIDE_UPLOAD_LIMIT_BYTES.",
                )
            file.write(block)
        file.flush()
        os.fsync(file.fileno())


def _equal(one: Path, other: Path) -> bool:
    return read_source(one.parent, one.name).sha256 == read_source(other.parent, other.name).sha256


@contextmanager
def room() -> Iterator[None]:
    """A full disk is told as one, and so is a folder that can't be written to."""
    try:
        yield
    except OSError as error:
        if error.errno in (errno.EROFS, errno.EACCES, errno.EPERM):
            raise Unavailable(
                f"The folder can't be written to: {error.strerror}.",
                hint="Allow Deskside to write there, or choose another folder.",
            ) from error
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        raise DiskFull(
            "The disk is full; the file was not stored.",
            hint="Free some space and add it again.",
        ) from error
