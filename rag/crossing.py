"""Nearness of a question in one script to passages in another.

An embedding says what a text is about, and also what language it is in. Among passages of its own
language that does no harm; to those of another it blurs what is near, and puts every one of them
behind every one of its own. So the part that all questions of a language have in common is taken
off. Measured in ADR 0015.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from rag.sentences import same_script

if TYPE_CHECKING:
    from rag.ports import Embedder, Vectors

_AWAY = 0.75
"""How much of what its language has in common is taken off a question."""
_ASIDE = 0.5
"""How far what is looked near to lies from the question's language towards the other."""
_BEHIND = 0.03
"""What a passage of another language stands behind an equal one of the question's own."""


@dataclass(frozen=True, slots=True)
class Across:
    """A question's way to passages in the other script.

    Attributes:
        probe: a unit vector; nearest to it are passages in that script, hardly any in the own.
        taken: what is taken off the question's vector.
        level: makes the nearness comparable with a cosine in the question's own script.
    """

    probe: Vectors
    taken: Vectors
    level: float

    def gain(self, held: Vectors) -> float:
        """What a passage's cosine with the question gains by not being in its language."""
        return self.level - float(self.taken @ held)


class Crossing:
    """Finds that way; safe to call from many threads."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._common: dict[bool, Vectors] = {}

    def across(self, query: str, vector: Vectors) -> Across:
        """The way of ``query``, whose vector is ``vector``."""
        chinese = same_script(query, _ORDINARY[True][0])
        own, other = self._common_of(chinese), self._common_of(not chinese)
        taken = own * np.float32(_AWAY)
        shifted = vector - taken - np.float32(_ASIDE) * (own - other)
        level = float(taken @ other + vector @ (own - other)) - _BEHIND
        length = np.float32(max(float(np.linalg.norm(shifted)), 1e-9))
        return Across(np.asarray(shifted / length, dtype=np.float32), taken, level)

    def _common_of(self, chinese: bool) -> Vectors:
        """What texts of a language have in common: the mean of many questions."""
        if chinese not in self._common:
            vectors = [self._embedder.embed_query(text) for text in _ORDINARY[chinese]]
            self._common[chinese] = np.stack(vectors).mean(axis=0)
        return self._common[chinese]


_ORDINARY = {
    True: (
        "报销的流程是什么？", "谁负责审批采购申请？", "该产品的保修期有多长？",
        "这个项目什么时候开始？", "他出生在哪一年？", "哪个国家的人口最多？",
        "这种药物有哪些副作用？", "为什么水会结冰？", "如何安装这个软件？", "战争持续了多少年？",
        "这部电影的导演是谁？", "船只通过运河需要多长时间？", "公司在哪些城市设有分公司？",
        "法律对此有何规定？", "球队在决赛中以多少分获胜？", "这位科学家发现了什么？",
        "植物如何从阳光中获得能量？", "政府采取了什么措施？", "这首歌曲属于哪张专辑？",
        "教堂建于哪个世纪？", "员工每年有多少天假期？", "这种语言有多少人使用？",
        "违约金如何计算？", "哪条河流经过首都？", "银行的利率是多少？", "这个组织的目标是什么？",
        "学生需要提交哪些材料？", "发动机的功率是多大？", "最早的证据是在哪里发现的？",
        "总统是由谁选举产生的？",
    ),
    False: (
        "What is the process for claiming expenses?", "Who approves purchase requests?",
        "How long is the warranty of the product?", "When does the project start?",
        "In which year was he born?", "Which country has the largest population?",
        "What are the side effects of this medicine?", "Why does water freeze?",
        "How is the software installed?", "How many years did the war last?",
        "Who directed the film?", "How long does it take ships to pass the canal?",
        "In which cities does the company have branches?", "What does the law say about it?",
        "By what score did the team win the final?", "What did the scientist discover?",
        "How do plants get energy from sunlight?", "What measures did the government take?",
        "Which album does the song belong to?", "In which century was the church built?",
        "How many days of leave do employees have each year?",
        "How many people speak this language?",
        "How is the penalty for breach of contract calculated?",
        "Which river flows through the capital?", "What is the interest rate of the bank?",
        "What is the goal of the organisation?", "Which documents do students have to submit?",
        "How powerful is the engine?", "Where was the earliest evidence found?",
        "Who elects the president?",
    ),
}  # fmt: skip
"""Questions about all sorts of things, in Chinese or not."""
