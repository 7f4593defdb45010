"""The GPUs that the installed llama.cpp can use, whatever their make."""

from __future__ import annotations

import ctypes
from typing import Any

from rag.adapters.llama import bindings
from rag.models.offload import Gpu

_GPU, _SHARED_GPU = 1, 2
"""`ggml_backend_dev_type`, as in ggml-backend.h."""


def gpus() -> tuple[Gpu, ...]:
    """Those with memory of their own; where there is none, those that share the computer's.

    Raises:
        Unavailable: llama-cpp-python is missing.
    """
    if not bindings().llama_supports_gpu_offload():
        return ()
    ggml = _ggml()
    found: dict[int, list[Gpu]] = {_GPU: [], _SHARED_GPU: []}
    for at in range(ggml.ggml_backend_dev_count()):
        device = ctypes.c_void_p(ggml.ggml_backend_dev_get(at))
        kind = ggml.ggml_backend_dev_type(device)
        if kind in found:
            found[kind].append(_gpu(ggml, device))
    return tuple(found[_GPU] or found[_SHARED_GPU])


def _gpu(ggml: Any, device: ctypes.c_void_p) -> Gpu:
    free, total = ctypes.c_size_t(), ctypes.c_size_t()
    ggml.ggml_backend_dev_memory(device, ctypes.byref(free), ctypes.byref(total))
    name = ggml.ggml_backend_dev_description(device).decode("utf-8", "replace")
    return Gpu(name, free.value, total.value)


def _ggml() -> Any:
    from llama_cpp._ggml import libggml

    libggml.ggml_backend_dev_count.restype = ctypes.c_size_t
    libggml.ggml_backend_dev_get.argtypes = [ctypes.c_size_t]
    libggml.ggml_backend_dev_get.restype = ctypes.c_void_p
    libggml.ggml_backend_dev_description.restype = ctypes.c_char_p
    return libggml
