"""What the signals of evidence weigh, as `scripts/fit_gate.py` found it; see ADR 0017.

python scripts/fit_gate.py measure ../shared/eval STORES rows.json
python scripts/fit_gate.py fit rows.json
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Weighing:
    """A logistic model: the weight of each signal, and what is added to them."""

    weights: tuple[tuple[str, float], ...]
    bias: float


WEIGHED_FOR = "multilingual-e5-small"
"""The embedder whose nearness was measured; it opens the fingerprint."""
ALIKE = Weighing(
    (("first", 3.244), ("codes", 0.516), ("tokens", 22.913), ("weakest", 10.334)), -29.672
)
"""Question and passages in one script; at one half 15 % of the good questions are refused."""
ACROSS = Weighing((("codes", 5.158), ("centred", 26.227)), -15.597)
"""A Chinese question over English passages or the other way round: words can't meet.

Little can be told there; at one half a quarter of the good questions is refused.
"""
WORDS = Weighing((("first", 6.692), ("codes", 0.498)), -2.876)
"""Where no nearness in meaning can be told."""
ORDINARY = {
    True: (
        "公司的地址在哪里？", "会议在星期三下午举行。", "这本书是谁写的？",
        "合同自签字之日起生效。", "去年的收入是多少？", "河流从山里流向大海。",
        "请把表格交给人事部门。", "这座城市建于什么年代？", "设备需要每年检修一次。",
        "他在大学学习历史。",
    ),
    False: (
        "Where is the office of the company?", "The meeting takes place on Wednesday afternoon.",
        "Who wrote this book?", "The contract takes effect on the day it is signed.",
        "What was last year's income?", "The river flows from the mountains to the sea.",
        "Please hand the form to the personnel department.", "When was the city built?",
        "The equipment must be overhauled every year.", "He studied history at the university.",
    ),
}  # fmt: skip
"""About nothing in particular, in Chinese or not: their mean is what the language has in common."""
