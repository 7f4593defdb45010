"""Question sets: JSON lines with the question, and where its answer stands."""

from __future__ import annotations

import random
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from pydantic import BaseModel, ConfigDict, ValidationError

from rag.errors import InvalidRequest, NotFound


@dataclass(frozen=True, slots=True)
class Question:
    """One question with its gold place.

    ``document`` is the name of the document that answers, with its folders or without its ending,
    empty where none does; ``context`` the gold passage itself where the set brings its own texts;
    ``pages`` count from 1; ``spans`` are the characters of the document's file that answer, end
    exclusive. ``parallel`` is shared with the same question in another ``language``.
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
    spans: tuple[tuple[int, int], ...] = ()
    language: str = ""
    parallel: str = ""

    @property
    def tells_place(self) -> bool:
        """Whether `judging.at_gold` looks at more than the document."""
        return bool(self.pages or self.sheet or self.context)


class _Reference(BaseModel):
    model_config = ConfigDict(extra="ignore")

    start: int
    end: int


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
    references: tuple[_Reference, ...] = ()
    lang: str = ""
    parallel_id: str = ""


def read_questions(path: Path) -> list[Question]:
    """All questions of the set at ``path``.

    Raises:
        NotFound: there is no such file.
        InvalidRequest: a line is not a question; says which. Or there is none.
    """
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # not U+2028, which JSON may hold
    except FileNotFoundError as error:
        raise NotFound(f"There is no question set {path}.") from error
    except (OSError, UnicodeDecodeError) as error:
        raise InvalidRequest(f"{path} can't be read as UTF-8 text.") from error
    found = [
        _question(line, where=f"{path.name}:{number}", dataset=path.stem)
        for number, line in enumerate(lines, start=1)
        if line.strip()
    ]
    if not found:
        raise InvalidRequest(
            f"{path} holds no question.", hint="It needs a line of JSON for each question."
        )
    return found


def sample(questions: Sequence[Question], *, size: int | None, seed: int) -> list[Question]:
    """``size`` of the questions, the same ones for the same seed, in their order; all if None."""
    if size is None or size >= len(questions):
        return list(questions)
    chosen = random.Random(seed).sample(range(len(questions)), size)  # noqa: S311 (no secret)
    return [questions[at] for at in sorted(chosen)]


def some_of_each(questions: Sequence[Question], *, size: int, seed: int) -> list[Question]:
    """Up to ``size`` answerable questions of each set, and as many that are not."""
    kinds: dict[tuple[str, bool], list[Question]] = {}
    for question in questions:
        kinds.setdefault((question.dataset, question.answerable), []).append(question)
    return [each for of in kinds.values() for each in sample(of, size=size, seed=seed)]


def across(questions: Sequence[Question], partners: Sequence[Question]) -> list[Question]:
    """The questions with the gold places of their partners in another language.

    Args:
        questions: as they are asked.
        partners: the same questions in other languages, joined by ``parallel``.

    Raises:
        InvalidRequest: none of the questions has a partner.
    """
    by_id: dict[str, list[Question]] = {}
    for partner in partners:
        by_id.setdefault(partner.parallel, []).append(partner)
    joined = [
        replace(
            other,
            question_id=question.question_id,
            dataset=f"{question.dataset} across",
            text=question.text,
            language=question.language,
        )
        for question in questions
        for other in by_id.get(question.parallel, ())
        if question.parallel and other.language != question.language
    ]
    if not joined:
        raise InvalidRequest(
            "No question has a partner in another language in the set to search.",
            hint="Both sets need lang and parallel_id.",
        )
    return joined


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
        document=unicodedata.normalize("NFC", read.doc_id or ""),
        answers=read.answers,
        pages=(read.page,) if isinstance(read.page, int) else read.page or (),
        context=read.context,
        sheet=read.sheet,
        cells=read.cells,
        spans=tuple((each.start, each.end) for each in read.references),
        language=read.lang,
        parallel=read.parallel_id,
    )
