"""What the tabletop and the real VIMA-Bench share as environments: an episode's form and bounds."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.protocols import Info
from journeyman.core.values import Action, ActionLibrary, Observation, Task
from journeyman.envs.tabletop import prompt
from journeyman.envs.tabletop.judging import Record
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS, Scene
from journeyman.envs.tabletop.skills import BadArguments, PickPlace, location, read, yaw_deg
from journeyman.envs.tabletop.tasks import TASKS

MAX_INVALID_ACTIONS = 10
STEPS: Mapping[str, int] = {"oracle": 0, "lenient": 2}
"""Actions allowed beyond VIMA-Bench's limit for its oracle; published evaluators allow two."""

Stepped = tuple[Observation, float, bool, bool, Info]


class TableEnv(gymnasium.Env[Observation, int]):
    """One of the six tasks; what carries out its actions, and what is seen, is the subclass's.

    Every action takes a step, carried out or not. The reward is 1 for the step that succeeds, else
    0. What the scene is, and why an episode failed, is in ``scene``, ``failure_reason`` and
    ``analysis``: for the record, never for an agent.

    Args:
        name: The full environment id.
        task: VIMA-Bench's name of the task.
        steps: ``lenient`` or ``oracle``; see `STEPS`.
        episodes: Episodes a level.

    Raises:
        UnknownName: there is no such task.
        ConfigError: a setting is out of range.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (gymnasium's own shape)
    _tasks: Sequence[Task]

    def __init__(self, name: str, task: str, steps: str, episodes: int) -> None:
        if task not in TASKS:
            raise UnknownName("tabletop task", task, TASKS, hint=f"There are: {', '.join(TASKS)}")
        check_choice("steps", steps, tuple(STEPS))
        if episodes < 1:
            raise ConfigError(f"episodes: {episodes} is below 1.")
        self.id = name
        self.rules = TASKS[task]
        self.max_steps = self.rules.oracle_steps + STEPS[steps]
        self.max_invalid_actions = MAX_INVALID_ACTIONS
        self.action_space = spaces.Discrete(len(prompt.LIBRARY))  # type: ignore[assignment]
        self.pose_space = pose_space()
        self._record: Record | None = None
        self._scene = Scene(())
        self._steps = 0
        self._invalid = 0
        self._over = True

    @property
    def tasks(self) -> Sequence[Task]:
        """The task set: the episodes of L1, then L2, then L3."""
        return self._tasks

    @property
    def scene(self) -> Scene:
        """What is where now: the truth, for studies."""
        return self._scene

    @property
    def failure_reason(self) -> str:
        """Why the running or ended episode is no success (yet), for the record; empty if it is."""
        record = self._record
        return "" if record is None else record.reason(self._scene, self._steps, self.max_steps)

    @property
    def analysis(self) -> dict[str, Any]:
        """Stricter measures beside the benchmark's; see `Record.analysis`."""
        return {} if self._record is None else self._record.analysis(self._scene)

    def library(self) -> ActionLibrary:
        """The two skills; always the same."""
        return prompt.LIBRARY

    def step(self, action: Action | int) -> Stepped:
        """Carry out one skill. What cannot be read moves nothing and counts as invalid.

        Raises:
            ConfigError: no episode is running.
        """
        record = self._running()
        try:
            asked = read(action)
        except BadArguments as problem:
            return self._refuse(record, str(problem))
        return self._execute(record, asked)

    def step_poses(
        self,
        pose0_position: Sequence[float] | NDArray[Any],
        pose0_rotation: Sequence[float] | NDArray[Any],
        pose1_position: Sequence[float] | NDArray[Any],
        pose1_rotation: Sequence[float] | NDArray[Any],
    ) -> Stepped:
        """Carry out VIMA-Bench's own action: pick at the first pose, place at the second.

        Positions are [x, y] in metres, rotations quaternions (x, y, z, w); of these only the turn
        about the vertical axis counts, and of the two turns only the difference. What cannot be
        read moves nothing and counts as invalid.

        Raises:
            ConfigError: no episode is running.
        """
        record = self._running()
        try:
            pick = location("pose0_position", pose0_position)
            place = location("pose1_position", pose1_position)
            before = yaw_deg("pose0_rotation", pose0_rotation)
            turn_deg = yaw_deg("pose1_rotation", pose1_rotation) - before
        except BadArguments as problem:
            return self._refuse(record, str(problem))
        return self._execute(record, PickPlace(pick, place, turn_deg))

    @abstractmethod
    def _carry_out(self, asked: PickPlace, step: int) -> Scene:
        """The scene after the action, noted in the record."""

    @abstractmethod
    def _observation(self) -> Observation:
        """What is seen now."""

    def _begin(self, record: Record) -> tuple[Observation, Info]:
        """The episode of ``record`` runs from here on."""
        self._record = record
        self._scene = record.setup.scene
        self._steps = self._invalid = 0
        self._over = False
        return self._observation(), self._info(record, True, "")

    def _end(self) -> None:
        """The episode is over."""
        self._over = True

    def _running(self) -> Record:
        if self._over or self._record is None:
            raise ConfigError(
                "no episode is running: none was begun, or the last one is over.",
                hint="Call reset first.",
            )
        return self._record

    def _execute(self, record: Record, asked: PickPlace) -> Stepped:
        self._steps += 1
        self._scene = self._carry_out(asked, self._steps)
        return self._result(record, True, prompt.EXECUTED)

    def _refuse(self, record: Record, why: str) -> Stepped:
        self._steps += 1
        self._invalid += 1
        record.refuse(self._steps)
        return self._result(record, False, prompt.refused(why))

    def _result(self, record: Record, success: bool, feedback: str) -> Stepped:
        judged = record.judgement
        over = bool(judged.failure) or self._steps >= self.max_steps
        over = over or self._invalid >= self.max_invalid_actions
        done = judged.success
        observation = self._observation()
        if over or done:
            self._end()
        info = self._info(record, success, feedback)
        return observation, float(done), done, over and not done, info

    def _info(self, record: Record, success: bool, feedback: str) -> Info:
        return {
            "task_success": record.judgement.success,
            "task_progress": record.judgement.progress,
            "last_action_success": success,
            "env_feedback": feedback,
            "num_invalid_actions": self._invalid,
        }


def pose_space() -> spaces.Dict:
    """VIMA-Bench's action: a pick and a place pose, float32, metres and xyzw quaternions."""
    low, high = (np.array(bound, np.float32) for bound in zip(X_BOUNDS, Y_BOUNDS, strict=True))
    position = spaces.Box(low, high, dtype=np.float32)
    rotation = spaces.Box(-1.0, 1.0, (4,), np.float32)
    return spaces.Dict(
        {
            "pose0_position": position,
            "pose0_rotation": rotation,
            "pose1_position": position,
            "pose1_rotation": rotation,
        }
    )


def check_choice(key: str, given: str, known: Sequence[str]) -> None:
    """Raises ConfigError: ``given`` is none of ``known``."""
    if given not in known:
        raise ConfigError(f"{key}: '{given}' is none of {', '.join(known)}.")
