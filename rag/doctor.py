"""Checks of the machine and of the parts `rag` needs; each finding says its fix."""

from __future__ import annotations

import importlib.util
import shutil
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import psutil

from rag.catalog import Catalog
from rag.errors import DesksideError, NotFound
from rag.models.catalogue import ModelCard, card_of
from rag.models.library import choice_of_installed, generator_for, path_of
from rag.models.machine import machine_line
from rag.models.shelf import installed, is_installed, size_is_right, verify
from rag.models.tuning import measured
from rag.settings import Settings

CheckStatus = Literal["ok", "warn", "fail"]

GIB = 2**30
LEAST_MEMORY_BYTES = 4 * GIB
LEAST_DISK_BYTES = 2 * GIB
COMPILER = (
    "Run `make setup` with a C++ compiler and cmake there: apt-get install build-essential cmake "
    "(Debian), xcode-select --install and brew install cmake (macOS), "
    "winget install Microsoft.VisualStudio.2022.BuildTools Kitware.CMake (Windows)."
)


@dataclass(frozen=True, slots=True)
class Check:
    """One finding: what was looked at, how it is, and what to do about it."""

    name: str
    status: CheckStatus
    detail: str
    fix: str = ""


def checks(settings: Settings, *, thorough: bool = False) -> tuple[Check, ...]:
    """Everything `rag` needs; ``thorough`` reads every model file against its checksum."""
    return (
        check_memory(psutil.virtual_memory().total),
        check_disk(settings.data_path, settings.models_dir),
        check_engine(),
        check_generator(settings, thorough=thorough),
        check_embedder(settings, thorough=thorough),
        check_tuning(settings),
        check_store(settings.data_path),
    )


def check_memory(total_bytes: int) -> Check:
    """Whether the computer has the memory for the smallest model beside its own work."""
    detail = f"{total_bytes / GIB:.1f} GiB of memory"
    if total_bytes >= LEAST_MEMORY_BYTES:
        return Check("memory", "ok", detail)
    fix = "Close other programs; with less than 4 GiB answers will be very slow."
    return Check("memory", "warn", detail, fix)


def check_disk(*folders: Path) -> Check:
    """Whether there is room where documents and models are kept."""
    free = min(shutil.disk_usage(_existing(folder)).free for folder in folders)
    detail = f"{free / GIB:.1f} GiB free"
    if free >= LEAST_DISK_BYTES:
        return Check("disk", "ok", detail)
    fix = "Make room, or move DESKSIDE_DATA or DESKSIDE_MODELS_DIR to another disk."
    return Check("disk", "fail" if free < GIB // 4 else "warn", detail, fix)


def check_store(data: Path) -> Check:
    """Whether the catalogue opens, and its vectors lie beside it."""
    file = data / "catalog.sqlite3"
    if not file.exists():
        return Check("store", "ok", "empty: nothing was read yet")
    try:
        catalog = Catalog(file)
        passages = catalog.passages.count()
        unfinished = len(catalog.erasures.pending())
        catalog.close()
    except DesksideError as error:
        return Check("store", "fail", error.detail, error.hint)
    detail = f"{passages} passages"
    if unfinished:
        fix = "It ends when Deskside is started again, or the document purged once more."
        return Check("store", "warn", f"{unfinished} purged documents have left traces", fix)
    if passages and not any((data / "chroma").glob("*/chroma.sqlite3")):
        fix = "They are put back from the catalogue at the next start; nothing is lost."
        return Check("store", "warn", f"{detail}, but no vectors", fix)
    return Check("store", "ok", detail)


def _existing(folder: Path) -> Path:
    """The folder, or the nearest one above it that exists."""
    return next(one for one in (folder, *folder.parents) if one.exists())


def check_engine() -> Check:
    """Whether llama-cpp-python is there; told without loading it."""
    if importlib.util.find_spec("llama_cpp") is None:
        detail = "llama-cpp-python is not installed: no answers, search works"
        return Check("engine", "warn", detail, COMPILER)
    return Check("engine", "ok", "llama-cpp-python is installed")


def check_generator(settings: Settings, *, thorough: bool = False) -> Check:
    """Whether there is a language model. Without one search still works: a warning."""
    if settings.model != "auto":
        return _check_named("model", settings.model, settings.models_dir, thorough=thorough)
    here = [card for card in installed(settings.models_dir) if card.role == "generator"]
    if not here:
        detail = "no language model is installed: no answers, search works"
        return Check("model", "warn", detail, "Run: deskside models pull")
    faults = [fault for card in here for fault in _faults(card, settings.models_dir, thorough)]
    if len(here) == 1:
        return _judged("model", here[0].name, faults)
    choice = choice_of_installed(settings)
    used = f"{choice.best.card.name}: {choice.why}" if choice.best else ""
    return _judged("model", used, faults)


def check_tuning(settings: Settings) -> Check:
    """Whether the settings measured by `deskside tune` are for this model and computer."""
    found = measured(settings.data_path)
    if found is None:
        return Check("tuning", "ok", "not measured: cautious settings")
    if found.get("machine") != machine_line():
        return Check("tuning", "warn", "measured on another computer", "Run: deskside tune")
    try:
        card = generator_for(settings)
    except DesksideError:  # `check_generator` tells of it
        card = None
    if card and found.get("model") != path_of(card, settings.models_dir).stem:
        return Check("tuning", "warn", f"measured with {found.get('model')}", "Run: deskside tune")
    return Check("tuning", "ok", f"measured at {found.get('at')}")


def check_embedder(settings: Settings, *, thorough: bool = False) -> Check:
    """Whether the embedder is there. Without it nothing can be read or found."""
    return _check_named("embedder", settings.embedder, settings.models_dir, thorough=thorough)


def _check_named(name: str, model: str, models_dir: Path, *, thorough: bool) -> Check:
    missing: CheckStatus = "fail" if name == "embedder" else "warn"
    try:
        card = card_of(model)
    except NotFound as error:
        return Check(name, "fail", error.detail, error.hint)
    if not is_installed(card, models_dir):
        fix = f"Run: deskside models pull {model}"
        return Check(name, missing, f"{model} is not installed", fix)
    return _judged(name, model, _faults(card, models_dir, thorough))


def _faults(card: ModelCard, models_dir: Path, thorough: bool) -> list[str]:
    if not size_is_right(card, models_dir):
        return [f"{card.name} has the wrong size."]
    if not thorough:
        return []
    try:
        return list(verify(card, models_dir))
    except DesksideError as error:
        return [error.detail]


def _judged(name: str, detail: str, faults: list[str]) -> Check:
    if not faults:
        return Check(name, "ok", detail)
    fix = "Remove it from the models folder and run: deskside models pull"
    return Check(name, "fail", " ".join(faults), fix)
