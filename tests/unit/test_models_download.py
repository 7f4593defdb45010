"""Downloads: resume, servers that ignore Range, dropped lines, wrong bytes."""

import hashlib
from collections.abc import Callable, Iterator

import httpx
import pytest

from rag.errors import DiskFull, Unavailable
from rag.models import download as subject
from rag.models.download import Statement, digest_of, download

BODY = bytes(range(256)) * 4000
STATED = Statement(len(BODY), hashlib.sha256(BODY).hexdigest())
URL = "http://hub.test/file"


class Dropped(httpx.SyncByteStream):
    def __init__(self, body: bytes) -> None:
        self.body = body

    def __iter__(self) -> Iterator[bytes]:
        yield self.body
        raise httpx.ReadError("line dropped")


def client(answer: Callable[[httpx.Request], httpx.Response]) -> httpx.Client:
    return httpx.Client(transport=httpx.MockTransport(answer))


def ranged(request: httpx.Request, body: bytes = BODY) -> httpx.Response:
    said = request.headers.get("Range")
    if said is None:
        return httpx.Response(200, content=body)
    start = int(said.removeprefix("bytes=").removesuffix("-"))
    headers = {"Content-Range": f"bytes {start}-{len(body) - 1}/{len(body)}"}
    return httpx.Response(206, content=body[start:], headers=headers)


def fetch(answer, target, stated=STATED, progress=subject.unseen):
    return download(
        client(answer), URL, target, stated=stated, progress=progress, pause=lambda _s: None
    )


def test_a_download_arrives_whole_and_tells_its_progress(tmp_path):
    seen = []
    target = fetch(ranged, tmp_path / "m.gguf", progress=lambda *step: seen.append(step))
    assert target.read_bytes() == BODY
    assert seen[-1] == (len(BODY), len(BODY))
    assert [path.name for path in tmp_path.iterdir()] == ["m.gguf"]


def test_a_download_cut_at_60_percent_goes_on_there(tmp_path):
    cut = len(BODY) * 6 // 10
    (tmp_path / "m.gguf.part").write_bytes(BODY[:cut])
    asked = []

    def answer(request):
        asked.append(request.headers.get("Range"))
        return ranged(request)

    assert fetch(answer, tmp_path / "m.gguf").read_bytes() == BODY
    assert asked == [f"bytes={cut}-"]


def test_a_server_that_ignores_range_starts_anew(tmp_path):
    (tmp_path / "m.gguf.part").write_bytes(BODY[:1000])
    target = fetch(lambda _r: httpx.Response(200, content=BODY), tmp_path / "m.gguf")
    assert target.read_bytes() == BODY


def test_a_server_that_answers_another_range_starts_anew(tmp_path):
    (tmp_path / "m.gguf.part").write_bytes(BODY[:1000])

    def answer(request):
        if "Range" in request.headers:
            headers = {"Content-Range": f"bytes 0-{len(BODY) - 1}/{len(BODY)}"}
            return httpx.Response(206, content=BODY, headers=headers)
        return httpx.Response(200, content=BODY)

    assert fetch(answer, tmp_path / "m.gguf").read_bytes() == BODY


def test_a_dropped_line_is_picked_up_again(tmp_path):
    asked = []

    def answer(request):
        asked.append(request.headers.get("Range"))
        whole = ranged(request)
        if len(asked) == 3:
            return whole
        return httpx.Response(
            whole.status_code, stream=Dropped(whole.content[:300_000]), headers=whole.headers
        )

    assert fetch(answer, tmp_path / "m.gguf").read_bytes() == BODY
    assert asked == [None, "bytes=300000-", "bytes=600000-"]


def test_a_line_that_stays_down_gives_up_and_keeps_the_part(tmp_path):
    def answer(_request):
        raise httpx.ConnectError("refused")

    (tmp_path / "m.gguf.part").write_bytes(BODY[:1000])
    with pytest.raises(Unavailable, match="broke 5 times"):
        fetch(answer, tmp_path / "m.gguf")
    assert (tmp_path / "m.gguf.part").stat().st_size == 1000


@pytest.mark.parametrize("cut", [0, len(BODY) // 2, len(BODY)])
def test_a_wrong_byte_is_refused_and_removed(tmp_path, cut):
    wrong = b"x" + BODY[1:]
    (tmp_path / "m.gguf.part").write_bytes(wrong[:cut])
    with pytest.raises(Unavailable, match="damaged"):
        fetch(lambda request: ranged(request, wrong), tmp_path / "m.gguf")
    assert list(tmp_path.iterdir()) == []


def test_more_than_stated_is_refused(tmp_path):
    with pytest.raises(Unavailable, match="more"):
        fetch(lambda _r: httpx.Response(200, content=BODY + b"!"), tmp_path / "m.gguf")
    assert list(tmp_path.iterdir()) == []


def test_a_part_longer_than_the_file_is_thrown_away(tmp_path):
    (tmp_path / "m.gguf.part").write_bytes(BODY + b"more")
    assert fetch(ranged, tmp_path / "m.gguf").read_bytes() == BODY


def test_a_refusal_is_told_at_once(tmp_path):
    with pytest.raises(Unavailable, match="404"):
        fetch(lambda _r: httpx.Response(404), tmp_path / "m.gguf")


def test_a_busy_server_is_asked_again(tmp_path):
    answers = iter([httpx.Response(503), httpx.Response(200, content=BODY)])
    assert fetch(lambda _r: next(answers), tmp_path / "m.gguf").read_bytes() == BODY


def test_a_full_disk_is_told_as_one():
    with pytest.raises(DiskFull), subject.room_for("m.gguf"):
        raise OSError(subject.ENOSPC, "No space left on device")


def test_a_git_blob_id_is_checked_like_git_does(tmp_path):
    path = tmp_path / "hello"
    path.write_bytes(b"hello\n")
    assert digest_of(path, "0" * 40) == "ce013625030ba8dba906f756967f9e9ca394464a"
