"""Sample documents in Chinese and English, whole and broken, made anew with the same bytes.

``python scripts/make_samples.py FOLDER`` writes them for developers; tests use `make_samples`.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path

from samples.broken import make_broken
from samples.facts import Fact
from samples.pdfs import make_pdfs
from samples.sheets import make_sheets
from samples.words import make_words

__all__ = ["Fact", "make_samples"]


def make_samples(folder: Path) -> list[Fact]:
    """Write all samples into ``folder``, broken ones below ``broken/``, and ``facts.json``.

    Returns:
        What the whole ones say: all invented, each said in one place only.
    """
    folder.mkdir(parents=True, exist_ok=True)
    facts = [*make_pdfs(folder), *make_words(folder), *make_sheets(folder)]
    make_broken(folder / "broken", folder / "lease.pdf", folder / "travel-policy.docx")
    truth = json.dumps([asdict(fact) for fact in facts], ensure_ascii=False, indent=1)
    (folder / "facts.json").write_text(truth + "\n", encoding="utf-8")
    return facts
