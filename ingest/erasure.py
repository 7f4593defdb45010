"""Erasing a document for good: afterwards no byte of its text is in the data folder or the inbox.

The intent is written down first, then the files are deleted, then one transaction takes the
document out of the catalogue and out of kept answers, then what SQLite and Chroma remember of it is
written over. A kill in between is made good at the next start.
"""

from __future__ import annotations

import logging
import shutil
from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ingest.folder import read_source
from ingest.originals import check_there
from rag.catalog import Doomed
from rag.errors import Busy, Conflict, DiskFull, NotFound, Unavailable
from rag.records import Document

if TYPE_CHECKING:
    from ingest.inbox import Inbox
    from rag.backup import Backup
    from rag.catalog import Catalog
    from rag.index import Index

log = logging.getLogger(__name__)

_PATIENCE_S = 30.0
"""How long the reading of the document under way may take to notice."""
_NOT_YET = {
    Busy: "other readers, or a backup being written, still hold an old state of the catalogue",
    DiskFull: "there is no room to write the catalogue anew",
    Unavailable: "a part of Deskside could not be cleaned",
}


@dataclass(frozen=True, slots=True)
class Erased:
    """What an erasure did.

    ``missing`` files were not where they should be; ``answers`` were emptied; ``not_yet`` says why
    traces are left until the next start, empty when none are.
    """

    document_id: str
    files: int
    missing: int
    answers: int
    not_yet: str


class Erasure:
    """Destroys documents.

    Args:
        data: the data folder.
        inbox: where originals lie; it is kept still meanwhile.
        catalog: the truth.
        index: the catalogue's passages, and the store.
        backup: while one is written, a copy of the catalogue lies in the data folder.
    """

    def __init__(
        self, data: Path, inbox: Inbox, catalog: Catalog, index: Index, backup: Backup
    ) -> None:
        self._backup = backup
        self._trash = data / "trash"
        self._previews = data / "previews"
        self._inbox = inbox
        self._catalog = catalog
        self._index = index

    def purge(self, document_id: str) -> Erased:
        """Destroy a document, with those of equal bytes in the trash.

        Raises:
            NotFound: there is no such document, and nothing was ever said about it.
            Conflict: it is in the trash, but the same bytes lie in the inbox; or a file of it is
                held open. Nothing was changed then.
            Unavailable: the inbox can't be reached.
            Busy: a backup is being written.
        """
        self._check_backup()
        with self._inbox.still(), _held_open_is_told():
            documents = self._doomed(document_id)
            ids = [document.document_id for document in documents] or [document_id]
            files = [Doomed(path, d.revision) for d in documents for path in d.locations]
            self._catalog.erasures.begin(ids, files)
            try:
                deleted = self._delete_files(files)
            except OSError:
                self._catalog.erasures.call_off(ids)
                raise
            answers = self._index.erase(ids)
        return Erased(
            document_id=document_id,
            files=deleted,
            missing=len(files) - deleted,
            answers=answers,
            not_yet=self._clean(ids),
        )

    def clear_remains(self) -> str:
        """Write over what the index still holds of documents that left it, as by hand.

        Returns:
            Why not all of it, or the empty string.

        Raises:
            Busy: a backup is being written.
        """
        self._check_backup()
        with self._inbox.still():
            return self._clean(())

    def finish(self) -> None:
        """At the start: end the erasures that were cut short."""
        pending = self._catalog.erasures.pending()
        if not pending:
            return
        files = list(dict.fromkeys(file for doomed in pending.values() for file in doomed))
        try:
            self._delete_files(files)
        except OSError as error:
            log.warning("erasure_waits error=%s", error.strerror)
            return
        self._index.erase(pending)
        not_yet = self._clean(pending)
        log.info("erasure_ended documents=%d complete=%s", len(pending), not not_yet)

    def _doomed(self, document_id: str) -> list[Document]:
        """The documents that hold those bytes, as they are now."""
        try:
            document = self._catalog.ledger.document(document_id)
        except NotFound:
            known = document_id in self._catalog.erasures.pending()
            if not known and not self._catalog.conversations.mention(document_id):
                raise
            return []
        if document.locations:
            check_there(self._inbox.path)
        for path in document.locations:  # an edited copy may be another document by now
            if (self._inbox.path / path).is_file():
                self._inbox.take(path)
        alike = self._catalog.ledger.alike(document_id)
        for other in alike:
            if other.locations and other.document_id != document_id:
                raise Conflict(
                    f"The same file lies at {other.path} as another document.",
                    hint="Purge that one; it takes this one along.",
                )
        return alike

    def _delete_files(self, files: Sequence[Doomed]) -> int:
        """Delete those that are still what they were, and folders left empty; gives how many.

        Raises:
            OSError: one can't be deleted.
        """
        deleted = 0
        for file in files:
            try:
                if read_source(self._inbox.path, file.path).sha256 == file.sha256:
                    (self._inbox.path / file.path).unlink()
                    deleted += 1
            except (FileNotFoundError, NotADirectoryError):
                pass
            self._delete_empty_folders(file.path)
        return deleted

    def _delete_empty_folders(self, path: str) -> None:
        """Their names are part of the document's path."""
        for folder in PurePosixPath(path).parents[:-1]:
            try:
                (self._inbox.path / folder).rmdir()
            except OSError:  # it holds something, or was never there
                return

    def _clean(self, document_ids: Collection[str]) -> str:
        """Remove what is left of them; gives why not all of it, or the empty string."""
        try:
            self._inbox.await_reader(document_ids, timeout_s=_PATIENCE_S)
            for document_id in document_ids:
                _remove_folder(self._trash / document_id)
            self._clear_renderings()
            self._index.refill()
            self._catalog.compact()
            self._check_backup()
            self._catalog.erasures.done(document_ids)
        except OSError as error:
            log.warning("erasure_incomplete error=%s", error.strerror)
            return f"a file of it can't be deleted ({error.strerror})"
        except (Busy, DiskFull, Unavailable) as error:
            log.warning("erasure_incomplete reason=%s", error.detail)
            return _NOT_YET[type(error)]
        return ""

    def _check_backup(self) -> None:
        if self._backup.is_running:
            raise Busy(
                "A backup is being written, which holds the document.",
                retry_after_s=60,
                hint="Purge it again when that is done.",
            )

    def _clear_renderings(self) -> None:
        """Renderings are named by their revision; those of no present one go."""
        if not self._previews.is_dir():
            return
        wanted = self._catalog.ledger.revisions()
        for file in self._previews.iterdir():
            if file.is_file() and file.name.partition(".")[0] not in wanted:
                file.unlink()


@contextmanager
def _held_open_is_told() -> Iterator[None]:
    try:
        yield
    except OSError as error:
        raise Conflict(
            f"The original can't be deleted: {error.strerror}.",
            hint="Close the program that has it open, and purge it again.",
        ) from error


def _remove_folder(folder: Path) -> None:
    if folder.is_dir():
        shutil.rmtree(folder)
