"""``deskside tune`` and ``deskside bench``: how fast the model runs here, and how it runs best."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict, replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer
from rich.console import Console
from rich.table import Table

from api.options import AsJson, Data, show
from rag.errors import Unavailable
from rag.models.offload import Offload
from rag.settings import Settings, load_settings

if TYPE_CHECKING:
    from rag.adapters.llama_speed import Comparison
    from rag.models.tuning import Trial

_MIB = 2**20
_SET_BY_TUNE = ("threads", "batch_tokens", "extra_bufts", "flash_attention")


def tune(data: Data = None, *, as_json: AsJson = False) -> None:
    """Measure how the model runs best on this computer, and keep those settings.

    It takes a few minutes, in processes of their own. Let nothing else work meanwhile.
    """
    from rag.adapters.llama_speed import in_child
    from rag.models import tuning
    from rag.models.machine import physical_cores
    from rag.models.offload import default_threads

    with _owned(data) as (settings, path, fitting):
        tried: list[Trial] = []
        start = _decided(fitting, default_threads())
        with Console(stderr=True, quiet=as_json).status("measuring") as status:
            measure = partial(in_child, path)
            for trial in tuning.tune(start, measure, cores=physical_cores()):
                tried.append(trial)
                status.console.print(_line(trial), highlight=False)
        *tried, best = tried
        if best.speed is None:
            raise Unavailable(
                f"The model {path.name} worked with none of the settings tried.",
                hint="Run `deskside models verify`; a smaller model may help.",
            )
        tuning.write(settings.data_path, best, model=path.stem, tried=tried)
    kept = {name: getattr(best.offload, name) for name in _SET_BY_TUNE}
    said = {"settings": kept, "best": asdict(best.speed), "overruled": _overruled(kept, data)}
    show(said, as_json=as_json, plainly=lambda told: _tuned(told, tried[0], best))


def bench(
    rounds: Annotated[int, typer.Option(min=1, help="How often each is measured.")] = 3,
    data: Data = None,
    *,
    as_json: AsJson = False,
) -> None:
    """How fast the model reads and writes here, beside llama.cpp's bare loop in the same run."""
    from rag.adapters.llama import Llama
    from rag.adapters.llama_speed import compare
    from rag.adapters.llama_trial import settle

    with _owned(data) as (settings, path, wanted):
        offload = settle(path, wanted, settings.models_dir)
        model = Llama(path, offload)
        try:
            with Console(stderr=True, quiet=as_json).status("measuring"):
                *_, found = compare(model, rounds=rounds)
        finally:
            model.close()
    said = {
        "model": path.stem,
        "offload": asdict(offload),
        **asdict(found),
        "prefill_share": round(found.prefill_share, 3),
        "decode_share": round(found.decode_share, 3),
    }
    show(said, as_json=as_json, plainly=lambda _said: _bench_table(path.stem, found))


@contextmanager
def _owned(data: Path | None) -> Iterator[tuple[Settings, Path, Offload]]:
    """Settings, model file and what fits; nobody else may use the model meanwhile.

    Raises:
        DataInUse: a service runs; it would be measured, too.
    """
    from rag.lock import owning
    from rag.wiring import generator_path, offload_of

    settings = load_settings(data=data)
    path = generator_path(settings)
    with owning(settings.data_path):
        yield settings, path, offload_of(settings, path)


def _decided(start: Offload, threads: int) -> Offload:
    """With what is left to chance written out, so that no setting is tried twice."""
    return replace(
        start, threads=start.threads or threads, flash_attention=start.attends_in_flashes
    )


def _overruled(kept: dict[str, Any], data: Path | None) -> list[str]:
    """What the environment or deskside.toml sets otherwise."""
    now = load_settings(data=data)
    return [name for name, value in kept.items() if getattr(now, name) != value]


def _line(trial: Trial) -> str:
    o = trial.offload
    how = (
        f"{o.threads} threads, batch {o.batch_tokens}, repacking {_on(o.extra_bufts)}, "
        f"flash attention {_on(o.attends_in_flashes)}, {o.gpu_layers} layers on a GPU"
    )
    if trial.speed is None:
        return f"{how}: does not work"
    s = trial.speed
    return (
        f"{how}: reads {s.prefill_tokens_per_s:.1f}, writes {s.decode_tokens_per_s:.1f} tokens/s, "
        f"{s.memory_bytes / _MIB:.0f} MiB"
    )


def _on(said: bool) -> str:
    return "on" if said else "off"


def _tuned(said: dict[str, Any], first: Trial, best: Trial) -> None:
    print(f"Kept: {_line(best)}")
    if first.speed and best.speed:
        times = first.speed.answer_s / best.speed.answer_s
        print(f"A usual question takes {best.speed.answer_s:.0f} s, {times:.2f} times as fast.")
    for name in said["overruled"]:
        print(f"DESKSIDE_{name.upper()} is set otherwise, and that wins.")


def _bench_table(model: str, found: Comparison) -> None:
    table = Table(title=model)
    for column in ("", "Deskside", "bare llama_decode", "ours / bare"):
        table.add_column(column, justify="right" if column else "left")
    ours, bare = found.ours, found.bare
    table.add_row(
        f"reads (tokens/s, {ours.tokens} tokens)",
        f"{ours.prefill_tokens_per_s:.1f}",
        f"{bare.prefill_tokens_per_s:.1f}",
        f"{found.prefill_share:.1%}",
    )
    table.add_row(
        "writes (tokens/s)",
        f"{ours.decode_tokens_per_s:.1f}",
        f"{bare.decode_tokens_per_s:.1f}",
        f"{found.decode_share:.1%}",
    )
    table.add_row("first token, cold (s)", f"{ours.first_token_s:.2f}", f"{bare.first_token_s:.2f}")
    table.add_row("first token, beginning kept (s)", f"{found.cached.first_token_s:.2f}")
    table.add_row("memory (MiB)", f"{found.memory_bytes / _MIB:.0f}")
    Console().print(table)
