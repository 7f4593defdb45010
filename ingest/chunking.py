"""Elements become passages: small neighbours merged, long ones split, nothing over the window.

A passage never crosses a page or sheet, so that the page it is cited with holds all of it. What is
measured is what is embedded: the context (file name, headings, table header) and the text.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from ingest.places import follows, share, union
from rag.ports import Span
from rag.records import Element, Locator, embedded_text
from rag.sentences import sentence_spans

TokenSpans = Callable[[str], list[Span]]

_CONTEXT_SHARE = 3
"""The context may take a third of the window."""
_TINY_SHARE = 4
"""A rest below a quarter of the target joins the passage before it, where there is room."""
_SEPARATOR = " › "
_MIN_ROOM = 8
_SKIPPED = frozenset({"header", "footer"})


@dataclass(frozen=True, slots=True)
class Draft:
    """A passage that has no id yet."""

    text: str
    context: str
    locator: Locator

    @property
    def embedded_text(self) -> str:
        return embedded_text(self.context, self.text)


@dataclass(frozen=True, slots=True)
class _Part:
    """A stretch of one element, small enough for a passage."""

    text: str
    header: str
    locator: Locator
    tokens: int


@dataclass(frozen=True, slots=True)
class _Sizes:
    document_name: str
    token_spans: TokenSpans
    target_tokens: int
    max_tokens: int

    def count(self, text: str) -> int:
        return len(self.token_spans(text))


def chunk(
    elements: Iterable[Element],
    *,
    document_name: str,
    token_spans: TokenSpans,
    target_tokens: int,
    max_tokens: int,
) -> list[Draft]:
    """Passages in reading order.

    Args:
        elements: of one document.
        document_name: file name without suffix; opens every context.
        token_spans: the embedder's own tokenizer.
        target_tokens: what a passage's text should come near.
        max_tokens: what context and text together never exceed.
    """
    sizes = _Sizes(document_name, token_spans, target_tokens, max_tokens)
    return [draft for run in _runs(elements) for draft in _drafts(run, sizes)]


def _runs(elements: Iterable[Element]) -> Iterator[list[Element]]:
    """Neighbours that may share a passage."""
    run: list[Element] = []
    for element in elements:
        if element.kind in _SKIPPED or not element.text.strip():
            continue
        if run and not _belongs(run, element):
            yield run
            run = []
        run.append(element)
    if run:
        yield run


def _belongs(run: list[Element], element: Element) -> bool:
    here, there = run[-1].locator, element.locator
    if (here.page, here.sheet, here.slide) != (there.page, there.sheet, there.slide):
        return False
    if here.cells and there.cells and not follows(here.cells, there.cells):
        return False  # another table of the sheet
    if here.section == there.section:
        return True
    # Headings with nothing under them yet go with what follows below them.
    below = there.section[: len(here.section)] == here.section
    return below and all(each.kind == "title" for each in run)


def _drafts(run: list[Element], sizes: _Sizes) -> Iterator[Draft]:
    deepest = run[-1].locator
    for parts in _packed(_parts(run, deepest, sizes), deepest, sizes):
        yield from _checked(_draft(parts, sizes), sizes)


def _draft(parts: list[_Part], sizes: _Sizes) -> Draft:
    text = "\n".join(part.text for part in parts)
    header = "" if text.startswith(parts[0].header) else parts[0].header
    place = union([part.locator for part in parts])
    return Draft(text, _context(place, header, sizes), place)


def _parts(run: list[Element], deepest: Locator, sizes: _Sizes) -> Iterator[_Part]:
    for element in run:
        place = replace(element.locator, section=deepest.section)
        room = _room(place, element.header, sizes)
        pieces = _rows(element, room, sizes) if element.kind == "table" else None
        for start, end in pieces or _pieces(element.text, room, sizes):
            text = element.text[start:end]
            whole = len(element.text)
            part = share(place, start / whole, end / whole)
            yield _Part(text, element.header, part, sizes.count(text))


def _packed(parts: Iterable[_Part], deepest: Locator, sizes: _Sizes) -> Iterator[list[_Part]]:
    """Parts gathered up to the target; a tiny rest joins the pack before it."""
    packs: list[list[_Part]] = []
    for part in parts:
        tokens = sum(each.tokens + 1 for each in packs[-1]) if packs else 0
        same = bool(packs) and packs[-1][-1].header == part.header
        if same and tokens + part.tokens <= _room(deepest, part.header, sizes):
            packs[-1].append(part)
        else:
            packs.append([part])
        if len(packs) > 2:  # noqa: PLR2004 (the last two may still merge)
            yield packs.pop(0)
    if len(packs) == 2 and _is_tiny(packs, deepest, sizes):  # noqa: PLR2004
        packs = [packs[0] + packs[1]]
    yield from packs


def _is_tiny(packs: list[list[_Part]], deepest: Locator, sizes: _Sizes) -> bool:
    before, rest = (sum(part.tokens + 1 for part in pack) for pack in packs)
    header = packs[0][0].header
    window = sizes.max_tokens - sizes.count(_context(deepest, header, sizes)) - 1
    return (
        header == packs[1][0].header
        and rest * _TINY_SHARE <= sizes.target_tokens
        and before + rest <= window
    )


def _room(place: Locator, header: str, sizes: _Sizes) -> int:
    """Tokens of text beside this context: the target, or what the window leaves."""
    left = sizes.max_tokens - sizes.count(_context(place, header, sizes)) - 1
    return max(min(sizes.target_tokens, left), _MIN_ROOM)


def _rows(element: Element, room: int, sizes: _Sizes) -> list[Span]:
    """Where each row of a table stands, rows that are too long cut further."""
    spans: list[Span] = []
    at = 0
    for line in element.text.split("\n"):
        if line.strip():
            spans += [(at + a, at + b) for a, b in _pieces(line, room, sizes)]
        at += len(line) + 1
    return spans


def _pieces(text: str, room: int, sizes: _Sizes) -> list[Span]:
    """Stretches of ``text`` of ``room`` tokens at most, cut at sentence ends where possible."""
    total = sizes.count(text)
    if total <= room:
        return [(0, len(text))]
    # Pieces of one size, not full ones and a crumb.
    aim = min(room, -(-total // -(-total // room)) + room // 10)
    spans: list[Span] = []
    tokens = 0
    for start, end in _sentences(text, room, sizes):
        size = sizes.count(text[start:end])
        if spans and tokens + size <= aim:
            spans[-1] = (spans[-1][0], end)
            tokens += size
        else:
            spans.append((start, end))
            tokens = size
    return spans


def _sentences(text: str, room: int, sizes: _Sizes) -> Iterator[Span]:
    """Sentences; one that is too long comes in token borders' stretches."""
    for start, end in sentence_spans(text):
        tokens = sizes.token_spans(text[start:end])
        if len(tokens) <= room:
            yield start, end
            continue
        cuts = [0, *(tokens[at][0] for at in range(room, len(tokens), room)), end - start]
        yield from ((start + a, start + b) for a, b in pairwise(cuts))


