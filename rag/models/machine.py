"""What this computer has for a language model: memory, cores, speed, a GPU."""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import psutil
from threadpoolctl import threadpool_limits

MATRIX = 1024
MEASURE_S = 0.6
"""Windows counts a thread's time in steps of 16 ms: this keeps them below 3 %."""
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
    """Float32 matrix products of all cores at once, in GFLOPS.

    Taken by the time that the processor gave us, not by the clock: where other programs ran, the
    clock told of a machine four times slower (48 where 240 are had when it is at rest), and the
    smaller model was chosen for good.
    """
    cores = physical_cores()
    with threadpool_limits(1), ThreadPoolExecutor(cores) as threads:
        return sum(threads.map(_gflops, [seconds] * cores))


def _gflops(seconds: float) -> float:
    """Of the thread that calls; ``seconds`` by its own clock, so a busy machine takes longer."""
    left = np.ones((MATRIX, MATRIX), np.float32)
    began, done = time.thread_time(), 0
    while time.thread_time() - began < seconds:
        left @ left
        done += 1
    return 2 * MATRIX**3 * done / (time.thread_time() - began) / 1e9


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
