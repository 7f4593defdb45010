"""Question sets: JSON lines with the question, and where its answer stands."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from rag.errors import InvalidRequest, NotFound


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its gold place.

    ``document`` is the name of the document that answers, with its folders or without its ending,
    empty where none does; ``context``
    the gold passage itself where the set brings its own texts; ``pages`` count from 1.
    """

    question_id: str
    dataset: str
    text: str
    answerable: bool
    document: str
    answers: tuple[str, ...] = ()
    pages: tuple[int, ...] = ()
    context: str = ""
    sheet: str = ""
    cells: str = ""


class _Line(BaseModel):
    model_config = ConfigDict(extra="ignore")

    id: str
    question: str
    doc_id: str | None = None
    answerable: bool = True
    answers: tuple[str, ...] = ()
    page: tuple[int, ...] | int | None = None
    context: str = ""
    sheet: str = ""
    cells: str = ""


def read_questions(path: Path) -> list[Question]:
    """All questions of the set at ``path``.

    Raises:
        NotFound: there is no such file.
        InvalidRequest: a line is not a question; says which.
    """
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except FileNotFoundError as error:
        raise NotFound(f"There is no question set {path}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path} can't be read as UTF-8 text.") from error
    return [
        _question(line, where=f"{path.name}:{number}", dataset=path.stem)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]


def sample(questions: Sequence[Question], *, size: int | None, seed: int) -> list[Question]:
    """``size`` of the questions, the same ones for the same seed, in their order; all if None."""
    if size is None or size >= len(questions):
        return list(questions)
    chosen = random.Random(seed).sample(range(len(questions)), size)  # noqa: S311 (no secret)
    return [questions[at] for at in sorted(chosen)]


def _question(line: str, *, where: str, dataset: str) -> Question:
    try:
        read = _Line.model_validate_json(line)
    except ValidationError as error:
        first = error.errors()[0]
        field = ".".join(map(str, first["loc"])) or "line"
        raise InvalidRequest(
            f"{where} is not a question: {field}: {first['msg']}.",
            hint="A line needs at least id and question.",
        ) from error
    return Question(
        question_id=read.id,
        dataset=dataset,
        text=read.question,
        answerable=read.answerable,
        document=read.doc_id or "",
        answers=read.answers,
        pages=(read.page,) if isinstance(read.page, int) else read.page or (),
        context=read.context,
        sheet=read.sheet,
        cells=read.cells,
    )
