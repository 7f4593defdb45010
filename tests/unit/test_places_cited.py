"""Where an answer's sources stand, the same on every surface. FIELD_CASES 2, 7, 8 and 13."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from asking import LIMITS, ask, engine
from desk import Desk
from samples.pdfs import make_pdfs
from served import served, services_for, settings_for, upload

from api.schemas import CitationOut
from ingest.parsers import parse
from rag.testing import ScriptedGenerator

LEASE = "# Lease\nThe parties are Foo and Bar.\f# Rent\nThe rent is 3200 yuan a month."


@pytest.mark.parametrize("number", [1, 3, 5])
def test_the_page_cited_is_the_viewers_page(desk: Desk, tmp_path: Path, number: int) -> None:
    """Five pages, each of which says its number, read by the real parser."""
    make_pdfs(tmp_path)
    desk.publish_parsed("tokens.pdf", parse(tmp_path / "tokens.pdf"))
    asked = f"Which page says token-{number}?"
    hits = ask(desk, ScriptedGenerator("x"), asked).hits
    texts = [hit.passage.text for hit in hits]
    marker = next(at for at, text in enumerate(texts, start=1) if f"token-{number}." in text)
    answer = ask(desk, ScriptedGenerator(f"The page that says token-{number} [{marker}]."), asked)
    (citation,) = answer.citations
    place = CitationOut.of(citation).locator
    assert (place.page, place.page_source) == (number, "file")
    assert place.boxes, "and the place on it"
    assert {box.page for box in place.boxes} == {number}
    assert place.label == f"p. {number}"


def test_every_surface_has_the_same_citations(tmp_path: Path) -> None:
    """The plain answer, the stream, the history, its export."""
    reply = "The rent is 3200 yuan a month [1]."
    settings = settings_for(tmp_path / "data")
    with served(services_for(settings, reply)) as client:
        upload(client, "lease.pdf", LEASE)
        asked = {"question": "What is the rent?"}
        plain = client.post("/api/ask", json=asked).json()
        lines = client.post("/api/ask", json={**asked, "stream": True}).text.splitlines()
        done = json.loads(lines[-2].removeprefix("data: "))
        conversation = f"/api/conversations/{plain['conversation_id']}"
        kept = client.get(conversation).json()["messages"][0]["answer"]
        exported = client.get(f"{conversation}?format=markdown").text
    assert plain["citations"], "there is something to compare"
    assert done["citations"] == kept["citations"] == plain["citations"]
    (citation,) = plain["citations"]
    assert citation["quote"] in exported
    assert f"{citation['path']}, {citation['locator']['label']}" in exported


INVOICES = (
    "Invoice 2024-017. Five water pumps, 900 euros. To be paid by 12 March 2024. Hartmann GmbH.",
    "Invoice 2024-018. Cleaning of the office in April, 340 euros. Bright & Sons, London.",
    "发票 2024-019。打印纸二十箱，共计1,200元。购买方：白鹭会计师事务所。",
)


FOREIGN = (
    "What is the capital of France?",
    "法国的首都是哪里？",
    "What is the address of the dentist?",
    "张伟的家庭住址是什么？",
)


@pytest.mark.real_models
def test_what_three_invoices_do_not_say_is_refused_unasked(desk: Desk) -> None:
    from rag.adapters.minilm import MiniLM
    from rag.models.catalogue import card_of
    from rag.models.library import path_of
    from rag.settings import Settings

    settings = Settings()
    folder = path_of(card_of(settings.embedder), settings.models_dir)
    desk.embedder = MiniLM(settings.embedder, folder, revision="test")  # type: ignore[assignment]
    desk.use()
    for number, text in enumerate(INVOICES):
        desk.publish(f"invoice{number}.pdf", text)
    model = ScriptedGenerator("Paris [1].")
    limits = replace(LIMITS, min_evidence=settings.min_evidence)
    for question in FOREIGN:
        answer = engine(desk, model, limits=limits).ask(question).answer()
        assert (answer.refused, answer.citations, model.prompts) == (True, (), []), question
        assert answer.hits, "the nearest are shown as no answer"
