"""From names to the parts of a run: environments, methods, models, tasks, memory."""

from __future__ import annotations

import inspect
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from journeyman import learning
from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.protocols import Embedder, EmbodiedEnv, Method, Model, Vector
from journeyman.core.registry import registry
from journeyman.core.values import Strategy, Task
from journeyman.memory import StrategyPool
from journeyman.models.cache import CachedModel, ReplyCache
from journeyman.models.loading import load_embedder, load_model
from journeyman.models.options import ModelOptions
from journeyman.models.recorded import RecordedRoles, Recording
from journeyman.models.roles import ModelRoles
from journeyman.runs import RunFolder, RunSpec, check_settings
from journeyman.runs.spec import check_spec, default_model


def make(env: str, *, data: str | Path | None = None, **settings: Any) -> EmbodiedEnv:
    """The environment registered as ``env``, e.g. ``household/base-v0``.

    Args:
        data: Folder of benchmark data, for environments that read one.

    Raises:
        UnknownName: with the nearest name.
    """
    entry = registry().find("env", env)
    folder = Path(data) if data is not None else None
    own = {key: value for key, value in entry.settings.items() if key != "model"}
    made: EmbodiedEnv = entry.load()(env, data=folder, **{**own, **settings})
    return made


def tasks(env: str, *, data: str | Path | None = None) -> Sequence[Task]:
    """The task set of an environment id, in its own order."""
    return make(env, data=data).tasks


def make_method(name: str, models: Model | ModelRoles, **settings: Any) -> Method:
    """The method registered as ``name`` with its settings checked.

    Raises:
        UnknownName: of the method, or of a setting that it does not have.
        ConfigError: a setting is of another type than its default, or out of range.
    """
    entry = registry().find("method", name)
    known = method_parameters(name)
    check_settings(name, list(known), settings)
    for key, value in settings.items():
        _check_type(key, value, known[key])
    method: Method = entry.load()(ModelRoles.of(models), **{**entry.settings, **settings})
    return method


def method_parameters(name: str) -> dict[str, Any]:
    """The settings that the method registered as ``name`` has, with their defaults."""
    target = registry().find("method", name).load()
    parameters = inspect.signature(target).parameters
    return {key: parameter.default for key, parameter in parameters.items() if key != "models"}


def _check_type(key: str, value: Any, default: Any) -> None:
    """Settings come as text from files and the command line; objects are the caller's to know."""
    if not isinstance(value, bool | int | float | str | list | dict):
        return
    for kind, words in _TYPES.items():
        if type(default) is kind:
            fits = type(value) is kind or (kind is float and type(value) is int)
            if not fits:
                raise ConfigError(f"{key}: {value!r} is not {words}; the default is {default!r}.")


_TYPES = {bool: "true or false", int: "a whole number", float: "a number", str: "a word"}


def load_roles(spec: RunSpec) -> ModelRoles:
    """The model of each role (the papers write theta_D and theta_C apart).

    Asked through a cache, or not at all, where the specification says so.
    """
    if spec.from_recording is not None:
        return RecordedRoles(open_recording(Path(spec.from_recording), spec))
    options = ModelOptions(
        seed=spec.seed,
        base_url=spec.base_url,
        key_env=spec.key_env,
        temperature=spec.temperature,
        max_tokens=spec.max_tokens,
        timeout_s=spec.timeout_s,
        tries=spec.tries,
        concurrency=spec.concurrency,
        context=spec.context,
        device=spec.device,
        dtype=spec.dtype,
        tools=spec.tools,
    )
    cache = ReplyCache(spec.cache) if spec.cache is not None else None

    def load(name: str) -> Model:
        model = load_model(name, options)
        return model if cache is None else CachedModel(model, options, cache)

    others = {role: load(name) for role, name in spec.role_models.items()}
    return ModelRoles(load(spec.model), others)


SAMPLING = ("model", "role_models", "temperature", "max_tokens", "seed")
"""Fields that decide a reply and are not in its prompt."""


def open_recording(path: Path, spec: RunSpec) -> Recording:
    """The calls of the run at ``path``, for a run of ``spec``.

    Raises:
        RunError: there is no run, or an episode of it is broken.
        ConfigError: it was recorded with another model or other sampling than ``spec`` says.
    """
    folder = RunFolder.open(path)
    differing = [
        f"{field}: {getattr(folder.spec, field)!r} there, {getattr(spec, field)!r} now"
        for field in SAMPLING
        if getattr(folder.spec, field) != getattr(spec, field)
    ]
    if differing:
        raise ConfigError(
            f"from_recording: {path} holds replies to other options ({'; '.join(differing)}).",
            hint="Give the recording's own, or name another recording.",
        )
    calls = [
        (number, call)
        for number in range(len(folder.summaries()))
        for call in folder.episode(number).calls
    ]
    header = folder.header
    return Recording(str(path), calls, header.get("models", {}), header.get("caveats", ()))


