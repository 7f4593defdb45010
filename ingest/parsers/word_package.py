"""The parts of a Word file that say something, as trees: the main text, styles, numbers, notes.

Read from the zip itself and not with python-docx, which refuses templates, macro files and Strict
OOXML, and fails on parts that nobody reads.
"""

from __future__ import annotations

import posixpath
import re
import zipfile
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.failures import corrupt

if TYPE_CHECKING:
    from lxml.etree import _Element

W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_MAIN = "/officeDocument"
_STRICT = re.compile(rb"http://purl\.oclc\.org/ooxml/(\w+)/(\w+)")
_TRANSITIONAL = rb"http://schemas.openxmlformats.org/\1/2006/\2"


@dataclass(frozen=True, slots=True)
class WordParts:
    """Roots of the parts; None for those the file has not."""

    body: _Element
    styles: _Element | None = None
    numbering: _Element | None = None
    footnotes: _Element | None = None
    endnotes: _Element | None = None


def open_word(path: Path) -> WordParts:
    """The parts of the file at ``path``.

    Raises:
        Unreadable: it is damaged.
    """
    from lxml.etree import XMLSyntaxError

    try:
        with zipfile.ZipFile(path) as package:
            return _parts(package)
    except (zipfile.BadZipFile, XMLSyntaxError, KeyError, EOFError, ValueError) as error:
        raise corrupt() from error


def _parts(package: zipfile.ZipFile) -> WordParts:
    main = _targets(package, "")[_MAIN]
    body = _tree(package, main).find(f"{W}body")
    if body is None:
        raise corrupt()
    parts = WordParts(body)
    present = set(package.namelist())
    others = _targets(package, main)
    for name in ("styles", "numbering", "footnotes", "endnotes"):
        target = others.get(f"/{name}")
        if target in present:
            parts = replace(parts, **{name: _tree(package, target)})
    return parts


def _targets(package: zipfile.ZipFile, part: str) -> dict[str, str]:
    """Parts that ``part`` refers to, by the last piece of the kind of the relationship."""
    folder, name = posixpath.split(part)
    rels = posixpath.join(folder, "_rels", f"{name}.rels")
    if rels not in package.namelist():
        return {}
    found: dict[str, str] = {}
    for each in _tree(package, rels):
        if each.get("TargetMode") == "External":
            continue
        target = posixpath.normpath(posixpath.join("/", folder, each.get("Target", "")))
        found["/" + each.get("Type", "").rsplit("/", 1)[-1]] = target.lstrip("/")
    return found


def _tree(package: zipfile.ZipFile, name: str) -> _Element:
    return tree_of(package.read(name))


def tree_of(data: bytes) -> _Element:
    """A part as a tree, whichever of the two kinds of OOXML it is of.

    Raises:
        XMLSyntaxError: it is damaged.
    """
    from lxml import etree

    if b"purl.oclc.org/ooxml" in data:
        data = _STRICT.sub(_TRANSITIONAL, data)
    parser = etree.XMLParser(resolve_entities=False, no_network=True, huge_tree=True)
    return etree.fromstring(data, parser)
