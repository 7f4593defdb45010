"""Parts a reply into what the model thought and what it says, while it streams.

Thoughts stand between ``<think>`` and ``</think>``, in theory. Seen in practice: the opening tag is
missing (the template wrote it), the closing one is (the reply was cut), a tag is spread over
pieces, the block is empty. A tag in code or in quotation marks is text, and so is every tag after
the first thought where the material itself speaks of such tags.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal

Part = tuple[Literal["thinking", "answer"], str]

_NAMES = "think|thinking|thought|reasoning"
_TAG = re.compile(rf"<(/?)\s*(?:{_NAMES})\s*>", re.IGNORECASE)
_LONGEST = len("</reasoning>") + 4
_QUOTES = dict(zip("`\"'“‘「『《（(", "`\"'”’」』》）)", strict=True))
_CODE = re.compile(r"```.*?(?:```|\Z)|`[^`\n]*(?:`|\n|\Z)", re.DOTALL)


def speaks_of_tags(text: str) -> bool:
    """Whether ``text`` itself holds such a tag, so that a reply may quote one."""
    return bool(_TAG.search(text))


class Thinking:
    """Fed with pieces of a reply; ``answer`` and ``thoughts`` are what it has told apart so far.

    Args:
        quotable: the material or the question holds such tags: only a thought that opens the reply
            is one, any later tag is text.
    """

    def __init__(self, *, quotable: bool = False) -> None:
        self._quotable = quotable
        self._held = ""
        self._inside = False
        self._closed = False
        self._thoughts: list[str] = []
        self._answer: list[str] = []

    @property
    def thoughts(self) -> str:
        return "".join(self._thoughts).strip()

    @property
    def answer(self) -> str:
        return "".join(self._answer)

    def feed(self, text: str) -> Iterator[Part]:
        """What can be told apart now; a possible beginning of a tag is held back."""
        self._held += text
        yield from self._parts(final=False)

    def end(self) -> Iterator[Part]:
        """The rest."""
        yield from self._parts(final=True)

    def _parts(self, *, final: bool) -> Iterator[Part]:
        while tag := _TAG.search(self._held):
            if tag.end() == len(self._held) and not final:
                break  # the next character tells whether it is quoted
            yield from self._pass(tag)
        keep = 0 if final else _unsure(self._held)
        cut = len(self._held) - keep
        yield from self._take(self._held[:cut])
        self._held = self._held[cut:]

    def _pass(self, tag: re.Match[str]) -> Iterator[Part]:
        """Everything up to the tag's end, the tag left out if it is one."""
        before, after = self._held[: tag.start()], self._held[tag.end() :]
        closing = bool(tag.group(1))
        if self._is_text(before, after, closing=closing):
            yield from self._take(before + tag.group())
        else:
            yield from self._take(before)
            if closing and not self._inside:
                self._all_was_thought(after)
            self._closed = self._closed or closing
            self._inside = not closing
        self._held = after

    def _is_text(self, before: str, after: str, *, closing: bool) -> bool:
        """Whether a tag is no tag: quoted, in code, or a thought opening within a thought."""
        if self._inside:
            return not closing or _in_quotes("".join(self._thoughts) + before, after)
        said = self.answer + before
        if self._quotable and (closing or self._closed or said.strip()):
            return True
        return _in_quotes(said, after) or _in_code(said)

    def _all_was_thought(self, after: str) -> None:
        """A closing tag that nothing opened: what came before it was no answer.

        A stray one at the end of an answer that followed a thought takes nothing away.
        """
        if self._closed and not after.strip():
            return
        self._thoughts += self._answer
        self._answer = []

    def _take(self, text: str) -> Iterator[Part]:
        if not self._inside and not self._answer:
            text = text.lstrip()
        if not text:
            return
        (self._thoughts if self._inside else self._answer).append(text)
        if text.strip() or not self._inside or self.thoughts:
            yield ("thinking" if self._inside else "answer"), text


def _in_quotes(before: str, after: str) -> bool:
    return before[-1:] in _QUOTES and after[:1] == _QUOTES[before[-1:]]


def _in_code(before: str) -> bool:
    """Whether ``before`` ends within a code span or block."""
    spans = [match.group() for match in _CODE.finditer(before) if match.end() == len(before)]
    if not spans:
        return False
    fence, ends = ("```", ("```",)) if spans[-1].startswith("```") else ("`", ("`", "\n"))
    return len(spans[-1]) == len(fence) or not spans[-1].endswith(ends)


def _unsure(text: str) -> int:
    """How many characters at the end may be the beginning of a tag, or one to be judged."""
    at = text.rfind("<", max(0, len(text) - _LONGEST))
    if at < 0:
        return 0
    rest = text[at:]
    if _TAG.fullmatch(rest):
        return len(rest)
    return len(rest) if re.fullmatch(r"</?\s*[a-z]*\s*", rest, re.IGNORECASE) else 0
