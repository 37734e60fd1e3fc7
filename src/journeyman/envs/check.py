"""What an environment must be, checked: for its author, for `journeyman check`, for the tests."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypedDict

import numpy as np

from journeyman.core.errors import JourneymanError
from journeyman.core.protocols import EmbodiedEnv
from journeyman.core.seeding import stream
from journeyman.core.values import ActionLibrary, Observation, Task

INFO: Mapping[str, type] = {
    "task_success": bool,
    "task_progress": float,
    "last_action_success": bool,
    "env_feedback": str,
    "num_invalid_actions": int,
}
"""The info schema; nothing else belongs in it, since it might tell an agent its goal."""

TASKS_TRIED = 3
"""How many tasks, spread over the task set, `check_env` plays with arbitrary actions."""


class ExpertResult(TypedDict):
    """One demonstration replayed; ``reason`` is empty on success."""

    task: str
    success: bool
    reason: str


def check_env(env: EmbodiedEnv) -> list[str]:
    """What is wrong with ``env``, one sentence each; empty where it keeps the contract.

    It looks at attributes and the task set, then plays a few tasks with arbitrary actions, each
    twice: observations, info, feedback, limits, the action library, and that the same seed gives
    the same episode. Problems that the environment itself found in its data (attribute
    ``problems``) are passed on.
    """
    problems = list(_attributes(env))
    if problems:
        return problems
    problems += _task_set(env.tasks)
    problems += [str(problem) for problem in getattr(env, "problems", ())]
    count = len(env.tasks)
    chosen = dict.fromkeys(round(i * (count - 1) / max(1, TASKS_TRIED - 1)) for i in range(3))
    for index in chosen:
        task = env.tasks[min(index, count - 1)]
        try:
            problems += [f"task '{task.id}': {problem}" for problem in _play(env, task)]
        except Exception as error:
            problems.append(f"task '{task.id}': {type(error).__name__}: {error}")
    return list(dict.fromkeys(problems))


def check_experts(env: EmbodiedEnv, tasks: Sequence[Task] | None = None) -> list[ExpertResult]:
    """Replay the demonstration of each task (of all, by default) and say how it went.

    An environment whose tasks come without them, because they take a simulation to find, has a
    method ``demonstrate(task)`` that finds one.
    """
    results: list[ExpertResult] = []
    for task in env.tasks if tasks is None else tasks:
        reason = _replay(env, task)
        results.append({"task": task.id, "success": not reason, "reason": reason})
    return results


def _replay(env: EmbodiedEnv, task: Task) -> str:
    """Why the demonstration does not solve the task; empty where it does."""
    demonstration = task.demonstration
    find = getattr(env, "demonstrate", None)
    if demonstration is None and find is not None:
        demonstration = find(task)
    if not demonstration:
        return "it has no demonstration"
    _, info = env.reset(seed=0, options={"task": task})
    failed = ""
    for number, name in enumerate(demonstration, start=1):
        action = env.library().read(name)
        if action is None:
            return f"step {number}: '{name}' is not in the action library"
        try:
            _, _, terminated, truncated, info = env.step(action)
        except JourneymanError as error:
            return f"step {number} '{name}': {error.message}"
        if not info["last_action_success"] and not failed:
            failed = f"; step {number} '{name}' gave: {info['env_feedback']}"
        if terminated or truncated:
            break
    if info["task_success"]:
        return ""
    return f"it ends at progress {info['task_progress']:.2f}{failed}"


def _attributes(env: EmbodiedEnv) -> Iterator[str]:
    if not isinstance(getattr(env, "id", None), str) or not env.id:
        yield "attribute 'id' is missing or no text."
    for name in ("max_steps", "max_invalid_actions"):
        limit = getattr(env, name, None)
        if not isinstance(limit, int) or limit < 1:
            yield f"attribute '{name}' is missing or no positive integer."
    for name in ("reset", "step", "library", "close"):
        if not callable(getattr(env, name, None)):
            yield f"method '{name}' is missing."
    tasks = getattr(env, "tasks", None)
    if not isinstance(tasks, Sequence) or not tasks:
        yield "attribute 'tasks' is missing or empty."


def _task_set(tasks: Sequence[Task]) -> Iterator[str]:
    seen = set()
    for task in tasks:
        if task.id in seen:
            yield f"task id '{task.id}' occurs twice."
        seen.add(task.id)
        if not task.instruction.strip():
            yield f"task '{task.id}': the instruction is empty."


def _play(env: EmbodiedEnv, task: Task) -> Iterator[str]:
    """Play arbitrary actions to the end, twice; what is wrong, and where the two differ."""
    first: list[str] = []
    second: list[str] = []
    yield from _episode(env, task, first)
    for _ in _episode(env, task, second):
        pass
    if first != second:
        step = next(
            (i for i, (a, b) in enumerate(zip(first, second, strict=False)) if a != b),
            min(len(first), len(second)),
        )
        yield f"two episodes with the same seed and actions differ at step {step}."


def _episode(env: EmbodiedEnv, task: Task, record: list[str]) -> Iterator[str]:
    obs, info = env.reset(seed=0, options={"task": task})
    record.append(_note(obs, info))
    yield from _looks(obs, "reset")
    yield from _info(info, "reset")
    if info.get("task_success"):
        yield "its goal is met at reset."
    if info.get("num_invalid_actions") != 0:
        yield "reset: 'num_invalid_actions' is not 0."
    yield from _library(env.library())
    for name in dict.fromkeys(task.demonstration or ()):
        if env.library().read(name) is None:
            yield f"the demonstration's '{name}' is not in the action library at reset."
    random = stream(0, "check", task.id)
    invalid = 0
    for number in range(1, env.max_steps + 1):
        library = env.library()
        action = library.actions[int(random.integers(len(library)))]
        schema = library.parameters.get(action.name, {})
        action = replace(action, arguments=_arguments(schema, random))
        obs, reward, terminated, truncated, info = env.step(action)
        where = f"step {number} '{action.name}'"
        record.append(_note(obs, info))
        yield from _looks(obs, where)
        yield from _info(info, where)
        if not isinstance(reward, (int, float)):
            yield f"{where}: the reward is no number."
        if not info.get("env_feedback"):
            yield f"{where}: 'env_feedback' is empty."
        invalid += not info.get("last_action_success")
        if info.get("num_invalid_actions") != invalid:
            yield f"{where}: 'num_invalid_actions' is not the count of failed actions."
        if bool(info.get("task_success")) != bool(terminated):
            yield f"{where}: 'terminated' and 'task_success' differ."
        over = number >= env.max_steps or invalid >= env.max_invalid_actions
        if over and not (terminated or truncated):
            yield f"{where}: the episode goes on past its limits."
        if terminated or truncated:
            return


def _arguments(schema: Mapping[str, Any], random: np.random.Generator) -> dict[str, Any]:
    """Arbitrary arguments within the bounds of a skill's schema."""

    def value(wanted: Mapping[str, Any]) -> Any:
        if "enum" in wanted:
            return wanted["enum"][int(random.integers(len(wanted["enum"])))]
        if "prefixItems" in wanted:
            return [value(item) for item in wanted["prefixItems"]]
        low, high = wanted.get("minimum", 0.0), wanted.get("maximum", 1.0)
        return round(float(random.uniform(low, high)), 4)

    return {name: value(part) for name, part in schema.get("properties", {}).items()}


