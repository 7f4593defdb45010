"""Many people ask at once, for minutes or hours, and some leave in the middle.

Run by ``make soak``, or ``.venv/bin/python scripts/soak.py --minutes 600 --people 10``; with
``--url`` and ``--pid`` against a running service, else one of its own on the sample documents. It
fails (exit 1) on any error but 429, on an answer whose stream and end tell different things or
that answers another question, on a stream without an end, on memory that grows, and on a service
that ends. It tells every ten minutes how it goes; Ctrl+C or SIGTERM ends it early, with its report.
"""

from __future__ import annotations

import argparse
import json
import random
import shutil
import signal
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from difflib import SequenceMatcher
from pathlib import Path
from typing import Any

import httpx
import psutil

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT / "tests"))
GROWTH = 1.10
"""Memory at the end against that after a quarter of the time, when models and caches are warm."""
GROWTH_BYTES = 50 * 2**20
ALIKE = 0.7
"""Markers and punctuation are put right at the end, so stream and end are alike, not equal."""
ASK_S = 900.0
LEAVES_EARLY = 0.1
"""Share of people who close the page in the middle."""
READ_S = 1800.0
"""The samples take a minute; on a machine that is busy with other things, many."""
TELL_EVERY_S = 600.0
WATCH_EVERY_S = 2.0
LEAVE_S = 60.0
"""So long may a prompt be read before anything comes that a person could leave at."""


@dataclass
class Seen:
    """What came back, over all people."""

    told: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)
    over: threading.Event = field(default_factory=threading.Event)


def main() -> None:
    options = _options()
    seen = Seen()
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: seen.over.set())
    with _service(options) as (url, pid):
        _soak(url, pid, options, seen)
        if pid is not None and seen.memory:
            _judge_memory(seen)
    _report(seen)
    sys.exit(1 if seen.faults else 0)


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--minutes", type=float, default=10.0)
    parser.add_argument("--people", type=int, default=10)
    parser.add_argument("--url", help="a running service; else one is started")
    parser.add_argument("--pid", type=int, help="its process, to watch its memory")
    return parser.parse_args()


@contextmanager
def _service(options: argparse.Namespace) -> Iterator[tuple[str, int | None]]:
    if options.url:
        yield options.url, options.pid
        return
    from running import serving
    from samples.make import make_samples

    with tempfile.TemporaryDirectory(prefix="deskside-soak-") as folder:
        data = Path(folder) / "data"
        make_samples(data / "inbox")
        shutil.rmtree(data / "inbox" / "broken")
        (data / "inbox" / "facts.json").unlink()
        with serving(data) as service:
            count = sum(1 for _ in (data / "inbox").rglob("*.*"))
            service.wait_until_read(count, within_s=READ_S)
            yield service.url, service.process.pid


def _questions() -> list[str]:
    from samples.folder import facts

    return [*(fact.question for fact in facts()), "法国的首都是哪里？", "Who won the cup in 1998?"]


def _soak(url: str, pid: int | None, options: argparse.Namespace, seen: Seen) -> None:
    """Until the time is up, or somebody ends it, or the service does."""
    until = time.monotonic() + options.minutes * 60
    questions = _questions()
    people = [
        threading.Thread(
            target=_person,
            args=(url, questions, random.Random(at), seen),  # noqa: S311 (no secret)
            daemon=True,
        )
        for at in range(options.people)
    ]
    for person in people:
        person.start()
    told = time.monotonic()
    while not seen.over.wait(WATCH_EVERY_S) and time.monotonic() < until:
        if pid is not None and not _watch(pid, seen):
            break
        if time.monotonic() - told >= TELL_EVERY_S:
            told = time.monotonic()
            print(f"{len(seen.faults)} faults, {dict(seen.told)}", flush=True)
    seen.over.set()
    end = time.monotonic() + LEAVE_S
    for person in people:
        person.join(max(0.0, end - time.monotonic()))


def _watch(pid: int, seen: Seen) -> bool:
    """Note the service's memory; False where it has ended."""
    try:
        process = psutil.Process(pid)
        if process.status() != psutil.STATUS_ZOMBIE:
            seen.memory.append((time.monotonic(), process.memory_info().rss))
            return True
    except psutil.NoSuchProcess:
        pass
    seen.faults.append("the service ended")
    return False


def _person(url: str, questions: list[str], chance: random.Random, seen: Seen) -> None:
    with httpx.Client(base_url=url, timeout=ASK_S, trust_env=False) as client:
        while not seen.over.is_set():
            question = chance.choice(questions)
            try:
                told = _ask(client, question, seen, leaves=chance.random() < LEAVES_EARLY)
            except (httpx.HTTPError, ValueError) as error:
                if seen.over.is_set():  # the service may be gone
                    return
                told = "fault"
                seen.faults.append(f"{question}: {error!r}")
            seen.told[told] += 1
            seen.over.wait(chance.uniform(0, 2) if told != "429" else chance.uniform(2, 6))


def _ask(client: httpx.Client, question: str, seen: Seen, *, leaves: bool) -> str:
    """One question, told in a word.

    Raises:
        ValueError: what came back is not its answer.
    """
    streamed = ""
    with client.stream(
        "POST", "/api/ask", json={"question": question, "stream": True, "top_k": 3}
    ) as response:
        if response.status_code != httpx.codes.OK:
            if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
                return "429"
            raise ValueError(f"{response.status_code} {response.read().decode()[:200]}")
        for name, data in _events(response):
            if seen.over.is_set():
                return "left at the end"
            if name == "token":
                streamed += data["text"]
                if leaves:
                    return "left early"
            if name == "error":
                raise ValueError(json.dumps(data, ensure_ascii=False))
            if name == "done":
                return _judged(question, streamed, data)
    raise ValueError("the stream ended without an end")


def _events(response: httpx.Response) -> Iterator[tuple[str, dict[str, Any]]]:
    name = ""
    for line in response.iter_lines():
        if line.startswith("event: "):
            name = line.removeprefix("event: ")
        elif line.startswith("data: "):
            yield name, json.loads(line.removeprefix("data: "))


def _judged(question: str, streamed: str, answer: dict[str, Any]) -> str:
    if answer["question_used"] != question:
        raise ValueError(f"answered another question: {answer['question_used']}")
    told = {warning["code"] for warning in answer["warnings"]}
    if answer["mode"] == "generated" and "repetition" not in told:
        ends = _letters(answer["answer"]), _letters(streamed)
        if ends[0] not in ends[1] and SequenceMatcher(None, *ends).ratio() < ALIKE:
            raise ValueError(f"stream and end differ: {streamed!r} / {answer['answer']!r}")
    return str(answer["mode"])


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


def _judge_memory(seen: Seen) -> None:
    began, ended = seen.memory[0][0], seen.memory[-1][0]
    warm = [size for at, size in seen.memory if began + (ended - began) / 4 <= at]
    quarter = max(1, len(warm) // 4)
    before = max(warm[:quarter])
    after = max(warm[-quarter:])
    print(f"memory: {before / 2**20:.0f} MiB warm, {after / 2**20:.0f} MiB at the end")
    if after > max(before * GROWTH, before + GROWTH_BYTES):
        seen.faults.append(f"memory grew from {before} to {after} bytes")


def _report(seen: Seen) -> None:
    for told, count in seen.told.most_common():
        print(f"{count:6} {told}")
    for fault in seen.faults[:20]:
        print(f"FAULT {fault}", file=sys.stderr)
    print("held" if not seen.faults else f"{len(seen.faults)} faults")


if __name__ == "__main__":
    main()
