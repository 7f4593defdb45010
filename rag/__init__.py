"""Remembering and answering: catalogue, index, retrieval, models. Knows no file format, no HTTP."""

__version__ = "0.1.0"
