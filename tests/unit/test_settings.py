"""Environment > deskside.toml > data/tuned.json > default."""

from __future__ import annotations

from pathlib import Path

import pytest

from rag.errors import InvalidRequest
from rag.settings import load_settings


@pytest.fixture(autouse=True)
def elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_each_source_gives_way_to_the_one_before(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert load_settings().threads is None
    (tmp_path / "data").mkdir()
    (tmp_path / "data" / "tuned.json").write_text('{"threads": 2, "batch_tokens": 64, "port": 1}')
    (tmp_path / "deskside.toml").write_text("batch_tokens = 32\nport = 2\n")
    monkeypatch.setenv("DESKSIDE_PORT", "3")
    found = load_settings()
    assert (found.threads, found.batch_tokens, found.port) == (2, 32, 3)
    assert load_settings(port=4, threads=None).port == 4


def test_the_tuned_file_is_that_of_the_data_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "tuned.json").write_text('{"threads": 7}')
    monkeypatch.setenv("DESKSIDE_DATA", str(tmp_path))
    assert load_settings().threads == 7


def test_hosts_are_a_list_with_commas(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("DESKSIDE_ALLOWED_HOSTS", "desk.office, other")
    assert load_settings().allowed_hosts == ("desk.office", "other")


@pytest.mark.parametrize(
    ("toml", "words"),
    [
        ("port = 99999", "port"),
        ("prot = 1", "prot"),
        ("port = = 1", "settings"),
        ("top_k = 0", "top_k"),
    ],
)
def test_a_wrong_setting_is_named(tmp_path: Path, toml: str, words: str) -> None:
    (tmp_path / "deskside.toml").write_text(toml)
    with pytest.raises(InvalidRequest, match=words) as refused:
        load_settings()
    assert refused.value.hint
