"""The real VIMA-Bench, from a user's checkout, as an environment with the tabletop's form."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError, SimulatorFault, UnknownName
from journeyman.core.protocols import Info
from journeyman.core.values import PROMPT, Action, ActionLibrary, Draw, Observation, Task
from journeyman.envs.adapters.vimabench import checkout
from journeyman.envs.adapters.vimabench.episodes import (
    Instructions,
    TaskSet,
    level_and_seed,
    renamed,
    sentence,
)
from journeyman.envs.adapters.vimabench.rebuilt import RealRecord, record_of
from journeyman.envs.adapters.vimabench.simulation import Result, Simulation
from journeyman.envs.tabletop import prompt
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.env import MAX_INVALID_ACTIONS, STEPS, pose_space
from journeyman.envs.tabletop.levels import EPISODES_A_LEVEL
from journeyman.envs.tabletop.oracle import demonstration
from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.skills import BadArguments, location, read, yaw_deg
from journeyman.envs.tabletop.tasks import TASKS

PREFIX = "vimabench/"


class VimaBenchEnv(gymnasium.Env[Observation, int]):
    """One of the six tasks in VIMABench itself: its physics, pictures, goals and verdicts.

    Actions, observations, limits and info are `TabletopEnv`'s. An episode is decided by its task's
    level and seed alone; the seed is given to VIMABench's own environment, below any wrapper. The
    simulation starts with the first reset. A process can hold one episode at a time: another
    environment's reset takes over once this one's episode is over.

    Args:
        name: ``vimabench/<task>``.
        data: Taken as the checkout where neither ``vimabench`` nor the variable names one.
        task: VIMABench's name of the task; by default what stands in ``name``.
        vimabench: The checkout; by default the one that JOURNEYMAN_VIMABENCH names.
        steps: ``lenient`` (default, VIMABench's limit for its oracle and two more) or ``oracle``.
        episodes: Episodes a level.

    Attributes:
        data_hash: SHA-256 of the checkout's code and partition files.

    Raises:
        UnknownName: there is no such task.
        DataError: no checkout is given, or it is none.
        MissingExtra: a package that it needs is not installed.
        ConfigError: a setting is out of range.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (gymnasium's own shape)

    def __init__(
        self,
        name: str = f"{PREFIX}visual_manipulation",
        *,
        data: Path | str | None = None,
        task: str | None = None,
        vimabench: Path | str | None = None,
        steps: str = "lenient",
        episodes: int = EPISODES_A_LEVEL,
    ) -> None:
        wanted = task or name.partition("/")[2]
        if wanted not in TASKS:
            raise UnknownName(
                "VIMABench task", wanted, TASKS, hint=f"There are: {', '.join(TASKS)}"
            )
        if steps not in STEPS:
            raise ConfigError(f"steps: '{steps}' is none of {', '.join(STEPS)}.")
        if episodes < 1:
            raise ConfigError(f"episodes: {episodes} is below 1.")
        root = checkout.locate(checkout.named(vimabench, data))
        self.id = name
        self.rules = TASKS[wanted]
        self.max_steps = self.rules.oracle_steps + STEPS[steps]
        self.max_invalid_actions = MAX_INVALID_ACTIONS
        self._bench = checkout.load(root, name)
        self.data_hash = checkout.fingerprint(root)
        self._instructions = Instructions(self._bench, wanted)
        self._tasks = TaskSet(name, wanted, self._instructions, episodes)
        self._simulation: Simulation | None = None
        self._record: RealRecord | None = None
        self._scene = Scene(())
        self._steps = 0
        self._invalid = 0
        self._over = True
        self._camera = Camera("top")
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            {view: spaces.Box(0, 255, (128, 256, 3), np.uint8) for view in ("image", "front")}
        )
        self.action_space = spaces.Discrete(len(prompt.LIBRARY))  # type: ignore[assignment]
        self.pose_space = pose_space()

    @property
    def tasks(self) -> Sequence[Task]:
        """The task set: the episodes of L1, then L2, then L3. None has a demonstration yet."""
        return self._tasks

    @property
    def scene(self) -> Scene:
        """What is where now, rebuilt from the simulation: the truth, for studies."""
        return self._scene

    @property
    def simulation(self) -> Simulation:
        """The running simulation, for studies.

        Raises:
            ConfigError: no episode was started.
        """
        if self._simulation is None:
            raise ConfigError("no episode is running.", hint="Call reset first.")
        return self._simulation

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

    def demonstrate(self, task: Task) -> tuple[str, ...]:
        """Actions that solve ``task``, from the goals that VIMABench's oracle has; takes a reset.

        A blocker is moved away first, then goal by goal, each thing gripped by its centre.
        """
        self.reset(options={"task": task})
        assert self._record is not None
        self._end()
        return tuple(str(action) for action in demonstration(self._record.setup))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start ``options["task"]``, or the first task. The scene depends on the task alone.

        Raises:
            ConfigError: the task is none of this environment's.
            SecondEnvironment: another environment of this process is in the middle of an episode.
            SimulatorFault: VIMABench could not set up the scene.
        """
        super().reset(seed=seed)
        task: Task = (options or {}).get("task") or self._tasks[0]
        level, number = level_and_seed(task, self.id, self.rules.name)
        self._over = True
        if self._simulation is None or self._simulation.level != level:
            self.close()
            self._simulation = Simulation(self._bench, self.rules.name, level)
        self._simulation.reset(number)
        drawn, said = self._instructions.of(level, number), sentence(self._simulation.prompt)
        if drawn != said:
            self.close()
            raise SimulatorFault(
                f"task '{task.id}': this checkout of VIMABench says '{said}' where '{drawn}' was "
                "expected."
            )
        self._record = record_of(self._simulation)
        self._scene = self._record.setup.scene
        self._steps = self._invalid = 0
        self._over = False
        return self._observation(), self._info(True, "")

    def step(self, action: Action | int) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out one skill. What cannot be read moves nothing and counts as invalid.

        Raises:
            ConfigError: no episode is running.
        """
        simulation = self._running()
        try:
            asked = read(action)
        except BadArguments as problem:
            return self._refuse(str(problem))
        return self._done(simulation.act(asked.pick, asked.place, asked.turn_deg))

    def step_poses(
        self,
        pose0_position: Sequence[float] | NDArray[Any],
        pose0_rotation: Sequence[float] | NDArray[Any],
        pose1_position: Sequence[float] | NDArray[Any],
        pose1_rotation: Sequence[float] | NDArray[Any],
    ) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out VIMABench's own action; see `TabletopEnv.step_poses`.

        Raises:
            ConfigError: no episode is running.
        """
        simulation = self._running()
        try:
            pick = location("pose0_position", pose0_position)
            place = location("pose1_position", pose1_position)
            before = yaw_deg("pose0_rotation", pose0_rotation)
            turn_deg = yaw_deg("pose1_rotation", pose1_rotation) - before
        except BadArguments as problem:
            return self._refuse(str(problem))
        return self._done(simulation.act(pick, place, turn_deg))

    def close(self) -> None:
        """End the simulation; the process can then hold another one."""
        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
        self._over = True

    def _running(self) -> Simulation:
        if self._over or self._record is None or self._simulation is None:
            raise ConfigError("step before reset: no episode is running.", hint="Call reset first.")
        return self._simulation

    def _done(self, result: Result) -> tuple[Observation, float, bool, bool, Info]:
        assert self._record is not None
        self._steps += 1
        self._scene = self._record.observe(self.simulation, result, self._steps)
        return self._result(True, prompt.EXECUTED)

    def _refuse(self, why: str) -> tuple[Observation, float, bool, bool, Info]:
        assert self._record is not None
        self._steps += 1
        self._invalid += 1
        self._record.refuse(self._steps)
        return self._result(False, prompt.refused(why))

    def _result(self, success: bool, feedback: str) -> tuple[Observation, float, bool, bool, Info]:
        assert self._record is not None
        judged = self._record.judgement
        over = bool(judged.failure) or self._steps >= self.max_steps
        over = over or self._invalid >= self.max_invalid_actions
        done = judged.success
        observation = self._observation()
        if over or done:
            self._end()
        return observation, float(done), done, over and not done, self._info(success, feedback)

    def _end(self) -> None:
        """The episode is over: another environment of this process may begin one."""
        self._over = True
        self.simulation.busy = False

    def _observation(self) -> Observation:
        pictures = self.simulation.pictures()
        views: dict[str, Draw] = {"front": pictures["front"]}
        for name, draw in self.simulation.prompt_pictures().items():
            views[PROMPT + renamed(name)] = draw
        return Observation(prompt.seen(self._camera), pictures["top"], views, self._camera.ground)

    def _info(self, success: bool, feedback: str) -> Info:
        assert self._record is not None
        judged = self._record.judgement
        return {
            "task_success": judged.success,
            "task_progress": judged.progress,
            "last_action_success": success,
            "env_feedback": feedback,
            "num_invalid_actions": self._invalid,
        }
