"""Rebuilds multilingual-e5-small from its 4-bit weights, the E5S1 layout.

Written without torch or safetensors and byte for byte the same everywhere, so that its checksum
can be pinned.
"""

from __future__ import annotations

import json
import re
import struct
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from rag.errors import Unavailable

MAGIC = b"E5S1"
Q4_BLOCK = np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)])
Q4_WEIGHTS = 32
Shape = tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Tensor:
    """One tensor of the file: its own name, whether it is 4-bit, and where its bytes are."""

    name: str
    is_q4: bool
    count: int
    offset: int
    size_bytes: int


@dataclass(frozen=True, slots=True)
class Layout:
    """The header of an E5S1 file."""

    hidden: int
    layers: int
    heads: int
    feed_forward: int
    vocabulary: int
    positions: int
    types: int
    tensors: tuple[Tensor, ...]


class _Cursor:
    """Reads little-endian values one after the other."""

    def __init__(self, data: memoryview) -> None:
        self.data = data
        self.at = 0

    def take(self, form: str) -> tuple[Any, ...]:
        values = struct.unpack_from("<" + form, self.data, self.at)
        self.at += struct.calcsize("<" + form)
        return values

    def text(self) -> str:
        (length,) = self.take("H")
        self.at += length
        return bytes(self.data[self.at - length : self.at]).decode()


def read_layout(data: memoryview) -> Layout:
    """The header of an E5S1 file; its own tokenizer tables are passed over.

    Raises:
        Unavailable: these bytes are no such file.
    """
    if bytes(data[:4]) != MAGIC:
        raise Unavailable("The embedder's weights are not in the E5S1 layout.")
    try:
        return _read_layout(data)
    except (struct.error, UnicodeDecodeError) as error:
        raise Unavailable("The embedder's weights are cut short.") from error


def _read_layout(data: memoryview) -> Layout:
    cursor = _Cursor(data)
    cursor.at = len(MAGIC)
    hidden, layers, heads, wide, vocabulary, positions, types = cursor.take("I7i")[1:]
    cursor.take("fi")
    pieces = cursor.take("5i")[0]
    (blob,) = cursor.take("Q")
    cursor.at += 4 * (pieces + 1) + 4 * pieces + blob
    _count, normalisation = cursor.take("iI")
    cursor.at += normalisation
    (count,) = cursor.take("i")
    tensors = tuple(_read_tensor(cursor) for _ in range(count))
    return Layout(hidden, layers, heads, wide, vocabulary, positions, types, tensors)


def _read_tensor(cursor: _Cursor) -> Tensor:
    name = cursor.text()
    kind, count, offset, size_bytes = cursor.take("BIQQ")
    return Tensor(name, kind == 1, count, offset, size_bytes)


def weights(tensor: Tensor, data: memoryview) -> NDArray[np.float32]:
    """The tensor's values, flat. Low nibbles are the first half of a block, high the second."""
    raw = data[tensor.offset : tensor.offset + tensor.size_bytes]
    if len(raw) != tensor.size_bytes:
        raise Unavailable("The embedder's weights are cut short.")
    if not tensor.is_q4:
        return np.frombuffer(raw, "<f4")
    blocks = np.frombuffer(raw, Q4_BLOCK)
    nibbles = blocks["nibbles"]
    quants = np.concatenate([nibbles & 0x0F, nibbles >> 4], axis=1).astype(np.float32) - 8
    return (blocks["scale"].astype(np.float32)[:, None] * quants).reshape(-1)


FIXED_NAMES = {
    "emb.word": "embeddings.word_embeddings.weight",
    "emb.pos": "embeddings.position_embeddings.weight",
    "emb.type": "embeddings.token_type_embeddings.weight",
    "emb.ln": "embeddings.LayerNorm",
}
LAYER_NAMES = {
    "q": "attention.self.query",
    "k": "attention.self.key",
    "v": "attention.self.value",
    "ao": "attention.output.dense",
    "aln": "attention.output.LayerNorm",
    "fi": "intermediate.dense",
    "fo": "output.dense",
    "oln": "output.LayerNorm",
}
LAYER_NAME = re.compile(r"l(\d+)\.(\w+)\.([wb])")


def bert_name(name: str) -> str:
    """The name a BertModel gives the tensor that E5S1 calls ``name``."""
    if name in FIXED_NAMES:
        return FIXED_NAMES[name]
    if name.startswith("emb.ln."):
        return f"{FIXED_NAMES['emb.ln']}.{'weight' if name.endswith('w') else 'bias'}"
    match = LAYER_NAME.fullmatch(name)
    if match is None or match[2] not in LAYER_NAMES:
        raise Unavailable(f"The embedder's weights hold an unknown tensor, {name}.")
    part = "weight" if match[3] == "w" else "bias"
    return f"encoder.layer.{match[1]}.{LAYER_NAMES[match[2]]}.{part}"


def shape_of(name: str, layout: Layout) -> Shape:
    """The shape of the BertModel tensor called ``name``."""
    hidden, wide = layout.hidden, layout.feed_forward
    rows = {
        "embeddings.word_embeddings.weight": layout.vocabulary,
        "embeddings.position_embeddings.weight": layout.positions,
        "embeddings.token_type_embeddings.weight": layout.types,
    }
    if name in rows:
        return (rows[name], hidden)
    if ".intermediate.dense." in name:
        return (wide, hidden) if name.endswith("weight") else (wide,)
    if name.endswith("bias") or "LayerNorm" in name:
        return (hidden,)
    return (
        (hidden, wide) if ".output.dense." in name and ".attention." not in name else (hidden,) * 2
    )


def _named(layout: Layout, data: memoryview) -> Iterator[tuple[str, Shape, bytes]]:
    """Every tensor of the BertModel with its bytes, in the order of the file."""
    for tensor in layout.tensors:
        name = bert_name(tensor.name)
        yield name, shape_of(name, layout), weights(tensor, data).astype("<f4").tobytes()
    # Mean pooling never uses the pooler; without it loading warns of missing weights.
    for name, shape in _pooler(layout):
        yield name, shape, bytes(4 * int(np.prod(shape)))


def _pooler(layout: Layout) -> tuple[tuple[str, Shape], ...]:
    hidden = layout.hidden
    return ("pooler.dense.weight", (hidden, hidden)), ("pooler.dense.bias", (hidden,))


def write_safetensors(source: Path, target: Path) -> Layout:
    """Write the weights of the E5S1 file ``source`` as float32 safetensors.

    Raises:
        Unavailable: the file is not what it should be.
    """
    data = memoryview(source.read_bytes())
    layout = read_layout(data)
    header = json.dumps(_header(layout), separators=(",", ":")).encode()
    header += b" " * (-len(header) % 8)
    with target.open("wb") as file:
        file.write(struct.pack("<Q", len(header)) + header)
        for name, shape, raw in _named(layout, data):
            if len(raw) != 4 * int(np.prod(shape)):
                raise Unavailable(f"The embedder's tensor {name} has the wrong size.")
            file.write(raw)
    return layout


def _header(layout: Layout) -> dict[str, object]:
    header: dict[str, object] = {"__metadata__": {"format": "pt"}}
    names = [bert_name(tensor.name) for tensor in layout.tensors]
    shapes = [(name, shape_of(name, layout)) for name in names]
    start = 0
    for name, shape in [*shapes, *_pooler(layout)]:
        end = start + 4 * int(np.prod(shape))
        header[name] = {"dtype": "F32", "shape": list(shape), "data_offsets": [start, end]}
        start = end
    return header
