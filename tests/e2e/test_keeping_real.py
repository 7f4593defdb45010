"""Backup, erasure and restore on real parts: parsers, LibreOffice, embedder, Chroma and model."""

from __future__ import annotations

import shutil
import sqlite3
import time
from pathlib import Path

import pytest
from running import Service, serving
from samples.folder import samples
from traces import needles, terms_of, traces, vector_needles

from rag.catalog.rows import unpack_vectors

pytestmark = [pytest.mark.real_models, pytest.mark.slow]

# What stands in these documents and in no other, nor in a question: names, in both languages.
DOOMED = {
    "租赁合同.pdf": ("白鹭会计师事务所",),
    "leases/lease.pdf": ("Harrowgate Properties", "HG-7742"),
    "travel-policy.docx": ("Larkspur Surveying", "Imogen Vale"),
    "部门汇总.xlsx": ("银杏书店收入汇总", "88,400.00"),
    "note.txt": ("Zephyrine", "麒麟饕餮"),
    "gone.txt": ("Ombrophila", "貔貅狴犴"),
}
OLD = ("Borborygmus", "魑魅魍魉")
KEPT = ("差旅制度.docx", "tokens.pdf")


def fill(data: Path) -> None:
    inbox = data / "inbox"
    (inbox / "leases").mkdir(parents=True)
    for name in (*KEPT, "租赁合同.pdf", "travel-policy.docx", "部门汇总.xlsx"):
        shutil.copy(samples() / name, inbox)
    shutil.copy(samples() / "lease.pdf", inbox / "leases")
    shutil.copy(samples() / "lease.pdf", inbox / "copy of the lease.pdf")
    (inbox / "note.txt").write_text(f"{' '.join(OLD)} pays 17 crowns. 支付。", encoding="utf-8")
    (inbox / "gone.txt").write_text(" ".join(DOOMED["gone.txt"]), encoding="utf-8")


def revise(service: Service) -> None:
    before = service.ledger()["note.txt"]["revision"]
    words = " ".join(DOOMED["note.txt"])
    (service.data / "inbox" / "note.txt").write_text(f"{words} 收款。", encoding="utf-8")
    deadline = time.monotonic() + 120
    while service.ledger()["note.txt"]["revision"] == before:
        assert time.monotonic() < deadline
        time.sleep(0.3)
    service.wait_until_read(8)


def vectors(data: Path, paths: list[str]) -> dict[str, bytes]:
    with sqlite3.connect(data / "catalog.sqlite3") as connection:
        rows = connection.execute(
            "SELECT DISTINCT vector FROM passages JOIN locations USING (document_id)"
            f" WHERE path IN ({','.join('?' * len(paths))})",
            paths,
        ).fetchall()
    assert len(rows) > 5
    return vector_needles(unpack_vectors([row[0] for row in rows]))


def test_backup_erasure_and_restore(tmp_path: Path) -> None:
    data, bundle = tmp_path / "data", tmp_path / "desk.zip"
    fill(data)
    said = [words for each in DOOMED.values() for words in each] + list(OLD)
    with serving(data) as service:
        service.wait_until_read(8)
        revise(service)
        gone = service.ledger()["gone.txt"]["document_id"]
        service.delete(f"/api/documents/{gone}")
        asked = service.post("/api/ask", {"question": "What is the monthly rent?", "top_k": 5})
        assert any(words in str(asked) for words in DOOMED["leases/lease.pdf"])
        lease = {"query": "monthly rent of the offices", "top_k": 3}
        found = service.post("/api/search", lease)["hits"]

        written = service.run("backup", str(bundle))
        assert written.returncode == 0, written.stderr
        held = service.run("restore", str(bundle))
        assert (held.returncode, str(service.process.pid) in held.stderr) == (1, True)

        wanted = {
            **needles(*said, *DOOMED, tokens=_tokens()),
            **vectors(data, [path for path in DOOMED if path != "gone.txt"]),
        }
        assert traces(wanted, data)
        purged = service.run("purge", "租赁合同.pdf", "--yes")
        assert purged.returncode == 0, purged.stderr
        assert "Backups" in purged.stdout
        for document in (*service.ledger().values(), *service.get("/api/trash")["documents"]):
            if document["path"] not in KEPT:
                service.delete(f"/api/documents/{document['document_id']}?purge=true")
        assert traces(wanted, data) == []
        hits = service.post("/api/search", {"query": "住宿费 标准", "top_k": 1})["hits"]
        assert hits[0]["document_name"] == "差旅制度.docx"
        assert set(service.ledger()) == set(KEPT)
    elsewhere = Service(service.process, "", service.log, tmp_path / "new" / "data")
    back = elsewhere.run("restore", str(bundle))
    assert back.returncode == 0, back.stderr
    with serving(elsewhere.data) as service:
        service.wait_until_read(7)
        assert service.post("/api/search", lease)["hits"] == found
        assert len(service.get("/api/trash")["documents"]) == 1


def _tokens() -> list[str]:
    """Search terms that stand in none of the documents kept."""
    kept = {"会计", "计师", "师事", "事务", "务所", "vale", "surveying"}
    return [term for term in terms_of(*DOOMED["note.txt"], *OLD) if term not in kept]
