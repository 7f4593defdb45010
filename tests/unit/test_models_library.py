"""Which model is fetched, which is loaded, and what is remembered."""

import httpx
import pytest

from rag.errors import NotFound, Unavailable
from rag.models import library
from rag.models.catalogue import card_of
from rag.models.hub import Hub
from rag.models.shelf import CHOICE, add_record, place_of, read_record
from rag.settings import Settings


@pytest.fixture
def settings(tmp_path, monkeypatch):
    monkeypatch.setattr(library, "measure_gflops", lambda: 210.0)
    return Settings(models_dir=tmp_path, data=tmp_path / "data")


def put(settings, name):
    place = place_of(card_of(name), settings.models_dir)
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(b"GGUF")


def hub(status: int | None) -> Hub:
    asked = []

    def answer(request):
        asked.append(request)
        if status is None:
            raise httpx.ConnectError("away")
        return httpx.Response(status, headers={"ETag": '"' + "0" * 40 + '"', "Content-Length": "9"})

    made = Hub(httpx.Client(transport=httpx.MockTransport(answer)))
    made.asked = asked
    return made


def names(cards):
    return [card.name for card in cards]


def test_without_a_model_there_is_no_generator(settings):
    assert library.generator_for(settings) is None


def test_the_only_model_is_taken(settings):
    put(settings, "qwen2.5-coder-0.5b-instruct")
    assert library.generator_for(settings).name == "qwen2.5-coder-0.5b-instruct"


def test_of_several_the_one_that_suits_best_is_taken(settings):
    for name in ("qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct", "qwen3.5-27b"):
        put(settings, name)
    assert library.generator_for(settings).name == "qwen2.5-coder-1.5b-instruct"


def test_a_slow_machine_takes_the_smaller_one(settings, monkeypatch):
    monkeypatch.setattr(library, "measure_gflops", lambda: 60.0)
    for name in ("qwen2.5-coder-0.5b-instruct", "qwen2.5-coder-1.5b-instruct"):
        put(settings, name)
    assert library.generator_for(settings).name == "qwen2.5-coder-0.5b-instruct"


def test_a_named_model_must_be_known_and_there(settings, tmp_path):
    with pytest.raises(NotFound):
        library.generator_for(Settings(models_dir=tmp_path, model="nonesuch"))
    with pytest.raises(Unavailable, match="not on this computer"):
        library.generator_for(Settings(models_dir=tmp_path, model="qwen3.5-4b"))


def test_the_best_speed_ever_measured_counts(settings, tmp_path):
    add_record(tmp_path, CHOICE, {"thread_gflops": 900.0})
    library.choice_here(tmp_path, (), 4096)
    assert read_record(tmp_path, CHOICE)["thread_gflops"] == 900.0


@pytest.mark.parametrize(
    ("status", "model"),
    [
        (200, "qwen3.5-2b"),
        (None, "qwen2.5-coder-1.5b-instruct"),
        (403, "qwen2.5-coder-1.5b-instruct"),
    ],
)
def test_what_is_wanted_depends_on_what_can_be_had(settings, status, model):
    assert names(library.wanted(settings, hub(status))) == ["multilingual-e5-small", model]


def test_the_model_chosen_once_needs_no_network_again(settings):
    put(settings, "qwen2.5-coder-1.5b-instruct")
    add_record(settings.models_dir, CHOICE, {"model": "qwen2.5-coder-1.5b-instruct"})
    asked = hub(200)
    assert names(library.wanted(settings, asked))[1] == "qwen2.5-coder-1.5b-instruct"
    assert asked.asked == []


def test_two_processes_do_not_fetch_at_once(settings):
    with library._alone(settings.models_dir), pytest.raises(Unavailable, match="Another process"):
        library.pull(card_of("qwen3.5-4b"), settings.models_dir, hub=hub(None))
