"""What the parsers make of real files: ``python scripts/parse_report.py [FOLDER] [--only TEXT]``.

Each file is read twice, by Deskside and by plain ``unstructured.partition``, each time in a
process of its own with a time limit. Then come the scores on generated documents whose every word
is known.
"""

from __future__ import annotations

import argparse
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_FOLDER = ROOT.parent / "shared" / "cases" / "files"
NOT_DOCUMENTS = frozenset({".tsv", ".json", ".md"})
MIB = 2**20
_WIDTHS = {
    **{"status": 16, "pages": 6, "chars": 9, "rows": 6, "tables": 6, "titles": 6},
    **{"seconds": 7, "MiB": 6},
}
_COUNTED = ("pages", "chars", "rows", "tables", "titles")
"""Rows of tables, the tables given as data, and what is taken for a heading."""
Row = dict[str, Any]


def read_ours(path: Path) -> Row:
    """Read by Deskside."""
    from ingest.failures import Unreadable
    from ingest.parsers import parse

    try:
        parsed = parse(path)
    except Unreadable as error:
        return {"status": error.failure.code.value}
    tables = {each.locator.page for each in parsed.elements if each.kind == "table"}
    return {
        "status": "partial" if parsed.failure else "ready",
        "pages": len(parsed.pages),
        "chars": sum(len(each.text) for each in parsed.elements),
        "rows": sum(each.kind == "table" for each in parsed.elements),
        "on pages": len(tables),
        "tables": len(parsed.tables),
        "titles": sum(each.kind == "title" for each in parsed.elements),
    }


def read_plainly(path: Path) -> Row:
    """Read by unstructured as it comes; "fast" is the strategy that needs no models."""
    from ingest.parsers.kinds import prepare

    prepare()
    from unstructured.partition.auto import partition

    elements = partition(filename=str(path), strategy="fast")
    pages = {each.metadata.page_number for each in elements} - {None}
    return {
        "status": "ready" if elements else "nothing",
        "pages": len(pages),
        "chars": sum(len(each.text or "") for each in elements),
        "rows": sum(each.category == "Table" for each in elements),
        "titles": sum(each.category == "Title" for each in elements),
    }


READERS: dict[str, Callable[[Path], Row]] = {"ours": read_ours, "plain": read_plainly}


def measure(reader: str, path: Path) -> Row:
    """Read one file here and now; libraries are imported before the clock starts."""
    from ingest.parsers.kinds import kind_of
    from rag.quiet import Outbound, silence

    silence()
    Outbound().install()
    kind_of("A heading")
    start = time.monotonic()
    try:
        row = READERS[reader](path)
    except Exception as error:  # what a reader can't do is a row of the report, too
        row = {"status": type(error).__name__}
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (
        1 if sys.platform == "darwin" else 1024
    )
    return {**row, "seconds": round(time.monotonic() - start, 1), "MiB": peak // MIB}


def measured(reader: str, path: Path, limit_s: float) -> Row:
    """Read one file in a process of its own."""
    command = [sys.executable, __file__, "--one", reader, str(path)]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=limit_s, check=False)
        return dict(json.loads(done.stdout.splitlines()[-1]))
    except subprocess.TimeoutExpired:
        return {"status": "timeout", "seconds": limit_s}
    except (IndexError, ValueError):
        return {"status": "died"}


def _line(name: str, row: Row, file: str) -> str:
    """A row of the report, its columns below each other."""
    return " ".join(
        [f"{name:6}", *(f"{row.get(key, ''):>{wide}}" for key, wide in _WIDTHS.items()), file]
    )


def report_files(folder: Path, only: str, limit_s: float) -> None:
    """A line a file and reader, and a summary."""
    if not folder.is_dir():
        print(f"No folder of real files at {folder}; only generated ones are measured.")
        return
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [path for path in files if path.suffix not in NOT_DOCUMENTS and only in str(path)]
    totals: dict[str, Counter[str]] = {name: Counter() for name in READERS}
    print(_line("", dict(zip(_WIDTHS, _WIDTHS, strict=True)), "file"))
    for path in files:
        for name in READERS:
            row = measured(name, path, limit_s)
            print(_line(name, row, str(path.relative_to(folder))), flush=True)
            totals[name] += Counter({f"status {row['status']}": 1})
            totals[name] += Counter({k: row.get(k, 0) for k in _COUNTED})
            totals[name]["seconds"] += round(row.get("seconds", 0))
            totals[name]["peak MiB"] = max(totals[name]["peak MiB"], row.get("MiB", 0))
    for name, total in totals.items():
        print(f"{name}: {len(files)} files; " + ", ".join(f"{k} {v}" for k, v in total.items()))


def report_scores(pages: int) -> bool:
    """The scores on generated documents; True when all are reached."""
    sys.path.insert(0, str(ROOT / "tests"))
    from samples.scored import scores

    from ingest.parsers import parse

    reached = True
    with tempfile.TemporaryDirectory() as folder:
        for score in scores(Path(folder), parse, pages=pages):
            is_reached = score.value >= score.target
            reached = reached and is_reached
            mark = "" if is_reached else "  MISSED"
            print(f"{score.name:40} {score.value:8.2%}  (wanted {score.target:.0%}){mark}")
    return reached


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Measure the parsers.")
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--only", default="", help="files whose path has this in it")
    parser.add_argument("--limit", type=float, default=180.0, help="seconds for one reading")
    parser.add_argument("--pages", type=int, default=5, help="of each generated document")
    parser.add_argument("--one", choices=READERS, help=argparse.SUPPRESS)
    given = parser.parse_args()
    sys.path.insert(0, str(ROOT))
    if given.one:
        print(json.dumps(measure(given.one, given.folder)))
        return 0
    report_files(given.folder, given.only, given.limit)
    return 0 if report_scores(given.pages) else 1


if __name__ == "__main__":
    sys.exit(main())
