"""How a model sits on a machine: what it needs by its header, and what of it fits.

The formulas are those of llama.cpp's own buffers (src/llama-kv-cache.cpp, llama-hparams.cpp,
llama-model.cpp). For Qwen2.5 0.5B with 4,096 tokens of context and a batch of 128 they give the
sizes it logs: 48 MiB of keys and values, 75.5 MiB to compute in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from rag.models.gguf import Header
from rag.models.machine import physical_cores

SMALL_CONTEXTS = (2048, 1024)
"""Tokens; tried where the context asked for does not fit."""
RESERVE_BYTES = 2**30
RESERVE_SHARE = 0.1
"""Left free for everything else: a GiB, or this share of a GPU where that is more."""
_CELLS = 256
"""llama.cpp pads the context to a multiple of it."""
_KV_BYTES = 2
_FLOAT_BYTES = 4
_FEW_CORES = 4


@dataclass(frozen=True, slots=True)
class Offload:
    """How the model sits on the machine. ``gpu_layers`` None: as many as fit, where there is a GPU.

    ``extra_bufts`` lets llama.cpp repack weights for the processor, which crashes where a virtual
    machine advertises AMX, so it is off unless measured to be safe and faster.
    ``flash_attention`` None: where a GPU holds layers; on a CPU it halved decoding at 3 k tokens.
    """

    context_tokens: int = 4096
    batch_tokens: int = 128
    gpu_layers: int | None = None
    threads: int | None = None
    extra_bufts: bool = False
    flash_attention: bool | None = None

    @property
    def attends_in_flashes(self) -> bool:
        """``flash_attention``, decided."""
        return self.gpu_layers != 0 if self.flash_attention is None else self.flash_attention


@dataclass(frozen=True, slots=True)
class Gpu:
    """A device that can hold layers."""

    name: str
    free_bytes: int
    total_bytes: int

    @property
    def usable_bytes(self) -> int:
        return self.free_bytes - max(RESERVE_BYTES, int(self.total_bytes * RESERVE_SHARE))


@dataclass(frozen=True, slots=True)
class Needs:
    """Bytes a model takes.

    Attributes:
        slots: each layer with its state, first to last, then the output.
        embedding: the table of tokens; it is never on a GPU.
        compute: the buffer of one batch, on each device that computes.
    """

    slots: tuple[int, ...]
    embedding: int
    compute: int

    def on_gpu(self, layers: int) -> int:
        """The last ``layers`` of the slots: llama.cpp gives a GPU the output first."""
        return self.compute + sum(self.slots[len(self.slots) - layers :]) if layers else 0

    def in_memory(self, layers: int) -> int:
        """What stays in the computer's memory; llama-cpp-python keeps a batch's scores there."""
        return self.embedding + 2 * self.compute + sum(self.slots[: len(self.slots) - layers])


def needs(header: Header, offload: Offload) -> Needs:
    """What the model of ``header`` takes with that context and batch."""
    count = header.number("block_count")
    vocabulary = int(header.metadata.get("tokenizer.ggml.tokens", 0))
    embedding = header.tensors.get("token_embd.weight", 0)
    output = header.tensors.get("output.weight", embedding)  # tied: read from a copy of the table
    width = header.number("embedding_length")
    return Needs(
        slots=(*(_layer(header, at, offload.context_tokens) for at in range(count)), output),
        embedding=embedding,
        compute=_FLOAT_BYTES * offload.batch_tokens * (vocabulary + 3 * width),
    )


def fit(wanted: Offload, header: Header, *, memory_bytes: int, gpus: Sequence[Gpu]) -> Offload:
    """``wanted`` with as many layers on GPUs as fit, and a context that memory has room for.

    Args:
        wanted: what the settings say; ``gpu_layers`` that they name are kept.
        header: of the model's file.
        memory_bytes: free in the computer now.
        gpus: those there are.
    """
    needed = needs(header, wanted)
    layers = wanted.gpu_layers
    if layers is None:
        layers = _layers(needed, sum(max(0, gpu.usable_bytes) for gpu in gpus))
    elif not 0 <= layers <= len(needed.slots):  # -1 means all
        layers = len(needed.slots)
    fitted = replace(wanted, gpu_layers=layers)
    for context in SMALL_CONTEXTS:
        if needs(header, fitted).in_memory(layers) + RESERVE_BYTES <= memory_bytes:
            break
        fitted = replace(fitted, context_tokens=min(fitted.context_tokens, context))
    return fitted


def default_threads() -> int:
    """The physical cores, one left for the system where there are enough."""
    cores = physical_cores()
    return cores if cores <= _FEW_CORES else cores - 1


def _layers(needed: Needs, room_bytes: int) -> int:
    fitting = (n for n in range(len(needed.slots), 0, -1) if needed.on_gpu(n) <= room_bytes)
    return next(fitting, 0)


def _layer(header: Header, at: int, context: int) -> int:
    """Weights of a layer with its keys and values, or its recurrent state."""
    prefix = f"blk.{at}."
    own = {name: size for name, size in header.tensors.items() if name.startswith(prefix)}
    recurrent = any(name.startswith(f"{prefix}ssm_") for name in own)
    state = _recurrent_bytes(header) if recurrent else _kv_bytes(header, context)
    return sum(own.values()) + state


def _kv_bytes(header: Header, context: int) -> int:
    heads = header.number("attention.head_count", 1)
    kv_heads = header.number("attention.head_count_kv", heads)
    head = header.number("embedding_length") // max(heads, 1)
    width = header.number("attention.key_length", head)
    width += header.number("attention.value_length", head)
    return -(-context // _CELLS) * _CELLS * kv_heads * width * _KV_BYTES


def _recurrent_bytes(header: Header) -> int:
    inner, state = header.number("ssm.inner_size"), header.number("ssm.state_size")
    convolved = inner + 2 * header.number("ssm.group_count") * state
    before = max(0, header.number("ssm.conv_kernel") - 1)
    return _FLOAT_BYTES * (before * convolved + state * inner)
