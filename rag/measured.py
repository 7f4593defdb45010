"""The unit of measure that a sentence gives a figure: it must come out of the document, too."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable

from rag.terms import normalise

_FIGURE = r"\d[\d,.]*\s*(?:[万亿千百]|thousand|million)?\s*"
_UNITS = (
    r"公顷|hectares?|ha",
    r"平方公里|平方千米|square kilomet(?:er|re)s?|sq\.? ?km|km[2²^]+",
    r"平方英里|square miles?|sq\.? ?mi",
    r"平方米|平米|square met(?:er|re)s?|sq\.? ?m|sqm|m[2²^]+",
    r"平方英尺|square f(?:ee|oo)t|sq\.? ?ft",
    r"亩|mu",
    r"英亩|acres?",
    r"立方米|cubic met(?:er|re)s?|m[3³]",
    r"(?<!平方)(?:公里|千米)|(?<!square )kilomet(?:er|re)s?|kms?",
    r"(?<!平方)英里|(?<!square )miles?",
    r"厘米|centimet(?:er|re)s?|cm",
    r"毫米|millimet(?:er|re)s?|mm",
    r"(?<![平方立千厘毫])米|(?<!square )(?<!cubic )met(?:er|re)s?|m",
    r"吨|tonn?es?|tons?|t",
    r"千克|公斤|kilograms?|kilos?|kgs?",
    r"(?<![千毫])克|grams?|g",
    r"千瓦时|度电|kilowatt[- ]hours?|kwh",
)
"""Each with its spellings in either language; 万元 and 元 are often left to the reader, %, too."""
_AFTER = r"(?![a-z\d])"
_SAID = [re.compile(rf"({_FIGURE})(?:{unit}){_AFTER}", re.IGNORECASE) for unit in _UNITS]
_HELD = [re.compile(rf"(?<![a-z])(?:{unit}){_AFTER}") for unit in _UNITS]


def has_units(sentence: str, texts: Iterable[str]) -> bool:
    """Whether each unit behind a figure of the sentence stands in the texts, spelled in any way.

    A column ``area: 420.0`` tells no hectares.
    """
    said = normalise(sentence)
    meant = [held for unit, held in zip(_SAID, _HELD, strict=True) if unit.search(said)]
    if not meant:
        return True
    here = normalise("\n".join(texts))
    return all(held.search(here) for held in meant)


def in_units_of(text: str, sentence: str) -> str:
    """The sentence with its units of measure spelled as the text does: 420 m² for 420平方米."""
    said, here = unicodedata.normalize("NFKC", sentence), normalise(text)
    respelled = said
    for unit, held in zip(_SAID, _HELD, strict=True):
        there = held.search(here)
        if there:
            respelled = unit.sub(rf"\g<1>{there.group()}", respelled)
    return sentence if respelled == said else respelled
