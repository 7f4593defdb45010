"""Joins the checks of each package; the same list for the command line and /health/ready."""

from __future__ import annotations

import ingest.doctor
import rag.doctor
from rag.doctor import Check
from rag.settings import Settings


def examine(settings: Settings) -> list[Check]:
    """Every check, in the order a person would mend things."""
    return [*rag.doctor.checks(settings), *ingest.doctor.checks(settings)]
