"""Task sets as files: ``{"env", "tasks": [...], "scenes": {id: scene}}``."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from importlib.resources import files
from typing import Any

from journeyman.core.errors import DataError, UnknownName
from journeyman.core.values import Task
from journeyman.envs.household.goals import TASK_TYPES
from journeyman.envs.household.scene import Goal, Scene

FOLDER = files("journeyman.envs.household") / "data"


def load(subset: str) -> tuple[Task, ...]:
    """The tasks of the bundled file ``<subset>.json``, in file order.

    Raises:
        UnknownName: there is no such task set; suggests the nearest.
        DataError: the file is broken; names the file, the task and the field.
    """
    known = sorted(
        entry.name.removesuffix(".json")
        for entry in (FOLDER.iterdir() if FOLDER.is_dir() else ())
        if entry.name.endswith(".json")
    )
    if subset not in known:
        raise UnknownName(
            "household task set", subset, known, hint="List them: journeyman list envs"
        )
    name = f"{subset}.json"
    try:
        data = json.loads((FOLDER / name).read_text(encoding="utf-8"))
    except ValueError as error:
        raise DataError(f"{name} is not JSON: {error}.") from error
    return parse(data, name)


def digest(subset: str) -> str:
    """SHA-256 of the bundled file of a subset, for the header of a run."""
    return f"sha256:{hashlib.sha256((FOLDER / f'{subset}.json').read_bytes()).hexdigest()}"


def parse(data: Any, name: str) -> tuple[Task, ...]:
    """The tasks of a task-set document called ``name`` in messages.

    Each task's ``spec`` holds the parsed `Scene` (shared between tasks of a scene) and the goal as
    JSON.

    Raises:
        DataError: something is missing or of the wrong shape.
    """
    env = _field(data, "env", str, name)
    scenes = {
        scene_id: scene_of(scene, f"{name}, scene '{scene_id}'")
        for scene_id, scene in _field(data, "scenes", Mapping, name).items()
    }
    tasks = []
    for number, entry in enumerate(_field(data, "tasks", Sequence, name)):
        where = f"{name}, task {number}"
        task_id = _field(entry, "id", str, where)
        where = f"{name}, task '{task_id}'"
        scene_id = _field(entry, "scene", str, where)
        if scene_id not in scenes:
            raise DataError(f"{where}: field 'scene' names '{scene_id}', which is not in 'scenes'.")
        goal = _field(entry, "goal", Mapping, where)
        goal_of(goal, where)
        demonstration = entry.get("demonstration")
        tasks.append(
            Task(
                id=task_id,
                env=env,
                subset=_field(entry, "subset", str, where),
                instruction=_field(entry, "instruction", str, where),
                spec={"scene": scenes[scene_id], "goal": goal},
                demonstration=None if demonstration is None else tuple(demonstration),
            )
        )
    return tuple(tasks)


def scene_of(data: Any, where: str) -> Scene:
    """A scene from JSON (or as it is, where it is a `Scene` already)."""
    if isinstance(data, Scene):
        return data
    try:
        scene = Scene.from_json(data)
    except (KeyError, TypeError, ValueError) as error:
        raise DataError(f"{where} is no scene: {_reason(error)}.") from error
    ids = [thing.id for thing in scene.objects]
    if len(set(ids)) < len(ids):
        raise DataError(f"{where}: field 'objects' holds the same id twice.")
    known = set(ids)
    for thing in scene.objects:
        if len(thing.position) != 3:
            raise DataError(f"{where}, object '{thing.id}': field 'position' is not x, y, z.")
        if thing.parent is not None and thing.parent not in known:
            raise DataError(
                f"{where}, object '{thing.id}': field 'parent' names '{thing.parent}', "
                "which is not in the scene."
            )
    return scene


def goal_of(data: Any, where: str) -> Goal:
    """A goal from JSON (or as it is, where it is a `Goal` already)."""
    if isinstance(data, Goal):
        return data
    try:
        goal = Goal.from_json(data)
    except (TypeError, ValueError) as error:
        raise DataError(f"{where}: field 'goal' is no goal: {_reason(error)}.") from error
    if goal.task_type not in TASK_TYPES:
        raise DataError(f"{where}: goal field 'task_type' is '{goal.task_type}', which is none.")
    return goal


def _field(data: Any, key: str, kind: type, where: str) -> Any:
    if not isinstance(data, Mapping):
        raise DataError(f"{where} is not a JSON object.")
    if key not in data:
        raise DataError(f"{where} has no field '{key}'.")
    if not isinstance(data[key], kind) or (kind is Sequence and isinstance(data[key], str)):
        raise DataError(f"{where}: field '{key}' is of the wrong type.")
    return data[key]


def _reason(error: Exception) -> str:
    return f"missing {error}" if isinstance(error, KeyError) else str(error)
