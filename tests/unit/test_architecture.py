"""The rules of the shape of the code; import contracts stand in pyproject.toml."""

from __future__ import annotations

import gzip
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = ("torch", "chromadb", "llama_cpp", "unstructured", "sentence_transformers", "pypdfium2")


@pytest.mark.parametrize("package", ["rag", "ingest", "api", "api.cli", "rag.wiring"])
def test_importing_a_package_loads_no_vendor(package: str) -> None:
    code = f"import sys, {package}; print([m for m in {HEAVY!r} if m in sys.modules])"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=True
    )
    assert done.stdout.strip() == "[]"


def test_files_fit_in_the_head() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for package in ("rag", "ingest", "api")
        for path in (ROOT / package).rglob("*.py")
        if (lines := len(path.read_text(encoding="utf-8").splitlines())) > 400
    }
    assert long == {}


def test_the_page_is_small_and_asks_nobody() -> None:
    files = [path for path in (ROOT / "api/web").rglob("*") if path.is_file()]
    # As it travels: the service compresses it.
    assert sum(len(gzip.compress(path.read_bytes())) for path in files) < 150_000
    for path in files:
        text = path.read_text(encoding="utf-8")
        foreign = text.replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in foreign, path.name
        assert "https://" not in foreign, path.name


def test_every_setting_and_command_stands_in_the_readme() -> None:
    from typer.main import get_command

    from api.cli import app
    from rag.settings import Settings

    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    commands = get_command(app).commands  # type: ignore[attr-defined]
    missing = [name for name in commands if f"deskside {name}" not in readme]
    guide = (ROOT / "docs/settings.md").read_text(encoding="utf-8")
    missing += [name for name in Settings.model_fields if f"DESKSIDE_{name.upper()}" not in guide]
    assert missing == []
