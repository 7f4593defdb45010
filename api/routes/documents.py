"""The ledger, the files, and the pages they are cited by."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated

from fastapi import APIRouter, Form, Query, UploadFile
from fastapi.responses import FileResponse, JSONResponse, Response

from api.deps import Given
from api.schemas import (
    ClearedOut,
    DocumentOut,
    DocumentsOut,
    DocumentWithPages,
    ErasedOut,
    FolderOut,
    FoldersOut,
    InboxOut,
    LedgerQuery,
    PageOut,
    RetriedOut,
    ScanRequest,
    StoredOut,
    TrashOut,
    UploadedOut,
)
from rag.errors import InvalidRequest

router = APIRouter(prefix="/api", tags=["documents"])

# Shown as themselves; everything else is offered for download, so no document runs as a page.
_SHOWN_INLINE = ("application/pdf", "image/png", "image/jpeg", "text/plain")


@router.get("/documents")
def documents(services: Given, asked: Annotated[LedgerQuery, Query()]) -> DocumentsOut:
    """The ledger: every file, its status, and why not; with how many there are of each status."""
    ledger, chosen = services.core.catalog.ledger, asked.chosen()
    found, total = ledger.documents(chosen, limit=asked.limit, offset=asked.offset)
    return DocumentsOut(
        documents=[DocumentOut.of(document) for document in found],
        total=total,
        statuses=ledger.counts(chosen),
        inbox=InboxOut(**asdict(services.inbox.status())),
    )


@router.get("/folders")
def folders(services: Given) -> FoldersOut:
    """The folders of the inbox that hold documents, each with how many lie directly in it."""
    found = services.core.catalog.ledger.folders()
    return FoldersOut(folders=[FolderOut(**asdict(folder)) for folder in found])


@router.post("/documents", status_code=202)
def add(
    services: Given, file: UploadFile, path: Annotated[str | None, Form()] = None
) -> UploadedOut:
    """Store an upload into the inbox; ``path`` may hold folders."""
    began = datetime.now(UTC)
    document_id = services.originals.add(
        path or file.filename or "", file.file, limit_bytes=services.settings.upload_limit_bytes
    )
    stored = services.core.catalog.ledger.document(document_id)
    return UploadedOut(
        document_id=document_id, known=stored.added_at < began, locations=list(stored.locations)
    )


@router.get("/documents/{document_id}")
def document(document_id: str, services: Given) -> DocumentWithPages:
    """One document with its pages."""
    ledger = services.core.catalog.ledger
    found = DocumentOut.of(ledger.document(document_id))
    pages = [PageOut(**asdict(page)) for page in ledger.pages(document_id)]
    return DocumentWithPages(**found.model_dump(), pages=pages)


@router.delete(
    "/documents/{document_id}",
    status_code=204,
    responses={200: {"model": ErasedOut, "description": "With `purge`"}},
)
def delete(
    document_id: str, services: Given, path: str | None = None, *, purge: bool = False
) -> Response:
    """Take a document out of the index; its original goes to the trash, or all is destroyed."""
    if not purge:
        services.trash.delete(document_id, path=path)
        return Response(status_code=204)
    if path is not None:
        raise InvalidRequest(
            "A purge takes every copy of a document.",
            hint="Leave the path out, or delete the one copy without purge.",
        )
    erased = ErasedOut.of(services.erasure.purge(document_id))
    return JSONResponse(erased.model_dump(mode="json"))


@router.get("/trash")
def trash(services: Given) -> TrashOut:
    """Deleted documents, which can be brought back or purged."""
    found = [DocumentOut.of(document) for document in services.trash.documents()]
    return TrashOut(documents=found, total=len(found))


@router.delete("/remains")
def remains(services: Given) -> ClearedOut:
    """Destroy what is left of the text of documents that were deleted in the inbox itself."""
    return ClearedOut.of(services.erasure.clear_remains())


@router.post("/documents/{document_id}/retry", status_code=202)
def retry(document_id: str, services: Given) -> StoredOut:
    """Queue a document again."""
    services.inbox.retry(document_id)
    return StoredOut(document_id=document_id)


@router.post("/retry", status_code=202)
def retry_failed(services: Given) -> RetriedOut:
    """Queue every document again that could not be read."""
    failed = services.core.catalog.ledger.failed()
    for document_id in failed:
        services.core.catalog.jobs.retry(document_id)
    services.inbox.wake()
    return RetriedOut(queued=len(failed))


@router.post("/documents/{document_id}/restore", status_code=202)
def restore(document_id: str, services: Given) -> StoredOut:
    """Bring a deleted document back from the trash."""
    services.trash.restore(document_id)
    return StoredOut(document_id=document_id)


@router.post("/scan", status_code=202)
def scan(services: Given, request: ScanRequest | None = None) -> InboxOut:
    """Reconcile now."""
    services.inbox.scan(accept_deletions=bool(request and request.accept_deletions))
    return InboxOut(**asdict(services.inbox.status()))


@router.get("/documents/{document_id}/file")
def original(document_id: str, services: Given) -> FileResponse:
    """The file itself."""
    found = services.core.catalog.ledger.document(document_id)
    inline = found.media_type in _SHOWN_INLINE
    return FileResponse(
        services.originals.file_of(document_id),
        media_type=found.media_type,
        filename=found.name,
        content_disposition_type="inline" if inline else "attachment",
    )
