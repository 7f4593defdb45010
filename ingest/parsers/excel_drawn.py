"""What is drawn on a worksheet: text boxes, titles of charts, and pictures with writing."""

from __future__ import annotations

import posixpath
import zipfile
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ingest.parsers.grid import Budget, Note
from ingest.parsers.images import read_inside
from ingest.parsers.values import words

_OFFICE = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_MOST = 2000
"""Text boxes of a sheet that are read."""


@dataclass(frozen=True, slots=True)
class Drawings:
    """What they say, by the cell they begin in; and what is to be known of it."""

    said: tuple[Note, ...] = ()
    flags: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True)
class _Read:
    text: str = ""
    picture: bool = False
    unread: bool = False
    unsure: bool = False


def drawings_of(package: zipfile.ZipFile, part: str, budget: Budget) -> Drawings:
    """What is drawn on the worksheet at ``part``, in the order of the file.

    Raises:
        KeyError, ValueError, SyntaxError: the package is damaged.
    """
    said: list[Note] = []
    read: list[_Read] = []
    for drawing in _related(package, part, "drawing"):
        targets = _targets(package, drawing)
        for anchor in _xml(package, drawing):
            cell = _cell(anchor)
            for each in _read_all(package, anchor, targets, budget):
                read.append(each)
                if each.text and len(said) < _MOST:
                    said.append(Note(cell, each.text))
    flags = {
        "ocr": any(each.picture and each.text for each in read),
        "ocr_unsure": any(each.unsure for each in read),
        "unread_pictures": any(each.unread for each in read),
    }
    return Drawings(tuple(said), frozenset(flag for flag, holds in flags.items() if holds))


def _read_all(
    package: zipfile.ZipFile, anchor: Any, targets: dict[str, str], budget: Budget
) -> Iterator[_Read]:
    for box in anchor.iter("{*}txBody"):
        lines = ("".join(t.text or "" for t in p.iter("{*}t")) for p in box.iter("{*}p"))
        yield _Read(words(" ".join(lines)))
    for chart in anchor.iter("{*}chart"):
        name = targets.get(chart.get(f"{{{_OFFICE}}}id", ""), "")
        if name in package.namelist():
            yield _Read(_title(_xml(package, name)))
    for blip in anchor.iter("{*}blip"):
        name = targets.get(blip.get(f"{{{_OFFICE}}}embed", ""), "")
        if name in package.namelist():
            yield _picture(package.read(name), budget)


def _title(chart: Any) -> str:
    title = chart.find("{*}chart/{*}title")
    return "" if title is None else words("".join(t.text or "" for t in title.iter("{*}t")))


def _picture(data: bytes, budget: Budget) -> _Read:
    if budget.pictures <= 0:
        return _Read(unread=True)
    sheet = read_inside(data)
    if sheet is None:
        return _Read()
    budget.pictures -= 1
    text = " ".join(line.text for line in sheet.lines)
    return _Read(words(text), True, sheet.status == "unreadable", sheet.is_unsure)


def _cell(anchor: Any) -> tuple[int, int]:
    """Row and column of the cell that a drawing begins in."""
    row, column = anchor.findtext("{*}from/{*}row"), anchor.findtext("{*}from/{*}col")
    return int(row or 0) + 1, int(column or 0) + 1


def _xml(package: zipfile.ZipFile, name: str) -> Any:
    from lxml.etree import XMLParser, fromstring

    return fromstring(package.read(name), XMLParser(resolve_entities=False, no_network=True))


def _related(package: zipfile.ZipFile, part: str, kind: str) -> Iterator[str]:
    for relation in _relations(package, part):
        if relation.get("Type", "").endswith(f"/{kind}"):
            name = _absolute(part, relation.get("Target", ""))
            if name in package.namelist():
                yield name


def _targets(package: zipfile.ZipFile, part: str) -> dict[str, str]:
    return {
        each.get("Id", ""): _absolute(part, each.get("Target", ""))
        for each in _relations(package, part)
        if each.get("TargetMode") != "External"
    }


def _relations(package: zipfile.ZipFile, part: str) -> Iterator[Any]:
    folder, name = posixpath.split(part)
    relations = f"{folder}/_rels/{name}.rels"
    if relations in package.namelist():
        yield from _xml(package, relations)


def _absolute(part: str, target: str) -> str:
    if target.startswith("/"):
        return target[1:]
    return posixpath.normpath(posixpath.join(posixpath.dirname(part), target))