def check_worlds(spec: RunSpec) -> None:
    """Refuse a model that was registered as unable to do anything in an environment of ``spec``.

    Raises:
        ConfigError: naming both, and the model that the environment was registered with.
    """
    if spec.from_recording is not None:
        return
    for name in dict.fromkeys((spec.model, *spec.role_models.values())):
        unfit = tuple(registry().find("model", name).settings.get("unfit_envs", ()))
        for env in spec.env:
            if env.startswith(unfit):
                raise ConfigError(
                    f"the model {name} knows nothing of {env} and would fail every task of it.",
                    hint=f"Give {_made_for(env)}, or --model openai/NAME --base-url URL",
                )


def check_demonstrations(spec: RunSpec, method: Method) -> None:
    """Refuse a supervised run of a method that says (``uses_demonstrations``) it looks at none.

    Raises:
        ConfigError: naming the method.
    """
    if spec.setting == "supervised" and not getattr(method, "uses_demonstrations", True):
        raise ConfigError(
            f"setting: {spec.method} does not learn from demonstrations.",
            hint="Give the command without --supervised, or --method elite.",
        )


def _made_for(env: str) -> str:
    """The model that runs of ``env`` have by default, and the method whose prompts it answers."""
    model = default_model((env,)) or RunSpec.model_fields["model"].default
    answered = registry().find("model", model).settings.get("prompt_profiles", ())
    return f"--model {model} --method {'eeagent' if 'eeagent' in answered else 'elite'}"


def method_settings(spec: RunSpec) -> dict[str, Any]:
    """The run's own, with its seed; a frozen memory is shown without what is of one task only."""
    known = method_parameters(spec.method)
    decided = {"seed": spec.seed} if "seed" in known else {}
    if not spec.learning and "short_term" in known:
        decided["short_term"] = False
    return {**decided, **spec.settings}


def choose_tasks(spec: RunSpec, envs: Sequence[EmbodiedEnv]) -> learning.Stream:
    """The stream of the run, in seeded order: of all tasks or of one level, the first ``tasks``.

    Raises:
        UnknownName: an environment has no such level, or there is no task of a name.
        ConfigError: a supervised run of tasks without demonstrations.
    """
    stream = learning.task_stream(envs, seed=spec.seed, shuffle=spec.shuffle)
    if spec.level is not None:
        _check_level(spec.level, envs)
        stream = [(env, task) for env, task in stream if task.subset == spec.level]
    if spec.task_ids:
        known = {task.id for _, task in stream}
        for wanted in spec.task_ids:
            if wanted not in known:
                raise UnknownName(
                    "task",
                    wanted,
                    known,
                    hint=f"List them with: journeyman list tasks {envs[0].id}",
                )
        stream = [(env, task) for env, task in stream if task.id in spec.task_ids]
    if spec.setting == "supervised":
        bare = next((task for _, task in stream if task.demonstration is None), None)
        if bare is not None:
            raise ConfigError(f"setting: task '{bare.id}' has no demonstration to learn from.")
    return stream[: spec.tasks]


def _check_level(level: str, envs: Sequence[EmbodiedEnv]) -> None:
    """Every environment of a run has to have the level: tasks whose subset is called so."""
    for env in envs:
        levels = list(dict.fromkeys(task.subset for task in env.tasks))
        if level not in levels:
            known = ", ".join(levels)
            raise UnknownName("level", level, levels, hint=f"{env.id} has the levels: {known}")


def parse_memory(reference: str) -> tuple[Path, int | None]:
    """``RUN[@VERSION]`` or ``FILE.db[@VERSION]``: the memory file, and the version or None.

    Raises:
        ConfigError: the version is no number, or there is no such memory.
    """
    text, at, number = reference.rpartition("@")
    if not at or os.sep in number:
        text, number = reference, ""
    if number and not number.isdigit():
        raise ConfigError(f"memory: '{number}' is no version number (given: '{reference}').")
    path = Path(text)
    if path.is_dir():
        path = path / "memory.db"
    if not path.exists():
        raise ConfigError(
            f"memory: there is no memory at {text}.", hint="Give a run folder or a .db file."
        )
    return path, int(number) if number else None


class NoMemory:
    """The memory of an agent that has none: empty, and nothing is ever found in it."""

    version = 0
    strategies: tuple[Strategy, ...] = ()
    vectors = np.zeros((0, 0), np.float32)

    def embed(self, text: str) -> Vector:
        return np.zeros(0, np.float32)

    def nearest(self, query: Vector, k: int) -> list[tuple[Strategy, float]]:
        return []


def spec_embedder(spec: RunSpec) -> Embedder:
    return load_embedder(
        spec.embedder, base_url=spec.embedder_url or spec.base_url, key_env=spec.key_env
    )


def open_session(
    memory: str | Path,
    *,
    method: str = "elite",
    model: str = "stand-in",
    name: str = "session",
    **options: Any,
) -> learning.Session:
    """A session for a loop of your own; ``options`` are fields of `RunSpec` (base_url, ...)."""
    spec = check_spec({"method": method, "model": model, **options})
    pool = StrategyPool.open(Path(memory), embedder=spec_embedder(spec))
    made = make_method(method, load_roles(spec), **method_settings(spec))
    return learning.Session(made, pool, name=name)
