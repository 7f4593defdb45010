"""`Generator` on llama-cpp-python: a GGUF chat model in this process."""

from __future__ import annotations

import codecs
import ctypes
import logging
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from rag.adapters.llama_template import Template
from rag.errors import InvalidRequest, Unavailable
from rag.models.offload import Offload, default_threads
from rag.records import Piece, Prompt

log = logging.getLogger(__name__)

_ALL_LAYERS = -1
_LOG_ERROR = 4
"""`ggml_log_level`, as in ggml.h."""
_THOUGHT_TAGS = (b"<think>", b"</think>")
_PIECE_BYTES = 512
"""No token of a known vocabulary is longer."""


class _BrokenOff(Exception):
    """llama.cpp ended in the middle of a batch."""


class Llama:
    """The model in ``path``, loaded.

    Args:
        path: a GGUF file with a chat template.
        offload: how it sits on the machine.
        temperature: 0 gives the same reply each time.
        thinking: let models that can think before they answer; the thoughts come in ``<think>``.

    Raises:
        Unavailable: llama-cpp-python is missing, or the file can't be loaded.
    """

    def __init__(
        self,
        path: Path,
        offload: Offload,
        *,
        temperature: float = 0.0,
        thinking: bool = False,
    ) -> None:
        llama_cpp = bindings()
        self._cpp = llama_cpp
        self._path = path
        self.offload: Offload | None = offload
        self._temperature = temperature
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._llama = self._load(offload)
        self._must_end: Callable[[], bool] = self._closing.is_set
        # Held here, since llama.cpp keeps only its address.
        self._abort = llama_cpp.ggml_abort_callback(lambda _data: self._must_end())
        llama_cpp.llama_set_abort_callback(self._llama._ctx.ctx, self._abort, None)
        self._template = Template(
            self._llama.metadata.get("tokenizer.chat_template", ""), thinking=thinking
        )
        self._vocab = self._llama._model.vocab
        self._tags = self._thought_tags()

    @property
    def name(self) -> str:
        return self._path.stem

    @property
    def context_tokens(self) -> int:
        return int(self._llama.n_ctx())

    @property
    def engine(self) -> Any:
        """The `llama_cpp.Llama` below, for measuring."""
        return self._llama

    def count_tokens(self, prompt: Prompt, /) -> int:
        return len(self.tokens(prompt))

    def tokens(self, prompt: Prompt) -> list[int]:
        """The template's own pieces may hold control tokens; what people wrote may not."""
        tokens: list[int] = []
        for text, ours in self._template.render(prompt):
            tokens += self._llama.tokenize(text.encode(), add_bos=False, special=ours)
        return tokens

    def generate(
        self, prompt: Prompt, *, max_tokens: int, cancelled: Callable[[], bool]
    ) -> Iterator[Piece]:
        tokens = self.tokens(prompt)
        room = min(max_tokens, self.context_tokens - len(tokens))
        if room < 1:
            raise InvalidRequest(
                "The question and its passages leave no room for an answer.",
                hint="Ask a shorter question, or raise DESKSIDE_CONTEXT_TOKENS.",
            )
        try:
            with self._at_work(cancelled):
                if opening := self._template.opens_thought(prompt):
                    yield Piece(opening, tokens=0)
                yield from self._pieces(tokens, room)
        except _BrokenOff:
            yield Piece("", tokens=0, finish="cancelled")

    def leaning(
        self,
        prompt: Prompt,
        /,
        *,
        towards: Sequence[str],
        away: Sequence[str],
        cancelled: Callable[[], bool],
    ) -> float | None:
        if self._llama._is_recurrent or self._llama._is_hybrid:
            return None
        tokens = self.tokens(prompt)
        if len(tokens) >= self.context_tokens:
            raise InvalidRequest("The question leaves no room.", hint="Ask a shorter question.")
        try:
            with self._at_work(cancelled):
                if self._must_end():
                    return None
                scores = self._scores_after(tokens)
        except _BrokenOff:
            return None
        return self._likely(scores, towards) - self._likely(scores, away)

    def _scores_after(self, tokens: list[int]) -> Any:
        """Of each token how likely it comes next, unnormalised; what was read before is kept."""
        with closing(self._llama.generate(tokens, temp=0.0)) as stream:
            next(stream)
        scores = self._cpp.llama_get_logits_ith(self._llama._ctx.ctx, -1)
        return np.ctypeslib.as_array(scores, (self._llama.n_vocab(),)).astype(np.float64)

    def _likely(self, scores: Any, words: Sequence[str]) -> float:
        """The logarithm of the sum over the words, each by its first token."""
        begun = {self._llama.tokenize(each.encode(), add_bos=False)[0] for each in words}
        return float(np.logaddexp.reduce(scores[sorted(begun)]))

    def close(self) -> None:
        """Free the model, once the generation under way has ended at its next token."""
        self._closing.set()
        with self._lock:
            self._llama.close()

    def _pieces(self, tokens: list[int], room: int) -> Iterator[Piece]:
        # A character may be spread over tokens: hold its bytes back until it is whole. Half of one,
        # where the reply is cut, is left out.
        decoder = codecs.getincrementaldecoder("utf-8")("ignore")
        stream = self._llama.generate(tokens, temp=self._temperature, top_k=40, top_p=0.95)
        for made, token in enumerate(stream):
            if self._must_end():
                yield Piece("", tokens=0, finish="cancelled")
                return
            if self._cpp.llama_vocab_is_eog(self._vocab, token):
                yield Piece(decoder.decode(b"", final=True), tokens=0, finish="stop")
                return
            text = decoder.decode(self._bytes_of(token))
            if made + 1 == room:
                yield Piece(text + decoder.decode(b"", final=True), finish="length")
                return
            yield Piece(text)

    @contextmanager
    def _at_work(self, cancelled: Callable[[], bool]) -> Iterator[None]:
        """One at a time, until it is cancelled.

        Raises:
            _BrokenOff: it was, while a batch was being read.
            Unavailable: the model is being closed.
        """
        with self._lock, _translated():
            if self._closing.is_set():
                raise Unavailable("Deskside is stopping.", hint="Ask again once it runs.")
            self._must_end = lambda: cancelled() or self._closing.is_set()
            try:
                yield
            except RuntimeError as error:
                self._drop_half_read()
                if not self._must_end():
                    raise
                raise _BrokenOff from error
            finally:
                self._must_end = self._closing.is_set

    def _drop_half_read(self) -> None:
        """Begin the next prompt from what is whole: a batch that was broken off is not.

        Keys and values of whole batches are kept, but none of its scores. A recurrent state has
        gone on by an unknown part of the batch and can't be set back.
        """
        self._llama._requires_eval = True
        if self._llama._is_recurrent or self._llama._is_hybrid:
            self._llama.reset()

    def _bytes_of(self, token: int) -> bytes:
        buffer = (ctypes.c_char * _PIECE_BYTES)()
        shown = token in self._tags
        size = self._cpp.llama_token_to_piece(self._vocab, token, buffer, _PIECE_BYTES, 0, shown)
        return buffer.raw[: max(size, 0)]

    def _thought_tags(self) -> set[int]:
        """The tokens of thought tags: some files call them control tokens, which have no text."""
        told = (self._llama.tokenize(tag, add_bos=False, special=True) for tag in _THOUGHT_TAGS)
        return {tokens[0] for tokens in told if len(tokens) == 1}

    def _load(self, offload: Offload) -> Any:
        with _without_extra_bufts(self._cpp, allowed=offload.extra_bufts):
            try:
                return self._cpp.Llama(
                    str(self._path),
                    n_ctx=offload.context_tokens,
                    n_batch=offload.batch_tokens,
                    n_ubatch=offload.batch_tokens,
                    n_gpu_layers=_ALL_LAYERS if offload.gpu_layers is None else offload.gpu_layers,
                    n_threads=offload.threads or default_threads(),
                    n_threads_batch=offload.threads or default_threads(),
                    flash_attn=offload.attends_in_flashes,
                    use_mmap=not offload.extra_bufts,  # repacked weights would be in memory twice
                    verbose=False,
                )
            except (ValueError, RuntimeError, OSError) as error:
                raise Unavailable(
                    f"The model {self._path.name} can't be loaded: {error}.",
                    hint="Run `deskside models verify`; a smaller model may help.",
                ) from error


