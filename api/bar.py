"""What `deskside ingest` shows while it waits: a line per file as it ends, and a bar below."""

from __future__ import annotations

from types import TracebackType
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn

from api import printing

_MINUTE_S = 60
_HOUR_S = 3600


class IngestBar:
    """Shows documents as they are read; nothing at all when ``shown`` is false."""

    def __init__(self, *, shown: bool) -> None:
        self._shown = shown
        self._lines = Console(soft_wrap=True)
        # One console where lines and bar go to the same screen, or they would overwrite each other.
        console = self._lines if self._lines.is_terminal else Console(stderr=True)
        self._bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.fields[facts]}", style="dim"),
            console=console,
            transient=True,
            disable=not (shown and console.is_terminal),
        )
        self._task = self._bar.add_task("looking", total=None, facts="")

    def __enter__(self) -> IngestBar:
        self._bar.start()
        return self

    def __exit__(
        self,
        _kind: type[BaseException] | None,
        _error: BaseException | None,
        _trace: TracebackType | None,
    ) -> None:
        self._bar.stop()

    def ended(self, document: dict[str, Any]) -> None:
        """A document was read, or failed."""
        if self._shown:
            printing.document(self._lines, document)

    def show(
        self, documents: list[dict[str, Any]], waiting: list[dict[str, Any]], inbox: dict[str, Any]
    ) -> None:
        """How far everything is: ``documents`` in all, of which some are ``waiting``."""
        done = len(documents) - len(waiting)
        begun = sum(document["progress"] for document in waiting)
        self._bar.update(
            self._task,
            description=f"{done} of {len(documents)} files",
            total=len(documents) or None,
            completed=done + begun,
            facts=facts(documents, inbox),
        )


def facts(documents: list[dict[str, Any]], inbox: dict[str, Any]) -> str:
    """Pages, rate and time left in words."""
    done = sum(document["pages_done"] for document in documents)
    known = sum(document["pages_total"] for document in documents)
    parts = [f"{done} of {known} pages"]
    if inbox.get("pages_per_s"):
        parts.append(f"{inbox['pages_per_s']:.1f} pages/s")
    if inbox.get("eta_s"):
        parts.append(f"about {_span(inbox['eta_s'])} left")
    return " · ".join(parts)


def _span(seconds: float) -> str:
    if seconds >= _HOUR_S:
        return f"{seconds / _HOUR_S:.1f} h"
    return f"{seconds / _MINUTE_S:.0f} min" if seconds >= _MINUTE_S else f"{seconds:.0f} s"
