"""FIELD_CASES on memory: what a model needs is known from its header, before it is loaded."""

from __future__ import annotations

import ctypes
import re
from pathlib import Path

import numpy as np
import pytest

from rag.errors import Unavailable
from rag.models.catalogue import card_of
from rag.models.gguf import Header, read_header
from rag.models.library import path_of
from rag.models.offload import Gpu, Needs, Offload, fit, needs
from rag.settings import Settings

GIB = 2**30
TOKENS = 300
WIDTH = 32


def write_model(path: Path, architecture: str, *, recurrent: tuple[int, ...] = ()) -> Path:
    """A header with four layers and their tensors, as no real model has them."""
    from gguf import GGUFWriter

    writer = GGUFWriter(path, architecture)
    writer.add_block_count(4)
    writer.add_context_length(8192)
    writer.add_embedding_length(WIDTH)
    writer.add_head_count(4)
    writer.add_head_count_kv(2)
    writer.add_ssm_conv_kernel(4)
    writer.add_ssm_inner_size(64)
    writer.add_ssm_state_size(16)
    writer.add_ssm_group_count(2)
    writer.add_token_list([f"token {at}" for at in range(TOKENS)])
    writer.add_array("odd.numbers", [1, 2, 3])
    writer.add_tensor("token_embd.weight", np.zeros((TOKENS, WIDTH), np.float32))
    for at in range(4):
        kind = "ssm_out" if at in recurrent else "attn_q"
        writer.add_tensor(f"blk.{at}.{kind}.weight", np.zeros((WIDTH, WIDTH), np.float32))
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return path


def test_the_header_is_what_the_gguf_package_reads(tmp_path: Path) -> None:
    from gguf import GGUFReader

    path = write_model(tmp_path / "m.gguf", "qwen2")
    header = read_header(path)
    known = GGUFReader(path)
    assert header.tensors == {t.name: t.n_bytes for t in known.tensors}
    assert header.architecture == "qwen2"
    assert header.number("block_count") == 4
    assert header.metadata["tokenizer.ggml.tokens"] == TOKENS
    assert header.metadata["odd.numbers"] == 3


@pytest.mark.parametrize("cut", [0, 3, 30, 300, 3000])
def test_a_cut_header_is_told(tmp_path: Path, cut: int) -> None:
    path = write_model(tmp_path / "m.gguf", "qwen2")
    path.write_bytes(path.read_bytes()[:cut])
    with pytest.raises(Unavailable, match="can't be loaded"):
        read_header(path)


def test_layers_that_attend_keep_keys_and_values_and_others_their_state(tmp_path: Path) -> None:
    path = write_model(tmp_path / "m.gguf", "qwen35", recurrent=(0, 1, 2))
    short, long = (needs(read_header(path), Offload(context_tokens=n)) for n in (1000, 2048))
    weights = WIDTH * WIDTH * 4
    head = WIDTH // 4
    state = 4 * (3 * (64 + 2 * 2 * 16) + 16 * 64)
    assert short.slots[:3] == long.slots[:3] == (weights + state,) * 3
    assert short.slots[3] == weights + 1024 * 2 * 2 * head * 2  # padded to 256 cells
    assert long.slots[3] == weights + 2048 * 2 * 2 * head * 2
    assert short.slots[4] == short.embedding == TOKENS * WIDTH * 4  # the output is tied


def header_of(layer_mib: int, *, layers: int = 10, output_mib: int = 100) -> Header:
    """A model with no attention to speak of."""
    tensors = {f"blk.{at}.w": layer_mib * 2**20 for at in range(layers)}
    tensors |= {"output.weight": output_mib * 2**20, "token_embd.weight": 2**20}
    metadata = {"general.architecture": "x", "x.block_count": layers}
    return Header(metadata, tensors)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("free_mib", "layers"),
    [(0, 0), (1024, 0), (1024 + 99, 0), (1024 + 100, 1), (1024 + 350, 3), (1024 + 1100, 11)],
)
def test_a_gpu_takes_what_fits_beside_a_gib(free_mib: int, layers: int) -> None:
    """The output first, then the last layers, as llama.cpp does."""
    gpu = Gpu("small", free_mib * 2**20, 2 * GIB)
    fitted = fit(Offload(), header_of(100), memory_bytes=64 * GIB, gpus=[gpu])
    assert fitted.gpu_layers == layers
    assert fitted.context_tokens == 4096
    assert fitted.attends_in_flashes == (layers > 0)


