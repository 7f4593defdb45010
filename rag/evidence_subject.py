"""Whether the years, numbers and firms that a question names stand beside what it is about.

In a store of reports of many companies and years, what was found for a year that no report of the
company is of is very like the question in words and in meaning; only the year tells. ADR 0017 has
how often the rule refuses a good question: 1 of 93 that name a year. So it is with the deposit of a
firm that no lease is of.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping, Sequence

from rag.parties import firms, speaks_of
from rag.records import Hit
from rag.terms import codes, normalise, terms

_YEAR = re.compile(r"(?:1[5-9]|20)\d\d")
_CODE = re.compile(r"(?=(?:\D*\d){2})[a-z][a-z0-9]*(?:[-_./][a-z0-9]+)*")
"""A number that begins with letters, as invoices, contracts and sizes have: INV-2024-0117, DN80.
Others may be amounts, and asked about because they are doubted."""
_BETWEEN = re.compile(r"[-_./\s]+")
_AS_MUCH = 0.9
"""Share of the best document's rarity that another must hold to be about the same."""


def stand_together(
    question: str,
    wanted: Collection[str],
    hits: Sequence[Hit],
    rarity: Mapping[str, float],
    holds: Callable[[str, str], bool],
) -> bool:
    """Whether a document about the question's subject holds all years, numbers and firms it names.

    A year between two that the passages found of a document speak of is held (a lease from 2023 to
    2026 runs in 2024), and any is where they speak of none: staff rules may be asked for this year,
    and by any firm.

    Args:
        question: as it was asked.
        wanted: the question's content terms.
        hits: what was found, in the question's script.
        rarity: of each term wanted.
        holds: given a term and a document, whether any passage of it has the term.
    """
    telling = {term for term in wanted if _YEAR.fullmatch(term) or _CODE.fullmatch(term)}
    named = firms(question)
    if not telling and not named:
        return True
    subject = set(wanted) - set(codes(list(wanted)))
    said = terms_by_document(hits)
    texts = {document: _squeezed(document, hits) for document in said}
    about = {each: sum(rarity[term] for term in subject & of) for each, of in said.items()}
    most = max(about.values())
    return any(
        about[document] >= _AS_MUCH * most
        and all(_spoken_of(term, of, texts[document]) or holds(term, document) for term in telling)
        and _of_firms(named, of, document, hits, holds)
        for document, of in said.items()
    )


def terms_by_document(hits: Sequence[Hit]) -> dict[str, set[str]]:
    """What each document says in all its passages found, its folders and name counted.

    What a question names may stand on one page of a document, what it asks for on another.
    """
    said: dict[str, set[str]] = {}
    for hit in hits:
        paths = " ".join((hit.path, *hit.locations))
        said.setdefault(hit.passage.document_id, set()).update(
            terms(hit.passage.embedded_text), terms(paths)
        )
    return said


def _spoken_of(term: str, said: set[str], text: str) -> bool:
    if term in said or not _YEAR.fullmatch(term):
        return term in said or _BETWEEN.sub("", term) in text
    years = [each for each in said if _YEAR.fullmatch(each)]
    return not years or min(years) < term < max(years)


def _of_firms(
    named: Sequence[str],
    said: Collection[str],
    document: str,
    hits: Sequence[Hit],
    holds: Callable[[str, str], bool],
) -> bool:
    """Whether the document speaks of each firm, or its passages found of none at all."""
    if not named or not any(firms(text) for text in _texts(document, hits)):
        return True
    return all(speaks_of(name, said, lambda term: holds(term, document)) for name in named)


def _texts(document: str, hits: Sequence[Hit]) -> list[str]:
    of = [hit for hit in hits if hit.passage.document_id == document]
    return [f"{hit.path} {hit.passage.embedded_text}" for hit in of]


def _squeezed(document: str, hits: Sequence[Hit]) -> str:
    """What was found of a document without blanks and joining signs: DN 80 is DN80."""
    return _BETWEEN.sub("", normalise(" ".join(_texts(document, hits))))
