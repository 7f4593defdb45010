"""The plain way, to hold ours against: what a page of code makes of the same model.

The nearest passages by meaning alone are pasted into an ordinary prompt, and the reply is taken as
it comes: no gate, no check of markers, no words of the documents in its place.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from rag.evaluation.questions import Question
from rag.extractive import denies
from rag.markers import markers_in, respelled, without_markers
from rag.records import Answer, Citation, Hit, Message, Prompt, Sentence, Timings
from rag.sentences import sentence_spans
from rag.support import sources_of
from rag.terms import is_cjk

if TYPE_CHECKING:
    from rag.ports import Generator

PASSAGES = 3
_SIGN = re.compile(r"[^\W_]")
# No markers are asked for: the 1.5B then gave nothing but [1] to one question in five.
_ASK_EN = (
    "Use the following passages to answer the question. If they do not contain the answer, just "
    "say that you don't know.\n\n{passages}\n\nQuestion: {question}"
)
_ASK_ZH = (
    "请根据以下资料回答问题。如果资料中没有答案，就说不知道。\n\n{passages}\n\n问题：{question}"
)


def answer(
    question: Question,
    hits: Sequence[Hit],
    model: Generator,
    *,
    answer_tokens: int,
    clock: Callable[[], float],
) -> Answer:
    """What ``model`` says of ``question`` with ``hits`` before it.

    It counts as refused where it begins with a denial of having found anything.

    Args:
        question: as it is asked.
        hits: what dense search found, best first.
        model: the one that answers our way, too.
        answer_tokens: where the reply is cut.
        clock: seconds, monotonic.
    """
    started, first = clock(), None
    said, reason = "", None
    for piece in model.generate(
        _prompt(question.text, hits), max_tokens=answer_tokens, cancelled=lambda: False
    ):
        first = clock() if first is None and piece.tokens else first
        said, reason = said + piece.text, piece.finish
    took = Timings(
        first_token_ms=None if first is None else 1000 * (first - started),
        total_ms=1000 * (clock() - started),
    )
    text, _ = respelled(said, len(hits))
    sentences = _sentences(text, hits, question.text)
    citations = tuple(
        Citation(marker, hits[marker - 1], "", supported=False)
        for marker in sorted({n for each in sentences for n in each.markers})
    )
    refused = bool(sentences) and denies(sentences[0].text, hits)
    return Answer(
        text=text,
        mode="refused" if refused else "generated",
        finish_reason="refused" if refused else reason or "stop",
        hits=tuple(hits),
        question_used=question.text,
        read=len(hits),
        total=len(hits),
        citations=citations,
        sentences=sentences,
        timings=took,
    )


def _prompt(question: str, hits: Sequence[Hit]) -> Prompt:
    passages = "\n\n".join(
        f"[{number}] {hit.passage.embedded_text}" for number, hit in enumerate(hits, start=1)
    )
    ask = (_ASK_ZH if is_cjk(question) else _ASK_EN).format(passages=passages, question=question)
    return Prompt((Message("system", "You are a helpful assistant."), Message("user", ask)), ())


def _sentences(text: str, hits: Sequence[Hit], question: str) -> tuple[Sentence, ...]:
    """The reply's sentences; supported by a passage that they name, or by any if they name none."""
    sources = sources_of(hits, question)
    judged = []
    for start, end in sentence_spans(text):
        markers, bare = markers_in(text[start:end]), without_markers(text[start:end])
        named = [sources[marker - 1] for marker in markers] or sources
        judged.append(Sentence(bare, markers, any(source.supports(bare) for source in named)))
    return tuple(each for each in judged if _SIGN.search(each.text))
