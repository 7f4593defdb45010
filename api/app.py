"""Builds the application: services put together, routes, page and guard around them."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from fastapi import FastAPI
from fastapi.concurrency import run_in_threadpool
from fastapi.middleware.gzip import GZipMiddleware
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

from api import errors
from api.deps import Guard, Services
from api.doctor import examine
from api.routes import ask, conversations, documents, keeping, previews, system
from ingest.child import ParsingChild
from ingest.erasure import Erasure
from ingest.inbox import Inbox
from ingest.office import sweep
from ingest.originals import Originals
from ingest.pipeline import Pipeline
from ingest.previews import PagePreviewer
from ingest.scanner import Scanner
from ingest.trash import Trash
from ingest.worker import Worker
from rag import __version__, restore
from rag.backup import Backup
from rag.catalog.jobs import LEASE_S
from rag.errors import Unavailable
from rag.quiet import Outbound, silence
from rag.renewal import Renewal
from rag.wiring import Core, open_core

if TYPE_CHECKING:
    from rag.ports import Parser, Previewer
    from rag.settings import Settings

_WEB = Path(__file__).parent / "web"
_FRESH = {"Cache-Control": "no-cache"}
"""A browser asks whether a file changed, so an update is seen at once."""


def open_services(
    settings: Settings,
    *,
    core: Core | None = None,
    parser: Parser | None = None,
    previewer: Previewer | None = None,
    outbound: Outbound | None = None,
) -> Services:
    """Put everything together on the data folder; the caller owns its lock.

    Args:
        settings: where everything is and how it is tuned.
        core: instead of the real one.
        parser: instead of the parsing child.
        previewer: instead of the previewing child.
        outbound: counts what tried to leave the computer.

    Raises:
        Unavailable: the embedding model is not there, or the data can't be used.
    """
    silence()
    restore.sweep(settings.data_path)
    core = core or open_core(settings)
    if settings.inbox is None or not core.catalog.ledger.locations():
        _make_inbox(settings.inbox_path)  # else it may be a share that is not connected
    core.index.heal()
    core.catalog.conversations.sweep()
    outbound = outbound or Outbound()
    sweep(settings.renderings_path, core.catalog.ledger.revisions())
    inbox = _open_inbox(settings, core, parser or _parsing_child(settings, core, outbound))
    backup = Backup(settings.data_path, settings.inbox_path, core.catalog)
    backup.sweep()
    services = Services(
        settings=settings,
        core=core,
        inbox=inbox,
        originals=Originals(inbox, core.catalog),
        trash=Trash(settings.data_path / "trash", inbox, core.catalog, core.index),
        erasure=Erasure(settings.data_path, inbox, core.catalog, core.index, backup),
        previewer=previewer or PagePreviewer(renderings=_renderings(settings), outbound=outbound),
        outbound=outbound,
        renewal=Renewal(core.index),
        backup=backup,
    )
    # What a kill left half done is ended before anything looks at the inbox.
    services.erasure.finish()
    services.trash.mend()
    services.originals.sweep()
    return services


def _warm(core: Core) -> None:
    """Do once what the first question would else wait for: a search, and the model's loading."""
    try:
        core.engine.search("Deskside")
    finally:
        core.generator.warm()


def create_app(services: Services, *, watch: bool = True, warm: bool = False) -> FastAPI:
    """The application over ``services``, which it closes in the end.

    Args:
        services: see `open_services`.
        watch: whether to follow the inbox and read what is new.
        warm: whether to search once and load the model now, while people look at the page, rather
            than when the first of them waits for an answer.
    """

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        if watch:
            services.inbox.start()
            services.renewal.start()
        if warm:
            threading.Thread(
                target=_warm, args=(services.core,), name="load-model", daemon=True
            ).start()
        try:
            yield
        finally:
            await run_in_threadpool(close_services, services)

    app = FastAPI(
        title="Deskside", version=__version__, lifespan=lifespan, docs_url=None, redoc_url=None
    )
    app.state.services = services
    app.state.examine = examine
    errors.install(app)
    app.add_middleware(Guard, settings=services.settings)
    for routes in (ask, documents, previews, conversations, keeping, system):
        app.include_router(routes.router)
    app.mount("/web", GZipMiddleware(_Page(directory=_WEB)), name="web")

    @app.get("/", include_in_schema=False)
    async def page() -> FileResponse:
        return FileResponse(_WEB / "index.html", headers=_FRESH)

    return app


class _Page(StaticFiles):
    """The page's files, never stale."""

    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(_FRESH)
        return response


def _make_inbox(path: Path) -> None:
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The inbox {path} can't be made: {error.strerror}.",
            hint="Choose another folder with DESKSIDE_INBOX.",
        ) from error


def _open_inbox(settings: Settings, core: Core, parser: Parser) -> Inbox:
    pipeline = Pipeline(
        settings.inbox_path,
        core.catalog,
        core.index,
        parser,
        core.embedder,
        passage_tokens=settings.passage_tokens,
    )
    return Inbox(
        settings.inbox_path,
        core.catalog,
        Scanner(
            settings.inbox_path,
            core.catalog,
            core.index,
            settle_s=settings.settle_s,
            must_wait=lambda: core.right_of_way.is_taken,
        ),
        Worker(
            core.catalog,
            pipeline,
            attempts=settings.job_attempts,
            lease_s=max(LEASE_S, 2 * settings.parse_timeout_s),
        ),
        every_s=settings.reconcile_every_s,
        settle_s=settings.settle_s,
        polling=settings.polling,
        way_is_free=core.right_of_way.wait,
    )


def _parsing_child(settings: Settings, core: Core, outbound: Outbound) -> ParsingChild:
    return ParsingChild(
        timeout_s=settings.parse_timeout_s,
        memory_bytes=settings.parse_memory_bytes,
        files_per_child=settings.parse_files_per_child,
        renderings=_renderings(settings),
        ocr=settings.ocr == "auto",
        outbound=outbound,
        right_of_way=core.right_of_way,
    )


def _renderings(settings: Settings) -> Path | None:
    """Where LibreOffice may put what it makes; None where it is switched off."""
    return settings.renderings_path if settings.office == "auto" else None


def close_services(services: Services) -> None:
    """Stop all threads and children, and let files and models go."""
    services.core.right_of_way.close()  # what waits for an answer would never stop
    services.inbox.stop()
    services.renewal.stop()
    services.previewer.close()
    services.core.close()
