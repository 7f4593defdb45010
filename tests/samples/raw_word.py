"""Word files written by hand, for what python-docx can't write."""

from __future__ import annotations

import zipfile
from pathlib import Path

_W = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
_R = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_NAMES = (
    f'xmlns:w="{_W}" xmlns:r="{_R}" xmlns:v="urn:schemas-microsoft-com:vml"'
    ' xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006"'
    ' xmlns:wps="http://schemas.microsoft.com/office/word/2010/wordprocessingShape"'
)
MAIN = "application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"
_RELATIONSHIPS = "http://schemas.openxmlformats.org/package/2006/relationships"


def write_word(path: Path, body: str, *, kind: str = MAIN, strict: bool = False, **parts: str):
    """A Word file whose body is ``body``.

    Args:
        path: where to.
        body: what stands in ``w:body``.
        kind: content type of the main part.
        strict: whether to write Strict OOXML.
        parts: what stands in ``styles``, ``numbering``, ``footnotes`` and ``endnotes``.
    """
    trees = {"document": f"<w:document {_NAMES}><w:body>{body}</w:body></w:document>"}
    trees |= {name: f"<w:{name} {_NAMES}>{inner}</w:{name}>" for name, inner in parts.items()}
    types = "".join(
        f'<Override PartName="/word/{name}.xml" ContentType="'
        f'{kind if name == "document" else MAIN.replace("document.main", name)}"/>'
        for name in trees
    )
    files = {
        "[Content_Types].xml": '<Types xmlns="http://schemas.openxmlformats.org/package/2006/'
        'content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-'
        f'package.relationships+xml"/>{types}</Types>',
        "_rels/.rels": _rels({"officeDocument": "word/document.xml"}),
        "word/_rels/document.xml.rels": _rels({name: f"{name}.xml" for name in parts}),
        **{f"word/{name}.xml": tree for name, tree in trees.items()},
    }
    with zipfile.ZipFile(path, "w") as package:
        for name, text in files.items():
            package.writestr(name, _strict(text) if strict else text)
    return path


def p(
    text: str = "", *, style: str = "", num: tuple[int, int] | None = None, more: str = ""
) -> str:
    """A paragraph; ``num`` is the list and its level, ``more`` further XML at its end."""
    properties = f'<w:pStyle w:val="{style}"/>' if style else ""
    if num:
        at, level = num
        properties += f'<w:numPr><w:ilvl w:val="{level}"/><w:numId w:val="{at}"/></w:numPr>'
    run = f'<w:r><w:t xml:space="preserve">{text}</w:t></w:r>' if text else ""
    return f"<w:p><w:pPr>{properties}</w:pPr>{run}{more}</w:p>"


def lists(*levels: tuple[str, str], starts: dict[int, int] | None = None) -> str:
    """One list of ``(form, text)`` a level as number 1; ``starts`` are numbers that begin anew."""
    inner = "".join(
        f'<w:lvl w:ilvl="{at}"><w:start w:val="1"/><w:numFmt w:val="{form}"/>'
        f'<w:lvlText w:val="{text}"/></w:lvl>'
        for at, (form, text) in enumerate(levels)
    )
    nums = "".join(
        f'<w:num w:numId="{at}"><w:abstractNumId w:val="0"/><w:lvlOverride w:ilvl="0">'
        f'<w:startOverride w:val="{start}"/></w:lvlOverride></w:num>'
        for at, start in (starts or {}).items()
    )
    first = '<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num>'
    return f'<w:abstractNum w:abstractNumId="0">{inner}</w:abstractNum>{first}{nums}'


def _rels(targets: dict[str, str]) -> str:
    inner = "".join(
        f'<Relationship Id="r{at}" Type="{_R}/{kind}" Target="{target}"/>'
        for at, (kind, target) in enumerate(targets.items())
    )
    return f'<Relationships xmlns="{_RELATIONSHIPS}">{inner}</Relationships>'


def _strict(text: str) -> str:
    return text.replace(_W, "http://purl.oclc.org/ooxml/wordprocessingml/main").replace(
        _R, "http://purl.oclc.org/ooxml/officeDocument/relationships"
    )
