"""The one VIMABench environment that a process may have: resets, actions, and what lies where.

Many of VIMABench's calls act on physics client 0 whatever environment they come from, so a second
living environment breaks both. Its motions give up after five seconds of wall clock; here the clock
that they look at counts their steps, so that a slow machine gets the same results.
"""

from __future__ import annotations

import contextlib
import math
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any

import numpy as np

from journeyman.core.errors import JourneymanError, SimulatorFault
from journeyman.core.values import Draw, ImageHWC
from journeyman.envs.adapters.vimabench.checkout import quiet

LEVELS: Mapping[str, str] = {
    "L1": "placement_generalization",
    "L2": "combinatorial_generalization",
    "L3": "novel_object_generalization",
}
"""Levels and the partition files that they are drawn from."""

STEPS_A_MOTION = 10_000
"""Steps of the arm after which a motion gives up, where VIMABench waits five seconds."""

Point = tuple[float, float]


@dataclass(frozen=True, slots=True)
class Lying:
    """A thing on the real table; metres, yaw counter-clockwise in degrees.

    ``shape`` and ``texture`` are the names of VIMABench's encyclopedias.
    """

    id: int
    shape: str
    texture: str
    x: float
    y: float
    z: float
    yaw_deg: float
    fixed: bool


@dataclass(frozen=True, slots=True)
class Result:
    """What one action came to: the body gripped or None, and the benchmark's verdict."""

    gripped: int | None
    success: bool
    failure: bool
    timed_out: bool


class SecondEnvironment(JourneymanError):
    """Another environment of VIMABench is in the middle of an episode in this process."""


class _StepClock:
    """Stands in for the module ``time`` in VIMABench's motions: each look is one step."""

    def __init__(self) -> None:
        self.steps = 0

    def time(self) -> float:
        self.steps += 1
        return self.steps * 5.0 / STEPS_A_MOTION


