"""Asks questions while the inbox is full: with ingest stepping aside, and without.

Run by ``make bench-ingest``. Starts the real service on a folder of its own, twice, with the small
model of the tests. Prints speed and first token of answers, idle and during a bulk ingest, their
ratios, and how long /health took meanwhile.
"""

from __future__ import annotations

import argparse
import shutil
import statistics
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

import httpx  # noqa: E402
from running import Service, serving  # noqa: E402
from samples.folder import samples  # noqa: E402

QUESTIONS = (
    "How much is the monthly rent for 14 Quarry Lane?",
    "Who holds the deposit?",
    "How much notice ends the lease?",
    "Who are the landlord and the tenant of the lease?",
    "To whom are the keys handed over, and when?",
)
GAP_S = 2.0
"""Between two questions, so that each arrives in the middle of something."""
PATIENCE_S = 600.0


@dataclass(frozen=True, slots=True)
class Measured:
    """Medians over the questions; ``health_ms`` are all of /health."""

    tokens_per_s: float
    retrieve_ms: float
    first_token_ms: float
    total_ms: float
    health_ms: tuple[float, ...]
    read: int

    def told(self, name: str, idle: Measured | None = None) -> str:
        ratio = f" ({self.tokens_per_s / idle.tokens_per_s:.0%} of idle)" if idle else ""
        later = f" ({self.first_token_ms / idle.first_token_ms:.2f} times idle)" if idle else ""
        health = sorted(self.health_ms)
        return (
            f"{name:28} {self.tokens_per_s:6.1f} tokens/s{ratio}, passages after"
            f" {self.retrieve_ms:.0f} ms, first token"
            f" {self.first_token_ms:7.0f} ms{later}, whole {self.total_ms:7.0f} ms;"
            f" /health p50 {health[len(health) // 2]:.0f} ms,"
            f" p95 {health[int(len(health) * 0.95)]:.0f} ms; {self.read} documents read meanwhile"
        )


def main() -> None:
    """Measure, and print."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--files", type=int, default=60, help="PDFs of 40 pages in the inbox")
    asked = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="deskside-bench-") as folder:
        idle, aside = run(Path(folder) / "aside", asked.files, answers_first=True)
        _, rude = run(Path(folder) / "rude", asked.files, answers_first=False)
    print(idle.told("idle"))
    print(aside.told("ingest, stepping aside", idle))
    print(rude.told("ingest, not stepping aside", idle))


def run(data: Path, files: int, *, answers_first: bool) -> tuple[Measured, Measured]:
    """One service: measured idle, then with a full inbox."""
    inbox = data / "inbox"
    inbox.mkdir(parents=True)
    shutil.copy(samples() / "lease.pdf", inbox)
    with serving(data, DESKSIDE_ANSWERS_FIRST=str(answers_first).lower()) as service:
        service.wait_until_read(1)
        _ask(service, "What is this lease about?")  # loads the model
        idle = measure(service)
        bulk(inbox / "bulk", files)
        _wait_until_busy(service)
        return idle, measure(service)


def measure(service: Service) -> Measured:
    """Ask every question once."""
    before = _queued(service)
    with _health(service) as times:
        answers = [_ask(service, question) for question in QUESTIONS if not time.sleep(GAP_S)]
    after = _queued(service)
    if before and not after:
        raise SystemExit("The inbox was empty before the last answer; ask for more --files.")
    timings = [answer["timings"] for answer in answers if answer["timings"]["tokens_per_s"]]
    return Measured(
        tokens_per_s=statistics.median(each["tokens_per_s"] for each in timings),
        retrieve_ms=statistics.median(each["retrieve_ms"] for each in timings),
        first_token_ms=statistics.median(each["first_token_ms"] for each in timings),
        total_ms=statistics.median(each["total_ms"] for each in timings),
        health_ms=tuple(times),
        read=before - after,
    )


def bulk(folder: Path, files: int) -> None:
    """Files that take long enough to read and to embed."""
    from reportlab.pdfgen.canvas import Canvas

    folder.mkdir()
    for file in range(files):
        canvas = Canvas(str(folder / f".{file}.pdf"))
        for page in range(40):
            for line in range(45):
                words = f"File {file}, page {page}, line {line} of the Alder roll of deeds"
                canvas.drawString(40, 800 - 17 * line, words)
            canvas.showPage()
        canvas.save()
        (folder / f".{file}.pdf").rename(folder / f"{file}.pdf")


def _ask(service: Service, question: str) -> dict:
    return service.post("/api/ask", {"question": question})


def _queued(service: Service) -> int:
    return service.get("/api/documents?limit=1")["inbox"]["queued"]


def _wait_until_busy(service: Service) -> None:
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        statuses = {each["status"] for each in service.ledger().values()}
        if "embedding" in statuses:
            return
        time.sleep(0.2)
    raise SystemExit("The bulk was never read.")


@contextmanager
def _health(service: Service) -> Iterator[list[float]]:
    times: list[float] = []
    ended = threading.Event()

    def look() -> None:
        with httpx.Client(base_url=service.url, trust_env=False, timeout=60) as client:
            while not ended.wait(0.1):
                began = time.monotonic()
                client.get("/health").raise_for_status()
                times.append((time.monotonic() - began) * 1000)

    looking = threading.Thread(target=look)
    looking.start()
    try:
        yield times
    finally:
        ended.set()
        looking.join()


if __name__ == "__main__":
    main()
