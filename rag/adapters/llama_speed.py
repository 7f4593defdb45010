"""How fast a model reads and writes here: ours, and llama.cpp's bare loop beside it."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import psutil

from rag.adapters.llama import Llama, bindings
from rag.errors import Unavailable
from rag.models.offload import Offload
from rag.models.tuning import Speed
from rag.records import Message, Prompt

_TIMEOUT_S = 600.0
"""A machine on which one run takes longer is of no use to anybody."""
_LINES = 20
"""About 500 tokens of prompt: enough for a steady speed, over in seconds."""
_WRITTEN_TOKENS = 48
_TASK = "Write the numbers from one to five hundred in words, separated by commas."


@dataclass(frozen=True, slots=True)
class Reading:
    """One run: ``tokens`` of prompt, seconds to the first token, and tokens/s from there on."""

    tokens: int
    first_token_s: float
    decode_tokens_per_s: float

    @property
    def prefill_tokens_per_s(self) -> float:
        return self.tokens / self.first_token_s


@dataclass(frozen=True, slots=True)
class Comparison:
    """The best of each over several rounds by turns; ``cached`` repeats a prompt's beginning."""

    ours: Reading
    bare: Reading
    cached: Reading
    memory_bytes: int

    @property
    def prefill_share(self) -> float:
        """Ours of the bare loop's."""
        return self.ours.prefill_tokens_per_s / self.bare.prefill_tokens_per_s

    @property
    def decode_share(self) -> float:
        """Ours of the bare loop's."""
        return self.ours.decode_tokens_per_s / self.bare.decode_tokens_per_s


def in_child(path: Path, offload: Offload) -> Speed | None:
    """Measure the model in a process of its own; None where it does not work with ``offload``."""
    command = [sys.executable, "-m", __name__, str(path), json.dumps(asdict(offload))]
    try:
        done = subprocess.run(  # noqa: S603 (our own interpreter and module)
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return None
    return Speed(**json.loads(done.stdout)) if done.returncode == 0 else None


def measure(model: Llama) -> Speed:
    """The better of two runs: other programs only make it slower."""
    runs = [_run(model, _prompt(f"Run {at}.", _TASK)) for at in range(2)]
    return Speed(
        round(max(run.prefill_tokens_per_s for run in runs), 2),
        round(max(run.decode_tokens_per_s for run in runs), 2),
        _memory_bytes(),
    )


def compare(model: Llama, *, rounds: int = 3) -> Iterator[Comparison]:
    """Measure ``model`` and the bare loop on its weights by turns; tells after each round."""
    ours, bare, cached = [], [], []
    for at in range(rounds):
        prompt = _prompt(f"Round {at}.", _TASK)
        ours.append(_run(model, prompt))
        cached.append(_run(model, _prompt(f"Round {at}.", "Write the word yes.")))
        bare.append(_bare(model, model.tokens(prompt)))
        yield Comparison(_best(ours), _best(bare), _best(cached), _memory_bytes())


def _best(runs: list[Reading]) -> Reading:
    return Reading(
        runs[0].tokens,
        min(run.first_token_s for run in runs),
        max(run.decode_tokens_per_s for run in runs),
    )


def _prompt(opening: str, task: str) -> Prompt:
    """``opening`` comes first, so that nothing of an earlier prompt's state can be used."""
    lines = "".join(
        f"Item {at}: the tenant of room {at} pays {at * 37} yuan a month.\n"
        for at in range(100, 100 + _LINES)
    )
    return Prompt((Message("system", opening), Message("user", f"{lines}\n{task}")), ())


def _run(model: Llama, prompt: Prompt) -> Reading:
    tokens = model.count_tokens(prompt)
    began = time.perf_counter()
    times = [
        time.perf_counter()
        for piece in model.generate(prompt, max_tokens=_WRITTEN_TOKENS, cancelled=lambda: False)
        if piece.tokens
    ]
    return _reading(tokens, began, times)


def _reading(tokens: int, began: float, times: list[float]) -> Reading:
    if not times:
        raise Unavailable("The model wrote nothing.", hint="Another model may work.")
    wrote_s = times[-1] - times[0]
    speed = (len(times) - 1) / wrote_s if wrote_s else 0.0
    return Reading(tokens, times[0] - began, speed)


def _bare(model: Llama, tokens: list[int]) -> Reading:
    """Nothing but `llama_decode` and a greedy sampler, in a context of the same settings."""
    cpp, llama = bindings(), model.engine
    context = cpp.llama_init_from_model(llama._model.model, llama.context_params)
    sampler = cpp.llama_sampler_init_greedy()
    try:
        began = time.perf_counter()
        for start in range(0, len(tokens), llama.n_batch):
            _decode(cpp, context, tokens[start : start + llama.n_batch])
        times = []
        for _ in range(_WRITTEN_TOKENS):
            token = cpp.llama_sampler_sample(sampler, context, -1)
            times.append(time.perf_counter())
            _decode(cpp, context, [token])
        return _reading(len(tokens), began, times)
    finally:
        cpp.llama_sampler_free(sampler)
        cpp.llama_free(context)


def _decode(cpp: Any, context: Any, tokens: list[int]) -> None:
    held = (cpp.llama_token * len(tokens))(*tokens)
    if cpp.llama_decode(context, cpp.llama_batch_get_one(held, len(tokens))):
        raise Unavailable("llama.cpp could not read the prompt.", hint="Run: deskside tune")


def _memory_bytes() -> int:
    return int(psutil.Process().memory_info().rss)


def main() -> None:
    """What the child does."""
    path, given = sys.argv[1:]
    model = Llama(Path(path), Offload(**json.loads(given)))
    print(json.dumps(asdict(measure(model))))  # noqa: T201 (to its parent)
    model.close()


if __name__ == "__main__":
    main()
