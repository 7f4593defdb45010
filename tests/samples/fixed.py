"""Makes an Office file the same bytes at every run: no times in it."""

from __future__ import annotations

import re
import zipfile
from pathlib import Path

_EPOCH = (2031, 1, 1, 0, 0, 0)
_TIME = re.compile(rb"(<dcterms:(?:created|modified)[^>]*>)[^<]*")


def fix_times(path: Path) -> None:
    with zipfile.ZipFile(path) as package:
        parts = [(entry.filename, package.read(entry)) for entry in package.infolist()]
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as package:
        for name, data in parts:
            fixed = _TIME.sub(rb"\g<1>2031-01-01T00:00:00Z", data)
            package.writestr(zipfile.ZipInfo(name, _EPOCH), fixed, zipfile.ZIP_DEFLATED)
