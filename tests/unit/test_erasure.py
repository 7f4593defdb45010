"""FIELD_CASE 51: after a purge no byte of a document is left, and the others still answer.

On the real Chroma and catalogue; the parser and the embedder are fakes.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import served
from served import upload, wait_until
from starlette.testclient import TestClient
from traces import needles, terms_of, traces, vector_needles

from api.deps import Services
from rag.catalog.database import Database
from rag.errors import Busy
from rag.settings import Settings

# Words and characters that stand in no other document, and in no question.
SECRET_ZH = "驫麤龘靐讟"
SECRET_EN = "Quuxopolis"
OLD_SECRET = "魑魅魍魉 Zyzzyvasaurus"
NAME = "鱻羴犇猋"
DOOMED = f"# Deed\nThe rent of {SECRET_EN} is 7213 yuan.\n租金由{SECRET_ZH}支付。"
REVISED = DOOMED + "\nOne more line of Vexillology."
KEPT = "# Lease\nThe rent of the mill is 3200 yuan a month."
TOKENS = terms_of(SECRET_ZH, SECRET_EN, OLD_SECRET, NAME)


def settings_for(tmp_path: Path) -> Settings:
    """The inbox lies outside of the data folder."""
    return served.settings_for(tmp_path / "data", tmp_path / "papers")


def services_for(settings: Settings) -> Services:
    said = f"The rent of {SECRET_EN} is 7213 yuan [1]. {SECRET_ZH} [1]."
    return served.services_for(settings, said)


@pytest.fixture
def services(tmp_path: Path) -> Services:
    return services_for(settings_for(tmp_path))


@pytest.fixture
def client(services: Services) -> Iterator[TestClient]:
    with served.served(services) as opened:
        yield opened


def hits(client: TestClient, query: str) -> list[dict[str, Any]]:
    body = {"query": query, "mode": "keyword"}  # collisions make the fake embedder blur
    found: list[dict[str, Any]] = client.post("/api/search", json=body).json()["hits"]
    return found


def purge(client: TestClient, document_id: str) -> dict[str, Any]:
    response = client.delete(f"/api/documents/{document_id}", params={"purge": True})
    assert response.status_code == 200, response.text
    said: dict[str, Any] = response.json()
    return said


def fill(client: TestClient, services: Services) -> dict[str, str]:
    """Kept, revised, twice in the inbox, in the trash, asked about."""
    inbox = services.inbox.path
    ids = {"kept": upload(client, "mill.pdf", KEPT), "other": upload(client, "other.pdf", "Tea.")}
    ids["doomed"] = upload(client, f"{NAME}/{NAME}.pdf", f"{OLD_SECRET}\n{DOOMED}")
    revision = client.get(f"/api/documents/{ids['doomed']}").json()["revision"]
    (inbox / NAME / f"{NAME}.pdf").write_text(REVISED, encoding="utf-8")
    wait_until(
        client,
        ids["doomed"],
        lambda found: found["revision"] != revision and found["status"] == "ready",
    )
    (services.settings.data_path / "previews").mkdir(exist_ok=True)
    for name in (client.get(f"/api/documents/{ids['doomed']}").json()["revision"], revision):
        (services.settings.data_path / "previews" / f"{name}.pdf").write_text(DOOMED)
    upload(client, f"copy of {NAME}.pdf", REVISED)
    ids["trashed"] = upload(client, f"{NAME} gone.pdf", f"{OLD_SECRET} {SECRET_ZH}{SECRET_EN}")
    client.delete(f"/api/documents/{ids['trashed']}")
    # So much that Chroma writes its index out, and SQLite reuses pages.
    upload(client, "long.pdf", "\f".join(f"line {number} of many" for number in range(1200)))
    return ids


def everything_secret(client: TestClient, services: Services) -> dict[str, bytes]:
    embedder = services.core.embedder
    catalog = services.core.catalog
    secret = [
        vector
        for passage_ids, vectors in catalog.passages.vectors()
        for passage_id, vector in zip(passage_ids, vectors, strict=True)
        if SECRET_EN in catalog.passages.get([passage_id])[passage_id][0].text
        or SECRET_ZH in catalog.passages.get([passage_id])[passage_id][0].text
    ]
    assert secret
    assert embedder.dimension == len(secret[0])
    return {
        **needles(SECRET_ZH, SECRET_EN, OLD_SECRET, NAME, tokens=TOKENS),
        **vector_needles(secret),  # type: ignore[arg-type]
    }


def test_no_byte_is_left_and_the_others_still_answer(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    ids = fill(client, services)
    question = "What is the rent to be paid?"
    asked = client.post("/api/ask", json={"question": question}).json()
    assert SECRET_EN in asked["answer"]
    again = client.post(
        "/api/ask",
        json={"question": "And of the mill?", "conversation_id": asked["conversation_id"]},
    ).json()
    assert again["hits"]
    secret = everything_secret(client, services)
    before = traces(secret, tmp_path)
    for where in ("catalog.sqlite3", "chroma", "trash", "previews", "papers"):
        assert any(where in trace for trace in before), f"nothing to erase in {where}"

    said = purge(client, ids["doomed"])
    assert (said["complete"], said["files"], said["missing"]) == (True, 2, 0)
    assert "Backups" in said["detail"]
    assert purge(client, ids["trashed"])["complete"]
    assert traces(secret, tmp_path) == []

    assert client.get(f"/api/documents/{ids['doomed']}").status_code == 404
    assert client.get("/api/trash").json() == {"documents": [], "total": 0}
    assert ids["kept"] in {hit["document_id"] for hit in hits(client, "rent of the mill")}
    assert "line 777 of many" in {hit["text"] for hit in hits(client, "line 777 of many")}
    talk = client.get(f"/api/conversations/{asked['conversation_id']}").json()
    assert [message["question"] for message in talk["messages"]] == [question, "And of the mill?"]
    kept = talk["messages"][0]["answer"]
    assert kept.keys() == asked.keys()
    assert kept["answer"].startswith("Removed on 20")
    assert (kept["citations"], kept["hits"], kept["sentences"]) == ([], [], [])
    assert [warning["code"] for warning in kept["warnings"]] == ["erased"]
    markdown = client.get(f"/api/conversations/{asked['conversation_id']}?format=markdown")
    assert markdown.is_success
    client.post("/api/scan", json={})
    assert client.get("/api/documents").json()["total"] == 3


@pytest.mark.parametrize("left_out", ["vacuum", "optimize", "checkpoint", "refill", "redact"])
def test_the_proof_notices_each_step_that_is_left_out(
    client: TestClient,
    services: Services,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    left_out: str,
) -> None:
    document_id = fill(client, services)["doomed"]
    client.post("/api/ask", json={"question": "What is the rent to be paid?"})
    secret = everything_secret(client, services)
    if left_out == "refill":
        monkeypatch.setattr(services.core.index, "refill", lambda: None)
    elif left_out == "redact":
        monkeypatch.setattr(services.core.catalog.conversations, "redact", lambda _ids: 0)
    else:
        _without(monkeypatch, left_out)
    purge(client, document_id)
    assert traces(secret, tmp_path / "data") != []


def _without(monkeypatch: pytest.MonkeyPatch, step: str) -> None:
    import rag.catalog.database as module

    real = module._connect

    class Forgetful:
        def __init__(self, connection: Any) -> None:
            self.__dict__["connection"] = connection

        def __getattr__(self, name: str) -> Any:
            return getattr(self.connection, name)

        def execute(self, statement: str, *values: Any) -> Any:
            if step in statement.lower():
                statement = "SELECT 0"
            return self.connection.execute(statement, *values)

    def borrowed(self: Database) -> Any:
        connection = Forgetful(real(self.path))
        connection.execute("PRAGMA secure_delete = OFF")
        return connection

    original = Database.compact

    def compact(self: Database, **how: Any) -> None:
        self._idle.append(borrowed(self))
        original(self, **how)

    monkeypatch.setattr(Database, "compact", compact)


def test_equal_bytes_in_the_trash_go_along(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    first = upload(client, "a.pdf", DOOMED)
    client.delete(f"/api/documents/{first}")
    second = upload(client, "b.pdf", DOOMED)
    assert second != first
    refused = client.delete(f"/api/documents/{first}", params={"purge": True})
    assert (refused.status_code, "b.pdf" in refused.json()["detail"]) == (409, True)
    assert purge(client, second)["complete"]
    assert client.get(f"/api/documents/{first}").status_code == 404
    assert traces(needles(SECRET_ZH, SECRET_EN), tmp_path) == []


def test_a_copy_edited_since_the_last_scan_is_not_destroyed(
    services: Services, tmp_path: Path
) -> None:
    """No watching here: the edit is not noticed before the purge looks."""
    with served.served(services, watch=False) as client:
        for path in ("a.pdf", "b.pdf"):
            client.post("/api/documents", files={"file": (path, DOOMED.encode())})
        (document,) = client.get("/api/documents").json()["documents"]
        (services.inbox.path / "b.pdf").write_text("Quite another text.", encoding="utf-8")
        assert purge(client, document["document_id"])["files"] == 1
        assert (services.inbox.path / "b.pdf").read_text(encoding="utf-8") == "Quite another text."
        assert not (services.inbox.path / "a.pdf").exists()
        (left,) = client.get("/api/documents").json()["documents"]
        assert left["path"] == "b.pdf"


def test_an_answer_under_way_brings_nothing_back(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    document_id = upload(client, "a.pdf", DOOMED)
    asking = services.core.engine.ask("What is the rent to be paid?")
    answer = asking.answer()
    assert SECRET_EN in str(answer)
    purge(client, document_id)
    from api.schemas import AnswerOut

    conversations = services.core.catalog.conversations
    key = conversations.start("What is the rent to be paid?")
    given = AnswerOut.of(answer, key).model_dump(mode="json")
    conversations.add(key, question="What is the rent to be paid?", answer=given)
    assert traces(needles(SECRET_EN, SECRET_ZH), tmp_path) == []


def test_what_left_the_ledger_long_ago_can_be_purged_from_answers(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    document_id = upload(client, "a.pdf", DOOMED)
    client.post("/api/ask", json={"question": "What is the rent to be paid?"})
    (services.inbox.path / "a.pdf").unlink()
    client.post("/api/scan", json={"accept_deletions": True})
    assert client.get(f"/api/documents/{document_id}").status_code == 404
    assert purge(client, document_id)["answers"] == 1
    assert traces(needles(SECRET_EN, SECRET_ZH), tmp_path) == []
    assert client.delete("/api/documents/never", params={"purge": True}).status_code == 404


def test_a_purge_while_it_is_read_leaves_nothing(services: Services, tmp_path: Path) -> None:
    embedding, go_on = threading.Event(), threading.Event()
    real = services.core.embedder.embed_passages

    def slowly(texts: Any) -> Any:
        embedding.set()
        go_on.wait(10)
        return real(texts)

    services.core.embedder.embed_passages = slowly  # type: ignore[method-assign]
    with served.served(services) as client:
        stored = client.post("/api/documents", files={"file": ("a.pdf", DOOMED.encode())}).json()
        assert embedding.wait(10)
        threading.Timer(0.3, go_on.set).start()
        assert purge(client, stored["document_id"])["complete"]
        assert hits(client, SECRET_EN) == []
        assert traces(needles(SECRET_EN, SECRET_ZH), tmp_path) == []


def test_a_reader_of_an_old_state_is_waited_for_and_told_of(
    client: TestClient, services: Services, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = upload(client, "a.pdf", DOOMED)
    monkeypatch.setattr(Database.compact, "__kwdefaults__", {"patience_s": 0.2})
    database = Database(services.settings.data_path / "catalog.sqlite3")
    with database.reading() as connection:
        assert connection.execute("SELECT count(*) FROM passages").fetchone()[0]
        said = purge(client, document_id)
    database.close()
    assert said["complete"] is False
    assert "readers" in said["detail"]
    assert hits(client, SECRET_EN) == []
    assert purge(client, document_id)["complete"], "asked once more"
    assert traces(needles(SECRET_EN, SECRET_ZH), tmp_path) == []


def test_a_file_that_can_not_be_deleted_leaves_everything_as_it_was(
    client: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    document_id = upload(client, "a.pdf", DOOMED)

    def held(self: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "in use")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "unlink", held)
        refused = client.delete(f"/api/documents/{document_id}", params={"purge": True})
    assert refused.status_code == 409
    assert hits(client, SECRET_EN)
    assert purge(client, document_id)["complete"]


STAGES = ("_delete_files", "erase", "refill", "done")
"""Each is where the killed purge stops: just before it."""


def killed(data: Path, stage: str) -> None:
    """Runs in a process of its own: purge ``a.pdf``, and die at ``stage``."""
    services = services_for(settings_for(data))
    (document,) = (
        d for d in services.core.catalog.ledger.documents()[0] if d.path.endswith("a.pdf")
    )
    owner = {
        "_delete_files": services.erasure,
        "erase": services.core.index,
        "refill": services.core.index,
        "done": services.core.catalog.erasures,
    }[stage]

    def die(*_args: object, **_how: object) -> None:
        os.kill(os.getpid(), signal.SIGKILL)

    setattr(owner, stage, die)
    services.erasure.purge(document.document_id)


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_purge_is_ended_at_the_next_start(tmp_path: Path, stage: str) -> None:
    services = services_for(settings_for(tmp_path))
    with served.served(services) as client:
        upload(client, f"{NAME}/a.pdf", DOOMED)
        upload(client, "mill.pdf", KEPT)
        client.post("/api/ask", json={"question": "What is the rent to be paid?"})
        secret = everything_secret(client, services)
    root = Path(__file__).resolve().parents[2]
    code = (
        f"import sys; sys.path[:0] = ['tests', 'tests/unit']\n"
        f"from pathlib import Path; import test_erasure\n"
        f"test_erasure.killed(Path({str(tmp_path)!r}), {stage!r})"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=root, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr.decode()

    again = services_for(settings_for(tmp_path))
    with served.served(again) as client:
        client.post("/api/scan", json={})
        assert [d["path"] for d in client.get("/api/documents").json()["documents"]] == ["mill.pdf"]
        assert traces(secret, tmp_path) == []
        assert hits(client, "rent of the mill")
    assert again.core.catalog.erasures.pending() == {}


def test_a_busy_catalogue_is_told(tmp_path: Path) -> None:
    database = Database(tmp_path / "c.sqlite3")
    other = Database(tmp_path / "c.sqlite3")
    with other.reading() as connection:
        connection.execute("SELECT * FROM meta").fetchall()
        with pytest.raises(Busy):
            database.compact(patience_s=0.1)
    database.compact()
    other.close()
    database.close()


def test_what_is_left_of_files_deleted_by_hand_can_be_cleared(
    client: TestClient, services: Services, tmp_path: Path
) -> None:
    kept = upload(client, "mill.pdf", KEPT)
    gone = upload(client, f"{NAME}.pdf", DOOMED)
    secret = needles(SECRET_EN, NAME, tokens=TOKENS)
    (services.inbox.path / f"{NAME}.pdf").unlink()
    for _ in range(3):
        services.inbox.scan()
    assert client.get(f"/api/documents/{gone}").status_code == 404
    assert any("catalog" in trace for trace in traces(secret, tmp_path)), "nothing to clear"
    assert client.delete("/api/remains").json()["complete"]
    assert traces(secret, tmp_path) == []
    assert kept in {hit["document_id"] for hit in hits(client, "rent of the mill")}
