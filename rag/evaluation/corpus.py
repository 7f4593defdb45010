"""What a question set is asked about: the files to be read, by their paths."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path, PurePosixPath

from rag.errors import InvalidRequest, NotFound
from rag.evaluation.judging import names
from rag.evaluation.questions import Question
from rag.evaluation.spans import TEXT_FILES, Sources

Corpus = Mapping[str, bytes | Path]
"""Files by their path in the inbox: their bytes, or where they lie."""


def contexts(questions: Sequence[Question]) -> Corpus:
    """The sets' own passages as text files; those of one document in one file, in their order.

    Raises:
        InvalidRequest: an answerable question brings no passage, or none does; or the name of its
            document is none that a file in a folder can have.
    """
    lacking = next((each for each in questions if each.answerable and not each.context), None)
    if lacking is None and not any(each.context for each in questions):
        lacking = next(iter(questions), None)
    if lacking is not None:
        raise InvalidRequest(
            f"The set {lacking.dataset} brings no texts to search in.",
            hint="Give the folder of its documents with --documents.",
        )
    passages: dict[str, dict[str, None]] = {}
    for question in questions:
        if question.context:
            passages.setdefault(question.document, {})[question.context] = None
    outside = next((name for name in passages if not _is_inside(name)), None)
    if outside is not None:
        raise InvalidRequest(
            f"A passage can't be put into a file named {outside!r}.",
            hint="doc_id is a name, with folders if you like: policies/leave.",
        )
    return {f"{name}.txt": "\n\n".join(of).encode() for name, of in passages.items()}


def _is_inside(name: str) -> bool:
    return bool(name) and not name.startswith("/") and ".." not in PurePosixPath(name).parts


def files(folder: Path) -> Corpus:
    """Every file of a folder, but those hidden.

    Raises:
        NotFound: there is no such folder.
        InvalidRequest: it holds none.
    """
    if not folder.is_dir():
        raise NotFound(f"There is no folder {folder}.")
    found = sorted(
        file
        for file in folder.rglob("*")
        if file.is_file() and "/." not in f"/{file.relative_to(folder).as_posix()}"
    )
    if not found:
        raise InvalidRequest(f"The folder {folder} holds no file to read.")
    return {file.relative_to(folder).as_posix(): file.resolve() for file in found}


def check(corpus: Corpus, questions: Sequence[Question]) -> None:
    """Refuse questions whose document is not there: each would count as a miss.

    Raises:
        InvalidRequest: says which, and how many more.
    """
    there = frozenset[str]().union(*map(names, corpus))
    lost = [each for each in questions if each.answerable and each.document not in there]
    if not lost:
        return
    first, more = lost[0], len(lost) - 1
    named = (
        f"names the document {first.document}, which is not there"
        if first.document
        else ("names no document")
    )
    also = f"; {more} more are like it" if more else ""
    raise InvalidRequest(
        f"The question {first.question_id} of {first.dataset} {named}{also}.",
        hint="doc_id is the name of a file, with its folders or without, with its ending or"
        " without. Where the documents have no answer, say answerable: false.",
    )


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
