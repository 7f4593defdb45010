"""What is shown around a citation: the words of its neighbourhood, or a picture of its page."""

from __future__ import annotations

from dataclasses import dataclass

from rag.records import Box, Passage
from rag.tabular import Table


@dataclass(frozen=True, slots=True)
class Window:
    """Some rows of a table, and how many of it stand above and below them."""

    table: Table
    above: int = 0
    below: int = 0


@dataclass(frozen=True, slots=True)
class Excerpt:
    """Neighbouring passages of a document, in order, to be shown; ``cited`` is the id of one.

    ``window`` holds the rows around the cited passage, where it stands in a sheet; ``quote`` is
    what of the passage is to be marked: all of it where it doesn't say the quote.
    """

    document_name: str
    passages: tuple[Passage, ...]
    cited: str | None = None
    window: Window | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Marks:
    """What is to be marked on a page: ``quote`` within ``boxes``, or else all of them.

    ``near`` says where in the text of the boxes the quote begins, as a share of its length: the
    words may stand there more than once.
    """

    boxes: tuple[Box, ...] = ()
    quote: str = ""
    near: float = 0.0


@dataclass(frozen=True, slots=True)
class Picture:
    """A page drawn: what was marked, and whether those are just the words of the quote."""

    png: bytes
    boxes: tuple[Box, ...] = ()
    is_quote: bool = False