def _checked(draft: Draft, sizes: _Sizes) -> Iterator[Draft]:
    """The draft, or its halves: a slice may count more tokens than it did in its place."""
    tokens = sizes.token_spans(draft.text)
    if len(tokens) <= 1 or sizes.count(draft.embedded_text) <= sizes.max_tokens:
        yield draft
        return
    middle = tokens[len(tokens) // 2][0]
    cut = middle / len(draft.text)
    for text, start, end in ((draft.text[:middle], 0.0, cut), (draft.text[middle:], cut, 1.0)):
        half = replace(draft, text=text.strip(), locator=share(draft.locator, start, end))
        yield from _checked(half, sizes)


def _context(place: Locator, header: str, sizes: _Sizes) -> str:
    """File name, sheet, headings and table header, a third of the window at most."""
    limit = sizes.max_tokens // _CONTEXT_SHARE
    titles = [part for part in (place.sheet, *place.section) if part]
    while True:
        path = _SEPARATOR.join([sizes.document_name, *titles])
        context = f"{path}\n{header}" if header else path
        if sizes.count(context) <= limit:
            return context
        if len(titles) <= 1:
            break
        titles = titles[1:]  # the nearest heading says most
    tokens = sizes.token_spans(context)
    return context[: tokens[limit][0]].rstrip() if len(tokens) > limit else context