def _note(obs: Any, info: Any) -> str:
    return f"{obs.get('text', obs)}\n{sorted(info.items())}"


def _looks(obs: Any, where: str) -> Iterator[str]:
    if not isinstance(obs, Observation):
        yield f"{where}: the observation is no journeyman Observation."
        return
    if not isinstance(obs.text, str):
        yield f"{where}: the observation's text is no text."
    if "image" in obs:
        image = obs.image
        shaped = isinstance(image, np.ndarray) and image.ndim == 3 and image.shape[2] == 3
        if not shaped or image.dtype != np.uint8:  # type: ignore[union-attr]
            yield f"{where}: the image is not (height, width, 3) uint8."


def _info(info: Any, where: str) -> Iterator[str]:
    for key, kind in INFO.items():
        if key not in info:
            yield f"{where}: info has no '{key}'."
        elif not isinstance(info[key], kind):
            yield f"{where}: info '{key}' is no {kind.__name__}."
    extra = sorted(set(info) - set(INFO))
    if extra:
        yield f"{where}: info has keys beyond the schema: {', '.join(extra)}."
    progress = info.get("task_progress")
    if isinstance(progress, float) and not 0.0 <= progress <= 1.0:
        yield f"{where}: 'task_progress' is outside 0 to 1."


def _library(library: ActionLibrary) -> Iterator[str]:
    if not library.actions:
        yield "the action library is empty."
    if [action.id for action in library.actions] != list(range(len(library))):
        yield "the action library's ids are not 0, 1, 2, ... in order."
    if len(library.by_name) != len(library):
        yield "the action library has a name twice."
    if not all(action.name.strip() for action in library.actions):
        yield "the action library has an empty name."
    if not library.role.strip() or not library.rules.strip():
        yield "the action library has no role or no rules."
