"""What the parsers make of real files: ``python scripts/parse_report.py [FOLDER] [--only TEXT]``.

Each file is read twice, by Deskside and by plain ``unstructured.partition``, each time in a
process of its own that may take so many seconds of the processor and no more. Then come the scores
on generated documents whose every word is known, and what large ones take of memory.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parent.parent
DEFAULT_FOLDER = ROOT.parent / "shared" / "cases" / "files"
NOT_DOCUMENTS = frozenset({".tsv", ".json", ".md"})
MIB = 2**20
_WIDTHS = {
    **{"status": 22, "pages": 6, "chars": 9, "rows": 6, "tables": 6, "titles": 6},
    **{"seconds": 7, "MiB": 6},
}
_COUNTED = ("pages", "chars", "rows", "tables", "titles")
"""Rows of tables, the tables given as data, and what is taken for a heading."""
_WAITING = 8
"""So many times the limit by the clock: the machine may have other work, LibreOffice waits."""
_LESS = 0.9
"""A file of which less than this share of the plain reading's characters was read is named."""
_PAGES, _ROWS = 2_000, 100_000
Row = dict[str, Any]


def read_ours(path: Path) -> Row:
    """Read by Deskside, with LibreOffice where it is installed."""
    from ingest.failures import Unreadable
    from ingest.office import find_office
    from ingest.parsers import parse

    with tempfile.TemporaryDirectory() as renderings:
        try:
            parsed = parse(path, office=find_office(Path(renderings)))
        except Unreadable as error:
            return {"status": error.failure.code.value}
    return {
        "status": "partial" if parsed.failure else "ready",
        "pages": len(parsed.pages),
        "chars": _letters(each.text for each in parsed.elements),
        "rows": sum(each.kind == "table" for each in parsed.elements),
        "tables": len(parsed.tables),
        "titles": sum(each.kind == "title" for each in parsed.elements),
    }


def read_plainly(path: Path) -> Row:
    """Read by unstructured as it comes; "fast" is the strategy that needs no models."""
    from unstructured.partition.auto import partition

    elements = partition(filename=str(path), strategy="fast")
    pages = {each.metadata.page_number for each in elements} - {None}
    return {
        "status": "ready" if elements else "nothing",
        "pages": len(pages),
        "chars": _letters(each.text or "" for each in elements),
        "rows": sum(each.category == "Table" for each in elements),
        "titles": sum(each.category == "Title" for each in elements),
    }


READERS: dict[str, Callable[[Path], Row]] = {"ours": read_ours, "plain": read_plainly}


def _letters(texts: Iterable[str]) -> int:
    """Characters, blanks left out: they are as each reader likes them."""
    return sum(not letter.isspace() for text in texts for letter in text)


def prepare() -> None:
    """Import once what each reading needs; the processes that read begin with it."""
    sys.path.insert(0, str(ROOT))
    import unstructured.partition.auto  # noqa: F401

    from ingest.parsers import parse  # noqa: F401
    from ingest.parsers.kinds import kind_of
    from rag.quiet import Outbound, silence

    silence()
    Outbound().install()
    kind_of("A heading")


