"""The HTTP contract, on fakes."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from api.app import create_app, open_services
from api.deps import Services
from api.errors import STATUS
from rag import errors
from rag.catalog import Speed
from rag.errors import Unavailable
from rag.files import SourceFile
from rag.settings import Settings
from rag.testing import BlankPreviewer, HashEmbedder, LineParser, MemoryStore, ScriptedGenerator
from rag.wiring import LazyGenerator, open_core

LEASE = "# Lease\nThe parties are Foo and Bar.\f# Rent\nThe rent is 3200 yuan a month."
REPLY = "The rent is 3200 yuan a month [1]."


def settings_for(tmp_path: Path, **given: Any) -> Settings:
    given = {"settle_s": 0.0, "min_evidence": 0.09, "reconcile_every_s": 0.2, **given}
    return Settings(data=tmp_path / "data", **given)


def services_for(settings: Settings, generator: ScriptedGenerator | None = None) -> Services:
    core = open_core(
        settings,
        embedder=HashEmbedder(),
        store=MemoryStore(),
        generator=generator or ScriptedGenerator(REPLY),
    )
    return open_services(settings, core=core, parser=LineParser(), previewer=BlankPreviewer())


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_for(settings_for(tmp_path))


@pytest.fixture
def client(services: Services) -> Iterator[TestClient]:
    with TestClient(create_app(services), base_url="http://127.0.0.1") as opened:
        yield opened


def upload(client: TestClient, path: str, text: str) -> str:
    response = client.post(
        "/api/documents", files={"file": ("x", text.encode())}, data={"path": path}
    )
    assert response.status_code == 202, response.text
    document_id: str = response.json()["document_id"]
    return document_id


def wait_until(client: TestClient, document_id: str, status: str) -> dict[str, Any]:
    for _ in range(200):
        document: dict[str, Any] = client.get(f"/api/documents/{document_id}").json()
        if document["status"] == status:
            return document
        time.sleep(0.05)
    pytest.fail(f"never {status}: {document}")


@pytest.fixture
def lease(client: TestClient) -> str:
    document_id = upload(client, "leases/lease.pdf", LEASE)
    wait_until(client, document_id, "ready")
    return document_id


def test_a_document_is_read_and_told_in_full(client: TestClient, lease: str) -> None:
    document = client.get(f"/api/documents/{lease}").json()
    assert document["name"] == "lease.pdf"
    assert document["collection"] == "leases"
    assert (document["pages_done"], document["pages_total"]) == (2, 2)
    assert document["reason"] is None
    assert [page["status"] for page in document["pages"]] == ["text", "text"]
    listed = client.get("/api/documents").json()
    assert listed["total"] == 1
    assert listed["inbox"]["state"] == "watching"
    assert listed["inbox"]["queued"] == 0


def test_an_answer_has_the_fields_of_the_contract(client: TestClient, lease: str) -> None:
    answer = client.post("/api/ask", json={"question": "What is the rent?"}).json()
    assert set(answer) == {
        "answer", "mode", "refused", "grounded", "finish_reason", "citations", "sentences", "hits",
        "question_used", "scope", "thinking", "warnings", "conversation_id", "usage", "timings",
    }  # fmt: skip
    (citation,) = answer["citations"]
    assert citation["document_id"] == lease
    assert citation["locator"]["page"] == 2
    assert citation["locator"]["label"] == "p. 2"
    assert citation["quote"] == "The rent is 3200 yuan a month."
    assert answer["grounded"] is True
    assert answer["hits"][0]["rank"] == 1


def test_a_stream_says_the_same_as_the_plain_answer(client: TestClient, lease: str) -> None:
    body = {"question": "What is the rent?", "stream": True}
    with client.stream("POST", "/api/ask", json=body) as response:
        assert response.headers["content-type"].startswith("text/event-stream")
        lines = list(response.iter_lines())
    names = [line.removeprefix("event: ") for line in lines if line.startswith("event: ")]
    assert names[0] == "hits"
    assert names[-1] == "done"
    assert set(names[1:-1]) == {"token"}


def test_a_conversation_is_kept_with_its_citations(client: TestClient, lease: str) -> None:
    first = client.post("/api/ask", json={"question": "What is the rent?"}).json()
    key = first["conversation_id"]
    client.post("/api/ask", json={"question": "And the rent?", "conversation_id": key})
    kept = client.get(f"/api/conversations/{key}").json()
    assert [message["question"] for message in kept["messages"]] == [
        "What is the rent?", "And the rent?",
    ]  # fmt: skip
    assert kept["messages"][0]["answer"] == first
    markdown = client.get(f"/api/conversations/{key}?format=markdown").text
    assert "leases/lease.pdf, p. 2" in markdown
    assert (
        client.patch(f"/api/conversations/{key}", json={"title": "Rent"}).json()["title"] == "Rent"
    )
    assert client.delete(f"/api/conversations/{key}").status_code == 204
    assert client.get("/api/conversations").json() == {"conversations": [], "total": 0}


def test_an_unknown_conversation_leaves_the_queue_free(client: TestClient, lease: str) -> None:
    for _ in range(12):
        asked = {"question": "rent?", "conversation_id": "nothing"}
        assert client.post("/api/ask", json=asked).status_code == 404
    assert client.post("/api/ask", json={"question": "rent?"}).status_code == 200


@pytest.mark.parametrize("mode", ["hybrid", "dense", "keyword"])
def test_a_search_gives_hits_in_every_mode(client: TestClient, lease: str, mode: str) -> None:
    found = client.post("/api/search", json={"query": "rent yuan", "mode": mode}).json()
    assert found["hits"][0]["locator"]["page"] == 2
    assert found["timings"]["retrieve_ms"] >= 0


def test_a_search_is_filtered(client: TestClient, lease: str) -> None:
    body = {"query": "rent", "collection": "other"}
    assert client.post("/api/search", json=body).json()["hits"] == []
    for place, found in (("leases/", True), ("leases", True), ("lea", False)):
        body = {"query": "rent", "path_prefix": place}
        assert bool(client.post("/api/search", json=body).json()["hits"]) is found


def test_a_last_day_is_the_whole_of_it(client: TestClient, lease: str) -> None:
    changed = client.get(f"/api/documents/{lease}").json()["modified_at"]
    day = datetime.fromisoformat(changed).astimezone().date()
    for last, found in ((day, True), (day - timedelta(days=1), False)):
        for first in (date(2000, 1, 1), last):
            body = {"query": "rent", "date_from": str(first), "date_to": str(last)}
            assert bool(client.post("/api/search", json=body).json()["hits"]) is found


@pytest.mark.parametrize(
    ("method", "path", "body", "status", "code"),
    [
        ("POST", "/api/ask", {"question": " "}, 422, "invalid_request"),
        ("POST", "/api/ask", {"question": "x" * 5000}, 422, "invalid_request"),
        ("POST", "/api/ask", {}, 422, "invalid_request"),
        ("POST", "/api/ask", {"question": "x", "top_k": 0}, 422, "invalid_request"),
        ("POST", "/api/ask", {"question": "x", "nonsense": 1}, 422, "invalid_request"),
        ("POST", "/api/search", {"query": "x", "mode": "magic"}, 422, "invalid_request"),
        (
            "POST",
            "/api/search",
            {"query": "x", "date_from": "0001-01-01T00:00:00+14:00"},
            422,
            "invalid_request",
        ),
        ("POST", "/api/ask", {"question": "\0"}, 422, "invalid_request"),
        ("GET", "/api/documents/nothing", None, 404, "not_found"),
        ("GET", "/api/documents?status=magic", None, 422, "invalid_request"),
        ("POST", "/api/documents/nothing/retry", None, 404, "not_found"),
        ("GET", "/api/nothing", None, 404, "not_found"),
    ],
)
def test_bad_requests_get_a_problem(
    client: TestClient, method: str, path: str, body: Any, status: int, code: str
) -> None:
    response = client.request(method, path, json=body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert set(problem) == {"type", "title", "status", "code", "detail", "hint"}
    assert problem["code"] == code


def test_every_error_has_a_status() -> None:
    family = [
        each
        for each in vars(errors).values()
        if isinstance(each, type) and issubclass(each, errors.DesksideError)
    ]
    assert {each.code for each in family} == set(STATUS)


@pytest.mark.parametrize(
    "path", ["../evil.pdf", "/etc/passwd", "a/../../b.pdf", "~$a.docx", "a//b.pdf", "con.pdf", ".x"]
)
def test_an_upload_can_not_leave_the_inbox(
    client: TestClient, services: Services, path: str
) -> None:
    response = client.post("/api/documents", files={"file": ("x", b"x")}, data={"path": path})
    assert response.status_code == 422
    assert [p for p in services.inbox.path.rglob("*") if p.is_file()] == []


def test_an_upload_never_overwrites(client: TestClient, services: Services, lease: str) -> None:
    other = client.post(
        "/api/documents", files={"file": ("x", b"other")}, data={"path": "leases/lease.pdf"}
    )
    assert (other.status_code, other.json()["code"]) == (409, "conflict")
    assert upload(client, "leases/lease.pdf", LEASE) == lease, "equal bytes are the same document"
    assert (services.inbox.path / "leases/lease.pdf").read_text() == LEASE


def test_an_upload_over_the_limit_is_refused(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path, upload_limit_bytes=10))
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        response = client.post("/api/documents", files={"file": ("a.pdf", b"x" * 11)})
        assert response.status_code == 413
        assert list(services.inbox.path.iterdir()) == []
        assert client.post("/api/documents", files={"file": ("a.pdf", b"x" * 10)}).is_success


def test_a_deleted_document_is_gone_from_answers_and_can_come_back(
    client: TestClient, services: Services, lease: str
) -> None:
    assert client.delete(f"/api/documents/{lease}").status_code == 204
    assert client.get("/api/documents").json()["total"] == 0
    assert client.post("/api/search", json={"query": "rent"}).json()["hits"] == []
    assert not (services.inbox.path / "leases/lease.pdf").exists()
    assert client.post(f"/api/documents/{lease}/restore").status_code == 202
    assert wait_until(client, lease, "ready")["path"] == "leases/lease.pdf"
    assert client.post("/api/search", json={"query": "rent"}).json()["hits"]


def test_one_copy_of_several_can_be_deleted(client: TestClient, lease: str) -> None:
    assert upload(client, "copy.pdf", LEASE) == lease
    client.delete(f"/api/documents/{lease}", params={"path": "leases/lease.pdf"})
    assert client.get(f"/api/documents/{lease}").json()["locations"] == ["copy.pdf"]
    assert client.post("/api/search", json={"query": "rent"}).json()["hits"]


def test_every_copy_of_a_deleted_document_comes_back(client: TestClient, lease: str) -> None:
    upload(client, "copy.pdf", LEASE)
    client.delete(f"/api/documents/{lease}")
    client.post(f"/api/documents/{lease}/restore")
    locations = wait_until(client, lease, "ready")["locations"]
    assert set(locations) == {"leases/lease.pdf", "copy.pdf"}


@pytest.mark.parametrize("path", ["leases/lease.pdf/inner.pdf", "leases"])
def test_an_upload_onto_a_folder_or_below_a_file_is_a_conflict(
    client: TestClient, lease: str, path: str
) -> None:
    response = client.post("/api/documents", files={"file": ("x", b"x")}, data={"path": path})
    assert (response.status_code, response.json()["code"]) == (409, "conflict")


def test_a_purge_takes_every_copy_or_none(client: TestClient, lease: str) -> None:
    one = {"purge": True, "path": "leases/lease.pdf"}
    assert client.delete(f"/api/documents/{lease}", params=one).status_code == 422
    assert client.get("/api/documents").json()["total"] == 1
    said = client.delete(f"/api/documents/{lease}", params={"purge": True})
    assert (said.status_code, said.json()["complete"]) == (200, True)
    assert client.get("/api/documents").json()["total"] == 0
    assert client.post(f"/api/documents/{lease}/restore").status_code == 404


def test_what_is_in_the_trash_is_listed(client: TestClient, lease: str) -> None:
    client.delete(f"/api/documents/{lease}")
    listed = client.get("/api/trash").json()
    assert listed["total"] == 1
    assert listed["documents"][0]["document_id"] == lease
    assert listed["documents"][0]["path"] == "leases/lease.pdf"


def test_a_changed_file_is_answered_from_anew(
    client: TestClient, services: Services, lease: str
) -> None:
    (services.inbox.path / "leases/lease.pdf").write_text("The rent is 4100 yuan a month.")
    for _ in range(200):
        hits = client.post("/api/search", json={"query": "rent yuan"}).json()["hits"]
        texts = " ".join(hit["text"] for hit in hits)
        assert hits, "there is never nothing"
        if "4100" in texts:
            break
        time.sleep(0.05)
    assert "4100" in texts
    assert "3200" not in texts


def test_a_page_is_a_picture_and_the_text_around_a_passage_is_html(
    client: TestClient, lease: str
) -> None:
    hit = client.post("/api/search", json={"query": "rent yuan"}).json()["hits"][0]
    picture = client.get(f"/api/documents/{lease}/pages/2.png?passage={hit['passage_id']}")
    assert picture.headers["content-type"] == "image/png"
    assert client.get(f"/api/documents/{lease}/pages/99.png").status_code == 404
    assert client.get(f"/api/documents/{lease}/pages/1.png?passage=x").status_code == 404
    preview = client.get(f"/api/documents/{lease}/preview?passage={hit['passage_id']}")
    marked = re.findall('<mark id="cited">(.*?)</mark>', preview.text, re.DOTALL)
    assert [words for words in marked if "3200" in words] == marked != []
    assert "sandbox" in preview.headers["content-security-policy"]
    assert preview.headers["deskside-marked"] == "passage"
    assert picture.headers["deskside-marked"] == "none"  # this parser gives no boxes
    asked = {"passage": hit["passage_id"], "quote": "3200 yuan"}
    preview = client.get(f"/api/documents/{lease}/preview", params=asked)
    assert re.findall('<mark id="cited">(.*?)</mark>', preview.text) == ["3200 yuan"]
    assert preview.headers["deskside-marked"] == "quote"
    asked["quote"] = "x" * 2001
    assert client.get(f"/api/documents/{lease}/preview", params=asked).status_code == 422
    beginning = client.get(f"/api/documents/{lease}/preview").text
    assert "Foo and Bar" in beginning
    assert "<mark" not in beginning
    assert client.get("/api/documents/none/preview").status_code == 404


def test_a_document_can_not_inject_html(client: TestClient) -> None:
    document_id = upload(client, "evil.pdf", "rent <script>alert(1)</script>")
    wait_until(client, document_id, "ready")
    hit = client.post("/api/search", json={"query": "rent"}).json()["hits"][0]
    html = client.get(f"/api/documents/{document_id}/preview?passage={hit['passage_id']}").text
    assert "<script>" not in html
    upload(client, "evil.html", "<script>alert(1)</script>")
    listed = client.get("/api/documents").json()["documents"]
    page = next(each for each in listed if each["name"] == "evil.html")
    response = client.get(f"/api/documents/{page['document_id']}/file")
    assert response.headers["content-disposition"].startswith("attachment")


def test_the_original_is_given_back(client: TestClient, lease: str) -> None:
    response = client.get(f"/api/documents/{lease}/file")
    assert response.text == LEASE
    assert response.headers["content-disposition"].startswith("inline")


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({}, 200),
        ({"host": "localhost:8000"}, 200),
        ({"host": "[::1]:8000"}, 200),
        ({"host": "desk.office:8000"}, 200),
        ({"host": "evil.example"}, 403),
        ({"host": "127.0.0.1.evil.example"}, 403),
        ({"origin": "http://localhost:8000"}, 200),
        ({"origin": "https://evil.example"}, 403),
        ({"origin": "null"}, 403),
    ],
)
def test_foreign_hosts_and_origins_are_refused(
    tmp_path: Path, headers: dict[str, str], status: int
) -> None:
    services = services_for(settings_for(tmp_path, allowed_hosts="desk.office"))
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        assert client.get("/api/documents", headers=headers).status_code == status


def test_a_key_is_asked_for_and_traded_for_a_cookie(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path, api_key="open sesame"))
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        assert client.get("/api/documents").status_code == 401
        assert client.get("/health").status_code == 200
        assert client.get("/").status_code == 200
        bearer = {"Authorization": "Bearer open sesame"}
        assert client.get("/api/documents", headers=bearer).status_code == 200
        assert client.post("/api/session", json={"key": "wrong"}).status_code == 401
        cookie = client.post("/api/session", json={"key": "open sesame"}).headers["set-cookie"]
        assert "HttpOnly" in cookie
        assert "SameSite=strict" in cookie
        assert "open sesame" not in cookie
        assert client.get("/api/documents").status_code == 200


def test_too_many_questions_are_told_when_to_come_back(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path, queue_limit=0))
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        document_id = upload(client, "lease.pdf", LEASE)
        wait_until(client, document_id, "ready")
        held = services.core.engine.ask("What is the rent?")
        refused = client.post("/api/ask", json={"question": "What is the rent?"})
        held.close()
        assert refused.status_code == 429
        assert int(refused.headers["retry-after"]) > 0
        assert client.post("/api/ask", json={"question": "What is the rent?"}).status_code == 200


def test_the_page_and_its_headers(client: TestClient) -> None:
    page = client.get("/")
    assert "<html" in page.text
    assert "default-src 'self'" in page.headers["content-security-policy"]
    script = client.get("/web/app.js")
    assert script.headers["cache-control"] == "no-cache"
    assert script.headers["content-encoding"] == "gzip"


def test_health_and_system(client: TestClient, services: Services) -> None:
    assert client.get("/health").json()["status"] == "ok"
    assert client.get("/api/system").json()["offload"] is None, "not loaded yet"
    services.core.generator.warm()
    system = client.get("/api/system").json()
    assert system["model"] == "scripted"
    assert (system["offload"]["gpu_layers"], system["offload"]["threads"]) == (0, 2)
    assert system["network"]["outbound_attempts"] == 0
    assert system["network"]["since"] is None, "nobody stands guard in a test"
    assert system["network"]["watched"] == ["connection", "datagram", "name_lookup"]
    assert "ANONYMIZED_TELEMETRY" in system["network"]["opt_outs"]
    assert system["speed"] is None
    assert 0 < system["index"]["size_bytes"] <= system["disk"]["data_bytes"]
    assert "api_key" not in system["settings"]
    ready = client.get("/health/ready").json()
    assert {"name", "status", "detail", "fix"} == set(ready["checks"][0])


def test_the_speed_is_that_of_the_answers(services: Services) -> None:
    kept = services.core.catalog.conversations
    key = kept.start("How fast?")
    for rate, wait in [(8.0, 900.0), (10.0, 1000.0), (30.0, 5000.0), (None, None)]:
        timings = {"tokens_per_s": rate, "first_token_ms": wait}
        kept.add(key, question="?", answer={"answer": "", "hits": [], "timings": timings})
    assert kept.speed() == Speed(answers=3, tokens_per_s=10.0, first_token_ms=1000.0)


def test_a_model_that_will_not_load_is_told_by_the_health(tmp_path: Path) -> None:
    def broken() -> Any:
        raise Unavailable("The model x.gguf can't be loaded.", hint="Verify it.")

    services = services_for(settings_for(tmp_path))
    core = replace(services.core, generator=LazyGenerator(broken))
    app = create_app(replace(services, core=core))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        core.generator.warm()
        checks = client.get("/health/ready").json()["checks"]
        (model,) = [each for each in checks if each["name"] == "model"]
        assert (model["status"], model["fix"]) == ("warn", "Verify it.")


def test_events_tell_what_changes(services: Services) -> None:
    asyncio.run(_events_tell_what_changes(services))


async def _events_tell_what_changes(services: Services) -> None:
    from api.routes.system import _changes

    def put(path: str, revision: str) -> str:
        return services.core.catalog.ledger.arrive(SourceFile(path, 1, 0, revision))

    put("old.pdf", "old")
    events = _changes(services)
    assert (await anext(events)).startswith(b"event: inbox\n"), "what is known is not repeated"
    document_id = put("new.pdf", "new")
    told = [await anext(events), await anext(events)]
    assert [event.split(b"\n")[0] for event in told] == [b"event: document", b"event: inbox"]
    assert json.loads(told[0].split(b"data: ")[1])["status"] == "queued"
    services.core.index.remove(document_id)
    gone = json.loads((await anext(events)).split(b"data: ")[1])
    assert (gone["document_id"], gone["status"]) == (document_id, "missing")
    await events.aclose()


def test_answers_survive_a_restart(tmp_path: Path) -> None:
    """FIELD_CASES 6 and 22: what was read and said is still there."""
    settings = settings_for(tmp_path)
    first = services_for(settings)
    with TestClient(create_app(first), base_url="http://127.0.0.1") as client:
        document_id = upload(client, "lease.pdf", LEASE)
        wait_until(client, document_id, "ready")
        answer = client.post("/api/ask", json={"question": "What is the rent?"}).json()
        first.core.catalog.conversations.start("asked as the service was killed")
    again = services_for(settings)
    with TestClient(create_app(again), base_url="http://127.0.0.1") as client:
        kept = client.get(f"/api/conversations/{answer['conversation_id']}").json()
        assert kept["messages"][0]["answer"] == answer
        assert client.get("/api/conversations").json()["total"] == 1
        assert client.post("/api/search", json={"query": "rent"}).json()["hits"]
        assert client.get("/api/documents").json()["total"] == 1


def test_thoughts_are_streamed_apart_from_the_answer(tmp_path: Path) -> None:
    """FIELD_CASE 55, as the page sees it."""
    model = ScriptedGenerator(f"<think>Page 2, I think.</think>\n\n{REPLY}")
    services = services_for(settings_for(tmp_path), model)
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        wait_until(client, upload(client, "lease.pdf", LEASE), "ready")
        body = {"question": "What is the rent?", "stream": True}
        lines = client.post("/api/ask", json=body).text.splitlines()
    events = [
        (name.removeprefix("event: "), json.loads(data.removeprefix("data: ")))
        for name, data in zip(lines[::3], lines[1::3], strict=True)
    ]
    told = {
        kind: "".join(data["text"] for name, data in events if name == kind)
        for kind in ("thinking", "token")
    }
    assert told == {"thinking": "Page 2, I think.", "token": REPLY}
    assert events[-1][1]["answer"] == REPLY
    assert events[-1][1]["thinking"] == "Page 2, I think."


def test_a_follow_up_uses_its_conversation(client: TestClient, lease: str) -> None:
    """FIELD_CASE 18, through the API: the second question alone names nothing."""
    first = client.post("/api/ask", json={"question": "How much is the rent?"}).json()
    body = {"question": "And the parties?", "conversation_id": first["conversation_id"]}
    second = client.post("/api/ask", json=body).json()
    assert second["question_used"] == "How much is the parties?"
    assert (
        client.post("/api/ask", json={"question": "And the rent?"}).json()["question_used"]
        == "And the rent?"
    ), "another conversation knows nothing of it"
    kept = client.get(f"/api/conversations/{first['conversation_id']}").json()
    assert [message["question"] for message in kept["messages"]] == [
        "How much is the rent?", "And the parties?",
    ]  # fmt: skip


def test_a_long_question_makes_a_short_title(client: TestClient, lease: str) -> None:
    client.post("/api/ask", json={"question": "What  is\nthe rent " + "of the office " * 9})
    (listed,) = client.get("/api/conversations").json()["conversations"]
    assert listed["title"].startswith("What is the rent of the office")
    assert listed["title"].endswith("office…")
    assert len(listed["title"]) <= 61


def test_an_export_says_what_was_not_answered(client: TestClient, lease: str) -> None:
    first = client.post("/api/ask", json={"question": "capital city\nof France"}).json()
    assert first["refused"]
    key = first["conversation_id"]
    exported = client.get(f"/api/conversations/{key}?format=markdown")
    assert exported.headers["content-type"].startswith("text/markdown")
    assert "## capital city of France\n\n20" in exported.text
    assert "UTC\n\n*The documents don't answer this." in exported.text


def test_an_export_has_the_sources_and_no_tags(client: TestClient) -> None:
    text = "The rent is 3200 yuan a month, <script>alert(1)</script> the lease says."
    wait_until(client, upload(client, "tags.txt", text), "ready")
    key = client.post("/api/ask", json={"question": "What is the rent?"}).json()["conversation_id"]
    client.patch(f"/api/conversations/{key}", json={"title": "Rent: 2024/租金 <b>"})
    exported = client.get(f"/api/conversations/{key}?format=markdown")
    assert exported.headers["content-disposition"].endswith(
        "filename*=UTF-8''Rent%202024%20%E7%A7%9F%E9%87%91%20b.md"
    )
    assert exported.text.startswith("# Rent: 2024/租金 \\<b>\n")
    assert "**Sources · 出处**\n\n- [1] tags.txt, " in exported.text
    assert "<script" not in exported.text.replace("\\<", "")


def test_a_stream_names_its_conversation_and_a_failed_one_leaves_none(tmp_path: Path) -> None:
    services = services_for(settings_for(tmp_path))
    with TestClient(create_app(services), base_url="http://127.0.0.1") as client:
        wait_until(client, upload(client, "lease.pdf", LEASE), "ready")
        body = {"question": "What is the rent?", "stream": True}
        streamed = client.post("/api/ask", json=body)
        key = streamed.headers["deskside-conversation"]
        assert client.get(f"/api/conversations/{key}").json()["messages"]

        def breaks(*_: Any, **__: Any) -> Any:
            raise Unavailable("The model stopped working.")

        services.core.generator().generate = breaks  # type: ignore[method-assign]
        broken = client.post("/api/ask", json=body)
        assert "event: error" in broken.text
        gone = broken.headers["deskside-conversation"]
        assert client.get(f"/api/conversations/{gone}").status_code == 404
        assert client.get("/api/conversations").json()["total"] == 1
        client.post("/api/ask", json=body | {"conversation_id": key})
        assert client.get(f"/api/conversations/{key}").status_code == 200, "what was kept stays"


@pytest.mark.parametrize("title", ["", "   ", "x" * 201])
def test_a_title_says_something(client: TestClient, lease: str, title: str) -> None:
    key = client.post("/api/ask", json={"question": "rent?"}).json()["conversation_id"]
    renamed = client.patch(f"/api/conversations/{key}", json={"title": title})
    assert renamed.status_code == 422
    assert client.get(f"/api/conversations/{key}").json()["title"] == "rent?"


def test_case_29_a_copy_is_cited_once_with_both_places(client: TestClient, lease: str) -> None:
    again = upload(client, "副本/lease.pdf", LEASE)
    assert again == lease
    answer = client.post("/api/ask", json={"question": "What is the rent?"}).json()
    assert len({hit["passage_id"] for hit in answer["hits"]}) == len(answer["hits"])
    (citation,) = answer["citations"]
    assert citation["locations"] == ["leases/lease.pdf", "副本/lease.pdf"]
    assert {tuple(hit["locations"]) for hit in answer["hits"]} == {tuple(citation["locations"])}
    client.delete(f"/api/documents/{lease}", params={"path": "leases/lease.pdf"})
    (hit, *_) = client.post("/api/search", json={"query": "rent"}).json()["hits"]
    assert (hit["path"], hit["locations"]) == ("副本/lease.pdf", ["副本/lease.pdf"])
