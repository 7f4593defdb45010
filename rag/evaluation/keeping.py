"""Keeps what was measured, in one JSON file a commit, so that commits can be compared."""

from __future__ import annotations

import json
import math
import os
import platform
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import rag
from rag.errors import InvalidRequest

FOLDER = Path("eval-results")


def commit() -> str:
    """The commit of the code that runs; ``-dirty`` where files differ from it.

    Outside a checkout the version.
    """
    root = Path(rag.__file__).parents[1]
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--abbrev=12", "--exclude=*", "--dirty"],  # noqa: S607
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return rag.__version__
    return told.stdout.strip()


def machine() -> dict[str, Any]:
    """What the times were measured on."""
    return {
        "system": platform.system(),
        "processor": platform.machine(),
        "cores": os.cpu_count(),
        "python": platform.python_version(),
    }


def without_nan(value: Any) -> Any:
    """The same for strict JSON, which knows no NaN: null where nothing was asked."""
    if isinstance(value, dict):
        return {name: without_nan(each) for name, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [without_nan(each) for each in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def keep(folder: Path, name: str, run: Mapping[str, Any]) -> Path:
    """Put a run into the file of this commit, in the place of an earlier one of that name.

    Args:
        folder: where the files of all commits lie.
        name: tells runs of one commit apart, such as the sets and how many of each.
        run: ready for JSON.

    Returns:
        The file.

    Raises:
        InvalidRequest: the file holds something else, or can't be written.
    """
    at = commit()
    path = folder / f"{at}.json"
    try:
        folder.mkdir(parents=True, exist_ok=True)
        held = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {"runs": {}}
        held["runs"][name] = dict(run)
        draft = path.with_suffix(".new")
        text = json.dumps({"commit": at, "runs": held["runs"]}, ensure_ascii=False, indent=1)
        draft.write_text(text + "\n", encoding="utf-8")
        draft.replace(path)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise InvalidRequest(
            f"What was measured can't be kept in {path}: {error}.",
            hint="Move that file away, or choose another folder with --keep.",
        ) from error
    return path