def bindings() -> Any:
    """llama-cpp-python.

    Raises:
        Unavailable: it is not installed, or does not load.
    """
    try:
        import llama_cpp
    except (ImportError, OSError) as error:
        raise Unavailable(
            "llama-cpp-python is not installed, so no model can answer; search works.",
            hint="Run `make setup`; it needs a C++ compiler and cmake.",
        ) from error
    llama_cpp.llama_log_set(_listener(llama_cpp), None)
    return llama_cpp


@cache
def _listener(cpp: Any) -> Any:
    """Takes what llama.cpp says into our log: errors alone.

    The package prints its warnings to the terminal and drops its errors: its table of levels is
    off by one (0.3.36). Cached, since llama.cpp keeps only the address.
    """

    def hear(level: int, text: bytes, _data: Any) -> None:
        if level == _LOG_ERROR:
            log.warning("llama_cpp %s", text.decode("utf-8", "replace").strip())

    return cpp.llama_log_callback(hear)


@contextmanager
def _without_extra_bufts(cpp: Any, *, allowed: bool) -> Iterator[None]:
    """`Llama()` has no argument for it: give it other default parameters while it loads."""
    stock = cpp.llama_cpp.llama_model_default_params

    def params() -> Any:
        defaults = stock()
        defaults.use_extra_bufts = allowed
        return defaults

    cpp.llama_cpp.llama_model_default_params = params
    try:
        yield
    finally:
        cpp.llama_cpp.llama_model_default_params = stock


@contextmanager
def _translated() -> Iterator[None]:
    try:
        yield
    except (RuntimeError, ValueError) as error:
        raise Unavailable(
            f"The model failed while answering: {error}.", hint="Ask again."
        ) from error
