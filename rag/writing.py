"""A reply as the model writes it: thoughts apart, punctuation mended, loops and echoes ended."""

from __future__ import annotations

from collections.abc import Iterator

from rag.prompting import OPENINGS
from rag.punctuation import Punctuation
from rag.repetition import loop_start
from rag.thinking import Part, Thinking

_LOOK_EVERY = 16
"""Characters between two looks for a loop."""


class Writing:
    """Fed with pieces of a reply; gives what may be shown as it streams.

    What was shown is provisional: a late ``</think>`` turns it into thoughts, a loop is cut off.
    ``text`` and ``thoughts`` are final once `end` was called.

    Args:
        quotable: the material or the question speaks of ``<think>`` itself.
    """

    def __init__(self, *, quotable: bool = False) -> None:
        self._thinking = Thinking(quotable=quotable)
        self._punctuation = Punctuation()
        self._unlooked = 0
        self._loop: int | None = None

    @property
    def looped(self) -> bool:
        """Whether the model repeats itself, or what it was given, and should be stopped."""
        return self._loop is not None

    @property
    def thoughts(self) -> str:
        return self._thinking.thoughts

    @property
    def text(self) -> str:
        """The answer without its loop, mended."""
        mended = Punctuation()
        return mended.feed(self._thinking.answer[: self._loop]) + mended.end()

    def feed(self, text: str) -> Iterator[Part]:
        yield from self._shown(self._thinking.feed(text))
        self._unlooked += len(text)
        if self._unlooked >= _LOOK_EVERY:
            self._look()

    def end(self) -> Iterator[Part]:
        """What was held back, and a last look."""
        yield from self._shown(self._thinking.end())
        if rest := self._punctuation.end():
            yield "answer", rest
        self._look()

    def _shown(self, parts: Iterator[Part]) -> Iterator[Part]:
        for kind, text in parts:
            mended = self._punctuation.feed(text) if kind == "answer" else text
            if mended:
                yield kind, mended

    def _look(self) -> None:
        """A loop in thoughts ends the reply as well; nothing is cut off the answer then."""
        self._unlooked = 0
        if self._loop is None:
            self._loop = _start(self._thinking.answer)
        if self._loop is None and loop_start(self._thinking.thoughts) is not None:
            self._loop = len(self._thinking.answer)


def _start(text: str) -> int | None:
    """Where the reply's last loop begins, or the prompt that is given back (seen with 1.5B)."""
    echoes = [text.index(opening) for opening in OPENINGS if opening in text]
    return min(echoes) if echoes else loop_start(text)
