"""Which generator suits a machine: a pure function of its figures.

A model suits when it leaves `FREE_BYTES` of the whole memory after itself, its context and
Deskside, and when the first token of an answer to a prompt of `PROMPT_TOKENS` is estimated to come
within `PATIENCE_S`.

The estimate: reading a prompt costs two operations per weight and token. llama.cpp was seen to
do 1.1 times the operations a second that numpy does in a float32 matrix product on the same two
cores at the same time (Qwen2.5 1.5B Q4_K_M: 88 tokens/s x 2 x 1.31 G weights = 231 against 205
GFLOPS, and 105 against 260 on a quieter machine; the embedding table is only looked up in, so
its weights don't count).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rag.models.catalogue import ModelCard
from rag.models.machine import Machine

FREE_BYTES = 3_500_000_000
OURSELVES_BYTES = 1_200_000_000
"""Deskside with the embedder, the vector store and the parsing child."""

PROMPT_TOKENS = 1500
PATIENCE_S = 20.0
LLAMA_SHARE = 1.1
GPU_RESERVE_BYTES = 2**30
GPU_FIRST_TOKEN_S = 5.0
"""A cautious round figure: any GPU that holds the whole model reads 300 tokens/s and more."""


@dataclass(frozen=True, slots=True)
class Estimate:
    """How a model would do on a machine."""

    card: ModelCard
    left_bytes: int
    first_token_s: float

    @property
    def fits(self) -> bool:
        return self.left_bytes >= FREE_BYTES

    @property
    def quick(self) -> bool:
        return self.first_token_s <= PATIENCE_S


@dataclass(frozen=True, slots=True)
class Choice:
    """The generator for a machine, and the next larger one: slower, better. None: none is known.

    Attributes:
        why: for people, why it is ``best`` and no larger one.
    """

    best: Estimate | None
    better: Estimate | None
    suits: bool
    why: str = ""


def estimate(card: ModelCard, machine: Machine, context_tokens: int) -> Estimate:
    """Memory left and time to the first token."""
    needs = card.memory_bytes(context_tokens)
    if machine.gpu_bytes >= needs + GPU_RESERVE_BYTES:
        return Estimate(card, machine.total_bytes - OURSELVES_BYTES, GPU_FIRST_TOKEN_S)
    tokens_per_s = machine.gflops * LLAMA_SHARE / (2 * card.prompt_params_b)
    left = machine.total_bytes - needs - OURSELVES_BYTES
    return Estimate(card, left, PROMPT_TOKENS / max(tokens_per_s, 1e-9))


def choose(cards: Sequence[ModelCard], machine: Machine, context_tokens: int = 4096) -> Choice:
    """The best of ``cards`` (weakest first) that suits; where none does, the smallest."""
    estimates = [estimate(card, machine, context_tokens) for card in cards]
    suiting = [one for one in estimates if one.fits and one.quick]
    if not estimates:
        return Choice(None, None, suits=False)
    best = suiting[-1] if suiting else min(estimates, key=lambda one: one.card.size_bytes)
    larger = estimates[estimates.index(best) + 1 :]
    better = next((one for one in larger if one.fits), None)
    return Choice(best, better, suits=bool(suiting), why=_why(best, larger, machine))


def _why(best: Estimate, larger: Sequence[Estimate], machine: Machine) -> str:
    told = [f"about {best.first_token_s:.0f} s to its first word"]
    if not best.fits:
        told = [f"the smallest, though {machine.total_bytes / 2**30:.0f} GiB of memory are too few"]
    elif not best.quick:
        told = [f"the smallest; even so {told[0]}"]
    for one in larger[:1]:
        wait = f"would need about {one.first_token_s:.0f} s, more than {PATIENCE_S:.0f}"
        told.append(f"{one.card.name} {wait if one.fits else 'needs more memory than is left'}")
    return "; ".join(told)
