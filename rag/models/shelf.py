"""The models folder on disk: where files lie, what is pinned, whether they are sound."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from rag.errors import Unavailable
from rag.models.catalogue import CARDS, ModelCard
from rag.models.download import digest_of
from rag.models.sources import HubFile, RebuiltE5, WheelParts

PINS = "pins.json"
CHOICE = "choice.json"
HEAD_FILE = "modules.json"
"""A sentence-transformers folder has it; ours appear whole or not at all."""


def place_of(card: ModelCard, models_dir: Path) -> Path:
    """Where the model lies or would lie: the GGUF file, or the embedder's folder."""
    folder = models_dir / card.name
    files = [one.file for one in card.sources if isinstance(one, HubFile | WheelParts)]
    return folder / files[0] if files else folder


def is_installed(card: ModelCard, models_dir: Path) -> bool:
    """Whether the model is there, whole (files appear by rename only when whole)."""
    place = place_of(card, models_dir)
    return (place / HEAD_FILE).is_file() if card.role == "embedder" else place.is_file()


def installed(models_dir: Path) -> tuple[ModelCard, ...]:
    """The models that are there, the weakest first."""
    return tuple(card for card in CARDS if is_installed(card, models_dir))


def path_of(card: ModelCard, models_dir: Path) -> Path:
    """The installed model's file or folder.

    Raises:
        Unavailable: it is not installed.
    """
    if not is_installed(card, models_dir):
        raise Unavailable(
            f"The model {card.name} is not on this computer.",
            hint=f"Run: deskside models pull {card.name}",
        )
    return place_of(card, models_dir)


def read_record(models_dir: Path, name: str) -> dict[str, Any]:
    """What an earlier run wrote down in ``name``; nothing when there is none."""
    try:
        said = json.loads((models_dir / name).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}
    return said if isinstance(said, dict) else {}


def add_record(models_dir: Path, name: str, more: dict[str, Any]) -> None:
    """Write ``more`` down in ``name``, beside what stands there."""
    models_dir.mkdir(parents=True, exist_ok=True)
    draft = models_dir / f"{name}.new"
    said = read_record(models_dir, name) | more
    draft.write_text(json.dumps(said, indent=1, sort_keys=True) + "\n", encoding="utf-8")
    draft.replace(models_dir / name)


def pin(card: ModelCard, models_dir: Path, like: dict[str, str] | None = None) -> None:
    """Remember the checksums of an installed model; ``like`` gives those known already."""
    known = like or {}
    digests = {
        key: known.get(key) or digest_of(path, "0" * 64)
        for key, path in _files(card, models_dir).items()
    }
    add_record(models_dir, PINS, digests)


def verify(card: ModelCard, models_dir: Path) -> tuple[str, ...]:
    """What is wrong with an installed model, a sentence each; nothing when it is sound.

    Raises:
        Unavailable: it is not installed.
    """
    path_of(card, models_dir)
    pins = read_record(models_dir, PINS)
    found = _files(card, models_dir)
    expected = {key: digest for key, digest in pins.items() if key.startswith(f"{card.name}/")}
    if not expected:
        expected = _known_digests(card)
    if not expected:
        return (f"{card.name}: no checksum is known for it; pull it again to pin one.",)
    lost = [f"{key} is missing." for key in sorted(expected.keys() - found.keys())]
    bad = [
        f"{key} is damaged: its checksum is not the pinned one."
        for key in sorted(expected.keys() & found.keys())
        if digest_of(found[key], expected[key]) != expected[key]
    ]
    return (*lost, *bad)


def size_is_right(card: ModelCard, models_dir: Path) -> bool:
    """A quick look: whether the model's size is the catalogue's, where that is exact."""
    place = place_of(card, models_dir)
    return not card.size_exact or place.stat().st_size == card.size_bytes


def _known_digests(card: ModelCard) -> dict[str, str]:
    """Checksums the catalogue itself holds."""
    if card.sha256:
        return {f"{card.name}/{place_of(card, Path()).name}": card.sha256}
    for source in card.sources:
        if isinstance(source, RebuiltE5):
            return {
                f"{card.name}/model.safetensors": source.weights_sha256,
                f"{card.name}/tokenizer.json": source.tokenizer_sha256,
            }
    return {}


def _files(card: ModelCard, models_dir: Path) -> dict[str, Path]:
    """The model's files by their key in the pins."""
    place = place_of(card, models_dir)
    files = [place] if place.is_file() else [path for path in place.rglob("*") if path.is_file()]
    return {path.relative_to(models_dir).as_posix(): path for path in files}
