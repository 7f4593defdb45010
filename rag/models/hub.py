"""The model hub: what it states of a file, and fetching it."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import httpx

from rag.errors import Unavailable
from rag.models.download import Progress, Statement, download, unseen

DEFAULT_ENDPOINT = "https://huggingface.co"
CONNECT_TIMEOUT_S = 5.0
READ_TIMEOUT_S = 30.0
PROBE = ("intfloat/multilingual-e5-small", "config.json")
HINT = "Set HF_ENDPOINT to a mirror, or HTTPS_PROXY to your proxy, and pull again."


def endpoint() -> str:
    """The hub's address: ``HF_ENDPOINT``, the variable its own tools read."""
    return os.environ.get("HF_ENDPOINT", "").rstrip("/") or DEFAULT_ENDPOINT


class Hub:
    """A model hub. Once it could not be reached it is not asked again."""

    def __init__(
        self, client: httpx.Client | None = None, *, pause: Callable[[float], None] | None = None
    ) -> None:
        timeout = httpx.Timeout(READ_TIMEOUT_S, connect=CONNECT_TIMEOUT_S)
        self.client = client or httpx.Client(timeout=timeout)
        self.endpoint = endpoint()
        self.pause = {} if pause is None else {"pause": pause}
        self.down = ""

    def reachable(self) -> bool:
        """Whether the hub answers, and with what a hub says (a proxy's refusal is no hub)."""
        try:
            self.statement(*PROBE)
        except Unavailable:
            return False
        return True

    def url_of(self, repo: str, file: str) -> str:
        return f"{self.endpoint}/{repo}/resolve/main/{file}"

    def statement(self, repo: str, file: str) -> Statement:
        """Size and checksum of a file as the hub states them.

        Raises:
            Unavailable: the hub can't be reached, has no such file, or states nothing.
        """
        url = self.url_of(repo, file)
        response = self._head(url)
        # A renamed repository answers with a relative redirect; the file's own goes elsewhere
        # and must not be followed: the statement is in this very answer.
        while response.headers.get("Location", "").startswith("/"):
            response = self._head(str(response.url.join(response.headers["Location"])))
        if response.status_code >= httpx.codes.BAD_REQUEST:
            raise Unavailable(f"The hub answered {response.status_code} for {repo}/{file}.")
        headers = response.headers
        etag = headers.get("X-Linked-ETag") or headers.get("ETag", "")
        size = headers.get("X-Linked-Size") or headers.get("Content-Length", "")
        digest = etag.removeprefix("W/").strip('"')
        if len(digest) not in (40, 64) or not size.isdigit():
            raise Unavailable(f"The hub states no checksum for {repo}/{file}.", hint=HINT)
        return Statement(int(size), digest)

    def fetch(
        self, repo: str, file: str, target: Path, stated: Statement, progress: Progress = unseen
    ) -> Path:
        """Download a file whose statement is known."""
        url = self.url_of(repo, file)
        return download(self.client, url, target, stated=stated, progress=progress, **self.pause)

    def _head(self, url: str) -> httpx.Response:
        if self.down:
            raise Unavailable(self.down, hint=HINT)
        try:
            return self.client.head(url, headers={"Accept-Encoding": "identity"})
        except httpx.HTTPError as error:
            self.down = f"The model hub {self.endpoint} can't be reached ({type(error).__name__})."
            raise Unavailable(self.down, hint=HINT) from error
