"""Looks an answer's sentences up again in the passages they are said to come from.

What a sentence adds to the question must stand in the passage, each figure in one sentence or row
of it (a `Window`), and no other window of the document with figures may be more about what the
sentence is about: "the deposit is 4,250" is not supported by the rent of 4,250.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from decimal import Decimal
from functools import cached_property

from rag.headings import echoes_heading
from rag.measured import has_units, in_units_of
from rag.one_of_many import is_one_of_many, is_outdone
from rag.questions import subject_terms
from rag.records import Hit
from rag.sentences import (
    content_terms,
    figures,
    names,
    overlap,
    same_script,
    says_one,
    sentence_spans,
    stems,
)
from rag.spelled import is_month, spelled
from rag.terms import normalise, terms
from rag.windows import (
    SCALES,
    Window,
    amounts_of,
    clauses,
    figures_of,
    gist_of,
    is_denied,
    units_of,
    windows_of,
    written_out,
)
from rag.yes_no import led, restated

MIN_SUPPORT = 0.35
"""Share of a sentence's terms a passage must hold to support what it is cited for."""
MIN_NEW = 0.55
"""Share of what the sentence adds to the question that must stand in the passage."""
MIN_ATTRIBUTION = 0.6
"""Share of terms for a sentence that came without a marker: only a clear source is given to it."""
_MIN_BESIDE_FIGURES = 0.25
"""The same, where a new figure and all that the sentence adds stand there: who asks how an employee
resigns is told by what the law says of ending a worker's contract."""
_MIN_STATED = 0.75
"""The same of a question's terms, where a bare yes or no is the answer."""
_MIN_SUBJECT = 2
_BARE = 4
"""Terms of a name given as the whole answer, at most."""
_OPPOSITE = 0.6
"""Share of a clause's terms that a window which says the opposite must hold to speak against it."""
_DIGIT = re.compile(r"\d")


