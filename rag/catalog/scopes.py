"""Which documents a question is about, as a condition in SQL."""

from __future__ import annotations

import json

from rag.catalog.jobs import iso
from rag.records import Scope


def within(scope: Scope) -> tuple[str, dict[str, str]]:
    """A condition on ``p``, any table with a ``document_id``, and the values it binds."""
    conditions = ["1"]
    values: dict[str, str] = {}
    if scope.document_ids is not None:
        conditions.append("p.document_id IN (SELECT value FROM json_each(:document_ids))")
        values["document_ids"] = json.dumps(list(scope.document_ids))
    prefixes = {"path_prefix": scope.path_prefix}
    if scope.collection:
        prefixes["collection"] = f"{scope.collection}/"
    for name, prefix in prefixes.items():
        if prefix:
            conditions.append(_located(f"substr(l.path, 1, length(:{name})) = :{name}"))
            values[name] = prefix
    if scope.collection == "":  # the inbox itself
        conditions.append(_located("instr(l.path, '/') = 0"))
    for name, sign, moment in (
        ("date_from", ">=", scope.date_from),
        ("date_to", "<=", scope.date_to),
    ):
        if moment is not None:
            conditions.append(_dated(f"d.modified_at {sign} :{name}"))
            values[name] = iso(moment)
    return " AND ".join(conditions), values


def _located(condition: str) -> str:
    return f"p.document_id IN (SELECT l.document_id FROM locations l WHERE {condition})"  # noqa: S608


def _dated(condition: str) -> str:
    return f"p.document_id IN (SELECT d.document_id FROM documents d WHERE {condition})"  # noqa: S608
