"""The one table that turns errors into HTTP, as problem+json (RFC 9457)."""

from __future__ import annotations

import logging
import sqlite3
from collections.abc import Mapping
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from starlette.exceptions import HTTPException

from rag.errors import Busy, DesksideError, Internal, InvalidRequest

log = logging.getLogger(__name__)

STATUS: Mapping[str, int] = {
    "invalid_request": 422,
    "unauthorized": 401,
    "forbidden": 403,
    "not_found": 404,
    "conflict": 409,
    "too_large": 413,
    "unsupported": 415,
    "busy": 429,
    "unavailable": 503,
    "disk_full": 507,
    "internal": 500,
}
_CODE = {status: code for code, status in STATUS.items()}


def problem(error: DesksideError) -> dict[str, Any]:
    """The problem object of an error."""
    return {
        "type": "about:blank",
        "title": HTTPStatus(STATUS[error.code]).phrase,
        "status": STATUS[error.code],
        "code": error.code,
        "detail": error.detail,
        "hint": error.hint,
    }


def respond(error: DesksideError) -> JSONResponse:
    """An error as a response."""
    headers = {"Retry-After": str(error.retry_after_s)} if isinstance(error, Busy) else {}
    return JSONResponse(
        problem(error),
        status_code=STATUS[error.code],
        headers=headers,
        media_type="application/problem+json",
    )


def as_ours(error: Exception) -> DesksideError:
    """Any exception as one of the family; what nobody expected is logged, told as `Internal`."""
    if isinstance(error, DesksideError):
        return error
    if isinstance(error, sqlite3.ProgrammingError) and "closed" in str(error):
        log.info("request_during_shutdown")
    else:
        log.error("request_crashed", exc_info=error)
    return Internal(
        "Deskside failed on this request.", hint="Try again; the log of the service says more."
    )


def install(app: FastAPI) -> None:
    """Answer every failure with a problem object."""

    @app.exception_handler(DesksideError)
    async def ours(_request: Request, error: DesksideError) -> JSONResponse:
        return respond(error)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        first = error.errors()[0]
        where = ".".join(str(part) for part in first["loc"] if part not in ("body", "query"))
        detail = f"{where}: {first['msg']}." if where else f"{first['msg']}."
        return respond(InvalidRequest(detail, hint="The names and types are in /openapi.json."))

    @app.exception_handler(HTTPException)
    async def framework(_request: Request, error: HTTPException) -> JSONResponse:
        body = {
            "type": "about:blank",
            "title": HTTPStatus(error.status_code).phrase,
            "status": error.status_code,
            "code": _CODE.get(error.status_code, "invalid_request"),
            "detail": str(error.detail),
            "hint": "",
        }
        return JSONResponse(
            body, status_code=error.status_code, media_type="application/problem+json"
        )

    @app.exception_handler(Exception)
    async def bug(_request: Request, error: Exception) -> JSONResponse:
        return respond(as_ours(error))
