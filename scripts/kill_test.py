"""Kills the service at random moments of an ingest, and checks that nothing is lost or doubled.

Run by ``make kill-test``. Prints a summary; exits with 1 where the result differs from a run
without kills.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path[:0] = [str(ROOT), str(ROOT / "tests")]

from killing import campaign  # noqa: E402

from rag.settings import Settings  # noqa: E402


def main() -> int:
    """Run what the command line asks for."""
    asked = _arguments()
    faults = 0
    for embedder, kills in (("fake", asked.kills), (Settings().embedder, asked.real_kills)):
        if not kills:
            continue
        with tempfile.TemporaryDirectory(prefix="deskside-kill-") as folder:
            began = time.monotonic()
            outcome = campaign(Path(folder), kills=kills, seed=asked.seed, embedder=embedder)
        print(
            f"embedder {embedder}, seed {asked.seed}: {outcome.kills.total()} kills"
            f" in {time.monotonic() - began:.0f} s\n"
            f"  killed: {_told(outcome.kills)}\n"
            f"  after the start of: {_told(outcome.during)}\n"
            f"  acts on the inbox: {_told(outcome.acts)}\n"
            f"  passages compared: {outcome.passages},"
            f" lowest cosine {outcome.lowest_cosine:.6f}\n"
            + "".join(f"  FAULT: {fault}\n" for fault in outcome.faults)
            + ("  differs" if outcome.faults else "  same as without kills"),
            flush=True,
        )
        faults += len(outcome.faults)
    return 1 if faults else 0


def _told(counts: dict[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items()))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--kills", type=int, default=110, help="with an embedder of fake vectors")
    parser.add_argument("--real-kills", type=int, default=10, help="with the real embedder")
    parser.add_argument("--seed", type=int, default=20261130)
    return parser.parse_args()


if __name__ == "__main__":
    sys.exit(main())
