from __future__ import annotations

import os
import subprocess
import sys
import threading
import time
from pathlib import Path

import psutil
import pytest
from samples.folder import samples

from ingest.child import ParsingChild
from ingest.failures import Unreadable
from ingest.parsers import parse
from ingest.wire import parsed_from_json, parsed_to_json, tables_to_bytes
from rag.errors import Unavailable
from rag.records import Reason
from rag.right_of_way import RightOfWay

HERE = Path(__file__).resolve().parent


@pytest.fixture
def child(monkeypatch):
    """Makes children that can import the scripted parsers; all are closed in the end."""
    monkeypatch.setenv("PYTHONPATH", str(HERE))
    made = []

    def make(function, **limits):
        made.append(ParsingChild(function=f"scripted_parsers:{function}", **limits))
        return made[-1]

    yield make
    for each in made:
        each.close()


@pytest.fixture
def a_file(tmp_path):
    (tmp_path / "a.txt").write_text("a")
    return tmp_path / "a.txt"


def _reader(parsed):
    return int(parsed.pages[0].label)


def test_noise_on_stdout_does_not_reach_the_answer(child, a_file):
    parsed = child("reads").parse(a_file)
    assert parsed.elements[0].text == "a.txt"
    assert parsed.elements[0].locator.boxes[0].x1 == 0.3


def test_one_child_reads_many_files_and_is_then_replaced(child, a_file):
    reading = child("reads", files_per_child=2)
    readers = [_reader(reading.parse(a_file)) for _ in range(3)]
    assert readers[0] == readers[1] != readers[2]
    assert not psutil.pid_exists(readers[0])


@pytest.mark.parametrize(
    ("function", "limits", "code"),
    [
        ("hangs", {"timeout_s": 0.5}, Reason.TIMEOUT),
        ("circles", {"timeout_s": 0.5}, Reason.TIMEOUT),
        ("leaves", {}, Reason.INTERNAL),
        ("crashes", {}, Reason.INTERNAL),
        ("floods", {}, Reason.INTERNAL),
        ("eats", {"memory_bytes": 150 * 2**20, "timeout_s": 60}, Reason.MEMORY),
        ("fails", {}, Reason.INTERNAL),
    ],
)
def test_a_parser_gone_wrong_fails_its_file_only(child, a_file, function, limits, code):
    reading = child(function, **limits)
    with pytest.raises(Unreadable) as caught:
        reading.parse(a_file)
    assert caught.value.failure.code is code
    reading._function = "scripted_parsers:reads"
    assert reading.parse(a_file).elements[0].text == "a.txt"


@pytest.mark.parametrize(
    ("limits", "code"),
    [
        ({"timeout_s": 3}, Reason.TIMEOUT),
        ({"timeout_s": 60, "memory_bytes": 200 << 20}, Reason.MEMORY),
    ],
    ids=["time", "memory"],
)
def test_what_a_parser_started_counts_and_goes_with_it(child, a_file, limits, code):
    with pytest.raises(Unreadable) as caught:
        child("starts_another", **limits).parse(a_file)
    assert caught.value.failure.code is code
    other = int(a_file.with_suffix(".pid").read_text())
    deadline = time.monotonic() + 10
    while psutil.pid_exists(other) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not psutil.pid_exists(other)


def test_one_that_gets_on_page_by_page_may_take_longer(child, a_file):
    told = []
    child("plods", timeout_s=1).parse(a_file, progress=lambda *pages: told.append(pages))
    assert told[-1] == (10, 10)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the child only gets slower")
def test_the_child_stands_still_while_a_question_is_answered(child, a_file):
    way = RightOfWay()
    told = []
    reading = child("plods", timeout_s=1, right_of_way=way)
    reading.parse(a_file)
    leave = way.enter()
    parsing = threading.Thread(
        target=lambda: reading.parse(a_file, progress=lambda *pages: told.append(pages))
    )
    parsing.start()
    deadline = time.monotonic() + 20
    while _status_of(reading) != psutil.STATUS_STOPPED:
        assert time.monotonic() < deadline
    seen = len(told)
    time.sleep(2.5)  # over its time limit, which does not run meanwhile
    assert _status_of(reading) == psutil.STATUS_STOPPED
    assert len(told) <= seen + 1
    leave()
    parsing.join(20)
    assert told[-1] == (10, 10)


