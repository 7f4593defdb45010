"""One typed `Settings`: environment > ``deskside.toml`` > ``data/tuned.json`` > default."""

from __future__ import annotations

from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal

from platformdirs import user_cache_path
from pydantic import Field, ValidationError, field_validator
from pydantic_settings import (
    BaseSettings,
    JsonConfigSettingsSource,
    NoDecode,
    PydanticBaseSettingsSource,
    SettingsConfigDict,
    SettingsError,
    TomlConfigSettingsSource,
)

from rag.errors import InvalidRequest


def default_models_dir() -> Path:
    """The user's cache folder, shared by checkouts."""
    return user_cache_path("deskside", appauthor=False) / "models"


class Settings(BaseSettings):
    """Everything one can set. Environment names are the fields in capitals after ``DESKSIDE_``."""

    model_config = SettingsConfigDict(
        env_prefix="DESKSIDE_", toml_file="deskside.toml", extra="forbid", frozen=True
    )

    data: Path = Path("data")
    inbox: Path | None = None
    models_dir: Path = Field(default_factory=default_models_dir)
    host: str = "127.0.0.1"
    port: int = Field(default=8000, ge=0, le=65535)
    api_key: str = ""
    allowed_hosts: Annotated[tuple[str, ...], NoDecode] = ()
    torch_index: str = ""

    model: str = "auto"
    embedder: str = "multilingual-e5-small"

    context_tokens: int = Field(default=4096, ge=1024)
    gpu_layers: int | Literal["auto"] = "auto"
    threads: int | None = Field(default=None, ge=1)
    batch_tokens: int = Field(default=128, ge=1)
    extra_bufts: bool = False
    flash_attention: bool | None = None
    answer_tokens: int = Field(default=400, ge=16)
    thinking: bool = False
    thinking_tokens: int = Field(default=1000, ge=0)
    temperature: float = Field(default=0.0, ge=0.0, le=2.0)

    top_k: int = Field(default=5, ge=1, le=50)
    candidates: int = Field(default=50, ge=1)
    keyword_weight: float = Field(default=0.2, ge=0.0)
    code_weight: float = Field(default=0.08, ge=0.0)
    name_weight: float = Field(default=0.04, ge=0.0)
    min_evidence: float = Field(default=0.5, ge=0.0, le=1.0)
    passage_tokens: int = Field(default=220, ge=32)

    answers_first: bool = True
    queue_limit: int = Field(default=8, ge=0)
    answer_timeout_s: float = Field(default=300.0, gt=0)
    upload_limit_bytes: int = Field(default=500 * 2**20, ge=1)
    parse_timeout_s: float = Field(default=600.0, gt=0)
    parse_memory_bytes: int = Field(default=3 * 2**30, ge=2**28)
    parse_files_per_child: int = Field(default=50, ge=1)
    office: Literal["auto", "off"] = "auto"
    ocr: Literal["auto", "off"] = "auto"
    job_attempts: int = Field(default=3, ge=1)
    settle_s: float = Field(default=1.0, ge=0.0)
    reconcile_every_s: float = Field(default=30.0, gt=0)
    polling: bool = False

    @field_validator("allowed_hosts", mode="before")
    @classmethod
    def _split_hosts(cls, value: object) -> object:
        if isinstance(value, str):
            return tuple(host.strip() for host in value.split(",") if host.strip())
        return value

    @cached_property
    def inbox_path(self) -> Path:
        """The watched folder, absolute."""
        return (self.inbox or self.data / "inbox").resolve()

    @cached_property
    def data_path(self) -> Path:
        """The data folder, absolute."""
        return self.data.resolve()

    @property
    def reply_tokens(self) -> int:
        """Longest reply of the model, thoughts included."""
        return self.answer_tokens + (self.thinking_tokens if self.thinking else 0)

    @property
    def renderings_path(self) -> Path:
        """What LibreOffice made of documents, by revision."""
        return self.data_path / "previews"

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003 (pydantic names them)
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        toml = TomlConfigSettingsSource(settings_cls)
        data = init_settings().get("data") or env_settings().get("data") or toml().get("data")
        tuned = Path(str(data or "data")) / "tuned.json"
        return (
            init_settings,
            env_settings,
            toml,
            JsonConfigSettingsSource(settings_cls, tuned),
        )


def load_settings(**given: Any) -> Settings:
    """Settings from every source; ``given`` (command line options) win, None is not given.

    Raises:
        InvalidRequest: a setting has a value that makes no sense; says which one.
    """
    try:
        return Settings(**{name: value for name, value in given.items() if value is not None})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(str(part) for part in first["loc"])
        raise InvalidRequest(
            f"The setting {name} is wrong: {first['msg']}.",
            hint=f"Correct DESKSIDE_{name.upper()} or {name} in deskside.toml.",
        ) from error
    except (
        ValueError,
        TypeError,
        AttributeError,
        SettingsError,
    ) as error:  # TOML, JSON, or an environment variable
        raise InvalidRequest(
            f"The settings can't be read: {error}.",
            hint="Correct deskside.toml, or delete tuned.json in the data folder.",
        ) from error
