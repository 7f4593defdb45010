"""A job becomes published passages: parse, chunk, embed, publish."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from ingest.chunking import chunk
from ingest.failures import Unreadable
from ingest.folder import read_source
from ingest.telling import Heard, Superseded, Telling, unheard
from rag.errors import Unavailable
from rag.ports import Span
from rag.records import Failure, Job, Parsed, Passage, Reason

if TYPE_CHECKING:
    from rag.catalog import Catalog
    from rag.index import Index
    from rag.ports import Embedder, Parser


class Pipeline:
    """Takes one job at a time from file to published passages."""

    def __init__(
        self,
        inbox: Path,
        catalog: Catalog,
        index: Index,
        parser: Parser,
        embedder: Embedder,
        *,
        passage_tokens: int,
    ) -> None:
        self._inbox = inbox
        self._catalog = catalog
        self._index = index
        self._parser = parser
        self._embedder = embedder
        self._passage_tokens = passage_tokens
        self._closed = False

    def run(self, job: Job, *, progress: Heard = unheard) -> int:
        """Read the job's file and publish it; returns how many pages were read.

        Args:
            job: what to read.
            progress: told now and then how far it has come; see `Telling`.

        Raises:
            Unreadable: the file is at fault.
            Superseded: the file is not the job's any more.
            OSError: the file can't be opened just now.
        """
        self._index.give_way()
        self._check(job)
        telling = Telling(self._catalog.jobs, job, heard=progress)
        parsed = self._parser.parse(self._inbox / job.path, progress=telling.reading)
        self._check(job)  # it may have been saved while it was read
        self._index.give_way()
        passages = self._passages(job, parsed, telling)
        if not passages:
            raise Unreadable(parsed.failure or _NOTHING_TO_READ)
        telling.read(len(parsed.pages), sum(page.status != "unreadable" for page in parsed.pages))

        def embedded(done: int) -> None:
            if self._closed:
                raise Unavailable("Deskside is shutting down.")
            telling.embedding(done, len(passages))

        vectors = self._index.embed(passages, progress=embedded)
        self._index.give_way()
        self._index.publish(job, parsed, passages=passages, vectors=vectors)
        return len(parsed.pages)

    def close(self) -> None:
        """End the job under way soon."""
        self._closed = True
        self._parser.close()

    def _check(self, job: Job) -> None:
        try:
            if job.path and read_source(self._inbox, job.path).sha256 == job.revision:
                return
        except FileNotFoundError:
            pass
        raise Superseded

    def _passages(self, job: Job, parsed: Parsed, telling: Telling) -> Sequence[Passage]:
        def token_spans(text: str) -> list[Span]:
            self._index.give_way()
            telling.cutting()
            return self._embedder.token_spans(text)

        drafts = chunk(
            parsed.elements,
            document_name=_title(job.path),
            token_spans=token_spans,
            target_tokens=self._passage_tokens,
            max_tokens=self._embedder.max_tokens,
        )
        return [
            Passage(
                passage_id=self._catalog.new_id(),
                document_id=job.document_id,
                ordinal=ordinal,
                text=draft.text,
                context=draft.context,
                locator=draft.locator,
            )
            for ordinal, draft in enumerate(drafts)
        ]


def _title(path: str) -> str:
    """What the path says of the document: its last folders and its name, without the ending.

    Many offices tell a report's company and year by its folders alone.
    """
    parts = PurePosixPath(path).with_suffix("").parts[-_TITLE_PARTS:]
    return " / ".join(parts)[-_TITLE_CHARS:]


_TITLE_PARTS = 3
_TITLE_CHARS = 80
_NOTHING_TO_READ = Failure(
    Reason.NO_TEXT,
    "The file holds no text.",
    "If it is a scan, run text recognition on it first; if it is a form, fill it in.",
)
