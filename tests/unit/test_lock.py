"""FIELD_CASE 48: one process owns the data folder; a second start says who."""

import subprocess
import sys
from pathlib import Path

import pytest

from rag.errors import DataInUse
from rag.lock import DataLock, owning

HOLD = """
import sys, time
from pathlib import Path
from rag.lock import DataLock
lock = DataLock(Path(sys.argv[1])); lock.acquire(); lock.announce("http://127.0.0.1:1")
print("held", flush=True); time.sleep(60)
"""


def test_a_second_process_is_told_who_holds_it(tmp_path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(tmp_path)], stdout=subprocess.PIPE, text=True
    )
    try:
        assert holder.stdout is not None
        assert holder.stdout.readline() == "held\n"
        with pytest.raises(DataInUse) as refused, owning(tmp_path):
            pass
        assert (refused.value.pid, refused.value.url) == (holder.pid, "http://127.0.0.1:1")
        assert str(holder.pid) in refused.value.detail
    finally:
        holder.kill()
        holder.communicate()
    with owning(tmp_path):  # a killed holder holds nothing
        pass


def test_a_released_lock_can_be_taken_again(tmp_path: Path) -> None:
    for _ in range(2):
        lock = DataLock(tmp_path)
        lock.acquire()
        lock.release()
