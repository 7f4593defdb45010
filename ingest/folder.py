"""What lies in a folder on disk: which files count, what can't be looked at, and a file's content.

Nothing here knows the catalogue. Links are never followed, so no loop and no way out of the folder
exists (ADR 0010); pipes, sockets and devices are never opened, since that could wait for ever.
"""

from __future__ import annotations

import hashlib
import logging
import os
import re
import stat as modes
import sys
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from rag.files import SourceFile, Stamp

log = logging.getLogger(__name__)

_OFFICE_LOCK = "~$"
_SYSTEM = frozenset(
    {
        "thumbs.db", "desktop.ini", "@eadir", "#recycle", "$recycle.bin",
        "system volume information", "lost+found",
    }
)  # fmt: skip
_UNFINISHED = (".part", ".crdownload", ".partial", ".download", ".tmp")
_BACKUPS = (".bak", ".wbk", ".xlk", "~")
_WORD_DRAFT = re.compile(r"~wr[a-z]\d{4}\.", re.IGNORECASE)
"""What Word writes beside a document while it saves, such as ``~WRL0001.tmp``."""

_ICLOUD = ".icloud"
_CLOUD_FLAGS = 0x1000 | 0x40000 | 0x400000
"""Windows: offline, recall on open, recall on data access."""
_DATALESS = 0x40000000
"""macOS: the content is not on this computer."""
_JUNCTION = 0xA0000003

_OPEN = os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_NOFOLLOW", 0)


@dataclass(frozen=True, slots=True)
class Seen:
    """A file as the folder lists it.

    ``mount`` is the folder of another drive that it lies in, empty for none; ``elsewhere`` is true
    for files whose content is in the cloud only.
    """

    stamp: Stamp
    mount: str = ""
    elsewhere: bool = False


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in the inbox that people should know of; ``path`` is empty for the inbox itself.

    ``code`` is ``link, folder, name, special, drive, root, events`` or that of an error.
    """

    code: str
    path: str
    message: str
    advice: str


@dataclass(frozen=True, slots=True)
class Found:
    """The files below a folder; the folders that could not be looked into, each with a slash."""

    files: Mapping[str, Seen]
    blind: tuple[str, ...]
    mounts: frozenset[str]
    problems: tuple[Problem, ...]


def walk(inbox: Path) -> Found:
    """Every file that counts, by path relative to ``inbox``.

    Raises:
        OSError: the inbox itself can't be read.
    """
    return _Walk(inbox).found()


def is_ignored(name: str) -> bool:
    """Lock files of Office, hidden and system files, backups, and what is not finished."""
    lower = name.lower()
    return (
        name.startswith((_OFFICE_LOCK, "."))
        or lower in _SYSTEM
        or lower.endswith((*_UNFINISHED, *_BACKUPS))
        or _WORD_DRAFT.match(name) is not None
    )


def read_source(inbox: Path, path: str) -> SourceFile:
    """The file's stamp and SHA-256; the stamp is taken after the content was read.

    Raises:
        OSError: it can't be opened or read.
    """
    with open(inbox / path, "rb", opener=_opened) as file:
        sha256 = hashlib.file_digest(file, "sha256").hexdigest()
        stamp = _stamp(os.fstat(file.fileno()))
    return SourceFile(path, stamp.size_bytes, stamp.mtime_ns, sha256, stamp.ctime_ns, stamp.file_id)


def _opened(path: str, flags: int) -> int:
    descriptor = os.open(path, flags | _OPEN)
    if not modes.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise FileNotFoundError(f"not a file any more: {path}")
    return descriptor


def _stamp(stat: os.stat_result) -> Stamp:
    # Windows lists folders without file ids.
    file_id = "" if sys.platform == "win32" else str(stat.st_ino)
    return Stamp(stat.st_size, stat.st_mtime_ns, stat.st_ctime_ns, file_id)


@dataclass(slots=True)
class _Walk:
    """One walk through a folder, from the top down."""

    inbox: Path
    files: dict[str, Seen] = field(default_factory=dict)
    blind: list[str] = field(default_factory=list)
    mounts: set[str] = field(default_factory=set)
    problems: list[Problem] = field(default_factory=list)
    _folders: list[tuple[str, int, str]] = field(default_factory=list)

    def found(self) -> Found:
        self._folders.append(("", self.inbox.stat().st_dev, ""))
        while self._folders:
            folder, device, mount = self._folders.pop()
            try:
                with os.scandir(self.inbox / folder) as entries:
                    for entry in entries:
                        self._sort_in(entry, f"{folder}/" if folder else "", device, mount)
            except OSError as error:
                if not folder:
                    raise
                self._turned_away(folder, error)
        return Found(
            dict(sorted(self.files.items())),
            tuple(self.blind),
            frozenset(self.mounts),
            tuple(sorted(self.problems, key=lambda problem: problem.path)),
        )

    def _sort_in(self, entry: os.DirEntry[str], above: str, device: int, mount: str) -> None:
        name = entry.name
        if name.startswith(".") and name.endswith(_ICLOUD):  # how macOS marks what it moved away
            name = name[1 : -len(_ICLOUD)]
        if is_ignored(name):
            return
        path = above + name
        try:
            path.encode()
            stat = entry.stat(follow_symlinks=False)
        except UnicodeEncodeError:
            self._tell("name", path, "Its name is not readable text.", "Rename it.")
        except OSError:  # it vanished between the two looks
            return
        else:
            self._sort_by_kind(path, stat, device, mount, away=name != entry.name)

    def _sort_by_kind(
        self, path: str, stat: os.stat_result, device: int, mount: str, *, away: bool
    ) -> None:
        if modes.S_ISLNK(stat.st_mode) or getattr(stat, "st_reparse_tag", 0) == _JUNCTION:
            self._tell(
                "link",
                path,
                "It is a link; links are not followed.",
                "Put the file or folder itself into the inbox.",
            )
        elif modes.S_ISDIR(stat.st_mode):
            if stat.st_dev not in (0, device):  # 0: Windows does not tell
                self.mounts.add(path)
                mount = path
            self._folders.append((path, stat.st_dev, mount))
        elif modes.S_ISREG(stat.st_mode):
            self.files[path] = Seen(_stamp(stat), mount, away or _is_elsewhere(stat))
        else:
            self._tell(
                "special",
                path,
                "It is a pipe, a socket or a device, and no file.",
                "Take it out of the inbox.",
            )

    def _turned_away(self, folder: str, error: OSError) -> None:
        self.blind.append(f"{folder}/")
        self._tell(
            "folder",
            folder,
            f"The folder can't be opened: {error.strerror}.",
            "Allow Deskside to read it. What was read from it before still answers.",
        )

    def _tell(self, code: str, path: str, message: str, advice: str) -> None:
        shown = path.encode(errors="replace").decode()
        self.problems.append(Problem(code, shown, message, advice))


def _is_elsewhere(stat: os.stat_result) -> bool:
    return bool(
        getattr(stat, "st_file_attributes", 0) & _CLOUD_FLAGS
        or getattr(stat, "st_flags", 0) & _DATALESS
    )
