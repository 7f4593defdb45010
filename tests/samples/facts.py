"""What a sample document says, to ask about and to check answers by."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Fact:
    """A question with one right answer, and where it stands.

    ``row`` is the row of ``sheet``; ``section`` the nearest heading above.
    """

    question: str
    answer: str
    file: str
    page: int | None = None
    sheet: str | None = None
    row: int | None = None
    section: str | None = None
