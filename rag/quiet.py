"""Nothing leaves the computer: telemetry off, connections beyond loopback refused and counted.

Called by each process before the first vendor import, never at import.
"""

from __future__ import annotations

import ipaddress
import os
import sys
import threading
from datetime import datetime

OPT_OUTS = {
    "DO_NOT_TRACK": "true",
    "SCARF_NO_ANALYTICS": "true",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "OTEL_SDK_DISABLED": "true",
}


def silence() -> None:
    """Set every opt-out for this process and its children."""
    os.environ.update(OPT_OUTS)
    os.environ["TOKENIZERS_PARALLELISM"] = "false"  # it warns at each fork, else


_TARGETS = {
    "socket.connect": 1,
    "socket.sendto": 1,
    "socket.sendmsg": 1,
    "socket.getaddrinfo": 0,
    "socket.gethostbyname": 0,
}
"""Audit events, and which of their arguments says where to."""
WATCHED = ("connection", "datagram", "name_lookup")
"""The same in the words of `GET /api/system`."""
_BY_ADDRESS = frozenset({"socket.connect", "socket.sendto", "socket.sendmsg"})


class Outbound:
    """Refuses what Python code of this process would send, or look up, beyond loopback.

    An audit hook (PEP 578) sees it all; it can't be taken out again, so `refusing` says whether
    it acts.
    """

    def __init__(self) -> None:
        self.refusing = True
        self.since: datetime | None = None
        self._attempts = 0
        self._lock = threading.Lock()

    @property
    def attempts(self) -> int:
        """How many were refused."""
        return self._attempts

    def add(self, count: int) -> None:
        """Count what a child process refused."""
        with self._lock:
            self._attempts += count

    def take(self) -> int:
        """How many were refused since the last time, for the parent to count."""
        with self._lock:
            count, self._attempts = self._attempts, 0
            return count

    def install(self, now: datetime | None = None) -> None:
        """Stand guard from ``now`` on, a time in UTC that `since` then tells."""
        self.since = now
        sys.addaudithook(self._hook)

    def _hook(self, event: str, arguments: tuple[object, ...]) -> None:
        place = _TARGETS.get(event)
        if place is None or not self.refusing:
            return
        target = arguments[place]
        if not _stays_here(target if event in _BY_ADDRESS else (target,)):
            self.add(1)
            raise PermissionError(f"Deskside refuses to reach {target!r}.")


def _stays_here(address: object) -> bool:
    """Whether a socket address is this computer: loopback, or a path of a local socket."""
    if not isinstance(address, tuple):
        return True
    host = address[0].decode() if isinstance(address[0], bytes) else str(address[0] or "")
    if host in ("", "localhost"):
        return True
    try:
        return ipaddress.ip_address(host.partition("%")[0]).is_loopback
    except ValueError:  # a name, which would have to be looked up
        return False
