"""Mends ASCII punctuation that a model sets after Chinese characters, while it streams.

``租金一年一付,押金另算.`` becomes ``租金一年一付，押金另算。``. Numbers, times, file names,
addresses and code are left alone: a mark counts only after a Chinese character (markers, quotation
marks and emphasis may stand between), and not before what would make it part of a name.
"""

from __future__ import annotations

import re

_FULL = str.maketrans(",.?!:;", "，。？！：；")
_AFTER_CHINESE = re.compile(
    r"[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff？！]"
    r"(?:[*_”’」』）》】)]|\s?[\[【［]\d{1,2}[\]】］])*\Z"
)
# 合同.pdf, 路径?id=1, and the dots of an ellipsis: no end of a sentence.
_ENDS = frozenset(".?!")
_NAME_GOES_ON = re.compile(r"[A-Za-z0-9/_=&.\\-]")
_ADDRESS = re.compile(r"(?:[a-z][a-z0-9+.-]*://|www\.)[^\s，。；、！？“”（）<>]*\Z", re.IGNORECASE)
_TAIL = 400
"""Characters looked back upon; no address is longer."""
_FENCE = 3


class Punctuation:
    """Fed with pieces of a text, gives them back mended; one character may be held back."""

    def __init__(self) -> None:
        self._tail = ""
        self._held = ""
        self._mended = False
        self._ticks = 0
        self._in_block = False
        self._in_span = False

    def feed(self, text: str) -> str:
        return "".join(map(self._step, text))

    def end(self) -> str:
        """What was held back."""
        return self._settle("")

    def _step(self, letter: str) -> str:
        settled = self._settle(letter)
        mended, self._mended = self._mended, False
        if mended and letter == " ":
            return settled  # a full-width mark brings its own blank
        if letter in ",.?!:;" and self._is_mendable():
            self._held = letter
            return settled
        return settled + self._keep(letter)

    def _settle(self, following: str) -> str:
        """The mark held back, mended unless what follows makes it part of a name."""
        mark, self._held = self._held, ""
        if not mark:
            return ""
        if mark in _ENDS and _NAME_GOES_ON.match(following):
            return self._keep(mark)
        self._mended = True
        return self._keep(mark.translate(_FULL))

    def _is_mendable(self) -> bool:
        if self._ticks or self._in_block or self._in_span:
            return False
        return bool(_AFTER_CHINESE.search(self._tail)) and not _ADDRESS.search(self._tail)

    def _keep(self, letter: str) -> str:
        if letter == "`":
            self._ticks += 1
        elif self._ticks:
            if self._ticks >= _FENCE:
                self._in_block = not self._in_block
            elif not self._in_block:
                self._in_span = not self._in_span
            self._ticks = 0
        if letter == "\n":
            self._in_span = False
        self._tail = (self._tail + letter)[-_TAIL:]
        return letter
