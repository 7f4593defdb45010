"""Runs the service on the data folder it owns, until told to stop."""

from __future__ import annotations

import logging
import socket
from collections.abc import Callable
from datetime import UTC, datetime

import uvicorn

from api.app import create_app, open_services
from api.client import listen
from api.deps import is_loopback
from rag.errors import InvalidRequest
from rag.index import Progress
from rag.lock import owning
from rag.quiet import Outbound
from rag.settings import Settings
from rag.wiring import open_core

_SHUTDOWN_S = 5


def run(settings: Settings, *, on_ready: Callable[[Settings, str], None]) -> None:
    """Serve until interrupted; ``on_ready`` is told the address once requests are answered.

    Raises:
        InvalidRequest: the host is not loopback and there is no key.
        DataInUse: another process holds the data folder.
        Unavailable: the port is taken, or a part is missing.
    """
    logging.basicConfig(level=logging.INFO, format="%(levelname)s %(name)s %(message)s")
    check_host(settings)
    outbound = Outbound()
    with owning(settings.data_path, serving=True) as lock:
        listener = listen(settings.host, settings.port)
        url = _url(listener)
        app = create_app(open_services(settings, outbound=outbound), warm=True)
        outbound.install(datetime.now(UTC))

        def ready() -> None:
            lock.announce(url)
            on_ready(settings, url)

        _Server(app, ready).run(sockets=[listener])


def rebuilt(settings: Settings, *, embed: bool, progress: Progress) -> int:
    """Fill the vector store anew; returns how many vectors it holds.

    Raises:
        DataInUse: the service is running.
    """
    with owning(settings.data_path):
        core = open_core(settings)
        try:
            return core.index.rebuild(embed=embed, progress=progress)
        finally:
            core.close()


def check_host(settings: Settings) -> None:
    """Refuse to open the door beyond this computer without a key.

    Raises:
        InvalidRequest: the host is not loopback and there is no key.
    """
    if not is_loopback(settings.host) and not settings.api_key:
        raise InvalidRequest(
            f"Listening on {settings.host} would let others in without a key.",
            hint="Set DESKSIDE_API_KEY to a long random word, or leave --host out.",
        )


class _Server(uvicorn.Server):
    """Says when it is ready."""

    def __init__(self, app: object, on_ready: Callable[[], object]) -> None:
        super().__init__(
            uvicorn.Config(
                app,  # type: ignore[arg-type]
                log_level="warning",
                lifespan="on",
                timeout_graceful_shutdown=_SHUTDOWN_S,
            )
        )
        self._on_ready = on_ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets=sockets)
        if self.started:
            self._on_ready()


def _url(listener: socket.socket) -> str:
    host, port = listener.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]", "::1": "[::1]"}.get(host, host)  # noqa: S104
    return f"http://{shown}:{port}"
