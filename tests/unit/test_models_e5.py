"""The E5S1 layout, on a tiny file written here."""

import json
import struct

import numpy as np
import pytest

from rag.errors import Unavailable
from rag.models.e5 import bert_name, read_layout, write_safetensors
from rag.models.e5_folder import write_e5_folder

HIDDEN, WIDE, VOCABULARY, POSITIONS = 32, 64, 5, 8


def tensors() -> dict[str, tuple[int, int]]:
    """Name: kind, count."""
    square, tall = HIDDEN * HIDDEN, HIDDEN * WIDE
    found = {
        "emb.word": (1, VOCABULARY * HIDDEN),
        "emb.pos": (0, POSITIONS * HIDDEN),
        "emb.type": (0, 2 * HIDDEN),
        "emb.ln.w": (0, HIDDEN),
        "emb.ln.b": (0, HIDDEN),
    }
    for part in ("q", "k", "v", "ao"):
        found |= {f"l0.{part}.w": (1, square), f"l0.{part}.b": (0, HIDDEN)}
    found |= {"l0.fi.w": (1, tall), "l0.fi.b": (0, WIDE)}
    found |= {"l0.fo.w": (1, tall), "l0.fo.b": (0, HIDDEN)}
    for part in ("aln", "oln"):
        found |= {f"l0.{part}.w": (0, HIDDEN), f"l0.{part}.b": (0, HIDDEN)}
    return found


def payload(kind: int, count: int) -> bytes:
    if kind == 0:
        return np.arange(count, dtype="<f4").tobytes()
    # Low nibbles 0..15, high nibbles all 9: weights -8..7, then 1, times the scale 0.5.
    block = struct.pack("<e", 0.5) + bytes(low | 0x90 for low in range(16))
    return block * (count // 32)


def e5_file() -> bytes:
    header = b"E5S1" + struct.pack(
        "<I7ifi", 1, HIDDEN, 1, 2, WIDE, VOCABULARY, POSITIONS, 2, 1e-12, 32
    )
    header += struct.pack("<5iQ", 1, 0, 2, 1, 3, 2) + struct.pack("<2I", 0, 2)
    header += struct.pack("<f", -1.0) + b"ab"
    header += struct.pack("<iI", 1, 3) + b"xyz"
    header += struct.pack("<i", len(tensors()))
    entries = sum(2 + len(name) + 21 for name in tensors())
    start, body, directory = len(header) + entries, b"", b""
    for name, (kind, count) in tensors().items():
        raw = payload(kind, count)
        directory += struct.pack("<H", len(name)) + name.encode()
        directory += struct.pack("<BIQQ", kind, count, start + len(body), len(raw))
        body += raw
    return header + directory + body


def read_safetensors(path) -> dict[str, np.ndarray]:
    raw = path.read_bytes()
    (length,) = struct.unpack("<Q", raw[:8])
    assert (8 + length) % 8 == 0
    found = {}
    for name, entry in json.loads(raw[8 : 8 + length]).items():
        if name != "__metadata__":
            begin, end = (8 + length + offset for offset in entry["data_offsets"])
            found[name] = np.frombuffer(raw[begin:end], "<f4").reshape(entry["shape"])
    return found


@pytest.fixture
def weights(tmp_path):
    path = tmp_path / "weights.bin"
    path.write_bytes(e5_file())
    return path


def test_the_header_is_read(weights):
    layout = read_layout(memoryview(weights.read_bytes()))
    assert (layout.hidden, layout.feed_forward, layout.vocabulary) == (HIDDEN, WIDE, VOCABULARY)
    assert [tensor.name for tensor in layout.tensors] == list(tensors())


def test_nibbles_become_weights_low_half_first(weights, tmp_path):
    write_safetensors(weights, tmp_path / "out")
    word = read_safetensors(tmp_path / "out")["embeddings.word_embeddings.weight"]
    assert word.shape == (VOCABULARY, HIDDEN)
    assert word[0].tolist() == [0.5 * (n - 8) for n in range(16)] + [0.5] * 16


def test_every_tensor_of_a_bert_model_is_there_in_its_shape(weights, tmp_path):
    write_safetensors(weights, tmp_path / "out")
    found = read_safetensors(tmp_path / "out")
    layer = "encoder.layer.0."
    assert found[f"{layer}intermediate.dense.weight"].shape == (WIDE, HIDDEN)
    assert found[f"{layer}output.dense.weight"].shape == (HIDDEN, WIDE)
    assert found[f"{layer}attention.output.dense.weight"].shape == (HIDDEN, HIDDEN)
    assert found[f"{layer}intermediate.dense.bias"].shape == (WIDE,)
    assert found["pooler.dense.weight"].shape == (HIDDEN, HIDDEN)
    assert len(found) == len(tensors()) + 2


def test_safetensors_itself_can_read_it(weights, tmp_path):
    from safetensors.numpy import load_file

    write_safetensors(weights, tmp_path / "out")
    assert set(load_file(tmp_path / "out")) == set(read_safetensors(tmp_path / "out"))


def test_the_same_file_gives_the_same_bytes(weights, tmp_path):
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / "tokenizer.json").write_text("{}")
        write_e5_folder(weights, tmp_path / "tokenizer.json", tmp_path / name)
    one, two = (
        {path.relative_to(tmp_path / name): path.read_bytes()
         for path in (tmp_path / name).rglob("*") if path.is_file()}
        for name in ("one", "two")
    )  # fmt: skip
    assert one == two
    assert len(one) == 8


@pytest.mark.parametrize("cut", [3, 40, 200, 3000])
def test_a_file_cut_short_is_told(tmp_path, cut):
    path = tmp_path / "cut.bin"
    path.write_bytes(e5_file()[:cut])
    with pytest.raises(Unavailable):
        write_safetensors(path, tmp_path / "out")


def test_an_unknown_tensor_is_told():
    with pytest.raises(Unavailable, match="unknown tensor"):
        bert_name("l0.mystery.w")
