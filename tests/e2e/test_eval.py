"""``deskside eval`` from outside, on the real chain."""

import json
import os
import subprocess
import sys

import pytest

pytestmark = pytest.mark.real_models

TEXTS = {
    "parking": "Bay B-207 belongs to the tenant of the second floor.",
    "notice": "Either party may end the lease with three months' notice.",
    "租金": "每月租金为人民币八千元，于每月五日前支付。",
}
ASKED = {
    "parking": "Which bay belongs to the second floor?",
    "notice": "How long is the notice period?",
    "租金": "每月租金是多少？",
}


def run(*arguments, cache):
    environment = {**os.environ, "XDG_CACHE_HOME": str(cache)}
    return subprocess.run(
        [sys.executable, "-c", "from api.cli import main; main()", "eval", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=cache,
        check=False,
    )


@pytest.fixture
def cache(tmp_path):
    """The models of this computer, but an empty place for throw-away data."""
    from rag.settings import load_settings

    folder = tmp_path / "cache"
    (folder / "deskside").mkdir(parents=True)
    (folder / "deskside" / "models").symlink_to(load_settings().models_dir)
    return folder


def test_a_set_with_its_own_texts_is_measured_in_three_modes(tmp_path, cache):
    dataset = tmp_path / "small.jsonl"
    rows = [
        {"id": name, "question": ASKED[name], "doc_id": name, "context": TEXTS[name]}
        for name in TEXTS
    ]
    dataset.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")
    out = tmp_path / "out.json"

    done = run(str(dataset), "--out", str(out), cache=cache)

    assert done.returncode == 0, done.stderr
    assert "recall@1" in done.stdout.replace("\n", " ")
    report = json.loads(out.read_text(encoding="utf-8"))
    assert report["documents"] == 3
    modes = report["datasets"]["small"]
    assert set(modes) == {"hybrid", "keyword", "dense"}
    assert modes["hybrid"]["recall@1"]["value"] == 1.0
    assert list((cache / "deskside" / "eval").iterdir()) == []  # thrown away
    (kept,) = (cache / "eval-results").iterdir()
    run_of = json.loads(kept.read_text(encoding="utf-8"))["runs"]["small"]
    assert run_of["datasets"] == report["datasets"]
    assert run_of["fingerprints"]["embedder"].startswith("multilingual-e5-small|")
    assert run_of["settings"]["candidates"] == 50
    assert run_of["sets"][0]["questions"] == 3


def test_characters_are_counted_in_the_file_itself(tmp_path, cache):
    documents = tmp_path / "documents"
    documents.mkdir()
    text = "# Lease\n\nThe **rent** is 3,200 yuan.\n\n# Pets\n\nNo pets are allowed here.\n"
    (documents / "lease.md").write_text(text, encoding="utf-8")
    start = text.index("No pets")
    dataset = tmp_path / "spans.jsonl"
    row = {"id": "1", "question": "Are pets allowed?", "doc_id": "lease"}
    row["references"] = [{"start": start, "end": start + len("No pets are allowed here.")}]
    dataset.write_text(json.dumps(row), encoding="utf-8")

    done = run(str(dataset), "--documents", str(documents), "--json", cache=cache)

    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)["datasets"]["spans"]["hybrid"]
    assert found["recall@1"]["value"] == 1.0
    assert found["characters@5"]["recall"]["value"] == 1.0
    assert 0.2 < found["characters@5"]["iou"]["value"] < 1.0


def test_answers_are_judged_beside_the_plain_way(tmp_path, cache, monkeypatch):
    monkeypatch.setenv("DESKSIDE_MODEL", "qwen2.5-coder-0.5b-instruct")
    monkeypatch.setenv("DESKSIDE_DATA", str(tmp_path / "data"))
    dataset = tmp_path / "small.jsonl"
    rows = [
        {"id": "1", "question": ASKED["parking"], "doc_id": "parking", "answers": ["B-207"]},
        {"id": "2", "question": "Who painted the ceiling?", "answerable": False},
    ]
    rows[0]["context"] = TEXTS["parking"]
    dataset.write_text("\n".join(json.dumps(row) for row in rows), encoding="utf-8")

    done = run(str(dataset), "--answers", "--json", cache=cache)

    assert done.returncode == 0, done.stderr
    report = json.loads(done.stdout)
    answers = report["answers"]["small"]
    assert answers["ours"]["exact"]["value"] == 1.0
    assert answers["ours"]["citation_recall"]["value"] == 1.0
    assert answers["ours"]["false_answers"]["value"] == 0.0
    assert answers["plain"]["answered"]["n"] == 1
    assert {outcome["way"] for outcome in report["outcomes"]["answers"]} == {"ours", "plain"}
    assert answers["curve"][-1]["bar"] == 0.9


def test_answers_need_the_model_so_a_running_service_is_named(tmp_path, cache, monkeypatch):
    from rag.lock import owning

    monkeypatch.setenv("DESKSIDE_DATA", str(tmp_path / "data"))
    dataset = tmp_path / "one.jsonl"
    row = {"id": "1", "question": "How long?", "doc_id": "a", "context": "Three months."}
    dataset.write_text(json.dumps(row), encoding="utf-8")
    with owning(tmp_path / "data"):
        done = run(str(dataset), "--answers", cache=cache)
    assert done.returncode == 1
    assert f"process {os.getpid()}" in done.stderr
    assert "Traceback" not in done.stderr


def test_a_set_without_texts_says_what_is_lacking(tmp_path, cache):
    dataset = tmp_path / "bare.jsonl"
    dataset.write_text('{"id": "1", "question": "?", "doc_id": "a.pdf"}', encoding="utf-8")
    done = run(str(dataset), cache=cache)
    assert done.returncode == 1
    assert "--documents" in done.stderr
    assert "Traceback" not in done.stderr
