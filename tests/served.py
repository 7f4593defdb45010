"""A service on the real catalogue and the real Chroma; parser, embedder and model are fakes."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app, open_services
from api.deps import Services
from rag.adapters.chroma import ChromaStore
from rag.settings import Settings
from rag.testing import BlankPreviewer, HashEmbedder, LineParser, ScriptedGenerator
from rag.wiring import open_core


def settings_for(data: Path, inbox: Path | None = None) -> Settings:
    return Settings(data=data, inbox=inbox, settle_s=0.0, min_evidence=0.09, reconcile_every_s=0.2)


def services_for(
    settings: Settings, reply: str, *, embedder: HashEmbedder | None = None
) -> Services:
    core = open_core(
        settings,
        embedder=embedder or HashEmbedder(),
        store=ChromaStore(settings.data_path / "chroma"),
        generator=ScriptedGenerator(reply),
    )
    return open_services(settings, core=core, parser=LineParser(), previewer=BlankPreviewer())


def served(services: Services, *, watch: bool = True) -> TestClient:
    return TestClient(create_app(services, watch=watch), base_url="http://127.0.0.1")


def upload(client: TestClient, path: str, text: str) -> str:
    """Put a document in and wait until it is read."""
    response = client.post(
        "/api/documents", files={"file": ("x", text.encode())}, data={"path": path}
    )
    document_id: str = response.json()["document_id"]
    wait_until(client, document_id, lambda found: found["status"] == "ready")
    return document_id


def wait_until(
    client: TestClient, document_id: str, true: Callable[[dict[str, Any]], bool]
) -> dict[str, Any]:
    for _ in range(400):
        document: dict[str, Any] = client.get(f"/api/documents/{document_id}").json()
        if true(document):
            return document
        time.sleep(0.05)
    pytest.fail(f"never so: {document}")
