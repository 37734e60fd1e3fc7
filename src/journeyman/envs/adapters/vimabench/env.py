"""The real VIMA-Bench, from a user's checkout, as an environment with the tabletop's form."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces

from journeyman.core.errors import ConfigError, SimulatorFault
from journeyman.core.protocols import Info
from journeyman.core.values import PROMPT, Draw, Observation, Task
from journeyman.envs.adapters.vimabench import checkout
from journeyman.envs.adapters.vimabench.episodes import (
    Instructions,
    TaskSet,
    level_and_seed,
    renamed,
    sentence,
)
from journeyman.envs.adapters.vimabench.rebuilt import RealRecord, record_of
from journeyman.envs.adapters.vimabench.simulation import Simulation
from journeyman.envs.tabletop import prompt
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.levels import EPISODES_A_LEVEL
from journeyman.envs.tabletop.oracle import demonstration
from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.skills import PickPlace
from journeyman.envs.tabletop.table_env import TableEnv

PREFIX = "vimabench/"


class VimaBenchEnv(TableEnv):
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
        super().__init__(name, wanted, steps, episodes)
        root = checkout.locate(checkout.named(vimabench, data))
        self._bench = checkout.load(root, name)
        self.data_hash = checkout.fingerprint(root)
        self._instructions = Instructions(self._bench, wanted)
        self._tasks = TaskSet(name, wanted, self._instructions, episodes)
        self._simulation: Simulation | None = None
        self._camera = Camera("top")
        self.observation_space = spaces.Dict(  # type: ignore[assignment]
            {view: spaces.Box(0, 255, (128, 256, 3), np.uint8) for view in ("image", "front")}
        )

    @property
    def simulation(self) -> Simulation:
        """The running simulation, for studies.

        Raises:
            ConfigError: no episode was started.
        """
        if self._simulation is None:
            raise ConfigError("no episode is running.", hint="Call reset first.")
        return self._simulation

    def demonstrate(self, task: Task) -> tuple[str, ...]:
        """Actions that solve ``task``, from the goals that VIMABench's oracle has; takes a reset.

        A blocker is moved away first, then goal by goal, each thing gripped by its centre.
        """
        self.reset(options={"task": task})
        setup = self._running().setup
        self._end()
        return tuple(str(action) for action in demonstration(setup))

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
        return self._begin(record_of(self._simulation))

    def close(self) -> None:
        """End the simulation; the process can then hold another one."""
        if self._simulation is not None:
            self._simulation.close()
            self._simulation = None
        self._over = True

    def _carry_out(self, asked: PickPlace, step: int) -> Scene:
        record = self._running()
        assert isinstance(record, RealRecord)
        result = self.simulation.act(asked.pick, asked.place, asked.turn_deg)
        return record.observe(self.simulation, result, step)

    def _end(self) -> None:
        """The episode is over: another environment of this process may begin one."""
        super()._end()
        self.simulation.busy = False

    def _observation(self) -> Observation:
        pictures = self.simulation.pictures()
        views: dict[str, Draw] = {"front": pictures["front"]}
        for name, draw in self.simulation.prompt_pictures().items():
            views[PROMPT + renamed(name)] = draw
        return Observation(prompt.seen(self._camera), pictures["top"], views, self._camera.ground)
