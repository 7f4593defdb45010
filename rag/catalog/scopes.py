"""Which documents a question is about, as a condition in SQL."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

from rag.records import Scope

_EPOCH = datetime.fromtimestamp(0, UTC)


def within(scope: Scope) -> tuple[str, dict[str, str | int]]:
    """A condition on ``p``, any table with a ``document_id``, and the values it binds."""
    conditions = ["1"]
    values: dict[str, str | int] = {}
    if scope.document_ids is not None:
        conditions.append("p.document_id IN (SELECT value FROM json_each(:document_ids))")
        values["document_ids"] = json.dumps(list(scope.document_ids))
    if scope.path_prefix:
        conditions.append(_located(lies_at("place")))
        values["place"] = as_place(scope.path_prefix)
    if scope.collection:
        conditions.append(_located("substr(l.path, 1, length(:collection)) = :collection"))
        values["collection"] = f"{scope.collection}/"
    if scope.collection == "":  # the inbox itself
        conditions.append(_located("instr(l.path, '/') = 0"))
    dated = []
    for name, sign, moment in (
        ("date_from", ">=", scope.date_from),
        ("date_to", "<=", scope.date_to),
    ):
        if moment is not None:
            dated.append(f"l.mtime_ns {sign} :{name}")
            values[name] = _nanoseconds(moment)
    if dated:
        conditions.append(_located(" AND ".join(dated)))
    return " AND ".join(conditions), values


def lies_at(name: str) -> str:
    """A condition on ``l``, a location: it is the place that ``name`` binds, or lies below it."""
    below = f"substr(l.path, 1, length(:{name}) + 1) = :{name} || '/'"
    return f"(:{name} = '' OR l.path = :{name} OR {below})"


def as_place(path: str) -> str:
    """A folder as `lies_at` wants it: ``2024`` and ``2024/`` are the same."""
    return path.rstrip("/")


def _located(condition: str) -> str:
    return f"p.document_id IN (SELECT l.document_id FROM locations l WHERE {condition})"  # noqa: S608


def _nanoseconds(moment: datetime) -> int:
    """Since 1970, as far as SQLite can count."""
    return min(max((moment - _EPOCH) // timedelta(microseconds=1) * 1000, -(2**63)), 2**63 - 1)
