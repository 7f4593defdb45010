"""Loads a model in a child process first: what kills that one must not kill the service.

llama.cpp ends its process where it meets a processor that lacks what it advertises, and the system
does where memory runs out. So the first load of a model with given settings on a computer is tried
in a child, with a short prompt and a few tokens; where that goes wrong, safer settings are tried.
What was found is remembered by model file, settings, computer and build of the engine.
"""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Literal

from rag.adapters.llama import Llama, bindings
from rag.errors import Unavailable
from rag.models.machine import machine_line
from rag.models.offload import SMALL_CONTEXTS, Offload
from rag.models.shelf import add_record, read_record
from rag.records import Message, Prompt

log = logging.getLogger(__name__)

RECORD = "trials.json"
_TIMEOUT_S = 300.0
"""A small model on a busy laptop needs a minute; one that needs five can't answer anybody."""
_REFUSED = 3
_PROMPT_LINES = 20
_TOKENS = 4


@dataclass(frozen=True, slots=True)
class Verdict:
    """How a trial went; ``detail`` is for people."""

    outcome: Literal["well", "refused", "died"]
    detail: str = ""


Try = Callable[[Path, Offload], Verdict]


def in_child(path: Path, offload: Offload) -> Verdict:
    """Load and run the model in a process of its own."""
    command = [sys.executable, "-m", __name__, str(path), json.dumps(asdict(offload))]
    try:
        done = subprocess.run(  # noqa: S603 (our own interpreter and module)
            command, capture_output=True, text=True, timeout=_TIMEOUT_S, check=False
        )
    except subprocess.TimeoutExpired:
        return Verdict("died", f"it took longer than {_TIMEOUT_S:.0f} s")
    if done.returncode == 0:
        return Verdict("well")
    if done.returncode == _REFUSED:
        return Verdict("refused", done.stdout.strip())
    return Verdict("died", f"its process ended with code {done.returncode}")


def settle(path: Path, wanted: Offload, models_dir: Path, *, attempt: Try = in_child) -> Offload:
    """The first settings, from those wanted to safer ones, with which the model works here.

    Raises:
        Unavailable: it works with none of them; says what happened.
    """
    verdict = Verdict("died")
    for offload in ladder(wanted):
        verdict = _remembered(path, offload, models_dir, attempt)
        if verdict.outcome == "well":
            return offload
        log.warning("model_trial outcome=%s offload=%s", verdict.outcome, offload)
        if verdict.outcome == "refused" and _is_broken(verdict, offload):
            break
    if verdict.outcome == "refused":
        raise Unavailable(
            verdict.detail or f"The model {path.name} can't be loaded.",
            hint="Run `deskside models verify`; a smaller model may help.",
        )
    raise Unavailable(
        f"The model {path.name} does not run on this computer: {verdict.detail}.",
        hint=f"A smaller model may help. To try this one again, delete {models_dir / RECORD}.",
    )


def _remembered(path: Path, offload: Offload, models_dir: Path, attempt: Try) -> Verdict:
    """A trial's verdict; what was refused is tried again, as a file or a full memory may mend."""
    key = _key(path, offload)
    if known := read_record(models_dir, RECORD).get(key):
        return Verdict(**known)
    verdict = attempt(path, offload)
    if verdict.outcome != "refused":
        with suppress(OSError):  # a models folder that can't be written to: tried at each start
            add_record(models_dir, RECORD, {key: asdict(verdict)})
    return verdict


def _is_broken(refused: Verdict, offload: Offload) -> bool:
    """Whether less context would not help: without a GPU it is the file that is at fault."""
    return offload.gpu_layers == 0 and "context" not in refused.detail


def ladder(wanted: Offload) -> Iterator[Offload]:
    """``wanted``, then without a GPU and without repacked weights, then with less context."""
    yield wanted
    plain = replace(wanted, gpu_layers=0, extra_bufts=False)
    if wanted.extra_bufts or wanted.gpu_layers != 0:
        yield plain
    for context in SMALL_CONTEXTS:
        if context < wanted.context_tokens:
            yield replace(plain, context_tokens=context, batch_tokens=min(64, plain.batch_tokens))


def _key(path: Path, offload: Offload) -> str:
    """Model file, settings, computer and build, in one line."""
    about = path.stat()
    return (
        f"{path.name} {about.st_size} {about.st_mtime_ns} | {json.dumps(asdict(offload))}"
        f" | {machine_line()} | llama-cpp-python {bindings().__version__}"
    )


def main() -> None:
    """What the child does."""
    path, given = sys.argv[1:]
    try:
        model = Llama(Path(path), Offload(**json.loads(given)))
    except Unavailable as error:
        sys.stdout.write(error.detail)
        sys.exit(_REFUSED)
    prompt = Prompt((Message("user", "All is well on this line.\n" * _PROMPT_LINES),), ())
    for _piece in model.generate(prompt, max_tokens=_TOKENS, cancelled=lambda: False):
        pass
    model.close()


if __name__ == "__main__":
    main()
