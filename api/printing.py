"""What the command line shows to people."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text

_COLOURS = {
    "ready": "green",
    "partial": "yellow",
    "failed": "red",
    "ok": "green",
    "warn": "yellow",
    "fail": "red",
}
_NO_ANSWER = {
    "refused": "The documents don't answer this. Closest, not an answer:",
    "no_model": "There is no answer without a model; these are the passages.",
}
_HOW_MADE = {
    "extractive": "Quoted from the documents, not written by the model.",
    "catalogue": "Answered from the list of all documents and the cells of their tables.",
}
_OF_MARKERS = ("marker_replaced", "marker_removed")
_CUT_OFF = {
    "length": "Cut off: the answer reached its length limit.",
    "timeout": "Cut off: the answer took too long.",
    "cancelled": "Cut off: the answer was stopped.",
}


def documents(found: list[dict[str, Any]]) -> None:
    """A line per file."""
    console = Console(soft_wrap=True)
    for each in found:
        document(console, each)
    if not found:
        console.print("No documents yet. Put files into the inbox.")


def trash(found: list[dict[str, Any]]) -> None:
    """Deleted documents, with the ids by which they are restored or purged."""
    console = Console(soft_wrap=True)
    for each in found:
        console.print(f"{each['document_id']}  {each['path']}", highlight=False, markup=False)
    if not found:
        console.print("The trash is empty.")


def backup(told: dict[str, Any]) -> None:
    """What a backup holds, and what to mind."""
    console = Console(soft_wrap=True)
    _say(console, f"{told['documents']} documents, {told['passages']} passages: {told['file']}")
    if told["left_out"]:
        _say(console, f"Could not be opened, so left out: {', '.join(told['left_out'])}")
    _say(console, "It holds every text in the clear, and no later purge reaches it: keep it safe.")


def restored(told: dict[str, Any]) -> None:
    """What came back, and what to do next."""
    console = Console(soft_wrap=True)
    _say(console, f"{told['documents']} documents, {told['passages']} passages are back.")
    _say(console, f"The originals lie in {told['inbox']}.")
    if told["aside"]:
        _say(console, f"What was there before lies in {told['aside']}; delete it when you like.")
    if not told["same_embedder"]:
        name = told["embedder"].partition("|")[0]
        _say(
            console,
            f"Its vectors are of the embedding model {name}. With the present one everything is "
            f"embedded anew at the next start; to avoid that, set DESKSIDE_EMBEDDER={name}.",
        )


def _say(console: Console, line: str) -> None:
    console.print(line, markup=False, highlight=False)


def document(console: Console, each: dict[str, Any]) -> None:
    """One line, and why it could not be read, if so."""
    line = Text(f"{each['status']:9}", style=_COLOURS.get(each["status"], ""))
    line.append(f" {each['path']}", style="default")
    line.append(f"  {each['pages_done']}/{each['pages_total']} pages", style="dim")
    line.append(f", {each['passages']} passages", style="dim")
    console.print(line)
    if each["reason"]:
        reason = each["reason"]
        console.print(
            f"          {reason['message']} {reason['advice']}", highlight=False, markup=False
        )


def remarks(touched: list[dict[str, Any]], inbox: dict[str, Any], *, failed_before: int) -> None:
    """What else there is to say after an ingest."""
    console = Console(stderr=True, soft_wrap=True)
    if not touched:
        console.print("Nothing new.")
    if inbox["unsettled"]:
        console.print(f"Still changing, or not to be opened yet: {inbox['unsettled']}.")
    if inbox["held_back"]:
        console.print(
            f"Vanished, and kept in case a drive is missing: {inbox['held_back']}. If they were"
            " deleted on purpose, say so on the page."
        )
    for problem in inbox["problems"]:
        where = f"{problem['path']}: " if problem["path"] else ""
        told = f"{where}{problem['message']} {problem['advice']}"
        console.print(told, markup=False, highlight=False)
    if failed_before:
        console.print(
            f"Not readable at an earlier time: {failed_before}. "
            "See them with: deskside documents --status failed"
        )


def follow(events: Iterable[tuple[str, dict[str, Any]]]) -> dict[str, Any]:
    """Show an answer as it comes; gives the whole of it."""
    console = Console(soft_wrap=True)
    answer: dict[str, Any] = {}
    shown = ""
    place = 0
    for name, data in events:
        if name == "queue":
            if data["place"] and data["place"] != place:
                console.print(f"Questions before yours: {data['place']} …", style="dim")
            place = data["place"]
        elif name == "token" and console.is_terminal:
            console.print(data["text"], end="", markup=False, highlight=False)
            shown += data["text"]
        elif name == "done":
            answer = data
    if shown:
        console.print()
    if answer["answer"] and answer["answer"] != shown.strip():
        console.print(("\n" if shown else "") + answer["answer"], markup=False, highlight=False)
    return answer


def sources(answer: dict[str, Any]) -> None:
    """Where an answer comes from."""
    console = Console(soft_wrap=True)
    if not answer["scope"]["total"]:
        console.print("There are no documents yet. Put files into the inbox.")
        return
    if answer["mode"] in _NO_ANSWER:
        for warning in answer["warnings"]:
            console.print(warning["detail"], markup=False, highlight=False)
        console.print(_NO_ANSWER[answer["mode"]])
        hits(answer)
        return
    for caution in _cautions(answer):
        console.print(f"({caution})", style="dim", markup=False, highlight=False)
    console.print()
    for each in answer["citations"]:
        doubt = "" if each["supported"] else "  (not confirmed by this passage)"
        copies = f"  (also at {', '.join(each['locations'][1:])})" if each["locations"][1:] else ""
        console.print(
            f"[{each['marker']}] {each['path']}, {each['locator']['label']}{copies}{doubt}\n"
            f"    “{each['quote']}”",
            markup=False,
            highlight=False,
        )
    if not answer["citations"] and answer["mode"] != "catalogue":
        console.print("No passage clearly says this; check it before you rely on it.")


def _cautions(answer: dict[str, Any]) -> list[str]:
    """What a careful reader should know of an answer."""
    told = [_HOW_MADE.get(answer["mode"], ""), _CUT_OFF.get(answer["finish_reason"], "")]
    # A source that was put right needs no caution: the right one is shown.
    told += [w["detail"] for w in answer["warnings"] if w["code"] not in _OF_MARKERS]
    return list(filter(None, told))


def hits(found: dict[str, Any]) -> None:
    """Passages, best first."""
    console = Console(soft_wrap=True)
    for hit in found["hits"]:
        console.print(
            f"{hit['rank']}. {hit['path']}, {hit['locator']['label']}  ({hit['score']:.2f})",
            markup=False,
            highlight=False,
        )
        console.print(f"   {hit['text']}", style="dim", markup=False, highlight=False)
    if not found["hits"]:
        console.print("Nothing found.")


def checks(found: list[dict[str, Any]]) -> None:
    """The doctor's findings."""
    table = Table(box=None, show_header=False, pad_edge=False)
    for each in found:
        detail = each["detail"] + (f"\n→ {each['fix']}" if each["fix"] else "")
        status = Text(each["status"], style=_COLOURS[each["status"]])
        table.add_row(status, each["name"], Text(detail))
    Console().print(table)
