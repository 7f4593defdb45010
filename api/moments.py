"""The times that a search is kept to, as the API takes them."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Annotated

from pydantic import AfterValidator, BeforeValidator

_DAY = re.compile(r"\d{4}-\d\d-\d\d")


def _in_utc(moment: datetime) -> datetime:
    try:
        return moment.astimezone(UTC)
    except (OverflowError, ValueError) as error:
        raise ValueError("a time far outside of any file's") from error


def _whole_day(given: object) -> object:
    """The end of a day for a day alone, as pydantic takes its beginning."""
    if not isinstance(given, str) or not _DAY.fullmatch(given):
        return given
    return f"{given}T23:59:59.999999"


Moment = Annotated[datetime, AfterValidator(_in_utc)]
"""A day alone is its beginning, in the time of this computer, as is a time without a zone."""
LastMoment = Annotated[Moment, BeforeValidator(_whole_day)]
"""The same, but a day alone is the whole of it."""
