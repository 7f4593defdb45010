"""Everything that can go wrong, as one small family.

::

    DesksideError
    ├── InvalidRequest      the question, filter or file name makes no sense
    ├── Unauthorized        no key, or the wrong one
    ├── Forbidden           a foreign Host or Origin
    ├── NotFound            no such document, passage, page or conversation
    ├── Conflict            another file has that path; the state does not allow it
    ├── TooLarge            over a stated limit
    ├── Unsupported         a kind of file we do not read
    ├── Busy                the queue is full; try again in ``retry_after_s``
    ├── Unavailable         a part is missing: the model, the embedder, the store
    │   └── DataInUse       another process holds the data folder
    ├── DiskFull            no room left
    └── Internal            our own bug, told as one

`api.errors` holds the one table that turns these into HTTP. Each carries ``detail`` (what
happened) and ``hint`` (what to do), both fit for a person who never saw a stack trace.
"""

from __future__ import annotations


class DesksideError(Exception):
    """Base of the family; never raised itself."""

    code = "internal"

    def __init__(self, detail: str, *, hint: str = "") -> None:
        super().__init__(detail)
        self.detail = detail
        self.hint = hint


class InvalidRequest(DesksideError):
    code = "invalid_request"


class Unauthorized(DesksideError):
    code = "unauthorized"


class Forbidden(DesksideError):
    code = "forbidden"


class NotFound(DesksideError):
    code = "not_found"


class Conflict(DesksideError):
    code = "conflict"


class TooLarge(DesksideError):
    code = "too_large"


class Unsupported(DesksideError):
    code = "unsupported"


class Busy(DesksideError):
    code = "busy"

    def __init__(self, detail: str, *, retry_after_s: int, hint: str = "") -> None:
        super().__init__(detail, hint=hint)
        self.retry_after_s = retry_after_s


class Unavailable(DesksideError):
    code = "unavailable"


class DataInUse(Unavailable):
    """Another process holds the data folder; ``url`` is its API where it serves one.

    ``starting`` says that there will be one in a moment.
    """

    def __init__(
        self,
        detail: str,
        *,
        pid: int | None,
        url: str | None,
        starting: bool = False,
        hint: str = "",
    ) -> None:
        super().__init__(detail, hint=hint)
        self.pid = pid
        self.url = url
        self.starting = starting


class DiskFull(DesksideError):
    code = "disk_full"


class Internal(DesksideError):
    code = "internal"
