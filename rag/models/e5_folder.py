"""The small files around the rebuilt weights, as sentence-transformers wants them."""

from __future__ import annotations

import json
import shutil
from pathlib import Path

from rag.models.e5 import Layout, write_safetensors

TOKENS = {
    "bos_token": "<s>",
    "cls_token": "<s>",
    "eos_token": "</s>",
    "mask_token": "<mask>",
    "pad_token": "<pad>",
    "sep_token": "</s>",
    "unk_token": "<unk>",
}


def write_e5_folder(weights: Path, tokenizer: Path, folder: Path) -> None:
    """Fill the empty ``folder`` from an E5S1 file and a ``tokenizer.json``.

    Raises:
        Unavailable: the weights are not what they should be.
    """
    layout = write_safetensors(weights, folder / "model.safetensors")
    shutil.copyfile(tokenizer, folder / "tokenizer.json")
    for name, content in _small_files(layout).items():
        path = folder / name
        path.parent.mkdir(exist_ok=True)
        text = json.dumps(content, indent=2, sort_keys=True) + "\n"
        path.write_text(text, encoding="utf-8", newline="\n")


def _small_files(layout: Layout) -> dict[str, object]:
    return {
        "config.json": _bert_config(layout),
        "tokenizer_config.json": {
            **TOKENS,
            "clean_up_tokenization_spaces": False,
            "model_input_names": ["input_ids", "attention_mask"],
            "model_max_length": layout.positions,
            "tokenizer_class": "PreTrainedTokenizerFast",
        },
        "special_tokens_map.json": TOKENS,
        "sentence_bert_config.json": {"do_lower_case": False, "max_seq_length": layout.positions},
        "modules.json": _modules(),
        "1_Pooling/config.json": {
            "pooling_mode_mean_tokens": True,
            "word_embedding_dimension": layout.hidden,
        },
    }


def _modules() -> list[dict[str, object]]:
    kinds = (("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize"))
    return [
        {"idx": n, "name": str(n), "path": path, "type": f"sentence_transformers.models.{kind}"}
        for n, (path, kind) in enumerate(kinds)
    ]


def _bert_config(layout: Layout) -> dict[str, object]:
    return {
        "architectures": ["BertModel"],
        "attention_probs_dropout_prob": 0.1,
        "hidden_act": "gelu",
        "hidden_dropout_prob": 0.1,
        "hidden_size": layout.hidden,
        "initializer_range": 0.02,
        "intermediate_size": layout.feed_forward,
        "layer_norm_eps": 1e-12,
        "max_position_embeddings": layout.positions,
        "model_type": "bert",
        "num_attention_heads": layout.heads,
        "num_hidden_layers": layout.layers,
        "pad_token_id": 0,
        "position_embedding_type": "absolute",
        "torch_dtype": "float32",
        "type_vocab_size": layout.types,
        "use_cache": True,
        "vocab_size": layout.vocabulary,
    }
