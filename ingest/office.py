"""LibreOffice, if it is there: pages of Word and PowerPoint files, and old kinds made new ones.

It runs once a document, on a copy, in a profile of its own that goes with it: no macros, no links,
no network. It runs within the process group of the child that reads or draws, so that whatever
ends that child ends it, too; ``soffice.bin`` outlives its parent otherwise.
"""

from __future__ import annotations

import contextlib
import hashlib
import logging
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

log = logging.getLogger(__name__)

TIMEOUT_S = 120.0
_MEMORY_BYTES = 3 << 29
"""Half of what the reading child may take, which counts in that."""
_LOOK_EVERY_S = 0.2
_LOOK_AT_MOST_S = 1.0
_WORK = ".work"
_REVISION_CHARS = 64
_BLOCK = 1 << 20
_PDF = {
    "writer": "pdf:writer_pdf_Export",
    # A hidden slide left out would shift the pages of those after it.
    "impress": 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}',
}
_TEXTS = frozenset(
    {".docx", ".docm", ".dotx", ".dotm", ".doc", ".dot", ".odt", ".ott", ".rtf", ".wps", ".wpt"}
)
_SLIDES = frozenset(
    {".pptx", ".pptm", ".ppsx", ".potx", ".ppt", ".pps", ".pot", ".odp", ".otp", ".dps"}
)
RENDERED = _TEXTS | _SLIDES
"""Endings of what has pages once it is laid out."""
_ELSEWHERE = (
    "/Applications/LibreOffice.app/Contents/MacOS/soffice",
    "C:/Program Files/LibreOffice/program/soffice.exe",
)
_SETTINGS: dict[str, dict[str, str | int]] = {
    "Office.Common/Security/Scripting": {
        "MacroSecurityLevel": 3,
        "DisableMacrosExecution": "true",
        "BlockUntrustedRefererLinks": "true",
    },
    "Office.Writer/Content/Update": {"Link": 0, "Field": "false"},
    "Office.Calc/Content/Update": {"Link": 2},
    # A proxy that is not there: nothing a document links to is fetched.
    "Inet/Settings": {
        "ooInetProxyType": 2,
        "ooInetHTTPProxyName": "127.0.0.1",
        "ooInetHTTPProxyPort": 9,
        "ooInetHTTPSProxyName": "127.0.0.1",
        "ooInetHTTPSProxyPort": 9,
        "ooInetNoProxy": "",
    },
}


class OfficeFailed(Exception):
    """LibreOffice made nothing of the file; ``timed_out`` says that it took too long."""

    def __init__(self, *, timed_out: bool) -> None:
        super().__init__("timed out" if timed_out else "no output")
        self.timed_out = timed_out


class Office:
    """Converts documents; keeps renderings as ``<revision>.pdf`` in ``folder``.

    Args:
        program: path of ``soffice``.
        folder: where renderings lie, and temporary files while it works.
        timeout_s: for one document.
    """

    def __init__(self, program: str, folder: Path, *, timeout_s: float = TIMEOUT_S) -> None:
        self._program = program
        self._folder = folder
        self._timeout_s = timeout_s

    @property
    def timeout_s(self) -> float:
        return self._timeout_s

    def rendering(self, path: Path, final: Path | None = None) -> Path:
        """The file as PDF, made now unless it was made before.

        Args:
            path: the file.
            final: what is laid out instead: the file as it reads once its changes are accepted.

        Raises:
            OfficeFailed: it can't be.
        """
        kept = self.kept(path)
        if kept.is_file():
            return kept
        kind = "impress" if path.suffix.lower() in _SLIDES else "writer"
        with self._converted(final or path, _PDF[kind], ".pdf") as made:
            made.replace(kept)
        return kept

    def kept(self, path: Path) -> Path:
        """Where the rendering of the file lies once it is made."""
        return self._folder / f"{revision_of(path)}.pdf"

    @contextmanager
    def converted(self, path: Path, suffix: str) -> Iterator[Path]:
        """The file as another kind, there while the block runs.

        Raises:
            OfficeFailed: it can't be.
        """
        with self._converted(path, suffix.lstrip("."), suffix) as made:
            yield made

    @contextmanager
    def _converted(self, path: Path, target: str, suffix: str) -> Iterator[Path]:
        with self.room() as room:
            # A copy: LibreOffice puts lock files beside what it opens, and trips over odd names.
            source = room / f"document{_true_suffix(path)}"
            with path.open("rb") as file, _told_as_failure():
                with source.open("wb") as copy:
                    shutil.copyfileobj(file, copy)
                _write_profile(room / "profile")
                self._run(room, source, target)
            made = room / "out" / f"document{suffix}"
            if not made.is_file():
                raise OfficeFailed(timed_out=False)
            yield made

    @contextmanager
    def room(self) -> Iterator[Path]:
        """A folder for temporary files, there while the block runs."""
        work = self._folder / _WORK
        with _told_as_failure():
            work.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=work, ignore_cleanup_errors=True) as name:
            yield Path(name)

    def _run(self, room: Path, source: Path, target: str) -> None:
        command = [
            self._program, "--headless", "--norestore", "--nolockcheck", "--nodefault", "--nologo",
            f"-env:UserInstallation={(room / 'profile').resolve().as_uri()}",
            "--convert-to", target, "--outdir", str(room / "out"), str(source),
        ]  # fmt: skip
        kept = {k: v for k, v in os.environ.items() if not k.lower().endswith("_proxy")}
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env={**kept, "HOME": str(room), "TMPDIR": str(room), "SAL_USE_VCLPLUGIN": "svp"},
        )
        try:
            self._watch(process)
        finally:
            _end(process)

    def _watch(self, process: subprocess.Popen[bytes]) -> None:
        """Wait for the end; a document that takes too much is left without pages, not unread."""
        taken_s, looked_at = 0.0, time.monotonic()
        while process.poll() is None:
            now = time.monotonic()
            # Both may be made to stand still while a question is answered: that does not count.
            taken_s, looked_at = taken_s + min(now - looked_at, _LOOK_AT_MOST_S), now
            if taken_s > self._timeout_s:
                raise OfficeFailed(timed_out=True)
            if _memory_bytes(process.pid) > _MEMORY_BYTES:
                raise OfficeFailed(timed_out=False)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(_LOOK_EVERY_S)


