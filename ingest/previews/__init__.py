"""What a citation is shown by: pictures of pages, and HTML where there are no pages."""

from __future__ import annotations

from ingest.previews.pages import PagePreviewer

__all__ = ["PagePreviewer"]
