"""Joins the checks of each package; the same list for the command line and /health/ready."""

from __future__ import annotations

from ingest.doctor import ingest_checks
from rag.doctor import Check, rag_checks
from rag.settings import Settings


def examine(settings: Settings) -> list[Check]:
    """Every check, in the order a person would mend things."""
    return [*rag_checks(settings), *ingest_checks()]
