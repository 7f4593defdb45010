"""The chat template that a model file brings, rendered so that documents can't forge its marks."""

from __future__ import annotations

import re
import secrets

from rag.errors import Unavailable
from rag.records import Prompt

_OPEN_THOUGHT = re.compile(r"(<think(?:ing)?>)\s*\Z")


class Template:
    """The chat template a model file brings, rendered in a sandbox: the file is untrusted."""

    def __init__(self, source: str, *, thinking: bool) -> None:
        from jinja2.sandbox import ImmutableSandboxedEnvironment

        if not source:
            raise Unavailable("The model file has no chat template.", hint="Use an instruct model.")
        environment = ImmutableSandboxedEnvironment(
            trim_blocks=True, lstrip_blocks=True, extensions=["jinja2.ext.loopcontrols"]
        )
        environment.globals["raise_exception"] = _refuse
        self._template = environment.from_string(source)
        self._thinking = thinking

    def render(self, prompt: Prompt) -> list[tuple[str, bool]]:
        """Pieces of the prompt in order, each with whether the template itself wrote it."""
        texts = {f"@{secrets.token_hex(8)}@": message.text for message in prompt.messages}
        messages = [
            {"role": message.role, "content": mark}
            for message, mark in zip(prompt.messages, texts, strict=True)
        ]
        rendered = self._template.render(
            messages=messages,
            add_generation_prompt=True,
            enable_thinking=self._thinking,
            tools=None,
        )
        pieces = re.split("(" + "|".join(texts) + ")", rendered)
        return [(texts.get(piece, piece), piece not in texts) for piece in pieces if piece]

    def opens_thought(self, prompt: Prompt) -> str:
        """The opening tag, where the template wrote it so that the reply begins inside."""
        last, ours = self.render(prompt)[-1]
        found = _OPEN_THOUGHT.search(last) if ours else None
        return found.group(1) if found else ""


def _refuse(reason: str) -> None:
    raise ValueError(reason)
