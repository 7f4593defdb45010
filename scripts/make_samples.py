"""Writes the sample documents: ``python scripts/make_samples.py FOLDER``."""

from __future__ import annotations

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def main() -> None:
    if len(sys.argv) != 2:
        sys.exit("usage: python scripts/make_samples.py FOLDER")
    sys.path.insert(0, str(ROOT / "tests"))
    from samples.make import make_samples

    folder = Path(sys.argv[1])
    try:
        facts = make_samples(folder)
    except ModuleNotFoundError as error:
        sys.exit(
            f"{error.name} is not installed; run `make setup`, then .venv/bin/python {sys.argv[0]}"
        )
    print(f"{len(facts)} facts in {folder}; see facts.json")


if __name__ == "__main__":
    main()
