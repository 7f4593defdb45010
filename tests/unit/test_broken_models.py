"""FIELD_CASES 56 and 60: a model that can't be loaded never takes the service with it."""

from __future__ import annotations

import struct
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from api.app import create_app, open_services
from rag.errors import Unavailable
from rag.models.catalogue import card_of
from rag.models.library import path_of
from rag.models.shelf import place_of
from rag.settings import Settings
from rag.testing import BlankPreviewer, HashEmbedder, LineParser, MemoryStore
from rag.wiring import open_core

MODEL = "qwen2.5-coder-0.5b-instruct"
LEASE = "# Rent\nThe rent is 3200 yuan a month."
BROKEN = {
    "empty": b"",
    "wrong-magic": b"NOPE" + bytes(1000),
    "cut-in-its-header": b"GGUF" + struct.pack("<IQQ", 3, 290, 26) + b"\x14\0",
    "absurd-counts": b"GGUF" + struct.pack("<IQQ", 3, 2**60, 2**60) + bytes(1000),
}


@contextmanager
def desk_with(tmp_path: Path, model: bytes) -> Iterator[TestClient]:
    """A service with one document, whose model file holds ``model``."""
    settings = Settings(
        data=tmp_path / "data", models_dir=tmp_path / "models", model=MODEL, min_evidence=0.09
    )
    file = place_of(card_of(MODEL), settings.models_dir)
    file.parent.mkdir(parents=True)
    file.write_bytes(model)
    (tmp_path / "data" / "inbox").mkdir(parents=True)
    (tmp_path / "data" / "inbox" / "lease.pdf").write_text(LEASE)
    core = open_core(settings, embedder=HashEmbedder(), store=MemoryStore())
    services = open_services(settings, core=core, parser=LineParser(), previewer=BlankPreviewer())
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        while client.get("/api/documents?status=ready").json()["total"] == 0:
            time.sleep(0.05)
        yield client


def asked_of(client: TestClient) -> str:
    """Why there is no answer; the passages must be there all the same."""
    for _ in range(2):  # told again, not tried again
        answer = client.post("/api/ask", json={"question": "What is the rent?"}).json()
        assert (answer["mode"], answer["finish_reason"]) == ("no_model", "no_model")
        assert "3200" in answer["hits"][0]["text"]
    assert client.get("/health").json()["status"] == "ok"
    assert client.post("/api/search", json={"query": "rent"}).json()["hits"]
    why: str = answer["warnings"][0]["detail"]
    return why


@pytest.mark.parametrize("content", BROKEN.values(), ids=BROKEN.keys())
def test_a_broken_model_file_leaves_search_and_says_why(tmp_path: Path, content: bytes) -> None:
    pytest.importorskip("llama_cpp")
    with desk_with(tmp_path, content) as client:
        why = asked_of(client)
        assert "can't be loaded" in why
        assert "deskside models verify" in why
        checks = {c["name"]: c for c in client.get("/health/ready").json()["checks"]}
        assert checks["model"]["status"] == "fail"
        assert checks["model"]["fix"]


def test_without_the_package_the_app_starts_and_searches(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "llama_cpp", None)
    with desk_with(tmp_path, b"never opened") as client:
        why = asked_of(client)
        assert "llama-cpp-python is not installed" in why
        assert "make setup" in why


@pytest.mark.real_models
def test_a_window_beyond_all_memory_is_an_error_not_a_crash() -> None:
    from rag.adapters.llama import Llama
    from rag.models.offload import Offload

    file = path_of(card_of(MODEL), Settings().models_dir)
    with pytest.raises(Unavailable, match="can't be loaded"):
        Llama(file, Offload(context_tokens=50_000_000))


@pytest.mark.real_models
def test_a_cut_model_is_an_error_not_a_crash(tmp_path: Path) -> None:
    from rag.adapters.llama import Llama
    from rag.models.offload import Offload

    cut = tmp_path / "cut.gguf"
    with path_of(card_of(MODEL), Settings().models_dir).open("rb") as whole:
        cut.write_bytes(whole.read(20 * 2**20))
    with pytest.raises(Unavailable, match="can't be loaded"):
        Llama(cut, Offload())
