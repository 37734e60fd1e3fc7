"""The household as a gymnasium environment under EB-ALFRED's limits and feedback."""

from __future__ import annotations

import string
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import gymnasium
import numpy as np
from gymnasium import spaces

from journeyman.core.errors import ConfigError
from journeyman.core.protocols import Info
from journeyman.core.values import Action, ActionLibrary, ImageHWC, Observation, Task
from journeyman.envs.household import prompt, taskset
from journeyman.envs.household.feedback import FAILED, SUCCEEDED
from journeyman.envs.household.goals import conditions
from journeyman.envs.household.names import Names, shuffle_order
from journeyman.envs.household.observe import HouseholdObservation
from journeyman.envs.household.scene import Goal, Scene
from journeyman.envs.household.simulator import Faults, Simulator
from journeyman.envs.household.state import State

MAX_STEPS = 30
MAX_INVALID_ACTIONS = 10
IMAGE_SIDE = 500


class Moment(NamedTuple):
    """What a picture is of; the state is a snapshot, so it can be drawn however late."""

    scene: Scene
    state: State


Draw = Callable[[Moment], ImageHWC]
"""Draws what the agent sees, shape (500, 500, 3)."""


def draw_lazily(moment: Moment) -> ImageHWC:
    """The built-in picture; its code is loaded with the first one."""
    from journeyman.envs.household.render import draw

    return draw(moment)


class HouseholdEnv(gymnasium.Env[Observation, int]):
    """Household tasks: 30 steps, 10 invalid actions, success ends the episode at once.

    Observations are mappings with ``text`` (what is in hand and in view) and, unless ``draw`` is
    None, ``image``. The reward is 1 for the step that succeeds, else 0.

    Args:
        name: The full environment id, e.g. ``household/base-v0``.
        data: Not used: the task sets come with the package.
        subset: The task set; by default what follows the slash in ``name``.
        draw: Draws the picture when somebody looks at it; None leaves pictures out.
        faults: Known faults of the benchmark to replay; none by default.
        order_seed: Shuffles each scene's instance numbering; None keeps the scene's own order.

    Raises:
        UnknownName: there is no such task set.
        DataError: its file is broken.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (gymnasium's own shape)

    def __init__(
        self,
        name: str = "household/base-v0",
        *,
        data: Path | None = None,
        subset: str | None = None,
        draw: Draw | None = draw_lazily,
        faults: Faults | None = None,
        order_seed: int | None = None,
    ) -> None:
        self.id = name
        self.max_steps = MAX_STEPS
        self.max_invalid_actions = MAX_INVALID_ACTIONS
        self.simulator = Simulator(faults)
        self._draw = draw
        self._order_seed = order_seed
        self._tasks = self._load(subset or name.partition("/")[2], data)
        self._scenes: dict[int, tuple[Scene, Scene, ActionLibrary, Names]] = {}
        self._goal: Goal | None = None
        self._library = ActionLibrary(())
        self._steps = 0
        self._invalid = 0
        self._success = False
        parts: dict[str, spaces.Space[Any]] = {
            "text": spaces.Text(max_length=20_000, charset=string.printable)
        }
        if draw is not None:
            parts["image"] = spaces.Box(0, 255, (IMAGE_SIDE, IMAGE_SIDE, 3), np.uint8)
        self.observation_space = spaces.Dict(parts)  # type: ignore[assignment]
        self.action_space = spaces.Discrete(162)  # type: ignore[assignment]

    def _load(self, subset: str, data: Path | None) -> tuple[Task, ...]:
        tasks = taskset.load(subset)
        self.data_hash = taskset.digest(subset)
        return tasks

    @property
    def tasks(self) -> Sequence[Task]:
        """The task set, in its own fixed order."""
        return self._tasks

    def library(self) -> ActionLibrary:
        """The actions of the running episode's scene; the same until the next reset."""
        return self._library

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start ``options["task"]``, or the first task. The outcome depends on the task alone.

        Raises:
            ConfigError: the task is no household task.
            DataError: its scene or goal is broken.
        """
        super().reset(seed=seed)
        task: Task = (options or {}).get("task") or self._tasks[0]
        if "scene" not in task.spec or "goal" not in task.spec:
            raise ConfigError(
                f"task '{task.id}' of {task.env} has no scene and goal: {self.id} cannot run it.",
                hint=f"Take a task of: journeyman check {self.id}",
            )
        where = f"task '{task.id}'"
        scene, self._library, names = self._prepared(task.spec["scene"], where)
        self._goal = taskset.goal_of(task.spec["goal"], where)
        self.simulator.reset(scene, names)
        self.action_space = spaces.Discrete(len(self._library))  # type: ignore[assignment]
        self._steps = self._invalid = 0
        return self._observation(), self._info(True, "")

    def step(self, action: Action | int) -> tuple[Observation, float, bool, bool, Info]:
        """Execute one skill by its id; the name of an `Action` is not looked at.

        Raises:
            ConfigError: no episode is running, or the id is not in the library.
        """
        if self._goal is None:
            raise ConfigError("step before reset: no episode is running.", hint="Call reset first.")
        number = action.id if isinstance(action, Action) else int(action)
        actions = self._library.actions
        if not 0 <= number < len(actions):
            raise ConfigError(
                f"action id {number} is not in the list 0 to {len(actions) - 1}.",
                hint="Take an id from library().",
            )
        success, message = self.simulator.execute(actions[number].name)
        self._steps += 1
        self._invalid += not success
        info = self._info(success, SUCCEEDED if success else FAILED + message)
        done = self._success
        over = not done and (
            self._steps >= self.max_steps or self._invalid >= self.max_invalid_actions
        )
        return self._observation(), float(done), done, over, info

    def _prepared(self, given: Any, where: str) -> tuple[Scene, ActionLibrary, Names]:
        """A scene with its library and names, built once per scene object."""
        known = self._scenes.get(id(given))
        if known is not None and known[0] is given:
            return known[1:]
        scene = shuffle_order(taskset.scene_of(given, f"{where}: field 'scene'"), self._order_seed)
        names = Names.of(scene)
        library = ActionLibrary(names.library, prompt.ROLE, prompt.RULES, prompt.examples())
        if isinstance(given, Scene):
            self._scenes[id(given)] = (given, scene, library, names)
        return scene, library, names

    def _observation(self) -> Observation:
        simulator = self.simulator
        draw = self._draw
        scene, state = simulator.scene, simulator.state.copy()
        picture = None if draw is None else lambda: draw(Moment(scene, state))
        return HouseholdObservation(state, simulator.names, picture)

    def _info(self, success: bool, feedback: str) -> Info:
        assert self._goal is not None
        met, total = conditions(
            self.simulator.state,
            self._goal,
            substring_names=self.simulator.faults.substring_names,
        )
        self._success = met == total
        return {
            "task_success": self._success,
            "task_progress": met / total,
            "last_action_success": success,
            "env_feedback": feedback,
            "num_invalid_actions": self._invalid,
        }
