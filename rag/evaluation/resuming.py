"""Writes down what was answered as it comes, so that a run cut short can go on."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Any

from rag.evaluation.answering import Answered, Round


class WrittenDown:
    """The outcomes in a file, a line each; a line cut short or of another version is dropped.

    Args:
        path: the file; need not be there.
        by: what answers, ready for JSON. An outcome stands for nothing that another gave.
    """

    def __init__(self, path: Path, by: Mapping[str, Any]) -> None:
        self._path = path
        self._by = by
        lines = path.read_bytes().splitlines() if path.exists() else []
        self._outcomes = dict(pair for line in lines if (pair := _read(line)))
        path.write_text("".join(map(_line, self._outcomes.items())), encoding="utf-8")

    def get(self, asked: Round) -> Answered | None:
        """What was answered to this very question, if anything was."""
        return self._outcomes.get(self._key(asked))

    def add(self, asked: Round, outcome: Answered) -> None:
        """Write an outcome down at once."""
        pair = self._key(asked), outcome
        with self._path.open("a", encoding="utf-8") as file:
            file.write(_line(pair))

    def _key(self, asked: Round) -> str:
        told = json.dumps({"by": self._by, **asdict(asked)}, sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()


def _line(pair: tuple[str, Answered]) -> str:
    return json.dumps({"asked": pair[0], **asdict(pair[1])}, ensure_ascii=False) + "\n"


def _read(line: bytes) -> tuple[str, Answered] | None:
    try:
        held = json.loads(line)
        return held.pop("asked"), Answered(**held)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