@dataclass(frozen=True)
class Source:
    """A passage as evidence; ``rivals`` are the windows of its document that were found."""

    hit: Hit
    question: str
    rivals: tuple[Window, ...]

    @property
    def text(self) -> str:
        return self.hit.passage.embedded_text

    @cached_property
    def windows(self) -> tuple[Window, ...]:
        return tuple(windows_of(self.hit))

    def supports(self, sentence: str) -> bool:
        """Whether the passage says what the sentence says, as far as words and figures tell.

        Across languages only figures and Latin names can be looked up. Amounts may be written in
        万, 亿 and millions, or out, and units of measure in any way. A bare yes says what was
        asked.
        """
        if stated := restated(sentence, self.question):
            return self._says(stated) and self.share(stated) >= _MIN_STATED
        said = led(sentence, self.question)
        ways = dict.fromkeys((said, written_out(said), in_units_of(self.text, said)))
        if amounts_of(said) & self._of_other_scale:
            del ways[said]
        return any(map(self._says, ways))

    @cached_property
    def _of_other_scale(self) -> set[tuple[str, int]]:
        """The passage's amounts in millions and the like, in each scale that they are not in."""
        here = amounts_of(self.text)
        return {(number, scale) for number, _ in here for scale in SCALES.values()} - here

    def _says(self, sentence: str) -> bool:
        if not self._holds_names(sentence) or not self._has_units(sentence):
            return False
        if not all(self._holds(clause, sentence) for clause in clauses(sentence)):
            return False
        if not same_script(sentence, self.hit.passage.text):
            return True
        if self._is_heading(sentence) or not self._answers(sentence):
            return False
        news, new = self.news(sentence), figures_of(sentence) - figures_of(self.question)
        least = _MIN_BESIDE_FIGURES if new and news == 1.0 else MIN_SUPPORT
        return self.share(sentence) >= least and news >= MIN_NEW

    def _is_heading(self, sentence: str) -> bool:
        return echoes_heading(sentence, self.question, self.hit.passage.context, self.windows)

    def _answers(self, sentence: str) -> bool:
        """Whether a bare name, given as the whole answer, stands beside what was asked about."""
        asked = content_terms(self.question) if self.question else set()
        new = content_terms(sentence) - asked
        if not asked or not 0 < len(new) <= _BARE or content_terms(sentence) & asked:
            return True
        holding = [window for window in self.windows if new <= window.terms]
        if any(window.cells for window in holding):
            holding = [window for window in holding if self._is_row_asked_for(window)]
            return any(asked & window.terms for window in holding)
        return not holding or any(asked & window.terms for window in holding)

    def _is_row_asked_for(self, row: Window) -> bool:
        """Whether a row holds the codes that the question names, where any row found does."""
        codes = {normalise(name) for name in names(self.question) if _DIGIT.search(name)}
        known = normalise("\n".join(window.text for window in self.rivals))
        return all(code in normalise(row.text) for code in codes if code in known)

    def says_in_words(self, sentence: str) -> bool:
        """Whether the passage supports the sentence, and holds most of its words."""
        return self.supports(sentence) and self.share(sentence) >= MIN_ATTRIBUTION

    def says_by_facts(self, sentence: str) -> bool:
        """Whether it supports the sentence, and holds its figures and names in one window.

        One of them at least is not in the question; across languages one alone tells too little.
        """
        if not self.supports(sentence):
            return False
        facts = figures_of(sentence) | names(sentence)
        if not facts - figures_of(self.question) - names(self.question):
            return False
        if not any(_holds_all(window, figures_of(sentence), sentence) for window in self.windows):
            return False
        if same_script(sentence, self.hit.passage.text):
            return self.news(sentence) == 1.0
        return len(facts) > 1

    def _is_nearest(self, wanted: set[object], sentence: str) -> bool:
        """Whether no other passage alone has the figures and names of a sentence together.

        Only across languages, where no words tell it.
        """
        if same_script(sentence, self.hit.passage.text):
            return True
        together = [window for window in self.rivals if _holds_all(window, wanted, sentence)]
        return not together or any(_holds_all(each, wanted, sentence) for each in self.windows)

    def share(self, sentence: str) -> float:
        """Share of the sentence's content terms that stand here, 0 to 1."""
        wanted = _told(sentence)
        return len(self._held(wanted) | (wanted & self._named)) / len(wanted) if wanted else 0.0

    def news(self, sentence: str) -> float:
        """Share of the terms that the sentence adds to the question that stand here, 0 to 1."""
        numbers = {term for term in _told(sentence) if _DIGIT.search(term)}
        new = (gist_of(sentence) | numbers) - set(terms(self.question))
        return len(self._held(new)) / len(new) if new else 1.0

    def _held(self, wanted: Collection[str]) -> set[str]:
        """Those of the terms that stand here, numbers by their value."""
        said = set(terms(self.text))
        numbers = (term for term in wanted if figures(term) and figures(term) <= self._figures)
        return {*(said & set(wanted)), *numbers}

    @cached_property
    def _figures(self) -> set[Decimal]:
        own = self.hit.passage.text
        here = figures(own) | figures(written_out(own))
        return here | {Decimal(1)} if says_one(own) else here

    @cached_property
    def _named(self) -> set[str]:
        """What the question names (a street, a year) that stands elsewhere in the document."""
        asked = names(self.question) | {str(figure) for figure in figures(self.question)}
        around = set().union(*(window.terms for window in self.rivals))
        return {term for name in asked for term in terms(name)} & around

    def _holds(self, clause: str, sentence: str) -> bool:
        """Whether a window holds the clause's figures, none of the others being more about it."""
        wanted = figures_of(clause)
        new = wanted - figures_of(self.question)
        if not wanted - new <= set().union(*(window.given for window in self.rivals)):
            return False
        alike = self._alike(clause)
        if self._is_contradicted(clause, alike):
            return False
        if not new:
            return bool(alike) and self._is_nearest(wanted, sentence)
        tellings = [clause]
        if not any(each != clause and figures_of(each) for each in clauses(sentence)):
            tellings += [sentence, f"{sentence}\n{self.question}"]
        holding = [w for w in alike if new <= w.given and _is_in_columns(w, new, tellings)]
        holding = [w for w in holding if not _is_of_another(w, wanted)]
        subject = self._subject(clause, sentence, holding)
        if not holding or not self._is_about(clause, subject, holding):
            return False
        if all(
            is_one_of_many(w, sentence, self.question, self.rivals)
            or is_outdone(w, new, self.question, self.rivals)
            for w in holding
        ):
            return False
        asked = wanted - new
        if len(wanted) == 1 and any(window.cells for window in holding):
            asked = figures_of(self.question)
        rest = [w for w in self.rivals if w.figures and not new <= w.given]
        return not _is_outdone(holding, rest, subject - units_of(clause) or subject, asked)

    def _is_contradicted(self, clause: str, alike: Sequence[Window]) -> bool:
        """Whether a window that says nearly the same denies it, or affirms what it denies."""
        denies = is_denied(clause)
        against = [w for w in self.windows if w.denies(clause) != denies]
        most = max((overlap(clause, window.text) for window in against), default=0.0)
        others = (overlap(clause, w.text) for w in alike if w not in against)
        return most >= _OPPOSITE and most > max(others, default=0.0)

    def _is_about(self, clause: str, subject: set[str], holding: Sequence[Window]) -> bool:
        """Whether a window that holds the figures says a word of the subject in its own text.

        What stands in the headings is about every row below, so it tells none of them apart: a
        parking fee is not the deposit of the same contract.
        """
        if not same_script(clause, self.hit.passage.text):
            return True
        own = subject - units_of(clause) - set().union(*(terms(w.context) for w in holding))
        return not own or any(stems(own) & stems(window.own) for window in holding)

    def _alike(self, clause: str) -> list[Window]:
        """The windows that deny or affirm as the clause does; a denial needs one that denies."""
        denies = is_denied(clause)
        alike = [window for window in self.windows if window.denies(clause) == denies]
        return alike or ([] if denies else list(self.windows))

    def _subject(self, clause: str, sentence: str, holding: Sequence[Window]) -> set[str]:
        """What the clause is about: its words without figures; with the question's if they lack."""
        if any(window.cells for window in holding):
            return self._row_subject(clause, sentence)
        subject = {term for term in content_terms(clause) if not _DIGIT.search(term)}
        if len(subject) < _MIN_SUBJECT:
            subject |= content_terms(self.question)
        return subject - self._named

    def _row_subject(self, clause: str, sentence: str) -> set[str]:
        """The same among the rows of a table, whose names the question's may be.

        Where the clause names no row ("the opening balance is 986,300"), the sentence or else the
        question does.
        """
        rows = set().union(*(window.own for window in self.rivals if window.cells))
        subject = set(gist_of(clause))
        for more in (gist_of(sentence), gist_of(self.question) & subject_terms(self.question)):
            if not subject & rows:
                subject |= more
        return subject - (self._named - rows)

    def _has_units(self, sentence: str) -> bool:
        around = (text for window in self.rivals for text in (window.context, window.text))
        return has_units(sentence, (self.question, self.text, *around))

    def _holds_names(self, sentence: str) -> bool:
        here, asked = normalise(self.text), normalise(self.question)
        around = normalise("\n".join(f"{w.context} {w.text}" for w in self.rivals))
        return all(
            name in here or (name in asked and name in around)
            for name in map(normalise, names(sentence))
            if not is_month(name)  # its number is looked up, as the other language has it
        )


