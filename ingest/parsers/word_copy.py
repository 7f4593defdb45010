"""A Word file laid out as it was read: with its tracked changes accepted, not shown."""

from __future__ import annotations

import re
import zipfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from ingest.parsers.word_final import accept_changes
from ingest.parsers.word_package import W, tree_of

if TYPE_CHECKING:
    from lxml.etree import _Element

    from ingest.office import Office

_CHANGES = re.compile(rb"<\w+:(?:ins|del|moveFrom|moveTo|cellDel|\w+Change)[\s/>]")
_NEW = frozenset({".docx", ".docm", ".dotx", ".dotm"})
_OLDER = frozenset({".doc", ".dot", ".odt", ".ott", ".rtf", ".wps", ".wpt"})


def laid_out(office: Office, path: Path, docx: Path | None = None) -> Path:
    """The rendering of a document, made now unless it was made before.

    LibreOffice shows tracked changes: pages would hold words that were deleted.

    Args:
        office: LibreOffice.
        path: the file.
        docx: what was made of it, where it is of an older kind and was converted already.

    Raises:
        OfficeFailed: it can't be laid out.
    """
    suffix = path.suffix.lower()
    if suffix not in _NEW | _OLDER or office.kept(path).is_file():
        return office.rendering(path)
    with ExitStack() as stack:
        if docx is None:
            is_old = suffix in _OLDER
            docx = stack.enter_context(office.converted(path, ".docx")) if is_old else path
        copy = stack.enter_context(office.room()) / f"final{docx.suffix}"
        return office.rendering(path, copy if write_final(docx, copy) else None)


def write_final(path: Path, copy: Path) -> bool:
    """Write a Word file as it reads once every change is accepted; False where it has none."""
    from lxml.etree import XMLSyntaxError

    try:
        with zipfile.ZipFile(path) as package:
            names = package.namelist()
            final = {name: part for name in names if (part := _accepted(package, name))}
            if final:
                with zipfile.ZipFile(copy, "w", zipfile.ZIP_DEFLATED) as accepted:
                    for name in names:
                        accepted.writestr(name, final.get(name) or package.read(name))
            return bool(final)
    except (zipfile.BadZipFile, XMLSyntaxError, RuntimeError, EOFError, NotImplementedError):
        return False  # an old file under a new name, or a damaged one: it is laid out as it is


def _accepted(package: zipfile.ZipFile, name: str) -> bytes | None:
    """A part without its changes; None where it has none, or is none that people read."""
    from lxml import etree

    data = package.read(name) if name.endswith(".xml") else b""
    if not _CHANGES.search(data):
        return None
    root = tree_of(data)
    if not str(root.tag).startswith(W) or not _accept(root):
        return None
    written: bytes = etree.tostring(root, xml_declaration=True, encoding="UTF-8", standalone=True)
    return written


def _accept(root: _Element) -> bool:
    """Accept the changes, those of looks too; what is left empty would be no valid table."""
    is_changed = accept_changes(root)
    for table in list(root.iter(f"{W}tbl")):
        parent = table.getparent()
        if table.find(f"{W}tr") is None and parent is not None:
            parent.remove(table)
    for each in list(root.iter()):
        parent = each.getparent()
        if isinstance(each.tag, str) and each.tag.endswith("Change") and parent is not None:
            parent.remove(each)
            is_changed = True
    return is_changed
