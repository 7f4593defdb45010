"""The model's own word on whether the first passage answers, put together with the gate's.

The prompt of the answer begins with that passage anyway: asking yes or no behind it costs some
sixty tokens more. ADR 0024 has what it tells, and with which model it was measured.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from rag.prompting import whether_stated
from rag.questions import asks_whether
from rag.records import Hit
from rag.terms import is_cjk

if TYPE_CHECKING:
    from rag.ports import Generator

_YES = ("Yes", "yes", "是", "有")
_NO = ("No", "no", "否", "没有", "不")


@dataclass(frozen=True, slots=True)
class _Look:
    """A logistic model of the gate's log-odds and the model's, and the least the gate must give.

    Asked in Chinese, models say yes more readily. Below ``least`` no word of theirs changes
    anything, so they aren't asked.
    """

    gate: float
    leaning: float
    chinese: float
    other: float
    least: float


_LOOKS = {"qwen2.5-coder-1.5b": _Look(0.63, 1.76, chinese=-2.44, other=0.17, least=0.06)}
"""By the beginning of the model's name; others were not measured, and the gate alone decides."""
LEAST = min(look.least for look in _LOOKS.values())
"""The evidence below which no model need be asked, nor be there."""


def least_evidence(model: Generator, bar: float) -> float:
    """The evidence below which ``model`` need not be asked, given the bar for all of it."""
    look = _look_of(model)
    return min(bar, look.least) if look else bar


def evidence_after(
    model: Generator, question: str, first: Hit, evidence: float, cancelled: Callable[[], bool]
) -> float:
    """How probable it is that the passages answer, once the model has looked at the ``first``.

    The same as before where it can't look, or was not measured; and where yes or no is wanted, as
    models then answer the question itself: no, no subletting.
    """
    look = _look_of(model)
    if look is None or asks_whether(question):
        return evidence
    asked = whether_stated(question, first)
    leaning = model.leaning(asked, towards=_YES, away=_NO, cancelled=cancelled)
    if leaning is None:
        return evidence
    bias = look.chinese if is_cjk(question) else look.other
    total = look.gate * _log_odds(evidence) + look.leaning * leaning + bias
    return 1.0 / (1.0 + math.exp(-max(min(total, 60.0), -60.0)))


def _look_of(model: Generator) -> _Look | None:
    return next(
        (look for name, look in _LOOKS.items() if model.name.casefold().startswith(name)), None
    )


def _log_odds(probability: float) -> float:
    kept = min(max(probability, 1e-9), 1 - 1e-9)
    return math.log(kept / (1 - kept))
