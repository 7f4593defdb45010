"""What ``deskside eval`` shows to people."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

_NAMES = {"wrong": "wrong or unsupported, of all asked"}
_WAYS = {"hybrid": "ours", "keyword": "BM25 alone", "dense": "dense alone"}
_ANSWERING = {"ours": "ours", "plain": "plain way"}
_ALWAYS = ("recall@1", "recall@5", "recall@10", "mrr", "ndcg@10", "document@5")
_BY_PLACE = ("page@1", "page@5", "cells@1", "cells@5")
_COVERED = ("characters@5", "characters@10")
_COVERING = ("recall", "precision", "iou")
_ANSWERED = (
    "answered", "false_refusals", "false_answers", "wrong", "exact", "cited",
    "citation_precision", "citation_recall", "supported",
)  # fmt: skip


def show(report: Mapping[str, Any]) -> None:
    """Print a table a question set, and what was read."""
    console = Console()
    for dataset, modes in report["datasets"].items():
        console.print(_found(dataset, modes))
        gate = modes["hybrid"].get("gate")
        _line(console, _gate(gate) if gate else "The evidence gate was not measured.")
    for dataset, answered in report.get("answers", {}).items():
        console.print(_answers(dataset, answered))
        _line(console, _ratio(answered["wrong_to_plain"]))
        console.print(_curve(dataset, answered["curve"]))
    _line(
        console,
        f"{report['documents']} documents, {report['passages']} passages, "
        f"{len(report['unread'])} not read. ± is half of the interval, {report['intervals']}.",
    )


def _found(dataset: str, modes: Mapping[str, Any]) -> Table:
    """A measure a line, ours beside the plain ways."""
    table = _table(dataset, *(_WAYS[mode] for mode in modes))
    for name in (*_ALWAYS, *_BY_PLACE):
        if name in modes["hybrid"]:
            table.add_row(name, *(_share(found[name]) for found in modes.values()))
    for name in (name for name in _COVERED if name in modes["hybrid"]):
        for part in _COVERING:
            shares = (_share(found[name][part]) for found in modes.values())
            table.add_row(f"{part} of {name}", *shares)
    for q in ("p50", "p95"):
        table.add_row(
            f"{q} in ms", *(_milliseconds(found["search_ms"][q]) for found in modes.values())
        )
    return table


def _gate(gate: Mapping[str, Any]) -> str:
    asked = (
        f"{gate['false_refusals']['n']} answerable questions, {gate['false_answers']['n']} others"
    )
    return (
        f"Evidence gate ({gate['unanswerable']}; {asked}): AUC {_number(gate['auc'])}, refuses "
        f"{_share(gate['false_refusals'])} of the answerable, lets through "
        f"{_share(gate['false_answers'])} of the others; at 5 % false answers it would refuse "
        f"{_number(gate['false_refusals_at_5_percent_false_answers'])}."
    )


def _answers(dataset: str, answered: Mapping[str, Any]) -> Table:
    """A measure a line, ours beside the plain way."""
    ways = {way: answered[way] for way in _ANSWERING if way in answered}
    left_out = next(iter(ways.values()))["unanswerable"]
    table = _table(
        f"{dataset}: answers; unanswerable: {left_out}", *(_ANSWERING[way] for way in ways)
    )
    for name in _ANSWERED:
        told = _NAMES.get(name, name.replace("_", " "))
        table.add_row(told, *(_share(of[name]) for of in ways.values()))
    for mode in sorted({mode for of in ways.values() for mode in of["modes"]}):
        table.add_row(f"mode {mode}", *(_share_of(of["modes"], mode) for of in ways.values()))
    for name in ("first_token_ms", "total_ms"):
        for q in ("p50", "p95"):
            times = (_milliseconds(of[name][q]) for of in ways.values())
            table.add_row(f"{name.removesuffix('_ms').replace('_', ' ')} {q} in ms", *times)
    return table


def _ratio(measure: Mapping[str, Any]) -> str:
    if measure["value"] is None:
        return "Nothing was wrong or unsupported the plain way."
    return (
        f"Wrong or unsupported answers, ours to the plain way: {measure['value']:.2f} "
        f"[{measure['low']:.2f} {measure['high']:.2f}], {measure['n']} asked."
    )


def _curve(dataset: str, drawn: Sequence[Mapping[str, Any]]) -> Table:
    """The errors at each bar of the gate."""
    names = ("false_refusals", "false_answers", "wrong")
    table = _table(f"{dataset}: had the gate stood at", *(name.replace("_", " ") for name in names))
    for at in drawn:
        table.add_row(f"{at['bar']}", *(_share(at[name]) for name in names))
    return table


def _table(title: str, *columns: str) -> Table:
    table = Table(title=title, title_justify="left", box=None, padding=(0, 1))
    table.add_column("", justify="left")
    for column in columns:
        table.add_column(column, justify="right")
    return table


def _line(console: Console, text: str) -> None:
    console.print(text, highlight=False)


def _share(measure: Mapping[str, Any]) -> str:
    """A value and half the width of its interval."""
    if measure["value"] is None:
        return "–"
    half = (measure["high"] - measure["low"]) / 2
    return f"{measure['value']:.3f} ±{half:.3f}".replace("0.", ".")


def _share_of(modes: Mapping[str, Any], mode: str) -> str:
    return _share(modes[mode]) if mode in modes else "–"


def _milliseconds(measure: Mapping[str, Any]) -> str:
    if measure["value"] is None:
        return "–"
    return f"{measure['value']:.0f} ±{(measure['high'] - measure['low']) / 2:.0f}"


def _number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"
