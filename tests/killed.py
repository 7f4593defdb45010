"""The service as the kill test runs it: without its web server, telling what it is about to do."""

from __future__ import annotations

import os
import time
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from api.app import open_services
from rag.adapters import chroma as _preload  # noqa: F401 (so that a start takes no seconds)
from rag.settings import Settings
from rag.testing import HashEmbedder
from rag.wiring import open_core

BATCH_S = 0.03
"""A fake embedder takes no time; this leaves some to be killed in."""


class SlowEmbedder(HashEmbedder):
    """Takes as long over a batch as to be seen."""

    def embed_passages(self, texts: Any, /) -> Any:
        time.sleep(BATCH_S)
        return super().embed_passages(texts)


def run(data: Path, embedder: str, says: Connection) -> None:
    """Follow the inbox until told to stop, or killed; tells each stage as it begins."""
    settings = Settings(data=data, settle_s=0.05, reconcile_every_s=0.3)
    core = open_core(settings, embedder=SlowEmbedder() if embedder == "fake" else None)
    _tell_before(core.index, "heal", says)
    _tell_before(core.index, "publish", says)
    _tell_before(core.embedder, "embed_passages", says)
    services = open_services(settings, core=core)
    _tell_before(services.inbox._worker._pipeline._parser, "parse", says)
    says.send("open")
    services.inbox.start()
    says.recv()
    services.inbox.stop()
    services.previewer.close()
    core.close()
    os._exit(0)


def _tell_before(part: Any, name: str, says: Connection) -> None:
    method = getattr(part, name)

    def told(*args: Any, **kwargs: Any) -> Any:
        says.send(name)
        return method(*args, **kwargs)

    setattr(part, name, told)