class Simulation:
    """A VIMABench environment of one task and level, made at the first reset.

    Args:
        bench: The imported ``vima_bench``.
        task: One of the six tasks, e.g. ``rotate``.
        level: ``L1``, ``L2`` or ``L3``.
    """

    _living: Simulation | None = None

    def __init__(self, bench: ModuleType, task: str, level: str) -> None:
        self.task_name = task
        self.level = level
        self._bench = bench
        self._env: Any = None
        self._gripped: int | None = None
        self.busy = False

    @property
    def task(self) -> Any:
        """VIMABench's own task object, with its goals."""
        return self._env.task

    @property
    def env(self) -> Any:
        """VIMABench's own environment."""
        return self._env

    def reset(self, seed: int) -> None:
        """Start the episode of ``seed``, which is given to the environment itself.

        Raises:
            SecondEnvironment: another one is in the middle of an episode.
            SimulatorFault: the scene could not be set up, mostly for want of room.
        """
        self._claim()
        self.busy = False
        with self._faults(f"set up seed {seed}"):
            self._env.seed(seed)
            self._pictures = self._env.reset()
        self._watch()
        self.busy = True

    @contextlib.contextmanager
    def _faults(self, doing: str) -> Iterator[None]:
        """Turn what VIMABench raises into a fault of the simulator, and keep it quiet."""
        import pybullet

        try:
            with quiet():
                yield
        except (ValueError, AssertionError, pybullet.error) as error:
            raise SimulatorFault(
                f"VIMABench could not {doing} of {self.task_name}, {self.level}: {error}."
            ) from error

    def _claim(self) -> None:
        living = Simulation._living
        if living is not self:
            if living is not None:
                if living.busy:
                    raise SecondEnvironment(
                        f"vimabench/{living.task_name} is in the middle of an episode, and "
                        "VIMABench can have only one environment a process.",
                        hint="Close it first, or use another process.",
                    )
                living.close()
            self._make()

    def _make(self) -> None:
        sys.modules[f"{self._bench.__name__}.env.base"].time = _StepClock()  # type: ignore[attr-defined]
        with quiet():
            self._env = self._bench.make(
                self.task_name,
                modalities=["rgb"],
                task_kwargs=partition(self._bench, self.task_name, self.level),
            )
        if self._env.client_id != 0:
            self._env.close()
            self._env = None
            raise SecondEnvironment(
                "something else in this process is connected to PyBullet, and VIMABench needs its "
                "first connection.",
                hint="Close it first, or use another process.",
            )
        Simulation._living = self

    def _watch(self) -> None:
        """Note what the suction cup grips, which VIMABench does not tell."""
        import pybullet

        effector = self._env.ee
        activate = effector.activate

        def watched() -> None:
            activate()
            if effector.contact_constraint is not None:
                self._gripped = int(pybullet.getConstraintInfo(effector.contact_constraint)[2])

        effector.activate = watched

    def act(self, pick: Point, place: Point, turn_deg: float, *, oracle: bool = False) -> Result:
        """Pick at ``pick``, turn counter-clockwise by ``turn_deg``, put down at ``place``; metres.

        Args:
            oracle: Also tick off the goals that only the oracle has (moving a blocker away).
        """
        half = math.radians(turn_deg) / 2
        return self.act_as(
            {
                "pose0_position": self._inside(pick),
                "pose0_rotation": np.array([0, 0, 0, 1], np.float32),
                "pose1_position": self._inside(place),
                "pose1_rotation": np.array([0, 0, math.sin(half), math.cos(half)], np.float32),
            },
            oracle=oracle,
        )

    def _inside(self, point: Point) -> Any:
        """``point`` as VIMABench wants it: float32 and not a rounding error out of bounds."""
        box = self._env.position_bounds
        return np.clip(np.array(point, np.float32), box.low, box.high)

    def act_as(self, action: Mapping[str, Any], *, oracle: bool = False) -> Result:
        """Execute an action in VIMABench's own form.

        Raises:
            SimulatorFault: VIMABench failed at it.
        """
        self._gripped = None
        with self._faults("carry out an action"):
            self._pictures, _, done, info = self._env.step(dict(action), skip_oracle=not oracle)
        success, failure = bool(info["success"]), bool(info["failure"])
        return Result(self._gripped, success, failure, bool(done) and not success and not failure)

    @property
    def prompt(self) -> str:
        """The instruction, with a name in braces where a picture stands."""
        return str(self._env.prompt)

    def pictures(self) -> dict[str, Draw]:
        """What gives the ``top`` and the ``front`` view of now, (128, 256, 3) each."""
        return {view: partial(_hwc, shown) for view, shown in self._pictures["rgb"].items()}

    def prompt_pictures(self) -> dict[str, Draw]:
        """What gives each picture of the instruction, from above, by VIMABench's names."""
        assets: Mapping[str, Any] = self._env.prompt_assets
        return {name: partial(_hwc, asset["rgb"]["top"]) for name, asset in assets.items()}

    def lying(self) -> list[Lying]:
        """Everything on the table, in the order of the ids."""
        env = self._env
        fixed = set(env.obj_ids["fixed"])
        return [
            Lying(
                body,
                str(told["obj_name"]),
                str(told["texture_name"]),
                *pose_of(env, body),
                fixed=body in fixed,
            )
            for body, told in sorted(env.obj_id_reverse_mapping.items())
        ]

    def box_m(self, body: int) -> float:
        """The longer side of the box that a body is made of, metres."""
        import pybullet

        parts = pybullet.getVisualShapeData(body, physicsClientId=self._env.client_id)
        return max(float(side) for part in parts for side in part[3][:2])

    def close(self) -> None:
        """End the simulation; another one may then be made."""
        self.busy = False
        if Simulation._living is self:
            Simulation._living = None
        if self._env is not None:
            with quiet(), contextlib.suppress(Exception):
                self._env.close()
            self._env = None


def pose_of(env: Any, body: int) -> tuple[float, float, float, float]:
    """(x, y, z, yaw in degrees) of a body's own origin."""
    import pybullet

    place, turned = pybullet.getBasePositionAndOrientation(body, physicsClientId=env.client_id)
    return (*map(float, place), yaw_deg(turned))  # type: ignore[return-value]


def yaw_deg(quaternion: Any) -> float:
    """The turn about the vertical axis of a quaternion (x, y, z, w), in degrees."""
    x, y, z, w = map(float, quaternion)
    return math.degrees(math.atan2(2 * (w * z + x * y), 1 - 2 * (y * y + z * z)))


def partition(bench: ModuleType, task: str, level: str) -> dict[str, Any]:
    """The objects and textures of a level, as its partition file gives them to a task."""
    levels: Mapping[str, Any] = bench.PARTITION_TO_SPECS["test"]
    return dict(levels[LEVELS[level]].get(task) or {})


def _hwc(picture: Any) -> ImageHWC:
    return np.ascontiguousarray(np.transpose(picture, (1, 2, 0)))
