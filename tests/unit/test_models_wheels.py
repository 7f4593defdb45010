"""Models out of wheels: joined in order, resumed by parts, refused when wrong."""

import dataclasses
import hashlib
import subprocess
import sys
import zipfile

import httpx
import pytest

from rag.errors import Unavailable
from rag.models import wheels
from rag.models.catalogue import CARDS, ModelCard, card_of
from rag.models.hub import Hub
from rag.models.library import pull
from rag.models.sources import HubFile, RebuiltE5, Wheel, WheelParts

PARTS = (b"a" * 1000, b"b" * 1000, b"c" * 300)
WHOLE = b"".join(PARTS)


def wheel(number: int) -> Wheel:
    return Wheel(f"fake-part{number}==1.0", "0" * 64, f"fake/part{number}.bin", len(PARTS[number]))


def card(sha256: str = hashlib.sha256(WHOLE).hexdigest()) -> ModelCard:
    parts = WheelParts("fake.gguf", tuple(wheel(number) for number in range(len(PARTS))))
    return ModelCard(
        name="fake",
        role="generator",
        licence="MIT",
        params_b=0.1,
        prompt_params_b=0.1,
        size_bytes=len(WHOLE),
        sha256=sha256,
        context_tokens=512,
        sources=(HubFile("them/fake", "fake.gguf"), parts),
    )


class Registry:
    """Makes the wheels it is asked for; fails once at ``break_at``."""

    def __init__(self, break_at: int | None = None) -> None:
        self.asked = []
        self.break_at = break_at

    def __call__(self, asked, folder, progress):
        number = int(asked.requirement[9])
        self.asked.append(number)
        if number == self.break_at:
            self.break_at = None
            raise Unavailable("the line broke")
        path = folder / f"fake_part{number}-1.0-py3-none-any.whl"
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr(asked.member, PARTS[number])
        progress(asked.member_bytes // 2, asked.member_bytes)
        return path


def away() -> Hub:
    def answer(_request):
        raise httpx.ConnectError("refused")

    return Hub(httpx.Client(transport=httpx.MockTransport(answer)))


def test_parts_are_joined_in_order_when_the_hub_is_away(tmp_path):
    seen = []
    path = pull(card(), tmp_path, lambda *step: seen.append(step), hub=away(), fetch=Registry())
    assert path.read_bytes() == WHOLE
    assert [one.name for one in path.parent.iterdir()] == ["fake.gguf"]
    assert seen == sorted(seen)
    assert seen[-1] == (len(WHOLE), len(WHOLE))


def test_a_second_pull_fetches_nothing(tmp_path):
    pull(card(), tmp_path, hub=away(), fetch=Registry())
    registry = Registry()
    pull(card(), tmp_path, hub=away(), fetch=registry)
    assert registry.asked == []


def test_a_model_of_the_wrong_size_is_fetched_again(tmp_path):
    path = pull(card(), tmp_path, hub=away(), fetch=Registry())
    path.write_bytes(b"GGUF")
    assert pull(card(), tmp_path, hub=away(), fetch=Registry()).read_bytes() == WHOLE


def test_finished_parts_survive_a_broken_line(tmp_path):
    registry = Registry(break_at=1)
    with pytest.raises(Unavailable, match=r"hub .* can't be reached .* the line broke"):
        pull(card(), tmp_path, hub=away(), fetch=registry)
    assert pull(card(), tmp_path, hub=away(), fetch=registry).read_bytes() == WHOLE
    assert registry.asked == [0, 1, 1, 2]


def test_a_half_written_part_is_fetched_again(tmp_path):
    (tmp_path / "fake").mkdir()
    (tmp_path / "fake" / "fake.gguf.parts").write_bytes(WHOLE[:1500])
    registry = Registry()
    assert pull(card(), tmp_path, hub=away(), fetch=registry).read_bytes() == WHOLE
    assert registry.asked == [1, 2]


def test_a_wrong_byte_is_refused_and_removed(tmp_path):
    with pytest.raises(Unavailable, match="damaged"):
        pull(card("0" * 64), tmp_path, hub=away(), fetch=Registry())
    assert list((tmp_path / "fake").iterdir()) == []


def test_a_member_of_the_wrong_size_is_refused(tmp_path):
    wrong = dataclasses.replace(wheel(0), member_bytes=999)
    with pytest.raises(Unavailable, match="wrong size"):
        wheels.join((wrong,), tmp_path / "out", fetch=Registry())


def test_a_package_without_the_file_is_refused(tmp_path):
    def empty(_wheel, folder, _progress):
        path = folder / "empty.whl"
        path.write_bytes(b"no zip")
        return path

    with pytest.raises(Unavailable, match="does not hold"):
        wheels.join((wheel(0),), tmp_path / "out", fetch=empty)


def test_pip_is_asked_with_hashes_and_without_dependencies(tmp_path, monkeypatch):
    commands = []
    real = subprocess.Popen

    def popen(command, **kwargs):
        commands.append(command)
        return real(
            [sys.executable, "-c", "import sys; sys.exit('ERROR: no such thing')"], **kwargs
        )

    monkeypatch.setattr(subprocess, "Popen", popen)
    asked = dataclasses.replace(wheel(0), platform="manylinux2014_x86_64")
    with pytest.raises(Unavailable, match="no such thing"):
        wheels.pip_fetch(asked, tmp_path)
    assert {"--no-deps", "--require-hashes", "--only-binary=:all:"} <= set(commands[0])
    assert commands[0][commands[0].index("--platform") + 1] == "manylinux2014_x86_64"
    required = (tmp_path / "required.txt").read_text()
    assert required == f"fake-part0==1.0 --hash=sha256:{'0' * 64}\n"
    assert len(commands) == wheels.ATTEMPTS


def test_the_catalogue_adds_up():
    assert len({one.name for one in CARDS}) == len(CARDS)
    for one in CARDS:
        for source in one.sources:
            if isinstance(source, WheelParts):
                assert sum(part.member_bytes for part in source.parts) == one.size_bytes
                assert len({part.sha256 for part in source.parts}) == len(source.parts)
                assert one.sha256


def test_the_catalogue_pins_every_byte_that_no_hub_states():
    (rebuilt,) = (
        one for one in card_of("multilingual-e5-small").sources if isinstance(one, RebuiltE5)
    )
    assert len(rebuilt.weights_sha256) == len(rebuilt.tokenizer_sha256) == 64
