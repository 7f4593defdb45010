"""Web pages saved as files: the visible words, in whatever encoding they declare."""

from __future__ import annotations

import codecs
import re
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt, empty
from ingest.parsers.characters import clean
from ingest.parsers.encodings import decode
from ingest.parsers.markup import Markup
from rag.records import Element, Page, Parsed

if TYPE_CHECKING:
    from lxml.etree import _Element

_DECLARED = re.compile(rb"(?:charset|encoding)\s*=\s*[\"']?\s*([\w.:-]+)", re.IGNORECASE)
_DECLARATION = re.compile(r"^\s*<\?xml[^>]*\?>")
_NESTING = re.compile(
    r"</?(?:div|span|font|b|i|u|em|strong|small|big|center|section|article|blockquote|a|ul|ol|dl"
    r"|tbody|main|figure)(?:\s[^>]*)?>",
    re.IGNORECASE,
)
_HIDING = re.compile(r"hidden|hide|display\s*:|font-size\s*:\s*0|line-through", re.IGNORECASE)
_HEAD_BYTES = 4096
_MARKS = (codecs.BOM_UTF8, codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
_WIDER = {"gb2312": "gb18030", "gbk": "gb18030", "gb_2312-80": "gb18030", "x-gbk": "gb18030"}
"""Browsers read these as their superset, and so do those who write them."""


def parse_html(path: Path) -> Parsed:
    """Read an .html, .htm or .xhtml.

    Raises:
        Unreadable: it is no text, or shows none.
    """
    root = tree_of(declared(path.read_bytes()))
    markup = Markup()
    elements = tuple(markup.elements(root, title=title_of(root)))
    return replace(whole(path, elements, markup.flags), tables=markup.tables)


def declared(data: bytes, charset: str | None = None) -> str:
    """The text of a page in the encoding it, or its letter, declares; else as it makes sense."""
    found = None if data.startswith(_MARKS) else _DECLARED.search(data[:_HEAD_BYTES])
    for name in filter(None, (charset, found[1].decode("ascii") if found else None)):
        try:
            return data.decode(_WIDER.get(name.lower(), name))
        except (UnicodeDecodeError, LookupError):
            continue
    return decode(data)


def tree_of(text: str) -> _Element:
    """The tree of a page.

    Raises:
        Unreadable: there is nothing in it.
    """
    from lxml import html
    from lxml.etree import LxmlError

    page = _DECLARATION.sub("", text.replace("\x00", ""))
    parser = html.HTMLParser(huge_tree=True)
    try:
        root: _Element = html.document_fromstring(page, parser=parser)
        if any(each.type_name == "ERR_RESOURCE_LIMIT" for each in parser.error_log):
            root = html.document_fromstring(_flattened(page), parser=parser)
    except (LxmlError, ValueError) as error:
        raise corrupt("The file is not a web page, or an empty one.") from error
    return root


def _flattened(page: str) -> str:
    """A page less the tags that only nest: the parser leaves out what lies deeper than it goes.

    Raises:
        Unreadable: some of those tags may hide words.
    """
    if _HIDING.search(page):
        raise corrupt("The web page nests its parts too deeply.")
    return _NESTING.sub(" ", page)


def title_of(root: _Element) -> str:
    """What a page is called in its head."""
    found = next(root.iter("title"), None)
    return "" if found is None else clean(" ".join("".join(found.itertext()).split()))


def whole(path: Path, elements: tuple[Element, ...], flags: tuple[str, ...] = ()) -> Parsed:
    """A document without pages: one page with the file's name.

    Raises:
        Unreadable: there are no words.
    """
    if not elements:
        raise empty()
    chars = sum(len(element.text) for element in elements)
    return Parsed(elements, (Page(1, path.name, "text", chars),), flags)
