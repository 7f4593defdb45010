"""The pure parts of scripts/setup.py."""

import importlib.util
import platform
from pathlib import Path

import pytest
from platformdirs import user_cache_path

ROOT = Path(__file__).resolve().parents[2]


def load():
    spec = importlib.util.spec_from_file_location("setup_script", ROOT / "scripts" / "setup.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


setup = load()


@pytest.mark.parametrize(
    ("version", "fit"), [((3, 10), False), ((3, 11), True), ((3, 13), True), ((3, 14), False)]
)
def test_which_pythons_fit(version, fit):
    assert setup.is_fit(version) is fit


@pytest.mark.parametrize(
    ("names", "cuda"),
    [
        (["torch", "sympy"], False),
        (["torch", "nvidia-cublas-cu12"], True),
        (["torch", "triton"], True),
        (["torch", "cuda-bindings"], True),
    ],
)
def test_a_cuda_build_is_told_by_what_it_brings(names, cuda):
    report = {"install": [{"metadata": {"name": name}} for name in names]}
    assert setup.brings_cuda(report) is cuda


def test_the_constraints_pin_what_set_up_installs():
    constraints = (ROOT / "constraints.txt").read_text()
    assert setup.pinned_version(constraints, "llama-cpp-python") == "0.3.36"
    assert f"torch=={setup.pinned_version(constraints, 'torch')}" == setup.TORCH
    with pytest.raises(setup.SetupError):
        setup.pinned_version(constraints, "nonesuch")


def test_the_constraints_name_no_place():
    constraints = (ROOT / "constraints.txt").read_text()
    for sign in ("file:", "://", "@", "-e ", "+cpu"):
        assert sign not in constraints


def test_a_compiled_wheel_is_kept_apart_by_everything_it_depends_on():
    same = ("0.3.36", ("-DA=1",), "Linux x86_64 3.11", "avx2")
    others = [
        ("0.3.37", *same[1:]),
        (same[0], ("-DA=2",), *same[2:]),
        (*same[:2], "Linux x86_64 3.12", same[3]),
        (*same[:3], "avx2 avx512f"),
    ]
    keys = {setup.wheel_key(*one) for one in (same, same, *others)}
    assert len(keys) == 1 + len(others)


def test_cpu_features_are_sorted_and_the_same_for_every_core():
    cpuinfo = "model name\t: X\nflags\t\t: sse avx2\n\nflags\t\t: sse avx2\n"
    assert setup.cpu_features(cpuinfo) == "avx2 sse"
    assert setup.cpu_features("Features\t: neon asimd\n") == "asimd neon"
    assert setup.cpu_features("") == ""


def test_the_step_of_a_compile_is_read_from_its_log():
    assert setup.last_step("[1/90] Building\n[17/90] Building x.cpp\nwarning") == "[17/90]"
    assert setup.last_step("nothing yet") == ""


def test_the_cache_is_where_the_rest_of_deskside_looks():
    if platform.system() != "Windows":
        assert setup.cache_folder() == user_cache_path("deskside", appauthor=False)


def test_set_up_again_only_when_something_changed():
    assert setup.fingerprint(["a", "b"], True) == setup.fingerprint(["a", "b"], True)
    assert setup.fingerprint(["a", "b"], True) != setup.fingerprint(["a", "b"], False)
    assert setup.fingerprint(["ab", ""], True) != setup.fingerprint(["a", "b"], True)


def test_a_failed_compile_is_only_tried_again_when_asked(tmp_path, monkeypatch):
    monkeypatch.setattr(setup, "STAMP", tmp_path / "stamp.json")
    assert not setup.is_done(dev=False, again=False)
    print_ = setup.current_fingerprint(True)
    setup.STAMP.write_text(f'{{"fingerprint": "{print_}", "llama": false}}')
    assert setup.is_done(dev=False, again=False)
    assert setup.is_done(dev=True, again=False)
    assert not setup.is_done(dev=True, again=True)
