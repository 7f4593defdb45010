"""Raised digits after a number: an exponent or the mark of a footnote, never more of the number."""

from __future__ import annotations

import re

RAISED = str.maketrans("0123456789+-−–", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁻")
_MARK = re.compile(r"[-+−–]?\d[\d,\s]*$")
_ENDS_IN_NUMBER = re.compile(r"[\d%)]$")
_ENDSRAISED = re.compile(r"[⁰¹²³⁴-⁹⁺⁻]$")
_BASE = re.compile(r"(?<![\d.,])\d{1,2}$")
"""A larger number is no base of a power: what is raised after it marks a footnote."""


def after_number(before: str, raised: str) -> str:
    """What is raised, as it is written after ``before``: 10⁶, 1,500 ³; other words as they are."""
    small = raised.translate(RAISED)
    if _ENDSRAISED.search(before):
        return small
    if not _ENDS_IN_NUMBER.search(before) or not _MARK.match(raised):
        return raised
    return small if _BASE.search(before) else f" {small}"