def test_a_large_gpu_keeps_a_tenth_free() -> None:
    gpu = Gpu("large", 3 * GIB, 24 * GIB)
    assert fit(Offload(), header_of(100), memory_bytes=64 * GIB, gpus=[gpu]).gpu_layers == 6


@pytest.mark.parametrize(("said", "layers"), [(0, 0), (3, 3), (-1, 11), (99, 11)])
def test_layers_that_settings_name_are_kept(said: int, layers: int) -> None:
    wanted = Offload(gpu_layers=said)
    assert fit(wanted, header_of(100), memory_bytes=64 * GIB, gpus=[]).gpu_layers == layers


def test_what_is_on_a_gpu_is_not_in_memory() -> None:
    model = Needs(slots=(1, 2, 4, 8), embedding=100, compute=1000)
    assert model.on_gpu(0) == 0
    assert model.on_gpu(1) == 1008
    assert model.on_gpu(4) == 1015
    assert model.in_memory(1) == 2107
    assert model.in_memory(4) == 2100


def test_a_full_memory_gets_a_smaller_context(tmp_path: Path) -> None:
    header = read_header(write_model(tmp_path / "m.gguf", "qwen2"))
    for context in (4096, 2048, 1024):
        room = needs(header, Offload(context_tokens=context)).in_memory(0) + GIB
        assert fit(Offload(), header, memory_bytes=room, gpus=[]).context_tokens == context
    assert fit(Offload(), header, memory_bytes=0, gpus=[]).context_tokens == 1024
    short = Offload(context_tokens=1500)
    assert fit(short, header, memory_bytes=0, gpus=[]).context_tokens == 1024


def test_the_devices_of_the_engine_are_asked() -> None:
    pytest.importorskip("llama_cpp")
    from rag.adapters import llama_devices

    ggml = llama_devices._ggml()
    devices = [
        llama_devices._gpu(ggml, ctypes.c_void_p(ggml.ggml_backend_dev_get(at)))
        for at in range(ggml.ggml_backend_dev_count())
    ]
    assert devices
    assert all(device.name and device.total_bytes >= device.free_bytes for device in devices)
    assert devices[-1].total_bytes > GIB // 4, "the processor comes last"


@pytest.mark.real_models
def test_the_sizes_are_those_that_llama_cpp_logs() -> None:
    """It simulates its allocations where it is told to allocate nothing."""
    pytest.importorskip("llama_cpp")
    from llama_cpp import llama_cpp as cpp

    path = path_of(card_of("qwen2.5-coder-0.5b-instruct"), Settings().models_dir)
    lines: list[str] = []
    log = cpp.llama_log_callback(lambda _level, text, _data: lines.append(text.decode()))
    cpp.llama_log_set(log, None)
    try:
        params = cpp.llama_model_default_params()
        params.no_alloc, params.load_mode, params.n_gpu_layers = True, 0, 0
        model = cpp.llama_model_load_from_file(str(path).encode(), params)
        settings = cpp.llama_context_default_params()
        settings.n_ctx, settings.n_batch, settings.n_ubatch = 4096, 128, 128
        settings.flash_attn_type = 0
        cpp.llama_free(cpp.llama_init_from_model(model, settings))
        cpp.llama_model_free(model)
    finally:
        import llama_cpp._logger

        cpp.llama_log_set(llama_cpp._logger.llama_log_callback, None)
    said = "".join(lines)
    header = read_header(path)
    found = needs(header, Offload(context_tokens=4096, batch_tokens=128))
    (kv,) = re.findall(r"llama_kv_cache: size = +([\d.]+) MiB", said)
    (compute,) = re.findall(r"CPU compute buffer size = +([\d.]+) MiB", said)
    weights = [v for name, v in header.tensors.items() if name.startswith("blk.")]
    assert (sum(found.slots[:-1]) - sum(weights)) / 2**20 == pytest.approx(float(kv), abs=0.01)
    assert found.compute / 2**20 == pytest.approx(float(compute), abs=0.01)
