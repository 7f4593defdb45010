"""FIELD_CASE 56: what kills the process that loads a model must not kill the service."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from rag.adapters import llama_trial
from rag.adapters.llama_trial import Try, Verdict, in_child, ladder, settle
from rag.errors import Unavailable
from rag.models.catalogue import card_of
from rag.models.library import path_of
from rag.models.offload import Offload
from rag.settings import Settings

pytest.importorskip("llama_cpp")
CPU = Offload(context_tokens=4096, gpu_layers=0, threads=1)
GPU = Offload(context_tokens=4096, gpu_layers=20, extra_bufts=True)


@pytest.fixture
def model(tmp_path: Path) -> Path:
    file = tmp_path / "model.gguf"
    file.write_bytes(b"GGUF")
    return file


class Trials:
    """Goes well for what ``works`` says; keeps what was tried."""

    def __init__(self, *works: Offload, otherwise: str = "died") -> None:
        self.tried: list[Offload] = []
        self._works = works
        self._otherwise = otherwise

    def __call__(self, _path: Path, offload: Offload) -> Verdict:
        self.tried.append(offload)
        well = offload in self._works
        return Verdict("well") if well else Verdict(self._otherwise, "code -9")


def settled(model: Path, wanted: Offload, attempt: Try) -> Offload:
    return settle(model, wanted, model.parent, attempt=attempt)


def test_settings_become_safer_down_the_ladder() -> None:
    rungs = list(ladder(GPU))
    assert [(r.gpu_layers, r.extra_bufts, r.context_tokens) for r in rungs] == [
        (20, True, 4096), (0, False, 4096), (0, False, 2048), (0, False, 1024),
    ]  # fmt: skip
    assert next(ladder(CPU)) == CPU
    assert len(list(ladder(CPU))) == 3, "nothing is tried twice"


def test_a_crash_steps_down_and_is_remembered(model: Path) -> None:
    safe = list(ladder(GPU))[2]
    trials = Trials(safe)
    assert settled(model, GPU, trials) == safe
    assert len(trials.tried) == 3
    again = Trials(safe)
    assert settled(model, GPU, again) == safe
    assert again.tried == [], "neither the crash nor the success is tried again"


def test_another_file_of_that_name_is_tried_anew(model: Path) -> None:
    settled(model, CPU, Trials(CPU))
    model.write_bytes(b"GGUF, but longer")
    trials = Trials(CPU)
    settled(model, CPU, trials)
    assert trials.tried == [CPU]


def test_a_model_that_always_dies_is_unavailable_with_an_advice(model: Path) -> None:
    with pytest.raises(Unavailable, match="code -9") as told:
        settled(model, CPU, Trials())
    assert llama_trial.RECORD in told.value.hint


def test_what_is_refused_is_tried_again_next_time(model: Path) -> None:
    """A file that could not be read may have been mended; a full memory may be free."""
    broken = Trials(otherwise="refused")
    with pytest.raises(Unavailable):
        settled(model, CPU, broken)
    assert broken.tried == [CPU], "less context would not mend a file"
    assert settled(model, CPU, Trials(CPU)) == CPU


def test_a_broken_file_is_refused_by_the_child(model: Path) -> None:
    verdict = in_child(model, CPU)
    assert verdict.outcome == "refused"
    assert "can't be loaded" in verdict.detail


def test_a_child_that_is_killed_is_told(model: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    killed = model.with_name("killed")
    killed.write_text("#!/bin/sh\nkill -9 $$\n")
    killed.chmod(0o755)
    monkeypatch.setattr(sys, "executable", str(killed))
    assert in_child(model, CPU).outcome == "died"


@pytest.mark.real_models
def test_a_sound_model_passes() -> None:
    file = path_of(card_of("qwen2.5-coder-0.5b-instruct"), Settings().models_dir)
    assert in_child(file, Offload(context_tokens=1024, gpu_layers=0)) == Verdict("well")
