"""The text or sheet around a passage as one HTML document that loads and runs nothing.

It is made from what the catalogue holds and not from the file, so that it shows the words that
were read: the file may have changed since, and a wrong highlight is worse than none.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Iterator
from html import escape
from itertools import groupby

from ingest.previews.sheet import sheet_html
from rag.excerpt import Excerpt
from rag.records import Passage

_STYLE = """
:root { color-scheme: light dark; --paper: #fff; --ink: #22262a; --soft: #5a6168; --line: #ddd;
  --mark: #ffe98a; --on-mark: #22262a; }
@media (prefers-color-scheme: dark) { :root { --paper: #1e2325; --ink: #e5e7e4; --soft: #a7afb3;
  --line: #3c4448; --mark: #7a6400; --on-mark: #fff; } }
body { margin: 0; padding: .75rem 1rem 2rem; background: var(--paper); color: var(--ink);
  font: .9375rem/1.65 system-ui, "PingFang SC", "Microsoft YaHei", "Noto Sans CJK SC", sans-serif;
  overflow-wrap: anywhere; }
h2 { margin: 1.25rem 0 .35rem; font-size: .8125rem; font-weight: 500; color: var(--soft); }
p { margin: .35rem 0; white-space: pre-wrap; }
p.passage { padding-left: .6rem; border-left: 3px solid var(--mark); }
p.more { margin: .5rem 0 0; font-size: .8125rem; color: var(--soft); }
mark { background: var(--mark); color: var(--on-mark); scroll-margin: 4rem; }
summary { font-size: .8125rem; color: var(--soft); cursor: pointer; }
table { margin-top: .75rem; border-collapse: collapse; font-variant-numeric: tabular-nums;
  font-size: .875rem; overflow-wrap: normal; }
th, td { padding: .3rem .6rem; border: 1px solid var(--line); text-align: left;
  vertical-align: top; max-width: 24rem; }
th { color: var(--soft); font-weight: 500; }
thead { position: sticky; top: 0; z-index: 1; }
thead th { background: var(--paper); box-shadow: 0 1px var(--line), 0 -2px var(--paper); }
thead th:first-child { position: sticky; left: 0; }
td.short { white-space: nowrap; }
tr.labels th { color: var(--ink); font-weight: 600; }
tbody th { position: sticky; left: 0; background: var(--paper); font-weight: 400; }
tr { scroll-margin: 7rem; }
tr.total td { font-weight: 600; }
tr.unseen td, th.unseen { font-style: italic; }
td.cited { background: var(--mark); color: var(--on-mark); }
"""
_HASH = base64.b64encode(hashlib.sha256(_STYLE.encode()).digest()).decode()
_POLICY = f"default-src 'none'; style-src 'sha256-{_HASH}'; base-uri 'none'; form-action 'none'"
"""Its own style and nothing else."""


def excerpt_html(excerpt: Excerpt) -> str:
    """The excerpt as a whole document; the cited passage is ``<mark id="cited">``."""
    cited = next((each for each in excerpt.passages if each.passage_id == excerpt.cited), None)
    if cited and excerpt.window:
        body = sheet_html(cited, excerpt.window, excerpt.quote)
    else:
        places = groupby(excerpt.passages, key=_place)
        body = "\n".join(_section(place, passages, excerpt) for place, passages in places)
    return (
        "<!doctype html>\n<html>\n<head>\n"
        '<meta charset="utf-8">\n'
        f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{escape(excerpt.document_name)}</title>\n"
        f"<style>{_STYLE}</style>\n"
        f"</head>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _place(passage: Passage) -> str:
    """What heads a passage: its sheet, or the place as people write it."""
    return passage.locator.sheet or passage.locator.label


def _section(place: str, passages: Iterable[Passage], excerpt: Excerpt) -> str:
    return "\n".join(["<section>", *_lines(place, passages, excerpt), "</section>"])


def _lines(place: str, passages: Iterable[Passage], excerpt: Excerpt) -> Iterator[str]:
    if place:
        yield f"<h2>{_text(place)}</h2>"
    for passage in passages:
        if passage.passage_id == excerpt.cited:
            yield f'<p class="passage">{_marked(passage.text, excerpt.quote)}</p>'
        else:
            yield f"<p>{_text(passage.text)}</p>"


def _marked(text: str, quote: str) -> str:
    """The text with the quote marked; all of it where it doesn't say the quote."""
    before, cited, after = text.partition(quote) if quote and quote in text else ("", text, "")
    return f'{_text(before)}<mark id="cited">{_text(cited)}</mark>{_text(after)}'


def _text(words: str) -> str:
    """Between tags quotation marks are no danger, and a quote is found as it is written."""
    return escape(words, quote=False)