def _told(sentence: str) -> set[str]:
    """Its content terms as they are written, without their other spellings: see `rag.spelled`."""
    said = content_terms(sentence)
    return said.difference(spelled(normalise(sentence)), {"00", "000"}) or said


def _holds_all(window: Window, wanted: set[object], sentence: str) -> bool:
    """Whether the window has these figures, and the names that the sentence says."""
    here = normalise(f"{window.context}\n{window.text}")
    named = (normalise(name) for name in names(sentence) if not is_month(name))
    return wanted <= window.given and all(name in here for name in named)


def _is_of_another(window: Window, wanted: set[object]) -> bool:
    """Whether it is of 第三年 where 第二年 is meant: both name ordinals, and none alike."""
    said, own = (
        {figure for figure in of if isinstance(figure, tuple)} for of in (wanted, window.figures)
    )
    return bool(said and own) and said.isdisjoint(own)


def _is_in_columns(window: Window, new: set[object], tellings: Sequence[str]) -> bool:
    """Whether each figure stands under the column that the first telling to name one names."""
    verdicts = ([window.has_in_column(figure, said) for said in tellings] for figure in new)
    return all(next((v for v in each if v is not None), True) for each in verdicts)


def _is_outdone(
    holding: Sequence[Window], others: Sequence[Window], subject: set[str], asked: set[object]
) -> bool:
    """Whether another window is more about the subject, or as much and about nothing else.

    "Notice during the trial period is 7 days" does not say how long the trial period is where
    another sentence does. Of the figures ``asked`` for, a window says more by each that it has
    beside one of its own.
    """

    def closeness(window: Window) -> int:
        mine = window.figures - asked
        return len(subject & window.terms) + (len(asked & window.given) if mine else 0)

    most = max(map(closeness, holding))
    best = max(map(closeness, others), default=0)
    if best != most:
        return best > most
    level = [window for window in holding if closeness(window) == most]
    return not any(window.gist <= subject for window in level) and any(
        window.gist and window.gist <= subject for window in others if closeness(window) == best
    )


def sources_of(hits: Sequence[Hit], question: str) -> list[Source]:
    """The passages as evidence, in their order."""
    documents: dict[str, list[Window]] = {}
    for hit in hits:
        documents.setdefault(hit.passage.document_id, []).extend(windows_of(hit))
    return [Source(hit, question, tuple(documents[hit.passage.document_id])) for hit in hits]


def clear_source(sentence: str, sources: Sequence[Source], *, is_marked: bool) -> int | None:
    """The marker of the passage that clearly says the sentence, if any.

    Where the model did give a marker, though a wrong one, its facts suffice.
    """
    clear = [
        (source.news(sentence), overlap(sentence, source.text), -number)
        for number, source in enumerate(sources, start=1)
        if source.says_in_words(sentence) or (is_marked and source.says_by_facts(sentence))
    ]
    return -max(clear)[-1] if clear else None


def quote(sentence: str, passage: str, question: str = "") -> str:
    """The sentence or row of ``passage``, word for word, that says most of what ``sentence`` says.

    The figures that it adds to the question count most: the year that was asked for stands above
    the row, too.
    """
    spans = sentence_spans(passage)
    if not spans:
        return ""
    said = figures(sentence) | figures(written_out(sentence))
    wanted = said - figures(question) or said

    def closeness(span: tuple[int, int]) -> float:
        words = passage[span[0] : span[1]]
        shared = len(wanted & figures(words)) / len(wanted) if wanted else 0.0
        return overlap(sentence, words) + shared

    start, end = max(spans, key=closeness)
    return passage[start:end]
