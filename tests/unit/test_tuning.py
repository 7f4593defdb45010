"""`deskside tune` and `bench`: what runs best is found, kept, read again, and told."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest
from typer.testing import CliRunner

from api.cli import app
from rag import doctor
from rag.errors import DataInUse, DesksideError
from rag.lock import owning
from rag.models import tuning
from rag.models.offload import Offload
from rag.models.tuning import Speed, Trial, tune
from rag.settings import Settings, load_settings

MODEL = "qwen2.5-coder-0.5b-instruct"
MIB = 2**20
START = Offload(gpu_layers=0, threads=2, flash_attention=False)
PLAIN = Speed(100.0, 10.0, 800 * MIB)


class Machine:
    """Runs a model as fast as ``speeds`` says of the settings that differ from the start."""

    def __init__(self, **speeds: Speed | None) -> None:
        self.tried: list[Offload] = []
        self._speeds = speeds

    def __call__(self, offload: Offload) -> Speed | None:
        self.tried.append(offload)
        speed: Speed | None = PLAIN
        for name, said in self._speeds.items():
            if getattr(offload, name) != getattr(START, name):
                speed = said
        return speed


def best_of(machine: Machine, start: Offload = START, cores: int = 2) -> Offload:
    return list(tune(start, machine, cores=cores))[-1].offload


def test_each_setting_that_helps_is_kept() -> None:
    fast = Speed(130.0, 10.0, 800 * MIB)
    assert best_of(Machine(extra_bufts=fast)) == replace(START, extra_bufts=True)
    assert best_of(Machine(threads=fast)) == replace(START, threads=1)
    assert best_of(Machine(batch_tokens=fast)) == replace(START, batch_tokens=512)
    assert best_of(Machine(flash_attention=fast)) == replace(START, flash_attention=True)


def test_nothing_changes_for_noise() -> None:
    noise = Speed(101.0, 10.1, 800 * MIB)
    machine = Machine(extra_bufts=noise, threads=noise, batch_tokens=noise, flash_attention=noise)
    assert best_of(machine) == START


def test_the_lighter_of_two_as_fast_is_taken() -> None:
    light = Speed(99.0, 10.0, 500 * MIB)
    slow = Speed(80.0, 8.0, 500 * MIB)
    assert best_of(Machine(extra_bufts=light)) == replace(START, extra_bufts=True)
    assert best_of(Machine(extra_bufts=slow)) == START


def test_what_crashes_is_passed_over() -> None:
    assert best_of(Machine(extra_bufts=None, threads=None)) == START
    crashes = Machine(threads=PLAIN)
    assert best_of(lambda o: None if o.threads == 2 else crashes(o)).threads == 1  # type: ignore[arg-type]


def test_a_gpu_is_held_against_the_processor() -> None:
    start = replace(START, gpu_layers=20)
    machine = Machine()
    list(tune(start, machine, cores=8))
    assert [o.gpu_layers for o in machine.tried[:3]] == [20, 0, 20]
    assert {o.threads for o in machine.tried} == {2, 7, 8}


def test_no_settings_are_measured_twice() -> None:
    machine = Machine()
    list(tune(START, machine, cores=2))
    assert len(machine.tried) == len(set(machine.tried)) == 5


def test_what_was_kept_is_read_as_settings(tmp_path: Path) -> None:
    best = Trial(replace(START, threads=3, extra_bufts=True, batch_tokens=512), PLAIN)
    tuning.write(tmp_path, best, model="m", tried=[best])
    settings = load_settings(data=tmp_path)
    assert (settings.threads, settings.batch_tokens) == (3, 512)
    assert (settings.extra_bufts, settings.flash_attention, settings.gpu_layers) == (True, False, 0)
    on_gpu = Trial(replace(best.offload, gpu_layers=29), PLAIN)
    tuning.write(tmp_path, on_gpu, model="m", tried=[on_gpu])
    assert load_settings(data=tmp_path).gpu_layers == "auto", "what is free changes"


def test_the_doctor_tells_settings_of_another_model_or_computer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    settings = Settings(data=tmp_path, model=MODEL)
    assert doctor.check_tuning(settings).detail.startswith("not measured")
    best = Trial(START, PLAIN)
    tuning.write(tmp_path, best, model="another", tried=[best])
    assert doctor.check_tuning(settings).fix == "Run: deskside tune"
    tuning.write(tmp_path, best, model=f"{MODEL}-q4_k_m", tried=[best])
    assert doctor.check_tuning(settings).status == "ok"
    monkeypatch.setattr(doctor, "machine_line", lambda: "another")
    assert doctor.check_tuning(settings).status == "warn"


@pytest.mark.parametrize("command", ["tune", "bench"])
def test_a_running_service_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    monkeypatch.setattr("rag.wiring.generator_path", lambda _settings: tmp_path / "m.gguf")
    with owning(tmp_path):
        error = CliRunner().invoke(app, [command, "--data", str(tmp_path)]).exception
    assert isinstance(error, DataInUse)


@pytest.mark.real_models
def test_tune_keeps_what_is_best_and_says_what_overrules_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp")
    monkeypatch.setenv("DESKSIDE_MODEL", MODEL)
    monkeypatch.setenv("DESKSIDE_BATCH_TOKENS", "256")
    fast = Speed(200.0, 20.0, 700 * MIB)
    monkeypatch.setattr(
        "rag.adapters.llama_speed.in_child", lambda _path, o: fast if o.extra_bufts else PLAIN
    )
    done = CliRunner().invoke(app, ["tune", "--data", str(tmp_path)])
    assert done.exit_code == 0, done.output
    assert "2.00 times as fast" in done.output
    assert load_settings(data=tmp_path).extra_bufts
    told = tuning.measured(tmp_path)
    assert told is not None
    assert told["model"] == f"{MODEL}-q4_k_m"
    assert len(told["tried"]) > 3

    monkeypatch.setenv("DESKSIDE_EXTRA_BUFTS", "false")
    done = CliRunner().invoke(app, ["tune", "--data", str(tmp_path)])
    assert "DESKSIDE_EXTRA_BUFTS is set otherwise" in done.output


@pytest.mark.real_models
def test_tune_that_finds_nothing_writes_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp")
    monkeypatch.setenv("DESKSIDE_MODEL", MODEL)
    monkeypatch.setattr("rag.adapters.llama_speed.in_child", lambda _path, _offload: None)
    error = CliRunner().invoke(app, ["tune", "--data", str(tmp_path)]).exception
    assert isinstance(error, DesksideError)
    assert not (tmp_path / "tuned.json").exists()


@pytest.mark.real_models
def test_bench_measures_the_real_model_beside_the_bare_loop(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("llama_cpp")
    monkeypatch.setenv("DESKSIDE_MODEL", MODEL)
    command = ["bench", "--rounds", "1", "--json", "--data", str(tmp_path)]
    done = CliRunner().invoke(app, command)
    assert done.exit_code == 0, done.output
    said = json.loads(done.stdout)
    assert said["ours"]["tokens"] == said["bare"]["tokens"] > 400
    assert said["cached"]["first_token_s"] < said["ours"]["first_token_s"]
    assert said["prefill_share"] > 0
    assert said["decode_share"] > 0
    assert said["memory_bytes"] > 400 * MIB
