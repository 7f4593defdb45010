"""What is shown around a citation that has no page picture."""

from __future__ import annotations

from dataclasses import dataclass

from rag.records import Passage
from rag.tabular import Table


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring passages of a document, in order, to be shown; ``cited`` is the id of one.

    ``table`` holds the rows around the cited passage, where it stands in a sheet.
    """

    document_name: str
    passages: tuple[Passage, ...]
    cited: str | None = None
    table: Table | None = None