@pytest.mark.skipif(os.name != "posix", reason="elsewhere the child only gets slower")
def test_a_child_that_stands_still_is_ended_all_the_same(child, a_file):
    way = RightOfWay()
    reading = child("hangs", right_of_way=way)
    way.enter()
    threading.Timer(1.0, reading.close).start()
    with pytest.raises(Unavailable):
        reading.parse(a_file)
    assert _status_of(reading) is None


def _status_of(reading):
    running = reading._child._running
    try:
        return psutil.Process(running._process.pid).status() if running else None
    except psutil.NoSuchProcess:
        return None


def test_what_a_parser_says_when_it_fails_is_not_logged(child, a_file, caplog):
    with pytest.raises(Unreadable):
        child("fails").parse(a_file)
    assert "RuntimeError" in caplog.text
    assert "text of the document" not in caplog.text


@pytest.mark.parametrize("after_s", [0.0, 1.0], ids=["while it starts", "while it reads"])
def test_closing_ends_a_call_under_way(child, a_file, after_s):
    reading = child("hangs", timeout_s=30)
    threading.Timer(after_s, reading.close).start()
    with pytest.raises(Unavailable):
        reading.parse(a_file)


def test_a_missing_file_is_told_as_one(child, tmp_path):
    with pytest.raises(FileNotFoundError):
        child("reads").parse(tmp_path / "gone.txt")


@pytest.mark.skipif(os.name != "posix", reason="kills by signal")
@pytest.mark.parametrize("stopped", [False, True], ids=["running", "standing still"])
def test_the_child_dies_with_its_parent(a_file, stopped):
    code = (
        "import sys, threading, pathlib; from ingest.child import ParsingChild\n"
        "child = ParsingChild(function='scripted_parsers:reads')\n"
        "print(child.parse(pathlib.Path(sys.argv[1])).pages[0].label, flush=True)\n"
        "child._function = 'scripted_parsers:hangs'\n"
        "child.parse(pathlib.Path(sys.argv[1]))\n"
    )
    paths = os.pathsep.join([str(HERE), str(HERE.parents[1])])
    parent = subprocess.Popen(
        [sys.executable, "-c", code, str(a_file)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": paths},
    )
    reader = int(parent.stdout.readline())
    if stopped:
        psutil.Process(reader).suspend()
        while psutil.Process(reader).status() != psutil.STATUS_STOPPED:
            time.sleep(0.01)
    parent.kill()
    parent.wait()
    parent.stdout.close()
    deadline = time.monotonic() + 10
    while psutil.pid_exists(reader) and time.monotonic() < deadline:
        time.sleep(0.1)
    assert not psutil.pid_exists(reader)


def test_the_real_parser_reads_and_refuses_through_the_pipe():
    reading = ParsingChild()
    try:
        assert reading.parse(samples() / "租赁合同.pdf") == parse(samples() / "租赁合同.pdf")
        with pytest.raises(Unreadable) as caught:
            reading.parse(samples() / "broken" / "password.pdf")
        assert caught.value.failure.code is Reason.ENCRYPTED
    finally:
        reading.close()


@pytest.mark.parametrize("name", ["lease.pdf", "breaks.docx", "部门汇总.xlsx", "broken/partly.pdf"])
def test_a_document_comes_back_the_same_from_json(name):
    parsed = parse(samples() / name)
    assert parsed_from_json(parsed_to_json(parsed), tables_to_bytes(parsed.tables)) == parsed


def test_json_that_is_no_document_is_refused():
    data = parsed_to_json(parse(samples() / "lease.pdf"))
    for spoilt in ({**data, "pages": [["one", "1", "text", 3]]}, {**data, "elements": [{}]}, {}):
        with pytest.raises((TypeError, KeyError, ValueError)):
            parsed_from_json(spoilt)
