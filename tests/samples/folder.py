"""The samples, made once for a test run."""

from __future__ import annotations

import functools
import tempfile
from pathlib import Path

from samples.make import Fact, make_samples

_HELD: list[tempfile.TemporaryDirectory[str]] = []


@functools.cache
def samples() -> Path:
    """The folder that holds them; it goes when Python ends."""
    return _made()[0]


@functools.cache
def facts() -> list[Fact]:
    return _made()[1]


@functools.cache
def _made() -> tuple[Path, list[Fact]]:
    _HELD.append(tempfile.TemporaryDirectory(prefix="deskside-samples-"))
    folder = Path(_HELD[0].name)
    return folder, make_samples(folder)
