"""Files that are known but not there: deleted, moved, or on a drive that is missing.

A deletion is believed when it was seen twice. Where most of what is known went at once, it looks
like a drive that is not there, and nothing is believed until somebody says so.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.folder import Found, Problem

if TYPE_CHECKING:
    from rag.catalog import Catalog, Location

_GUARD_FROM_FILES = 5
_GUARD_SHARE = 0.5
_ROOT = "inbox_root"
_HELD = "inbox_known_when_held"


@dataclass(frozen=True, slots=True)
class Vanished:
    """Known places whose file is not there, and what that may mean.

    ``moved`` are those of documents that lie elsewhere, too; ``perhaps_moved`` those that may be
    the same as something new that was not read yet; ``renamed`` those whose very file lies under
    another name now, whatever is in it; ``unplugged`` lay on a drive within the inbox that is not
    there.
    """

    files: Mapping[str, Location]
    moved: frozenset[str]
    perhaps_moved: frozenset[str]
    renamed: frozenset[str]
    unplugged: Mapping[str, Location]

    @property
    def lost(self) -> Collection[str]:
        return self.files.keys() - self.moved - self.renamed - self.perhaps_moved

    @property
    def problems(self) -> tuple[Problem, ...]:
        drives = sorted({place.mount for place in self.unplugged.values()})
        return tuple(
            Problem(
                "drive",
                drive,
                "The drive or share that was here is not connected.",
                "Connect it again. What was read from it still answers.",
            )
            for drive in drives
        )


class Vanishing:
    """Judges what vanished from one scan to the next.

    Args:
        catalog: what is known.
        settle_s: how long a file must be gone.
        clock: seconds, monotonic.
    """

    def __init__(self, catalog: Catalog, *, settle_s: float, clock: Callable[[], float]) -> None:
        self._catalog = catalog
        self._settle_s = settle_s
        self._clock = clock
        self._gone: dict[str, float] = {}

    def look(
        self, found: Found, known: Mapping[str, Location], not_yet: Collection[str]
    ) -> Vanished:
        """What of ``known`` was not found; ``not_yet`` are paths that were not read so far."""
        absent = {
            path: place
            for path, place in known.items()
            if path not in found.files and not path.startswith(found.blind)
        }
        unplugged = {
            path: place
            for path, place in absent.items()
            if place.mount and place.mount not in found.mounts
        }
        files = {path: place for path, place in absent.items() if path not in unplugged}
        here = {seen.stamp.file_id for seen in found.files.values()} - {""}
        new = {found.files[path].stamp.size_bytes for path in not_yet if path not in known}
        return Vanished(
            files=files,
            moved=frozenset(self._moved(files)),
            renamed=frozenset(p for p, place in files.items() if place.stamp.file_id in here),
            perhaps_moved=frozenset(p for p, place in files.items() if place.size_bytes in new),
            unplugged=unplugged,
        )

    def is_suspicious(self, vanished: Vanished, inbox: str, *, known: int) -> bool:
        """Whether this looks like a drive that is not there rather than like people's work.

        Args:
            vanished: of how many known.
            inbox: which folder it is, see `identity`.
            known: how many; while a loss is held back, no more than when it was noticed.
        """
        lost = len(vanished.lost)
        held = self._catalog.note(_HELD)
        if held:  # what arrives meanwhile makes the loss no smaller
            known = min(known, int(held))
            lost = len(vanished.files.keys() - vanished.moved - vanished.renamed)
        most = known >= _GUARD_FROM_FILES and lost > known * _GUARD_SHARE
        before = self._catalog.note(_ROOT)
        swapped = lost >= known > 0 and before is not None and before != inbox
        self._note(_HELD, str(known) if most or swapped else "")
        return most or swapped

    def remember(self, inbox: str) -> None:
        """This is the folder the known files lie in, and what is lost is lost."""
        self._note(_ROOT, inbox)
        self._note(_HELD, "")

    def confirmed(self, vanished: Vanished) -> set[str]:
        """Those that were missing before, and for as long as a file takes to settle."""
        now = self._clock()
        self._gone = {path: self._gone.get(path, now) for path in vanished.files}
        waited = {
            path
            for path, place in vanished.files.items()
            if place.missing and now - self._gone[path] >= self._settle_s
        }
        return (waited - vanished.perhaps_moved) | vanished.moved

    def _note(self, name: str, value: str) -> None:
        if (self._catalog.note(name) or "") != value:
            self._catalog.set_note(name, value)

    def _moved(self, files: Mapping[str, Location]) -> set[str]:
        if not files:
            return set()
        places = self._catalog.ledger.locations().values()
        elsewhere = {at.document_id for at in places if at.path not in files}
        return {path for path, place in files.items() if place.document_id in elsewhere}


def identity(inbox: Path) -> str:
    """Which folder lies at that path.

    Raises:
        OSError: none.
    """
    stat = inbox.stat()
    return f"{stat.st_dev}:{stat.st_ino}"
