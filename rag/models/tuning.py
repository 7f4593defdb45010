"""Finds how a model runs best on a machine: one setting after the other, each measured."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from rag.models.machine import machine_line
from rag.models.offload import Offload

TUNED = "tuned.json"
"""In the data folder; a source of `rag.settings.Settings`."""
MEASURED = "speed.json"
"""Beside it: what was measured, with which model."""
PROMPT_TOKENS = 1500
ANSWER_TOKENS = 120
"""A usual question: five passages, two or three sentences."""
_CLEARLY = 0.97
"""Less of a difference is noise."""
_LIGHTER = 0.9
_BATCHES = (128, 512)


@dataclass(frozen=True, slots=True)
class Speed:
    """How fast a model read and wrote, and the most memory its process held."""

    prefill_tokens_per_s: float
    decode_tokens_per_s: float
    memory_bytes: int

    @property
    def answer_s(self) -> float:
        """Seconds that a usual question takes."""
        return PROMPT_TOKENS / self.prefill_tokens_per_s + ANSWER_TOKENS / self.decode_tokens_per_s

    def beats(self, other: Speed) -> bool:
        """Clearly faster, or as fast with clearly less memory."""
        if self.answer_s < _CLEARLY * other.answer_s:
            return True
        as_fast = _CLEARLY * self.answer_s <= other.answer_s
        return as_fast and self.memory_bytes < _LIGHTER * other.memory_bytes


@dataclass(frozen=True, slots=True)
class Trial:
    """Settings and how they did; no speed where they did not work."""

    offload: Offload
    speed: Speed | None


Measure = Callable[[Offload], Speed | None]


def tune(start: Offload, measure: Measure, *, cores: int) -> Iterator[Trial]:
    """Try settings from ``start`` on, and tell of each; the last one is the best again.

    One setting is varied at a time, from what was best so far: a whole grid would take an hour,
    and they hardly depend on each other.

    Args:
        start: what fits; its ``gpu_layers`` is decided.
        measure: runs a model, in a process of its own.
        cores: physical ones.
    """
    best = Trial(start, measure(start))
    yield best
    for others in (_devices, _threads, _repacking, _flashes, _batches):
        for offload in others(best.offload, cores):
            trial = Trial(offload, measure(offload))
            yield trial
            best = _better(best, trial)
    yield best


def write(data: Path, best: Trial, *, model: str, tried: Sequence[Trial]) -> None:
    """Keep the best settings where `Settings` reads them, and what was measured beside them."""
    offload = best.offload
    settings = {
        "threads": offload.threads,
        "batch_tokens": offload.batch_tokens,
        "extra_bufts": offload.extra_bufts,
        "flash_attention": offload.flash_attention,
    }
    if not offload.gpu_layers:
        settings["gpu_layers"] = 0
    measured = {
        "model": model,
        "machine": machine_line(),
        "at": datetime.now(UTC).isoformat(timespec="seconds"),
        "best": _told(best),
        "tried": [_told(trial) for trial in tried],
    }
    _put(data / MEASURED, measured)
    _put(data / TUNED, settings)


def measured(data: Path) -> dict[str, Any] | None:
    """What `write` kept, if anything."""
    try:
        said = json.loads((data / MEASURED).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    return said if isinstance(said, dict) else None


def _devices(best: Offload, _cores: int) -> Iterator[Offload]:
    """A small GPU may be slower than the processor."""
    if best.gpu_layers:
        yield replace(best, gpu_layers=0)


def _threads(best: Offload, cores: int) -> Iterator[Offload]:
    for threads in sorted({max(1, cores - 1), cores} - {best.threads}, reverse=True):
        yield replace(best, threads=threads)


def _repacking(best: Offload, _cores: int) -> Iterator[Offload]:
    yield replace(best, extra_bufts=not best.extra_bufts)


def _flashes(best: Offload, _cores: int) -> Iterator[Offload]:
    yield replace(best, flash_attention=not best.attends_in_flashes)


def _batches(best: Offload, _cores: int) -> Iterator[Offload]:
    for batch in _BATCHES:
        if batch != best.batch_tokens:
            yield replace(best, batch_tokens=batch)


def _better(best: Trial, trial: Trial) -> Trial:
    if trial.speed is None:
        return best
    if best.speed is None or trial.speed.beats(best.speed):
        return trial
    return best


def _told(trial: Trial) -> dict[str, Any]:
    return {"offload": asdict(trial.offload), "speed": trial.speed and asdict(trial.speed)}


def _put(file: Path, what: dict[str, Any]) -> None:
    draft = file.with_name(f"{file.name}.new")
    draft.write_text(json.dumps(what, indent=1) + "\n", encoding="utf-8")
    draft.replace(file)
