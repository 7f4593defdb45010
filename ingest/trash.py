"""Deleting and undoing it: originals move to ``trash/<document id>/`` and back."""

from __future__ import annotations

import logging
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.folder import read_source
from ingest.originals import check_there, make_folder, room
from rag.errors import Conflict, NotFound

if TYPE_CHECKING:
    from ingest.inbox import Inbox
    from rag.catalog import Catalog
    from rag.index import Index
    from rag.records import Document

log = logging.getLogger(__name__)


class Trash:
    """Originals of deleted documents, kept until they are wanted back or erased."""

    def __init__(self, folder: Path, inbox: Inbox, catalog: Catalog, index: Index) -> None:
        self._folder = folder
        self._inbox = inbox
        self._catalog = catalog
        self._index = index

    def documents(self) -> list[Document]:
        """What can be brought back, the latest first."""
        return [each for each in self._catalog.ledger.trashed() if self._kept(each.document_id)]

    def delete(self, document_id: str, *, path: str | None = None) -> None:
        """Move a document's original to the trash, or take one of its several copies away.

        Raises:
            NotFound: there is no such document, or it does not lie at ``path``.
            DiskFull: the trash has no room for it.
            Unavailable: the inbox can't be reached.
        """
        with self._inbox.still():
            check_there(self._inbox.path)
            document = self._catalog.ledger.document(document_id)
            if not document.locations:
                raise NotFound("The document is in the trash already.")
            if path is not None and path not in document.locations:
                raise NotFound(f"The document does not lie at {path}.")
            if path is not None and len(document.locations) > 1:
                self._take_copy(document, path)
                return
            with self._moved_in(document_id, document.locations):
                self._index.shelve(document_id, document.locations[0])

    def restore(self, document_id: str) -> None:
        """Bring a deleted document back to where it was.

        Raises:
            NotFound: it is not in the trash.
            Conflict: another file has its path by now.
            Unavailable: the inbox can't be reached.
        """
        with self._inbox.still():
            check_there(self._inbox.path)
            document = self._catalog.ledger.document(document_id)
            kept = self._kept(document_id)
            if document.locations or not kept:
                raise NotFound("The document is not in the trash.")
            for path in kept:
                self._check_free(document_id, path)
            for path in kept:
                target = self._inbox.path / path
                make_folder(target)
                with room():
                    shutil.move(self._folder / document_id / path, target)
            first = document.path if (self._inbox.path / document.path).is_file() else kept[0]
            self._inbox.restore(document_id, first)
            for path in kept:
                self._inbox.take(path)
            shutil.rmtree(self._folder / document_id)

    def mend(self) -> None:
        """At the start: end what a kill left half done, before anything looks at the inbox."""
        if not self._inbox.path.is_dir():  # a share that is not connected: nothing can be told
            return
        for document in self._catalog.ledger.trashed():
            if not self._kept(document.document_id):
                self._mend_restore(document)
        if self._folder.is_dir():
            for folder in self._folder.iterdir():
                self._mend_delete(folder.name)

    def _mend_restore(self, document: Document) -> None:
        """Its file went back to the inbox, or somebody emptied the trash by hand."""
        try:
            back = read_source(self._inbox.path, document.path).sha256 == document.revision
        except OSError:
            back = False
        log.info("trash_mended document=%s restored=%s", document.document_id, back)
        if back:
            self._inbox.restore(document.document_id, document.path)
        else:
            self._index.remove(document.document_id)

    def _mend_delete(self, document_id: str) -> None:
        """Its files were moved here, but it is in the ledger still."""
        try:
            document = self._catalog.ledger.document(document_id)
        except NotFound:
            return
        gone = not any((self._inbox.path / path).exists() for path in document.locations)
        if document.locations and gone and document.path in self._kept(document_id):
            log.info("trash_mended document=%s restored=False", document_id)
            self._index.shelve(document_id, document.path)

    def _kept(self, document_id: str) -> list[str]:
        folder = self._folder / document_id
        files = (file for file in sorted(folder.rglob("*")) if file.is_file())
        return [file.relative_to(folder).as_posix() for file in files]

    def _check_free(self, document_id: str, path: str) -> None:
        target = self._inbox.path / path
        if not target.exists():
            return
        kept = self._folder / document_id / path
        if not target.is_file() or _sha256(kept) != _sha256(target):
            raise Conflict(f"Another file lies at {path} now.", hint="Move that one first.")

    def _take_copy(self, document: Document, path: str) -> None:
        """One of several copies needs no place in the trash, unless the others were just edited."""
        source = self._inbox.path / path
        others = [self._inbox.path / other for other in document.locations if other != path]
        if source.is_file() and any(
            other.is_file() and _sha256(other) == _sha256(source) for other in others
        ):
            self._catalog.ledger.leave([path])
            source.unlink()
            return
        with self._moved_in(document.document_id, [path]):
            self._catalog.ledger.leave([path])

    @contextmanager
    def _moved_in(self, document_id: str, paths: Sequence[str]) -> Iterator[None]:
        """All of the files are in the trash while the block takes note of it, or none after all."""
        moved: list[str] = []
        folder = self._folder / document_id
        try:
            for path in paths:
                source = self._inbox.path / path
                if source.is_file():
                    target = folder / path
                    with room():
                        target.parent.mkdir(parents=True, exist_ok=True)
                        moved.append(path)
                        shutil.move(source, target)
            yield
        except Exception:
            for path in moved:
                if (self._inbox.path / path).exists():
                    (folder / path).unlink(missing_ok=True)
                else:
                    shutil.move(folder / path, self._inbox.path / path)
            raise


def _sha256(file: Path) -> str:
    return read_source(file.parent, file.name).sha256
