"""Checks of machine and parts: each finding says its fix."""

import importlib.util
import shutil
from pathlib import Path

import pytest

from ingest import doctor as ingest_doctor
from rag import doctor
from rag.catalog import Catalog
from rag.models.catalogue import card_of
from rag.models.shelf import CHOICE, add_record, place_of
from rag.settings import Settings


@pytest.fixture
def settings(tmp_path):
    return Settings(data=tmp_path / "data", models_dir=tmp_path / "models")


def put(settings, name: str) -> None:
    card = card_of(name)
    place = place_of(card, settings.models_dir)
    if card.role == "embedder":
        place.mkdir(parents=True)
        (place / "modules.json").write_text("[]")
        return
    place.parent.mkdir(parents=True)
    with place.open("wb") as file:
        file.truncate(card.size_bytes)


def test_without_models_search_has_no_embedder_and_answers_are_a_warning(settings):
    checks = {check.name: check for check in doctor.checks(settings)}
    assert checks["model"].status == "warn"
    assert checks["embedder"].status == "fail"
    assert "deskside models pull" in checks["embedder"].fix


def test_installed_models_are_fine_at_a_glance(settings):
    put(settings, "qwen2.5-coder-0.5b-instruct")
    put(settings, "multilingual-e5-small")
    assert doctor.check_generator(settings).status == "ok"
    assert doctor.check_embedder(settings).status == "ok"


def test_of_several_models_it_is_told_which_is_used_and_why(settings):
    for name in ("qwen2.5-coder-0.5b-instruct", "qwen3.5-27b"):
        put(settings, name)
    add_record(settings.models_dir, CHOICE, {"thread_gflops": 60.0})
    told = doctor.check_generator(settings).detail
    assert told.startswith("qwen2.5-coder-0.5b-instruct: about ")
    assert "qwen3.5-27b" in told


def test_a_thorough_look_sees_a_wrong_byte(settings):
    put(settings, "multilingual-e5-small")
    check = doctor.check_embedder(settings, thorough=True)
    assert check.status == "fail"
    assert "missing" in check.detail


def test_a_model_of_the_wrong_size_is_seen_at_a_glance(settings):
    put(settings, "qwen2.5-coder-0.5b-instruct")
    card = card_of("qwen2.5-coder-0.5b-instruct")
    place_of(card, settings.models_dir).write_bytes(b"GGUF")
    assert doctor.check_generator(settings).status == "fail"


def test_a_model_nobody_knows_is_told(tmp_path):
    check = doctor.check_generator(Settings(model="nonesuch", models_dir=tmp_path))
    assert check.status == "fail"
    assert "qwen3.5-4b" in check.fix


def test_little_memory_is_a_warning():
    assert doctor.check_memory(2 * doctor.GIB).status == "warn"
    assert doctor.check_memory(16 * doctor.GIB).status == "ok"


@pytest.mark.parametrize(("free", "status"), [(10, "ok"), (1, "warn"), (0, "fail")])
def test_disk_room(tmp_path, monkeypatch, free, status):
    usage = shutil.disk_usage(tmp_path)._replace(free=free * doctor.GIB)
    monkeypatch.setattr(shutil, "disk_usage", lambda _folder: usage)
    assert doctor.check_disk(tmp_path / "not" / "there").status == status


def test_what_is_not_installed_is_said_with_the_command_that_installs_it(monkeypatch):
    monkeypatch.setattr(importlib.util, "find_spec", lambda _name: None)
    monkeypatch.setattr(shutil, "which", lambda _name: None)
    engine, parsers = doctor.check_engine(), ingest_doctor.check_parsers()
    assert engine.status == "warn"
    assert "apt-get install build-essential cmake" in engine.fix
    assert parsers.status == "fail"
    office = ingest_doctor.check_office()
    for system in ("apt-get", "brew", "winget"):
        assert system in office.fix


def test_every_finding_has_a_short_name_and_a_fix(settings):
    for check in (*doctor.checks(settings), *ingest_doctor.checks(settings)):
        assert check.name.isalpha()
        assert check.name.islower()
        assert check.status == "ok" or check.fix


def test_the_store_is_looked_at(tmp_path: Path) -> None:
    assert doctor.check_store(tmp_path).status == "ok"
    Catalog(tmp_path / "catalog.sqlite3").close()
    assert doctor.check_store(tmp_path) == doctor.Check("store", "ok", "0 passages")
    (tmp_path / "catalog.sqlite3").write_bytes(b"not a catalogue " * 100)
    damaged = doctor.check_store(tmp_path)
    assert damaged.status == "fail"
    assert damaged.fix


def test_where_only_math_is_missing_the_page_says_so_and_nothing_else(monkeypatch):
    monkeypatch.setattr(ingest_doctor, "find_office", lambda folder: object())
    monkeypatch.setattr(ingest_doctor, "reads_formulas", lambda: False)
    check = ingest_doctor.check_office()
    assert (check.name, check.status) == ("formulas", "warn")
    words = (Path(__file__).parents[2] / "api/web/words.js").read_text(encoding="utf-8")
    assert f"'check.{check.name}.{check.status}'" in words
