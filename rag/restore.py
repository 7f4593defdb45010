"""Puts a backup in the place of a data folder: checked wholly before anything is touched."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING

from rag.backup import counted
from rag.bundle import CATALOG, Bundle, Manifest, Progress, check_room, damaged
from rag.errors import Conflict, Unavailable

if TYPE_CHECKING:
    from rag.settings import Settings

_STAGING = ".restore"
_TOUCHED = ".touched"
"""In the staging folder from when what was there begins to move."""
_STAYS = frozenset({".lock", ".holder.json", _STAGING, "README.md", "tuned.json"})
"""What belongs to this place rather than to what was kept in it."""


@dataclass(frozen=True, slots=True)
class Restored:
    """What came back; ``aside`` is where the former content lies now, if there was any."""

    manifest: Manifest
    aside: Path | None
    same_embedder: bool


def restore(
    bundle: Bundle, settings: Settings, *, force: bool, now: datetime, progress: Progress
) -> Restored:
    """Unpack a bundle beside, check it, then put it in place; the caller owns the lock.

    The catalogue goes last: a restore that was cut short leaves no half of one that answers.

    Raises:
        InvalidRequest: the bundle is damaged.
        Conflict: there is something already, and ``force`` is false.
        DiskFull: there is no room for it beside what is there.
        Unavailable: a newer version made it; or what is there can't be moved away.
    """
    data, inbox = settings.data_path, settings.inbox_path
    taken = [*_content(data, inbox), *(_children(inbox))]
    if taken and not force:
        raise Conflict(
            f"{taken[0].parent} is not empty.",
            hint="Restore into another folder with --data, or add --force: then what is there is "
            "moved aside, not deleted.",
        )
    data.mkdir(parents=True, exist_ok=True)
    check_room(data, shutil.disk_usage(data).free, bundle.manifest.size_bytes)
    with _staging(data) as staging:
        bundle.unpack(staging, progress=progress)
        # An older one is migrated, a newer, a damaged or another one refused.
        if counted(staging / CATALOG) != (bundle.manifest.documents, bundle.manifest.passages):
            raise damaged(CATALOG)
        (staging / _TOUCHED).touch()
        aside = _move_aside(data, inbox, now) if taken else None
        _put_in_place(staging, bundle.manifest, data, inbox)
    ours = bundle.manifest.embedder.partition("|")[0] in ("", settings.embedder)
    return Restored(bundle.manifest, aside, same_embedder=ours)


def sweep(data: Path) -> None:
    """At the start: clear away a restore that was killed before it changed anything.

    Raises:
        Unavailable: it was killed half way; what is there is neither the old nor the new.
    """
    staging = data / _STAGING
    if (staging / _TOUCHED).exists():
        raise Unavailable(
            f"A restore into {data} was cut short half way.",
            hint="Run `deskside restore FILE --force` once more; what was there before lies in "
            f"{data.name}-before-… beside it.",
        )
    shutil.rmtree(staging, ignore_errors=True)


@contextmanager
def _staging(data: Path) -> Iterator[Path]:
    staging = data / _STAGING
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir()
    try:
        yield staging
    except BaseException:
        if not (staging / _TOUCHED).exists():  # else the next start must know
            shutil.rmtree(staging, ignore_errors=True)
        raise
    shutil.rmtree(staging, ignore_errors=True)


def _children(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.is_dir() else []


def _content(data: Path, inbox: Path) -> list[Path]:
    """What a data folder holds besides its inbox."""
    return [
        path
        for path in _children(data)
        if path.name not in _STAYS and not inbox.is_relative_to(path)
    ]


def _move_aside(data: Path, inbox: Path, now: datetime) -> Path:
    aside = data.with_name(f"{data.name}-before-{now:%Y%m%d-%H%M%S}")
    try:
        (aside / "inbox").mkdir(parents=True)
        for path in _content(data, inbox):
            shutil.move(path, aside / path.name)
        for path in _children(inbox):
            shutil.move(path, aside / "inbox" / path.name)
    except OSError as error:
        raise Unavailable(
            f"What is in {data} can't be moved to {aside}: {error.strerror}.",
            hint="Nothing is lost: part of it may lie there already. Move the rest by hand.",
        ) from error
    return aside


def _put_in_place(staging: Path, manifest: Manifest, data: Path, inbox: Path) -> None:
    places = {"inbox": inbox, "trash": data / "trash"}
    for entry in manifest.entries:
        top, _, path = entry.name.partition("/")
        if path:
            target = places[top] / path
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(staging / entry.name, target)
            os.utime(target, ns=(entry.mtime_ns, entry.mtime_ns))
    inbox.mkdir(parents=True, exist_ok=True)
    (staging / CATALOG).replace(data / CATALOG)
