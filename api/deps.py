"""What a request is given, and what it must prove first."""

from __future__ import annotations

import hashlib
import hmac
import ipaddress
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Annotated
from urllib.parse import urlsplit

from fastapi import Depends, Request

from rag.errors import Forbidden, Unauthorized

if TYPE_CHECKING:
    from ingest.inbox import Inbox
    from ingest.originals import Originals
    from rag.ports import Previewer
    from rag.quiet import Outbound
    from rag.settings import Settings
    from rag.wiring import Core

COOKIE = "deskside_session"
_OPEN_TO_ALL = ("/health", "/web/", "/api/session")


@dataclass(frozen=True, slots=True)
class Services:
    """Everything a route may use."""

    settings: Settings
    core: Core
    inbox: Inbox
    originals: Originals
    previewer: Previewer
    outbound: Outbound


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


def check_source(request: Request, allowed_hosts: Iterable[str]) -> None:
    """Refuse requests that a foreign page, or a name rebound to us, made the browser send.

    Raises:
        Forbidden: ``Host`` or ``Origin`` is neither loopback nor allowed.
    """
    allowed = {host.lower() for host in allowed_hosts}
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
    if not api_key or path == "/" or path.startswith(_OPEN_TO_ALL):
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
