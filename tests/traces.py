"""Looks for what should be gone: every byte of every file of some folders."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from rag.catalog.rows import pack_vector
from rag.ports import Vectors
from rag.terms import terms

ENCODINGS = ("utf-8", "utf-16-le", "utf-16-be", "gb18030")


def needles(*texts: str, tokens: Iterable[str] = ()) -> dict[str, bytes]:
    """The texts in every encoding a trace may have, JSON's too; search terms in SQLite's.

    Four bytes would turn up in vectors by chance: so texts of four signs and more, please.
    """
    wanted = {f"term {token}": token.encode() for token in tokens}
    for text in texts:
        for encoding in ENCODINGS:
            wanted[f"{text} in {encoding}"] = text.encode(encoding)
        wanted[f"{text} escaped"] = ascii(text)[1:-1].encode()
    return wanted


def terms_of(*texts: str) -> list[str]:
    """The bigrams and words under which the keyword index knows these texts."""
    return sorted({term for text in texts for term in terms(text)})


def vector_needles(vectors: Vectors) -> dict[str, bytes]:
    """Each vector as stored; its first half, too, since pages of a file cut it."""
    whole = {f"vector {at}": pack_vector(vector) for at, vector in enumerate(vectors)}
    half = len(vectors[0]) // 2 if len(vectors) else 0
    return {**whole, **{f"half of {k}": v[: 4 * half] for k, v in whole.items()}}


def traces(wanted: dict[str, bytes], *folders: Path) -> list[str]:
    """Where any of it is found, in contents or names."""
    found: list[str] = []
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            named = str(path.relative_to(folder)).encode()
            content = path.read_bytes() if path.is_file() else b""
            found += [
                f"{what} in {path.relative_to(folder)}"
                for what, needle in wanted.items()
                if needle in content or needle in named
            ]
    return found
