"""A chat model of a few thousand random weights, written here: its words mean nothing.

Of the family of Qwen3.5 (``qwen35``: a recurrent layer, then one that attends) or of Qwen3. Its
vocabulary is the 256 bytes and the marks of a chat. What it writes is random but always the same,
so it tells whether what an engine keeps from one prompt to the next changes a reply.
"""

from __future__ import annotations

from pathlib import Path
from typing import Literal, Protocol

import numpy as np
from gguf import GGUFWriter

Family = Literal["qwen35", "qwen3"]


class Add(Protocol):
    """Adds a tensor of that name, rows first as numpy has them."""

    def __call__(self, name: str, *shape: int) -> None: ...


WIDTH, HIDDEN, HEAD, HEADS = 64, 96, 32, 2
STATE, GROUPS, RANK, KERNEL = 16, 2, 4, 4
MARKS = ("<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>")
# What Qwen3.5 does with its switch: an empty thought where it is off, an open one where it is on.
TEMPLATE = (
    "{% for m in messages %}<|im_start|>{{ m.role }}\n{{ m.content }}<|im_end|>\n{% endfor %}"
    "{% if add_generation_prompt %}<|im_start|>assistant\n"
    "{% if enable_thinking %}<think>\n{% else %}<think>\n\n</think>\n\n{% endif %}{% endif %}"
)


def write_tiny_model(file: Path, family: Family = "qwen35", *, layers: int = 4) -> Path:
    """Write the model as GGUF; every second layer of a ``qwen35`` attends."""
    writer = GGUFWriter(str(file), family)
    writer.add_context_length(4096)
    writer.add_block_count(layers)
    writer.add_embedding_length(WIDTH)
    writer.add_feed_forward_length(HIDDEN)
    writer.add_head_count(HEADS)
    writer.add_head_count_kv(1)
    writer.add_key_length(HEAD)
    writer.add_value_length(HEAD)
    writer.add_layer_norm_rms_eps(1e-6)
    writer.add_rope_freq_base(10_000.0)
    writer.add_chat_template(TEMPLATE)
    if family == "qwen35":
        writer.add_rope_dimension_count(HEAD)
        writer.add_rope_dimension_sections([4, 6, 6, 0])
        writer.add_ssm_conv_kernel(KERNEL)
        writer.add_ssm_state_size(STATE)
        writer.add_ssm_group_count(GROUPS)
        writer.add_ssm_time_step_rank(RANK)
        writer.add_ssm_inner_size(STATE * RANK)
        writer.add_uint32(f"{family}.full_attention_interval", 2)
    _add_vocabulary(writer)
    _add_weights(writer, family, layers)
    writer.write_header_to_file()
    writer.write_kv_data_to_file()
    writer.write_tensors_to_file()
    writer.close()
    return file


def _add_vocabulary(writer: GGUFWriter) -> None:
    """Byte-level, in GPT-2's spelling: bytes that can't be seen have letters from U+0100 on."""
    seen = [*range(ord("!"), ord("~") + 1), *range(0xA1, 0xAD), *range(0xAE, 0x100)]
    spare = iter(range(0x100, 0x200))
    letters = [chr(byte) if byte in seen else chr(next(spare)) for byte in range(256)]
    tokens = [*letters, letters[ord(" ")] + "t", *MARKS]
    marks = [1] * (len(tokens) - len(MARKS)) + [3] * len(MARKS)
    writer.add_tokenizer_model("gpt2")
    writer.add_tokenizer_pre("qwen2")
    writer.add_token_list(tokens)
    writer.add_token_types(marks)
    writer.add_token_merges([f"{letters[ord(' ')]} t"])
    writer.add_eos_token_id(tokens.index("<|im_end|>"))
    writer.add_bos_token_id(tokens.index("<|endoftext|>"))


def _add_weights(writer: GGUFWriter, family: Family, layers: int) -> None:
    chance = np.random.default_rng(7)
    vocabulary = 256 + 1 + len(MARKS)

    def add(name: str, *shape: int) -> None:
        around = 1.0 if "norm" in name else 0.0
        weights = chance.normal(around, 1 / np.sqrt(shape[-1]), shape).astype(np.float32)
        fades = name.endswith("ssm_a")  # what a state forgets: it must be less than nothing
        writer.add_tensor(name, -abs(weights) if fades else weights)

    add("token_embd.weight", vocabulary, WIDTH)
    add("output.weight", vocabulary, WIDTH)
    add("output_norm.weight", WIDTH)
    for at in range(layers):
        layer = f"blk.{at}"
        recurrent = family == "qwen35" and at % 2 == 0
        add(f"{layer}.attn_norm.weight", WIDTH)
        add(f"{layer}.{'post_attention_norm' if family == 'qwen35' else 'ffn_norm'}.weight", WIDTH)
        if recurrent:
            _add_recurrent(add, layer)
        else:
            _add_attention(add, layer, gated=family == "qwen35")
        add(f"{layer}.ffn_gate.weight", HIDDEN, WIDTH)
        add(f"{layer}.ffn_up.weight", HIDDEN, WIDTH)
        add(f"{layer}.ffn_down.weight", WIDTH, HIDDEN)


def _add_attention(add: Add, layer: str, *, gated: bool) -> None:
    add(f"{layer}.attn_q.weight", HEAD * HEADS * (2 if gated else 1), WIDTH)
    add(f"{layer}.attn_k.weight", HEAD, WIDTH)
    add(f"{layer}.attn_v.weight", HEAD, WIDTH)
    add(f"{layer}.attn_output.weight", WIDTH, HEAD * HEADS)
    add(f"{layer}.attn_q_norm.weight", HEAD)
    add(f"{layer}.attn_k_norm.weight", HEAD)


def _add_recurrent(add: Add, layer: str) -> None:
    values = STATE * RANK
    mixed = 2 * STATE * GROUPS + values
    add(f"{layer}.attn_qkv.weight", mixed, WIDTH)
    add(f"{layer}.attn_gate.weight", values, WIDTH)
    add(f"{layer}.ssm_conv1d.weight", mixed, KERNEL)
    add(f"{layer}.ssm_dt.bias", RANK)
    add(f"{layer}.ssm_a", RANK)
    add(f"{layer}.ssm_beta.weight", RANK, WIDTH)
    add(f"{layer}.ssm_alpha.weight", RANK, WIDTH)
    add(f"{layer}.ssm_norm.weight", STATE)
    add(f"{layer}.ssm_out.weight", WIDTH, values)