def _child(reader: str, path: Path, limit_s: float, answer: Connection) -> None:
    """Read one file, and end for good when the processor's time is over."""
    os.setpgid(0, 0)  # LibreOffice goes with it
    resource.setrlimit(resource.RLIMIT_CPU, (int(limit_s), int(limit_s) + 5))
    sys.stderr = Path(os.devnull).open("w", encoding="utf-8")  # noqa: SIM115 (till its end)
    try:
        row = READERS[reader](path)
    except Exception as error:  # what a reader can't do is a row of the report, too
        row = {"status": type(error).__name__}
    took = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    peak = took[0].ru_maxrss * (1 if sys.platform == "darwin" else 1024)
    seconds = sum(each.ru_utime + each.ru_stime for each in took)
    answer.send({**row, "seconds": round(seconds, 1), "MiB": peak // MIB})


def measured(reader: str, path: Path, limit_s: float) -> Row:
    """Read one file in a process of its own."""
    context = multiprocessing.get_context("fork")
    answer, said = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(reader, path, limit_s, said))
    process.start()
    said.close()
    row: Row = {"status": f"over {limit_s:.0f} s", "seconds": limit_s}
    try:
        if answer.poll(limit_s * _WAITING):
            row = answer.recv()
    except EOFError:
        process.join()
        if process.exitcode != -signal.SIGXCPU:
            row = {"status": "died"}
    if process.is_alive() and process.pid:
        time.sleep(0.1)
        os.killpg(process.pid, signal.SIGKILL)
    process.join()
    return row


def _line(name: str, row: Row, file: str) -> str:
    """A row of the report, its columns below each other."""
    return " ".join(
        [f"{name:6}", *(f"{row.get(key, ''):>{wide}}" for key, wide in _WIDTHS.items()), file]
    )


def report_files(folder: Path, only: str, limit_s: float) -> None:
    """A line a file and reader, a summary, and the files of which plain reading gives more."""
    if not folder.is_dir():
        print(f"No folder of real files at {folder}; only generated ones are measured.")
        return
    files = [path for path in sorted(folder.rglob("*")) if path.is_file()]
    files = [path for path in files if path.suffix not in NOT_DOCUMENTS and only in str(path)]
    totals: dict[str, Counter[str]] = {name: Counter() for name in READERS}
    less: list[str] = []
    print(_line("", dict(zip(_WIDTHS, _WIDTHS, strict=True)), "file"))
    for path in files:
        name = str(path.relative_to(folder))
        rows = {reader: measured(reader, path, limit_s) for reader in READERS}
        for reader, row in rows.items():
            print(_line(reader, row, name), flush=True)
            _add(totals[reader], row)
        ours, plain = (rows[reader].get("chars", 0) for reader in READERS)
        if ours < _LESS * plain:
            less.append(f"{name}: {ours:,} characters, plain {plain:,}")
    for reader, total in totals.items():
        told = ", ".join(f"{key} {value:,}" for key, value in total.items())
        print(f"{reader}: {len(files)} files; {told}")
    print(
        f"files of which plain reading gives more than a tenth more: {len(less)}", *less, sep="\n  "
    )


def _add(total: Counter[str], row: Row) -> None:
    peak = max(total["peak MiB"], row.get("MiB", 0))
    total += Counter({f"status {row['status']}": 1, "seconds": round(row.get("seconds", 0))})
    total += Counter({key: row.get(key, 0) for key in _COUNTED})
    total["peak MiB"] = peak


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


def report_large(limit_s: float) -> None:
    """What a PDF of 2,000 pages and a sheet of 100,000 rows take."""
    with tempfile.TemporaryDirectory() as folder:
        for write in (_large_pdf, _large_sheet):
            path = write(Path(folder))
            print(_line("large", measured("ours", path, limit_s), path.name), flush=True)


def _large_pdf(folder: Path) -> Path:
    from reportlab.pdfgen.canvas import Canvas

    path = folder / f"{_PAGES}-pages.pdf"
    canvas = Canvas(str(path), invariant=1)
    for page in range(_PAGES):
        for at in range(40):
            words = f"Clause {page}.{at}: the tenant of room {page + at} pays {page * at} pounds."
            canvas.drawString(72, 760 - 17 * at, words)
        canvas.showPage()
    canvas.save()
    return path


def _large_sheet(folder: Path) -> Path:
    from openpyxl import Workbook

    path = folder / f"{_ROWS}-rows.xlsx"
    book = Workbook(write_only=True)
    sheet = book.create_sheet("ledger")
    sheet.append(["Date", "Supplier", "What", "Amount", "Paid"])
    for at in range(_ROWS):
        sheet.append(
            [f"2024-{at % 12 + 1:02}-{at % 28 + 1:02}", f"S{at % 700}", f"item {at}", at / 4, "yes"]
        )
    book.save(path)
    return path


def main() -> int:
    """The command."""
    parser = argparse.ArgumentParser(description="Measure the parsers.")
    parser.add_argument("folder", nargs="?", type=Path, default=DEFAULT_FOLDER)
    parser.add_argument("--only", default="", help="files whose path has this in it")
    parser.add_argument(
        "--limit", type=float, default=60.0, help="seconds of the processor for one reading"
    )
    parser.add_argument("--pages", type=int, default=5, help="of each generated document")
    given = parser.parse_args()
    prepare()
    report_files(given.folder, given.only, given.limit)
    is_reached = report_scores(given.pages)
    if not given.only:
        report_large(given.limit * 5)
    return 0 if is_reached else 1


if __name__ == "__main__":
    sys.exit(main())
