"""The hub: what it states, redirects, and one quick failure."""

import hashlib

import httpx
import pytest

from rag.errors import Unavailable
from rag.models.catalogue import ModelCard
from rag.models.download import Statement
from rag.models.hub import Hub
from rag.models.library import pull
from rag.models.shelf import PINS, add_record, read_record, verify
from rag.models.sources import HubFile, HubFolder

BODY = b"GGUF" + bytes(5000)
SHA256 = hashlib.sha256(BODY).hexdigest()


def hub(answer, monkeypatch) -> Hub:
    monkeypatch.setenv("HF_ENDPOINT", "http://hub.test/")
    return Hub(httpx.Client(transport=httpx.MockTransport(answer)), pause=lambda _s: None)


def large_file(request: httpx.Request) -> httpx.Response:
    if request.url.host == "cdn.test":
        return httpx.Response(200, content=BODY)
    headers = {
        "Location": "http://cdn.test/blob",
        "X-Linked-ETag": f'"{SHA256}"',
        "X-Linked-Size": str(len(BODY)),
    }
    return httpx.Response(302, headers=headers)


def card(**changes) -> ModelCard:
    given = {
        "name": "tiny", "role": "generator", "licence": "MIT", "params_b": 0.1,
        "prompt_params_b": 0.1, "size_bytes": len(BODY), "context_tokens": 512,
        "sources": (HubFile("them/tiny", "tiny.gguf"),),
    }  # fmt: skip
    return ModelCard(**(given | changes))


def test_the_statement_is_in_the_redirect_itself(monkeypatch):
    said = hub(large_file, monkeypatch).statement("them/tiny", "tiny.gguf")
    assert said == Statement(len(BODY), SHA256)


def test_a_renamed_repository_is_followed(monkeypatch):
    def answer(request):
        if request.url.path.startswith("/old/"):
            return httpx.Response(307, headers={"Location": "/new/tiny/resolve/main/tiny.gguf"})
        return large_file(request)

    assert hub(answer, monkeypatch).statement("old/tiny", "tiny.gguf").digest == SHA256


def test_a_hub_that_states_no_checksum_is_no_source(monkeypatch):
    with pytest.raises(Unavailable, match="states no checksum"):
        hub(lambda _r: httpx.Response(200), monkeypatch).statement("a/b", "c")


def test_an_unreachable_hub_is_asked_once(monkeypatch):
    asked = []

    def answer(request):
        asked.append(request)
        raise httpx.ConnectTimeout("no route")

    away = hub(answer, monkeypatch)
    assert not away.reachable()
    assert not away.reachable()
    with pytest.raises(Unavailable, match="can't be reached"):
        away.statement("a/b", "c")
    assert len(asked) == 1


def test_a_first_pull_pins_what_the_hub_states(tmp_path, monkeypatch):
    path = pull(card(), tmp_path, hub=hub(large_file, monkeypatch))
    assert path == tmp_path / "tiny" / "tiny.gguf"
    pins = read_record(tmp_path, PINS)
    assert pins == {"hub:them/tiny/tiny.gguf": SHA256, "tiny/tiny.gguf": SHA256}
    assert verify(card(), tmp_path) == ()


def test_a_hub_that_changed_its_mind_is_refused(tmp_path, monkeypatch):
    add_record(tmp_path, PINS, {"hub:them/tiny/tiny.gguf": "0" * 64})
    with pytest.raises(Unavailable, match="has changed"):
        pull(card(), tmp_path, hub=hub(large_file, monkeypatch))


def test_a_file_the_catalogue_does_not_know_is_refused(tmp_path, monkeypatch):
    with pytest.raises(Unavailable, match="not the file the catalogue knows"):
        pull(card(sha256="0" * 64), tmp_path, hub=hub(large_file, monkeypatch))


def test_a_folder_of_the_hub_appears_whole(tmp_path, monkeypatch):
    blob = hashlib.sha1(f"blob {len(BODY)}\0".encode() + BODY).hexdigest()

    def answer(request):
        headers = {"ETag": f'"{blob}"', "Content-Length": str(len(BODY))}
        content = b"" if request.method == "HEAD" else BODY
        return httpx.Response(200, content=content, headers=headers)

    embedder = card(
        role="embedder", sources=(HubFolder("them/e", ("modules.json", "1_Pooling/config.json")),)
    )
    seen = []
    folder = pull(embedder, tmp_path, lambda *step: seen.append(step), hub=hub(answer, monkeypatch))
    assert (folder / "1_Pooling" / "config.json").read_bytes() == BODY
    assert seen[-1] == (2 * len(BODY), 2 * len(BODY))
    assert verify(embedder, tmp_path) == ()
    (folder / "modules.json").write_bytes(b"other")
    assert "damaged" in verify(embedder, tmp_path)[0]
