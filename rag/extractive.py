"""The documents' own sentences, where the model has no answer though the material has one.

Small models say "the material does not mention it" over a passage that does, and sometimes they
say nothing. Then the passages speak for themselves, or the question is refused; the rule:

- A reply that denies having found anything, and of which no sentence is supported, is *not found*,
  unless the passages themselves word the denial like that.
- Over *not found*, a sentence or row is quoted only if it stands under headings and words that hold
  at least ``OVER_DENIAL`` of what the question is about, and its document holds every name and
  figure of the question: the model may be right, so it takes much to contradict it. Else the
  question is refused. Across languages words can't meet, so the model is believed.
- A reply of which no sentence is supported is treated like *not found*: of 38 such replies of the
  1.5B to questions of XQuAD 24 were to what has no answer, and 4 of the 14 others held it.
- Where the model said nothing, the closest sentences are quoted. Where it said nothing about the
  question (no word of it, or no figure though one was asked for, and nothing supported), they are
  if they hold at least ``OVER_NOISE`` of it; else the question is refused.

Measured over 150 questions each of XQuAD zh, XQuAD en and CMRC, five passages by BM25: at 0.6 a
sentence is shown for 37, 59 and 67 % of the questions; 88, 85 and 88 % of those hold the answer;
with the gold passage taken out one is still shown for 4, 8 and 7 %. At 0.75 it is 19, 41 and 48 %,
93, 92 and 90 %, and 1, 2 and 3 %; at 0.5 it is 63, 79 and 83 %, 85, 85 and 84 %, and 9, 18 and
13 %. That was before words of the headings counted half.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from rag.citations import Cited
from rag.markers import markers_in, respelled
from rag.questions import asks_figure, subject_terms
from rag.records import Citation, Hit, Sentence
from rag.sentences import figures, names, same_script, stems
from rag.support import Source, quote, sources_of
from rag.terms import normalise, terms
from rag.windows import Window

OVER_DENIAL = 0.6
"""Share of a question's terms a sentence must hold to be quoted against the model's "not found"."""
OVER_NOISE = 0.5
"""The same, where the reply is about something else."""
_ALIKE = 0.9
_MOST = 3
_FIGURE_BONUS = 0.1
_ABOVE = 0.5
"""What a word counts that stands in the headings only: they are above other sentences, too."""
_FEW_LETTERS = 20

_DENIAL = re.compile(
    r"(?:没有|并未|未能|未|无法|不能|没)[^，。；]{0,10}"
    r"(?:提到|提及|提供|说明|包含|涉及|找到|记载|给出|明确|相关|回答|确定|列出|指定|规定|显示|描述|得知)"
    r"|(?:资料|材料|文件|文档|信息|内容)[^，。；]{0,8}(?:不足|不包含|不包括|不含|无关)|不知道|不清楚"
    r"|(?:does|do|did|is|are|was|were|has|have)(?:n[’']t| not)\b[^.;]{0,40}"
    r"\b(?:mention|provide|contain|include|specif|state|say|give|list|answer|found|available"
    r"|indicate|address|describe)"
    r"|\bnot (?:mentioned|provided|specified|stated|found|available|given|included|contained"
    r"|listed)|\bno (?:information|mention|answer|details?|data)\b|\b(?:don[’']t|do not) know\b"
    r"|\b(?:can|could)(?:not|n[’']t| not) (?:find|answer|determine"
    r"|be (?:found|determined|answered))|\bunable to\b",
    re.IGNORECASE,
)
_LETTER = re.compile(r"[^\W\d_]")


def says_not_found(cited: Cited, hits: Sequence[Hit]) -> bool:
    """Whether the reply only says that the material holds no answer."""
    denied = [denies(sentence.text, hits) for sentence in cited.sentences]
    # Across languages a denial is called supported, as there is no figure in it to look up.
    told = [
        sentence.supported and not (no and not _in_their_script(sentence.text, hits))
        for sentence, no in zip(cited.sentences, denied, strict=True)
    ]
    return any(denied) and not any(told)


def denies(sentence: str, hits: Sequence[Hit]) -> bool:
    """Whether it says that something was not found, in words that the material does not use."""
    material = normalise("\n".join(hit.passage.embedded_text for hit in hits))
    return any(normalise(each.group()) not in material for each in _DENIAL.finditer(sentence))


def _in_their_script(sentence: str, hits: Sequence[Hit]) -> bool:
    return any(same_script(sentence, hit.passage.text) for hit in hits)


def says_nothing(cited: Cited, question: str, hits: Sequence[Hit]) -> bool:
    """Whether the reply is empty, or about something else than the question and the material."""
    if not cited.sentences:
        return True
    if any(sentence.supported for sentence in cited.sentences):
        return False
    said = " ".join(sentence.text for sentence in cited.sentences)
    if asks_figure(question) and not figures(said) and not says_not_found(cited, hits):
        return True
    if len(_LETTER.findall(said)) < _FEW_LETTERS:
        return False
    known = {*terms(question), *(term for hit in hits for term in terms(hit.passage.embedded_text))}
    return known.isdisjoint(terms(said))


def stands_nowhere(reply: str, cited: Cited, hits: Sequence[Hit]) -> bool:
    """Whether no sentence of the reply is supported, though words could tell.

    Across languages, as its markers or else all passages are, names may be spelled in another way.
    """
    if any(sentence.supported for sentence in cited.sentences):
        return False
    marked = markers_in(respelled(reply, len(hits))[0])
    meant = [hits[n - 1] for n in marked] or hits
    return any(same_script(reply, hit.passage.text) for hit in meant)


def extract(question: str, hits: Sequence[Hit], *, bar: float) -> Cited | None:
    """The sentences that hold most of what is asked, word for word; None if none reaches ``bar``.

    Marker n stands for ``hits[n - 1]``.
    """
    found = sorted(_candidates(question, hits), key=lambda each: -each.closeness)
    if not found or found[0].closeness < bar:
        return None
    best = [each for each in found if each.closeness >= _ALIKE * found[0].closeness]
    return _cited(sorted(best[:_MOST], key=lambda each: (each.marker, each.start)), hits)


def closest(question: str, hits: Sequence[Hit]) -> Cited:
    """The sentence nearest to the question, whatever its worth."""
    found = extract(question, hits, bar=0.0)
    if found is not None:
        return found
    return _cited([_Candidate(quote(question, hits[0].passage.text), 1, 0, 0.0)], hits)


@dataclass(frozen=True, slots=True)
class _Candidate:
    text: str
    marker: int
    start: int
    closeness: float


def _candidates(question: str, hits: Sequence[Hit]) -> list[_Candidate]:
    wanted = subject_terms(question)
    return [
        _Candidate(window.text, marker, start, _closeness(question, wanted, window))
        for marker, source in enumerate(sources_of(hits, question), start=1)
        if same_script(question, source.hit.passage.text) and _knows_names(question, source)
        for start, window in enumerate(source.windows)
        if not set(terms(window.text)) <= set(terms(window.context))  # a heading alone
    ]


def _knows_names(question: str, source: Source) -> bool:
    """Whether the document holds every name and figure of the question, near or far."""
    around = "\n".join(f"{window.context}\n{window.text}" for window in source.rivals)
    holds_names = all(normalise(name) in normalise(around) for name in names(question))
    return holds_names and figures(question) <= figures(around)


def _closeness(question: str, wanted: set[str], window: Window) -> float:
    """Share of the wanted terms in the window; a figure counts where one is asked for."""
    asked, own = stems(wanted), stems(window.own)
    above = stems(window.terms) - own
    share = (len(asked & own) + _ABOVE * len(asked & above)) / max(1, len(asked))
    adds_figure = bool(window.figures - figures(question))
    return share + (_FIGURE_BONUS if asks_figure(question) and adds_figure and share else 0.0)


def _cited(chosen: Sequence[_Candidate], hits: Sequence[Hit]) -> Cited:
    quotes: dict[int, str] = {}
    for each in chosen:
        quotes.setdefault(each.marker, each.text)
    return Cited(
        text="\n".join(f"{each.text}[{each.marker}]" for each in chosen),
        sentences=tuple(Sentence(each.text, (each.marker,), supported=True) for each in chosen),
        citations=tuple(
            Citation(marker, hits[marker - 1], text, supported=True)
            for marker, text in sorted(quotes.items())
        ),
        warnings=(),
    )
