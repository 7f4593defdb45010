"""What a question set is asked about: the files to be read, by their paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from rag.errors import InvalidRequest, NotFound
from rag.evaluation.questions import Question
from rag.evaluation.spans import TEXT_FILES, Sources

Corpus = Mapping[str, bytes | Path]
"""Files by their path in the inbox: their bytes, or where they lie."""


def contexts(questions: Sequence[Question]) -> Corpus:
    """The sets' own passages as text files; those of one document in one file, in their order.

    Raises:
        InvalidRequest: an answerable question brings no passage.
    """
    lacking = next((each for each in questions if each.answerable and not each.context), None)
    if lacking is not None:
        raise InvalidRequest(
            f"The set {lacking.dataset} brings no texts to search in.",
            hint="Give the folder of its documents with --documents.",
        )
    passages: dict[str, dict[str, None]] = {}
    for question in questions:
        if question.context:
            passages.setdefault(question.document, {})[question.context] = None
    return {f"{name}.txt": "\n\n".join(of).encode() for name, of in passages.items()}


def files(folder: Path) -> Corpus:
    """Every file of a folder.

    Raises:
        NotFound: there is no such folder.
        InvalidRequest: it is empty.
    """
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.")
    found = sorted(file for file in folder.rglob("*") if file.is_file())
    if not found:
        raise InvalidRequest(f"The folder {folder} is empty.")
    return {file.relative_to(folder).as_posix(): file.resolve() for file in found}


def sources(corpus: Corpus, questions: Sequence[Question]) -> Sources | None:
    """The text of the files that the questions count characters in; None where none does.

    Raises:
        InvalidRequest: a file that a question counts in is not there, or not text.
    """
    counted = {question.document for question in questions if question.spans}
    if not counted:
        return None
    texts: dict[str, str] = {}
    for name, content in corpus.items():
        path = PurePosixPath(name)
        if path.suffix.lower() in TEXT_FILES and counted & {path.stem, path.name}:
            held = content if isinstance(content, bytes) else content.read_bytes()
            texts[name] = held.decode("utf-8")
    lacking = counted - {PurePosixPath(name).stem for name in texts} - set(texts)
    if lacking:
        raise InvalidRequest(
            f"There is no text file {min(lacking)} to count characters in.",
            hint="Give the folder that holds it with --documents.",
        )
    return Sources(texts)
