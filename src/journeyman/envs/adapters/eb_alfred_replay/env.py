"""The real EB-ALFRED tasks, replayed symbolically from data files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from journeyman.core.values import Task
from journeyman.envs.adapters.eb_alfred_replay.expert import skills_of
from journeyman.envs.adapters.eb_alfred_replay.files import Files, TaskEntry
from journeyman.envs.adapters.eb_alfred_replay.scenes import goal_of, scene_of
from journeyman.envs.household.env import Draw, HouseholdEnv
from journeyman.envs.household.goals import conditions
from journeyman.envs.household.names import Names, shuffle_order
from journeyman.envs.household.scene import Goal, Scene
from journeyman.envs.household.simulator import Faults
from journeyman.envs.household.state import State
from journeyman.envs.household.vocab import kind_of

PREFIX = "eb-alfred-replay/"


def subsets(data: str | Path | None = None) -> list[str]:
    """The subsets that the data folder can replay: the benchmark's whole ones, then ``unused``."""
    return Files.read(data).subsets()


class EBAlfredReplayEnv(HouseholdEnv):
    """One subset of EB-ALFRED's tasks under its rules, without its renderer and its physics.

    Results are symbolic replay and never EB-ALFRED scores: scenes are rebuilt from the data, and
    instance numbering is ours.

    Args:
        name: ``eb-alfred-replay/<subset>``.
        data: The folder that holds ``embodiedbench/``, that folder, or ``eb_alfred/`` itself;
            by default the one that JOURNEYMAN_DATA names.
        order_seed: Shuffles the instance numbering of each scene; None keeps data order.
        draw: See `HouseholdEnv`.
        faults: See `HouseholdEnv`; none is replayed by default.

    Attributes:
        data_hash: SHA-256 of the data files.
        problems: What a check of the tasks at load found wrong, one sentence each.

    Raises:
        UnknownName: the data hold no such subset.
        DataError: data are missing or broken; names file, task and field.
    """

    caveat = (
        "Symbolic replay of EB-ALFRED's tasks without its simulator, renderer and physics; "
        "instance numbering is ours. These are no EB-ALFRED scores."
    )

    def __init__(
        self,
        name: str = f"{PREFIX}base",
        *,
        data: Path | str | None = None,
        order_seed: int | None = None,
        draw: Draw | None = None,
        faults: Faults | None = None,
    ) -> None:
        self._numbering = order_seed
        self.data_hash = ""
        self.problems: tuple[str, ...] = ()
        super().__init__(
            name, data=Path(data) if data is not None else None, draw=draw, faults=faults
        )

    def _load(self, subset: str, data: Path | None) -> tuple[Task, ...]:
        files = Files.read(data)
        self.data_hash = files.data_hash
        tasks = tuple(
            _task(files, entry, self.id, subset, self._numbering) for entry in files.entries(subset)
        )
        self.problems = tuple(problem for task in tasks for problem in problems_of(task))
        return tasks


def _task(files: Files, entry: TaskEntry, env: str, subset: str, order_seed: int | None) -> Task:
    trial = files.trial(entry.task)
    replayed = scene_of(trial, files.floor_plan(trial.floor_plan, entry.task))
    scene = shuffle_order(replayed.scene, order_seed)
    spec: dict[str, Any] = {
        "scene": scene,
        "goal": goal_of(trial).to_json(),
        "trial": entry.task,
    }
    return Task(
        id=f"{subset}-{entry.index:03d}",
        env=env,
        subset=subset,
        instruction=entry.instruction,
        spec=spec,
        demonstration=skills_of(trial, scene, Names.of(scene), replayed.aliases),
    )


def problems_of(task: Task) -> list[str]:
    """What makes a task no fair one: a goal met at reset, names or classes that do not exist."""
    scene: Scene = task.spec["scene"]
    goal = Goal.from_json(task.spec["goal"])
    state, names = State.of(scene), Names.of(scene)
    found = []
    met, total = conditions(state, goal)
    if met == total:
        found.append(f"task '{task.id}': its goal is met at reset.")
    listed = set(names.actions)
    for action in dict.fromkeys(task.demonstration or ()):
        if action not in listed:
            found.append(f"task '{task.id}': the expert's '{action}' is not in the action list.")
    wanted = (goal.object_target, goal.parent_target, goal.mrecep_target, goal.toggle_target)
    for target in filter(None, wanted):
        if kind_of(target) not in state.members:
            found.append(f"task '{task.id}': there is no {target} in its scene.")
    return found