@contextmanager
def _told_as_failure() -> Iterator[None]:
    """A full disk, or a program that can't be started, only means that there is no rendering."""
    try:
        yield
    except OSError as error:
        log.warning("office_failed error=%s", error.strerror)
        raise OfficeFailed(timed_out=False) from error


def find_office(folder: Path) -> Office | None:
    """LibreOffice on this computer; None where it is not installed."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    program = found or next((each for each in _ELSEWHERE if Path(each).is_file()), None)
    return Office(program, folder) if program else None


def reads_formulas() -> bool:
    """Whether LibreOffice brings its Math, which Debian packs apart; others never do."""
    found = shutil.which("soffice") or shutil.which("libreoffice")
    folder = Path(found).resolve().parent if found else None
    return not folder or not folder.is_relative_to("/usr/lib") or (folder / "libsmlo.so").is_file()


def sweep(folder: Path, revisions: Collection[str]) -> None:
    """Remove what an ended process left behind, and renderings of none of ``revisions``."""
    shutil.rmtree(folder / _WORK, ignore_errors=True)
    for kept in folder.glob("*.pdf"):
        if kept.name[:_REVISION_CHARS] not in revisions:
            log.info("rendering_removed revision=%s", kept.stem)
            kept.unlink(missing_ok=True)


def revision_of(path: Path) -> str:
    """SHA-256 of the file, the name of its revision."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
    return digest.hexdigest()


def _true_suffix(path: Path) -> str:
    """WPS writes Microsoft's old formats under names of its own, which mislead LibreOffice."""
    same = {".wps": ".doc", ".wpt": ".dot", ".et": ".xls", ".ett": ".xlt", ".dps": ".ppt"}
    suffix = path.suffix.lower()
    return same.get(suffix, suffix)


def _write_profile(profile: Path) -> None:
    items = "".join(
        f'<item oor:path="/org.openoffice.{path}"><prop oor:name="{name}" oor:op="fuse">'
        f"<value>{value}</value></prop></item>"
        for path, properties in _SETTINGS.items()
        for name, value in properties.items()
    )
    target = profile / "user" / "registrymodifications.xcu"
    target.parent.mkdir(parents=True)
    target.write_text(
        '<?xml version="1.0" encoding="UTF-8"?>\n'
        f'<oor:items xmlns:oor="http://openoffice.org/2001/registry">{items}</oor:items>\n',
        encoding="utf-8",
    )


def _memory_bytes(pid: int) -> int:
    """Resident bytes of a process and everything it started."""
    total = 0
    with contextlib.suppress(psutil.Error):
        parent = psutil.Process(pid)
        for each in [parent, *parent.children(recursive=True)]:
            with contextlib.suppress(psutil.Error):
                total += each.memory_info().rss
    return total


def _end(process: subprocess.Popen[bytes]) -> None:
    """End LibreOffice and what it started, if anything still runs."""
    with contextlib.suppress(psutil.Error):
        started = psutil.Process(process.pid).children(recursive=True)
        for each in started:
            with contextlib.suppress(psutil.Error):
                each.kill()
    if process.poll() is None:
        process.kill()
        process.wait()
