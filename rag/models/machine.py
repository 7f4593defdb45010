"""What this computer has for a language model: memory, cores, speed, a GPU."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from threadpoolctl import threadpool_limits

MATRIX = 1024
MEASURE_S = 1.2
ROUNDS = 4
TOGETHER = 0.7
"""What cores reach of their lone speeds when all work: 0.65 to 1 seen on two of them."""
CGROUP_LIMIT = Path("/sys/fs/cgroup/memory.max")


@dataclass(frozen=True, slots=True)
class Machine:
    """``gflops`` is a measured float32 matrix product; ``gpu_bytes`` counts only usable GPUs."""

    total_bytes: int
    available_bytes: int
    cores: int
    gflops: float
    gpu_bytes: int = 0


def measure_gflops(seconds: float = MEASURE_S) -> float:
    """Float32 matrix products of all cores, in GFLOPS.

    Other programs make the cores wait for each other, and the machine look four times slower; one
    core alone was seen to keep its speed. So the reading is never less than `TOGETHER` of one
    core's times the cores.
    """
    readings = []
    for _ in range(ROUNDS):
        readings.append(_best_gflops(seconds / 2 / ROUNDS))
        with threadpool_limits(1):
            alone = _best_gflops(seconds / 2 / ROUNDS)
        readings.append(TOGETHER * alone * physical_cores())
    return max(readings)


def _best_gflops(seconds: float) -> float:
    left = np.ones((MATRIX, MATRIX), np.float32)
    best = float("inf")
    end = time.perf_counter() + seconds
    while (start := time.perf_counter()) < end:
        left @ left
        best = min(best, time.perf_counter() - start)
    return 2 * MATRIX**3 / best / 1e9


def physical_cores() -> int:
    """Cores, not the threads they pretend to be."""
    return psutil.cpu_count(logical=False) or os.cpu_count() or 1


def detect_machine(gflops: float | None = None) -> Machine:
    """This computer; ``gflops`` where it was measured before."""
    return Machine(
        total_bytes=_container_limit(psutil.virtual_memory().total),
        available_bytes=available_bytes(),
        cores=physical_cores(),
        gflops=measure_gflops() if gflops is None else gflops,
        gpu_bytes=_nvidia_bytes() if _llama_has_cuda() else 0,
    )


def machine_line() -> str:
    """Tells this computer from another well enough to know when to measure anew."""
    return f"{physical_cores()} cores {psutil.virtual_memory().total} bytes"


def available_bytes() -> int:
    """Memory that programs can still have, without what the system would have to write out."""
    memory = psutil.virtual_memory()
    return min(int(memory.available), _container_limit(memory.total))


def _container_limit(total: int) -> int:
    try:
        said = CGROUP_LIMIT.read_text(encoding="ascii").strip()
    except OSError:
        return total
    return min(total, int(said)) if said.isdigit() else total


def _llama_has_cuda() -> bool:
    """Whether the installed llama.cpp was built for CUDA, told without importing it."""
    spec = importlib.util.find_spec("llama_cpp")
    folders = (spec.submodule_search_locations or []) if spec else []
    return any(any(Path(folder, "lib").glob("*ggml-cuda*")) for folder in folders)


def _nvidia_bytes() -> int:
    """Memory of the largest NVIDIA GPU, 0 without one."""
    tool = shutil.which("nvidia-smi")
    if tool is None:
        return 0
    query = [tool, "--query-gpu=memory.total", "--format=csv,noheader,nounits"]
    try:
        said = subprocess.run(query, capture_output=True, text=True, timeout=10, check=True).stdout  # noqa: S603
        return max(int(line) for line in said.split()) * 2**20
    except (OSError, subprocess.SubprocessError, ValueError):
        return 0
