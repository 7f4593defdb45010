"""Files people hand in or throw away: stored into the inbox, moved to the trash and back."""

from __future__ import annotations

import errno
import os
import re
import shutil
import uuid
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import IO, TYPE_CHECKING

from ingest.folder import is_ignored, read_source
from rag.errors import Conflict, DiskFull, InvalidRequest, NotFound, TooLarge

if TYPE_CHECKING:
    from ingest.inbox import Inbox
    from rag.catalog import Catalog
    from rag.index import Index

_BLOCK = 1 << 20
_PATH_LIMIT_BYTES = 1024
_NAME_LIMIT_BYTES = 255
_FORBIDDEN = re.compile(r'[<>:"|?*\\\x00-\x1f]')
_DEVICES = re.compile(r"^(con|prn|aux|nul|com\d|lpt\d)(\..*)?$", re.IGNORECASE)


class Originals:
    """The inbox as a place to put files into and take them out of."""

    def __init__(self, inbox: Inbox, trash: Path, catalog: Catalog, index: Index) -> None:
        self._inbox = inbox
        self._trash = trash
        self._catalog = catalog
        self._index = index

    def add(self, path: str, content: IO[bytes], *, limit_bytes: int) -> str:
        """Store an upload at ``path``; returns the document's id.

        Raises:
            InvalidRequest: the path makes no sense.
            Conflict: another file has that path.
            TooLarge: over ``limit_bytes``.
            DiskFull: no room left.
        """
        checked = check_path(path)
        target = self._inbox.path / checked
        with _room():
            _make_folder(target)
            draft = target.parent / f".{uuid.uuid4().hex}.part"
            try:
                _copy(content, draft, limit_bytes=limit_bytes)
                self._place(draft, target)
            finally:
                draft.unlink(missing_ok=True)
        return self._inbox.take(checked)

    def delete(self, document_id: str, *, path: str | None = None) -> None:
        """Move a document's original to the trash, or one of its several copies only.

        Raises:
            NotFound: there is no such document, or it does not lie at ``path``.
        """
        document = self._catalog.ledger.document(document_id)
        if not document.locations:
            raise NotFound("The document is in the trash already.")
        if path is not None and path not in document.locations:
            raise NotFound(f"The document does not lie at {path}.")
        if path is not None and len(document.locations) > 1:
            self._discard(document_id, [path])
            self._catalog.ledger.leave([path])
            return
        trashed = self._discard(document_id, document.locations)
        self._index.shelve(document_id, trashed)

    def restore(self, document_id: str) -> None:
        """Bring a deleted document back to where it was.

        Raises:
            NotFound: it is not in the trash.
            Conflict: another file has its path by now.
        """
        document = self._catalog.ledger.document(document_id)
        folder = self._trash / document_id
        if document.locations or not (folder / document.path).is_file():
            raise NotFound("The document is not in the trash.")
        kept = [file.relative_to(folder) for file in folder.rglob("*") if file.is_file()]
        for path in kept:
            if (self._inbox.path / path).exists():
                raise Conflict(f"Another file lies at {path} now.", hint="Move that one first.")
        for path in kept:
            target = self._inbox.path / path
            _make_folder(target)
            shutil.move(folder / path, target)
        self._inbox.restore(document_id, document.path)
        for path in kept:
            self._inbox.take(path.as_posix())

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

    def _discard(self, document_id: str, paths: Sequence[str]) -> str:
        """Move the files away; returns the first one's path, under which it can be restored."""
        for path in paths:
            source = self._inbox.path / path
            if source.is_file():
                target = self._trash / document_id / path
                target.parent.mkdir(parents=True, exist_ok=True)
                shutil.move(source, target)
        return paths[0]


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


def _make_folder(target: Path) -> None:
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
def _room() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        if error.errno != errno.ENOSPC:
            raise
        raise DiskFull(
            "The disk is full; the file was not stored.",
            hint="Free some space and add it again.",
        ) from error
