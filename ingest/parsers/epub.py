"""E-books: the chapters in reading order, under their own headings or those of the contents."""

from __future__ import annotations

import posixpath
import re
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import unquote, urldefrag

from ingest.failures import corrupt, encrypted
from ingest.parsers.characters import clean
from ingest.parsers.markup import Markup, local_name
from ingest.parsers.sniff import package_names
from ingest.parsers.web import whole
from rag.records import Element, Parsed

if TYPE_CHECKING:
    from lxml.etree import _Element

_PAGES = frozenset({"application/xhtml+xml", "text/html", "application/xml"})
_FONT_ONLY = frozenset({"http://www.idpf.org/2008/embedding", "http://ns.adobe.com/pdf/enc#RC"})
"""Ways to scramble fonts, which hide no words."""
_ENTITY = re.compile(r"&(?!amp;|lt;|gt;|quot;|apos;|#)(\w+);")
_BROKEN = (zipfile.BadZipFile, KeyError, RuntimeError, EOFError, NotImplementedError, ValueError)


def parse_epub(path: Path) -> Parsed:
    """Read an .epub.

    Raises:
        Unreadable: it is damaged, protected, a bomb, or says nothing.
    """
    package_names(path)
    try:
        with zipfile.ZipFile(path) as book:
            _check_rights(book)
            markup = Markup()
            elements = tuple(_elements(book, markup))
    except _BROKEN as error:
        raise corrupt() from error
    return replace(whole(path, elements, markup.flags), tables=markup.tables)


def _check_rights(book: zipfile.ZipFile) -> None:
    names = set(book.namelist())
    if "META-INF/rights.xml" in names:
        raise encrypted()
    if "META-INF/encryption.xml" in names:
        methods = _all(_tree(book, "META-INF/encryption.xml"), "encryptionmethod")
        if any(method.get("Algorithm") not in _FONT_ONLY for method in methods):
            raise encrypted()


def _elements(book: zipfile.ZipFile, markup: Markup) -> Iterator[Element]:
    container = _tree(book, "META-INF/container.xml")
    package = next(_all(container, "rootfile")).get("full-path", "")
    opf = _tree(book, package)
    folder = posixpath.dirname(package)
    items = {
        each.get("id", ""): (_path(folder, each.get("href", "")), each.get("media-type", ""))
        for each in _all(opf, "item")
    }
    titles = _contents(book, items.values())
    names = set(book.namelist())
    for reference in _all(opf, "itemref"):
        name, kind = items.get(reference.get("idref", ""), ("", ""))
        if name in names and kind in _PAGES:
            body = next(_all(_tree(book, name), "body"), None)
            if body is not None:
                yield from markup.elements(body, title=titles.get(name, ""))


def _contents(book: zipfile.ZipFile, items: Iterable[tuple[str, str]]) -> dict[str, str]:
    """What the contents call each chapter, by its file; the first name of several."""
    titles: dict[str, str] = {}
    for name, kind in items:
        if name not in book.namelist():
            continue
        if kind == "application/x-dtbncx+xml":
            for point in _all(_tree(book, name), "navpoint"):
                label, target = next(_all(point, "text"), None), next(_all(point, "content"), None)
                if label is not None and target is not None:
                    _call(titles, name, target.get("src", ""), label)
        elif posixpath.basename(name).startswith(("nav", "toc")) and kind in _PAGES:
            for link in _all(_tree(book, name), "a"):
                _call(titles, name, link.get("href", ""), link)
    return titles


def _call(titles: dict[str, str], contents: str, target: str, label: _Element) -> None:
    name = _path(posixpath.dirname(contents), target)
    words = clean(" ".join("".join(label.itertext()).split()))
    if words:
        titles.setdefault(name, words)


def _path(folder: str, target: str) -> str:
    return posixpath.normpath(posixpath.join(folder, unquote(urldefrag(target).url)))


def _all(root: _Element, name: str) -> Iterator[_Element]:
    return (each for each in root.iter() if local_name(each) == name)


def _tree(book: zipfile.ZipFile, name: str) -> _Element:
    """A part as XML; entities that only HTML knows are written out first."""
    from lxml import etree

    text = book.read(name).decode("utf-8", "replace")
    text = re.sub(r"^\s*<\?xml[^>]*\?>", "", text.lstrip("\ufeff"))
    text = _ENTITY.sub(lambda found: unescape(found.group()), text)
    parser = etree.XMLParser(recover=True, resolve_entities=False, no_network=True, huge_tree=True)
    root = etree.fromstring(text, parser)
    if root is None:
        raise ValueError("empty part")
    return root
