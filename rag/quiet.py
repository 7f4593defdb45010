"""Telemetry off. Called by each process before the first vendor import, never at import."""

from __future__ import annotations

import os

OPT_OUTS = {
    "DO_NOT_TRACK": "true",
    "SCARF_NO_ANALYTICS": "true",
    "ANONYMIZED_TELEMETRY": "False",
    "HF_HUB_OFFLINE": "1",
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "TRANSFORMERS_OFFLINE": "1",
    "TOKENIZERS_PARALLELISM": "false",
    "OTEL_SDK_DISABLED": "true",
}


def silence() -> None:
    """Set every opt-out for this process and its children."""
    os.environ.update(OPT_OUTS)
