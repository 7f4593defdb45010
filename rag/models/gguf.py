"""What a GGUF file says of itself at its start, without loading it.

The `gguf` package reads the whole vocabulary token by token (2 to 12 s for Qwen's); of what fits
a model to a machine, only scalars and sizes are needed. Format: ggml's docs/gguf.md, version 3.
"""

from __future__ import annotations

import mmap
import struct
from dataclasses import dataclass
from pathlib import Path

from rag.errors import Unavailable

Scalar = int | float | bool | str

_STRING, _ARRAY = 8, 9
_SCALARS = {
    0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d",
}  # fmt: skip
_ALIGNMENT = 32


@dataclass(frozen=True, slots=True)
class Header:
    """``metadata`` of scalars, arrays by their length alone; ``tensors`` in bytes, by name."""

    metadata: dict[str, Scalar]
    tensors: dict[str, int]

    @property
    def architecture(self) -> str:
        return str(self.metadata.get("general.architecture", ""))

    def number(self, key: str, default: int = 0) -> int:
        """The value of the architecture's own ``key``, such as ``block_count``."""
        value = self.metadata.get(f"{self.architecture}.{key}", default)
        return int(value)


def read_header(path: Path) -> Header:
    """The header of a GGUF file.

    Raises:
        Unavailable: it is none, or it is cut.
    """
    try:
        with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
            return _header(_Cursor(data), len(data))
    except (OSError, struct.error, ValueError, KeyError) as error:
        raise Unavailable(
            f"The model {path.name} can't be loaded: {error}.",
            hint="Run `deskside models verify`; a smaller model may help.",
        ) from error


class _Cursor:
    def __init__(self, data: mmap.mmap) -> None:
        self._data = data
        self.at = 0

    def take(self, code: str) -> int | float | bool:
        value: int | float | bool = struct.unpack_from(f"<{code}", self._data, self.at)[0]
        self.at += struct.calcsize(f"<{code}")
        return value

    def count(self) -> int:
        return int(self.take("Q"))

    def text(self) -> str:
        size = self.count()
        text = self._data[self.at : self.at + size].decode("utf-8", "replace")
        self.at += size
        return text

    def value(self, kind: int) -> Scalar:
        if kind == _STRING:
            return self.text()
        if kind != _ARRAY:
            return self.take(_SCALARS[kind])
        inner, length = int(self.take("I")), self.count()
        if inner == _STRING:
            for _ in range(length):
                size = self.count()
                self.at += size
        else:
            self.at += length * struct.calcsize(f"<{_SCALARS[inner]}")
        return length


def _header(cursor: _Cursor, size: int) -> Header:
    if cursor.take("I") != int.from_bytes(b"GGUF", "little"):
        raise ValueError("it is no GGUF file")
    cursor.take("I")  # the version; 2 and 3 are alike in all that is read here
    tensors, pairs = cursor.count(), cursor.count()
    metadata = {cursor.text(): cursor.value(int(cursor.take("I"))) for _ in range(pairs)}
    places = sorted(_place(cursor) for _ in range(tensors))
    alignment = int(metadata.get("general.alignment", _ALIGNMENT))
    ends = [offset for offset, _ in places[1:]]
    ends.append(size - -(-cursor.at // alignment) * alignment)
    return Header(
        metadata,
        {name: end - start for (start, name), end in zip(places, ends, strict=True)},
    )


def _place(cursor: _Cursor) -> tuple[int, str]:
    """Where a tensor begins. Each goes up to the next one, so its type need not be known."""
    name = cursor.text()
    dimensions = int(cursor.take("I"))
    cursor.at += 8 * dimensions
    cursor.take("I")
    return cursor.count(), name
