"""Elements become passages: small neighbours merged, long ones split, nothing over the window.

A passage never crosses a page or sheet, so that the page it is cited with holds all of it. What is
measured is what is embedded: the context (file name, headings, table header) and the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import lru_cache

from ingest.cutting import TokenSpans, pieces, row_pieces
from ingest.places import follows, share, union
from rag.cells import around
from rag.ports import Span
from rag.records import Element, Locator, embedded_text

_CONTEXT_SHARE = 3
"""The context may take a third of the window."""
_TINY_SHARE = 4
"""A rest below a quarter of the target joins the passage before it, where there is room."""
_SEPARATOR = " › "
_MIN_ROOM = 8
_REMEMBERED = 16
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
    windows: dict[object, int] = field(default_factory=dict)
    """What contexts leave of the window: rows of one table share theirs."""

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
    # What was just cut out is counted next.
    remembered = lru_cache(maxsize=_REMEMBERED)(token_spans)
    sizes = _Sizes(document_name, remembered, target_tokens, max_tokens)
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
    rows = any(each.kind == "table" for each in run)
    if rows and here.cells and there.cells and not follows(here.cells, there.cells):
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
    cells = [part.locator.cells for part in parts if part.locator.cells]
    if len(set(cells)) > 1 and len(cells) == text.count("\n") + 1:
        place = replace(place, lines=tuple(cells))
    return Draft(text, _context(place, header, sizes), place)


def _parts(run: list[Element], deepest: Locator, sizes: _Sizes) -> Iterator[_Part]:
    for element in run:
        place = replace(element.locator, section=deepest.section)
        room = _room(place, element.header, sizes)
        whole = len(element.text)
        cut = _rows if element.kind == "table" else _stretches
        for text, (start, end) in cut(element.text, room, sizes):
            part = share(place, start / whole, end / whole)
            yield _Part(text, element.header, part, sizes.count(text))


def _stretches(text: str, room: int, sizes: _Sizes) -> Iterator[tuple[str, Span]]:
    for start, end in pieces(text, room, sizes.token_spans):
        yield text[start:end], (start, end)


def _rows(text: str, room: int, sizes: _Sizes) -> Iterator[tuple[str, Span]]:
    """The rows of a table, each with where it stands; one that is too long in parts."""
    at = 0
    for line in text.split("\n"):
        if line.strip():
            for part in row_pieces(line, room, sizes.token_spans):
                yield part, (at, at + len(line))
        at += len(line) + 1


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
    window = _window(deepest, header, sizes)
    return (
        header == packs[1][0].header
        and rest * _TINY_SHARE <= sizes.target_tokens
        and before + rest <= window
    )


def _room(place: Locator, header: str, sizes: _Sizes) -> int:
    """Tokens of text beside this context: the target, or what the window leaves."""
    return max(min(sizes.target_tokens, _window(place, header, sizes)), _MIN_ROOM)


def _window(place: Locator, header: str, sizes: _Sizes) -> int:
    """Tokens of text that the window leaves beside this context."""
    key = (place.sheet, place.section, header)
    if key not in sizes.windows:
        sizes.windows[key] = sizes.max_tokens - sizes.count(_context(place, header, sizes)) - 1
    return sizes.windows[key]


def _checked(draft: Draft, sizes: _Sizes) -> Iterator[Draft]:
    """The draft, or its halves: a slice may count more tokens than it did in its place."""
    fits = sizes.count(draft.embedded_text) <= sizes.max_tokens
    tokens = [] if fits else sizes.token_spans(draft.text)
    if len(tokens) <= 1:
        yield draft
        return
    middle = tokens[len(tokens) // 2][0]
    cut = middle / len(draft.text)
    for text, start, end in ((draft.text[:middle], 0.0, cut), (draft.text[middle:], cut, 1.0)):
        half = share(draft.locator, start, end)
        if half.lines:
            first = draft.text.count("\n", 0, middle) if start else 0
            lines = half.lines[first : first + text.strip().count("\n") + 1]
            half = replace(half, lines=lines, cells=around(lines))
        yield from _checked(replace(draft, text=text.strip(), locator=half), sizes)


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
