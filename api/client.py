"""How the command line reaches Deskside: the running service, or one of its own for a moment.

Either way it speaks the same HTTP API, so there is one way of doing each thing.
"""

from __future__ import annotations

import json
import os
import socket
import threading
import time
from collections.abc import Callable, Generator, Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

import httpx

from rag import errors
from rag.errors import Busy, DataInUse, DesksideError, Internal, Unavailable
from rag.lock import DataLock, owning

if TYPE_CHECKING:
    from pathlib import Path

    import uvicorn

    from rag.settings import Settings

_READ_S = 600.0
_START_S = 60.0
_LOOK_EVERY_S = 0.2
SIZE_HEADER = "Deskside-About-Bytes"
"""How much a backup will be; it is made while it is sent, so nobody knows to the byte."""
_FAMILY: dict[str, type[DesksideError]] = {
    each.code: each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, DesksideError) and each is not DataInUse
}


class Client:
    """The API at ``url``; problems come back as the errors they were."""

    def __init__(self, url: str, api_key: str) -> None:
        headers = {"Authorization": f"Bearer {api_key}"} if api_key else {}
        # Never through a proxy: it is this computer.
        self._http = httpx.Client(base_url=url, headers=headers, timeout=_READ_S, trust_env=False)

    def get(self, path: str, **params: Any) -> Any:
        given = {name: value for name, value in params.items() if value is not None}
        return _body(self._http.get(path, params=given))

    def post(self, path: str, body: dict[str, Any]) -> Any:
        return _body(self._http.post(path, json=body))

    def delete(self, path: str, **params: Any) -> Any:
        return _body(self._http.delete(path, params=params))

    def download(self, path: str, target: Path, *, progress: Callable[[int, int], None]) -> None:
        """Write what ``path`` gives to ``target``; told bytes written and expected."""
        with self._http.stream("GET", path) as response:
            if response.is_error:
                response.read()
                _body(response)
            expected = int(response.headers.get(SIZE_HEADER, 0))
            written = 0
            with target.open("wb") as file:
                for block in response.iter_bytes():
                    written += file.write(block)
                    progress(written, max(expected, written))
                file.flush()
                os.fsync(file.fileno())

    def upload(self, path: str, file: Any) -> Any:
        return _body(
            self._http.post("/api/documents", data={"path": path}, files={"file": (path, file)})
        )

    def stream(
        self, path: str, body: dict[str, Any] | None = None
    ) -> Generator[tuple[str, dict[str, Any]], None, None]:
        """Server-sent events as (name, data), of a POST where there is a body."""
        method = "GET" if body is None else "POST"
        with self._http.stream(method, path, json=body) as response:
            if response.is_error:
                response.read()
                _body(response)
            name = ""
            for line in response.iter_lines():
                if line.startswith("event: "):
                    name = line.removeprefix("event: ")
                elif line.startswith("data: "):
                    data = json.loads(line.removeprefix("data: "))
                    if name == "error":
                        raise as_error(data)
                    yield name, data

    def close(self) -> None:
        self._http.close()


def as_error(problem: dict[str, Any]) -> DesksideError:
    """The error a problem object tells of."""
    kind = _FAMILY.get(problem.get("code", ""), Internal)
    detail, hint = problem.get("detail", "The service failed."), problem.get("hint", "")
    if issubclass(kind, Busy):
        return kind(detail, hint=hint, retry_after_s=1)
    return kind(detail, hint=hint)


@contextmanager
def reach(settings: Settings, *, watch: bool = False) -> Iterator[Client]:
    """A client of the service that holds the data folder, or of one started for this block.

    Raises:
        DataInUse: a process holds the folder that has no API.
    """
    with ExitStack() as held:
        lock = _own_or_find(held, settings.data_path)
        if isinstance(lock, str):
            url = lock
        else:
            url = held.enter_context(_serving(settings, watch=watch))
            lock.announce(url)
        yield held.enter_context(_client(url, settings.api_key))


def _own_or_find(held: ExitStack, data: Path) -> DataLock | str:
    """The lock, or the address of the service that has it; one just starting is waited for."""
    deadline = time.monotonic() + _START_S
    while True:
        try:
            return held.enter_context(owning(data, serving=True))
        except DataInUse as holder:
            if holder.url is not None:
                return holder.url
            if not holder.starting or time.monotonic() > deadline:
                raise
        time.sleep(_LOOK_EVERY_S)


@contextmanager
def _client(url: str, api_key: str) -> Iterator[Client]:
    client = Client(url, api_key)
    try:
        yield client
    except httpx.TransportError as error:
        raise Unavailable(
            f"The service at {url} does not answer: {error}.", hint="Is it just stopping?"
        ) from error
    finally:
        client.close()


@contextmanager
def _serving(settings: Settings, *, watch: bool) -> Iterator[str]:
    import uvicorn

    from api.app import create_app, open_services

    app = create_app(open_services(settings), watch=watch)
    server = uvicorn.Server(uvicorn.Config(app, log_level="warning", lifespan="on"))
    listener = listen("127.0.0.1", 0)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]}, daemon=True)
    thread.start()
    try:
        _await_start(server, thread)
        yield f"http://127.0.0.1:{listener.getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(_START_S)


def listen(host: str, port: int) -> socket.socket:
    """A listening socket.

    Raises:
        Unavailable: the address is taken, or not this computer's.
    """
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((host, port))
        listener.listen()  # now, since two may bind one address, but not listen on it
    except OSError as error:
        listener.close()
        raise Unavailable(
            f"Deskside can't listen on {host}:{port}: {error.strerror}.",
            hint="Another program may use that port; choose one with --port.",
        ) from error
    return listener


def _await_start(server: uvicorn.Server, thread: threading.Thread) -> None:
    deadline = time.monotonic() + _START_S
    while not server.started:
        if not thread.is_alive() or time.monotonic() > deadline:
            raise Unavailable("Deskside did not start.", hint="Run `deskside doctor`.")
        time.sleep(0.02)


def _body(response: httpx.Response) -> Any:
    if response.is_success:
        return response.json() if response.content else None
    try:
        problem = response.json()
    except ValueError:
        problem = {"detail": f"The service answered {response.status_code}."}
    raise as_error(problem)
