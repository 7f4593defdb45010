"""What a request is given, and what it must prove first."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Collection
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request
from starlette.datastructures import MutableHeaders

from api.errors import respond
from rag.errors import DesksideError, Forbidden, Unauthorized

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ingest.erasure import Erasure
    from ingest.inbox import Inbox
    from ingest.originals import Originals
    from ingest.trash import Trash
    from rag.backup import Backup
    from rag.ports import Previewer
    from rag.quiet import Outbound
    from rag.renewal import Renewal
    from rag.settings import Settings
    from rag.wiring import Core

COOKIE = "deskside_session"
_OPEN = frozenset({"/", "/health", "/api/session", "/favicon.ico"})
_HEADERS = {
    "Content-Security-Policy": "default-src 'self'; img-src 'self' data: blob:; object-src 'none';"
    " base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Resource-Policy": "same-origin",
}


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a route may use."""

    settings: Settings
    core: Core
    inbox: Inbox
    originals: Originals
    trash: Trash
    erasure: Erasure
    previewer: Previewer
    outbound: Outbound
    renewal: Renewal
    backup: Backup


def services_of(request: Request) -> Services:
    services: Services = request.app.state.services
    return services


Given = Annotated[Services, Depends(services_of)]


def session_value(api_key: str) -> str:
    """What the cookie holds instead of the key itself."""
    return hmac.new(api_key.encode(), b"deskside session", hashlib.sha256).hexdigest()


def is_loopback(host: str) -> bool:
    """Whether a host name or address means this computer."""
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


class Guard:
    """ASGI middleware: asks every request where it comes from and for the key, adds headers.

    No BaseHTTPMiddleware: that one hides from a stream that its listener has gone.
    """

    def __init__(self, app: ASGIApp, settings: Settings) -> None:
        self._app = app
        self._api_key = settings.api_key
        self._allowed = frozenset(host.lower() for host in settings.allowed_hosts)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)  # a preview has a policy of its own
            await send(message)

        request = Request(scope)
        try:
            check_source(request, self._allowed)
            check_key(request, self._api_key)
        except DesksideError as error:
            await respond(error)(scope, receive, send_guarded)
        else:
            await self._app(scope, receive, send_guarded)


def check_source(request: Request, allowed: Collection[str]) -> None:
    """Refuse requests that a foreign page, or a name rebound to us, made the browser send.

    Raises:
        Forbidden: ``Host`` or ``Origin`` is neither loopback nor allowed.
    """
    named = [("Host", f"//{request.headers.get('host', '')}")]
    if origin := request.headers.get("origin"):
        named.append(("Origin", origin))
    for header, address in named:
        host = _host_of(address)
        if not is_loopback(host) and host not in allowed:
            raise Forbidden(
                f"The {header} {host or 'given'} is not this computer.",
                hint="Add it to DESKSIDE_ALLOWED_HOSTS if it is yours.",
            )


def check_key(request: Request, api_key: str) -> None:
    """Ask for the key where one is set; the page's own files and /health are open.

    Raises:
        Unauthorized: no key, or the wrong one.
    """
    path = request.url.path
    if not api_key or path in _OPEN or path.startswith("/web/"):
        return
    bearer = request.headers.get("authorization", "").removeprefix("Bearer ")
    cookie = request.cookies.get(COOKIE, "")
    if hmac.compare_digest(bearer.encode(), api_key.encode()):
        return
    if hmac.compare_digest(cookie.encode(), session_value(api_key).encode()):
        return
    raise Unauthorized(
        "This Deskside asks for its key.", hint="Send it as `Authorization: Bearer KEY`."
    )


def _host_of(address: str) -> str:
    try:
        return (urlsplit(address).hostname or "").lower()
    except ValueError:
        return ""
