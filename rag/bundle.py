"""A backup as one file: a plain zip that any program opens.

::

    catalog.sqlite3     documents, passages with their vectors, conversations
    inbox/…             the originals
    trash/<id>/…        deleted originals
    manifest.json       version, embedder, and size, time and SHA-256 of each of the above; last

Nothing is compressed: originals mostly are already, and so no small file can unpack to a huge one.
"""

from __future__ import annotations

import hashlib
import json
import os
import zipfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path, PurePosixPath

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from rag.errors import DiskFull, InvalidRequest, Unavailable

FORMAT = 1
CATALOG = "catalog.sqlite3"
MANIFEST = "manifest.json"
_TREES = ("inbox", "trash")
_BLOCK = 1 << 20
_UNREADABLE = (
    *(KeyError, AttributeError, TypeError, ValueError, ValidationError),
    *(zipfile.BadZipFile, NotImplementedError, RuntimeError),  # odd zips, and encrypted ones
)
_MANIFEST_LIMIT_BYTES = 1 << 28

Progress = Callable[[int, int], None]
"""Told how many of how many bytes are done."""


class Entry(BaseModel):
    """One file of a bundle."""

    model_config = ConfigDict(frozen=True)

    name: str
    size_bytes: int = Field(ge=0)
    mtime_ns: int = Field(ge=-(2**63), lt=2**63)
    sha256: str


class Manifest(BaseModel):
    """What a bundle holds. It comes from a file, so it is not believed before it is checked."""

    model_config = ConfigDict(frozen=True)

    format: int
    version: str
    made_at: str
    embedder: str
    documents: int
    passages: int
    left_out: tuple[str, ...] = ()
    entries: tuple[Entry, ...]

    @property
    def size_bytes(self) -> int:
        return sum(entry.size_bytes for entry in self.entries)


class Bundle:
    """A bundle that can be read; see `opened`."""

    def __init__(self, archive: zipfile.ZipFile, manifest: Manifest) -> None:
        self._archive = archive
        self.manifest = manifest

    def unpack(self, folder: Path, *, progress: Progress) -> None:
        """Write every file below ``folder``, each held against its checksum.

        Raises:
            InvalidRequest: one is damaged.
        """
        done, total = 0, self.manifest.size_bytes
        for entry in self.manifest.entries:
            target = folder / entry.name
            with _damage_is_told(entry.name):
                target.parent.mkdir(parents=True, exist_ok=True)
            digest = hashlib.sha256()
            with (
                _damage_is_told(entry.name),
                self._archive.open(entry.name) as source,
                target.open("xb") as file,
            ):
                while block := source.read(_BLOCK):
                    digest.update(block)
                    file.write(block)
                    done += len(block)
                    progress(done, total)
            if digest.hexdigest() != entry.sha256:
                raise damaged(entry.name)


@contextmanager
def opened(file: Path) -> Iterator[Bundle]:
    """The bundle in ``file``, its table of contents checked.

    Raises:
        InvalidRequest: it is none, was cut short, or would write elsewhere than it should.
        Unavailable: a newer Deskside made it.
    """
    try:
        archive = zipfile.ZipFile(file)
    except FileNotFoundError as error:
        raise InvalidRequest(f"There is no file {file}.") from error
    except (*_UNREADABLE, OSError) as error:
        raise _no_backup(file) from error
    with archive:
        manifest = _manifest(archive, file)
        _check_names(archive, manifest)
        yield Bundle(archive, manifest)


def is_safe(name: str, *, separator: str = os.sep) -> bool:
    """Whether a name stays below the folders of a bundle, where ``separator`` parts folders."""
    if name == CATALOG:
        return True
    parts = PurePosixPath(name).parts
    # A backslash is a letter of a name, but where it parts folders.
    foreign = "\0" if separator == "/" else f"\0{separator}"
    plain = name == "/".join(parts) and not any(sign in name for sign in foreign)
    return (
        plain
        and len(parts) > 1
        and parts[0] in _TREES
        and not any(part in (".", "..") for part in parts)
    )


def damaged(name: str) -> InvalidRequest:
    return InvalidRequest(
        f"The backup is damaged: {name} is not what it was. Nothing was changed.",
        hint="Use another backup, or copy this one anew from where it was kept.",
    )


def _manifest(archive: zipfile.ZipFile, file: Path) -> Manifest:
    try:
        listed = archive.getinfo(MANIFEST)
        if listed.file_size > _MANIFEST_LIMIT_BYTES:
            raise _no_backup(file)
        told = json.loads(archive.read(listed))
        if told.get("format", 0) > FORMAT:
            raise Unavailable(
                "This backup was made by a newer version of Deskside.", hint="Update Deskside."
            )
        return Manifest.model_validate(told)
    except _UNREADABLE as error:
        raise _no_backup(file) from error


def _check_names(archive: zipfile.ZipFile, manifest: Manifest) -> None:
    held = [info.filename for info in archive.infolist()]
    told = [entry.name for entry in manifest.entries]
    if sorted(held) != sorted([*told, MANIFEST]) or len(set(told)) != len(told):
        raise damaged("its table of contents")
    if CATALOG not in told:
        raise damaged(CATALOG)
    for entry in manifest.entries:
        info = archive.getinfo(entry.name)
        if not is_safe(entry.name):
            raise InvalidRequest(
                f"This backup would write outside of the data folder: {entry.name!r}.",
                hint="It was not made by Deskside, or tampered with. Don't use it.",
            )
        if info.compress_type != zipfile.ZIP_STORED or info.file_size != entry.size_bytes:
            raise damaged(entry.name)


@contextmanager
def _damage_is_told(name: str) -> Iterator[None]:
    try:
        yield
    except (zipfile.BadZipFile, EOFError, NotImplementedError, RuntimeError) as error:
        raise damaged(name) from error
    except OSError as error:
        raise Unavailable(
            f"{name} can't be written: {error.strerror}. Nothing was changed.",
            hint="Restore on a disk that takes such names, with --data.",
        ) from error


def _no_backup(file: Path) -> InvalidRequest:
    return InvalidRequest(
        f"{file} is no whole backup of Deskside.",
        hint="It may have been cut short while it was copied.",
    )


def check_room(folder: Path, free_bytes: int, wanted_bytes: int) -> None:
    """Refuse before anything is written.

    Raises:
        DiskFull: ``folder`` has no room for that much.
    """
    if wanted_bytes > free_bytes:
        raise DiskFull(
            f"{folder} has room for {free_bytes >> 20} MB; {wanted_bytes >> 20} MB are needed.",
            hint="Free some space and try again.",
        )
