"""Whether a folder lies on another computer: no events come from there, and file ids may change."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from pathlib import Path

import psutil

_REMOTE = frozenset(
    {
        # shares
        "cifs", "smb2", "smb3", "smbfs", "nfs", "nfs4", "afs", "afpfs", "ncpfs", "webdav", "davfs",
        "ceph", "glusterfs", "lustre", "beegfs", "ocfs2", "gfs2",
        # folders of the host as virtual machines, containers and WSL see them
        "9p", "drvfs", "virtiofs", "vboxsf", "vmhgfs", "prl_fs", "fakeowner", "osxfs", "grpcfuse",
    }
)  # fmt: skip
_FUSE = ("fuse", "macfuse", "osxfuse")
_FUSE_ON_DISK = frozenset({"fuseblk", "fuse.ntfs-3g", "fuse.exfat", "fuse.ext2"})
_DRIVE_REMOTE = 4

Mount = tuple[str, str]
"""Where a drive is mounted, and its kind of file system."""


def is_remote(folder: Path) -> bool:
    """Whether the folder, or a folder mounted within it, is a share of another computer."""
    if sys.platform == "win32":
        import ctypes  # noqa: PLC0415

        if folder.drive.startswith("\\\\"):
            return True
        drive: int = ctypes.windll.kernel32.GetDriveTypeW(folder.anchor)
        return drive == _DRIVE_REMOTE
    mounts = ((each.mountpoint, each.fstype) for each in psutil.disk_partitions(all=True))
    return holds_remote(folder, mounts)


def holds_remote(folder: Path, mounts: Iterable[Mount]) -> bool:
    """The same, told from the mounts; of several over one place the last is the one seen."""
    under: dict[Path, str] = {Path(place): kind for place, kind in mounts}
    nearest = next((each for each in (folder, *folder.parents) if each in under), None)
    relevant = [each for each in under if each == nearest or folder in each.parents]
    return any(_is_share(under[each]) for each in relevant)


def _is_share(kind: str) -> bool:
    kind = kind.lower()
    return kind in _REMOTE or (kind.startswith(_FUSE) and kind not in _FUSE_ON_DISK)
