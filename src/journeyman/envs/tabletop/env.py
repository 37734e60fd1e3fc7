"""The tabletop as a gymnasium environment under VIMA-Bench's rules."""

from __future__ import annotations

import string
from collections.abc import Mapping, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError, UnknownName
from journeyman.core.protocols import Info
from journeyman.core.values import PROMPT, Action, ActionLibrary, Draw, Observation, Task
from journeyman.envs.tabletop import prompt
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.describe import described
from journeyman.envs.tabletop.judging import Record
from journeyman.envs.tabletop.levels import DIFFICULTIES, EPISODES_A_LEVEL
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS, Scene
from journeyman.envs.tabletop.skills import BadArguments, PickPlace, location, read, yaw_deg
from journeyman.envs.tabletop.tasks import TASKS, ObjectPicture, Setup
from journeyman.envs.tabletop.taskset import TaskSet, read_spec

MAX_INVALID_ACTIONS = 10
STEPS: Mapping[str, int] = {"oracle": 0, "lenient": 2}
"""Actions allowed beyond VIMA-Bench's limit for its oracle; published evaluators allow two."""

VIEWS = ("top", "front")


class TabletopEnv(gymnasium.Env[Observation, int]):
    """One of the six tasks: an episode ends with success, with a failure, or out of steps.

    Observations have ``text`` (how to read the pictures, nothing of the scene), ``image`` (the top
    view), ``front``, and ``prompt/NAME`` for each ``{NAME}`` in the instruction. The reward is 1
    for the step that succeeds, else 0. Every action takes a step, carried out or not. What the
    scene is, and why an episode failed, is in ``scene``, ``failure_reason`` and ``analysis``: for
    the record, never for an agent.

    Args:
        name: The full environment id, e.g. ``tabletop/rotate-v0``.
        data: Not used: scenes are made from seeds.
        task: VIMA-Bench's name of the task; by default what stands in ``name``.
        resolution: Height and width of every picture, pixels.
        steps: ``lenient`` (default) or ``oracle``; see `STEPS`.
        difficulty: ``easy`` as in the original; ``medium`` and ``hard`` change light and
            distractors of the task set.
        described: The scene's truth as text instead of pictures.
        masks: Give ``masks`` and ``masks/front`` too: the id of the body seen at each pixel, and
            ``masks/prompt/NAME`` of the instruction's pictures of whole scenes. For studies of
            perception; an agent that is given them has not looked.
        episodes: Episodes a level.
        first_seed: Seed of each level's first episode.

    Raises:
        UnknownName: there is no such task.
        ConfigError: a setting is out of range.
    """

    metadata: dict[str, Any] = {"render_modes": []}  # noqa: RUF012 (gymnasium's own shape)

    def __init__(
        self,
        name: str = "tabletop/visual_manipulation-v0",
        *,
        data: Path | None = None,
        task: str | None = None,
        resolution: tuple[int, int] = (128, 256),
        steps: str = "lenient",
        difficulty: str = "easy",
        described: bool = False,
        masks: bool = False,
        episodes: int = EPISODES_A_LEVEL,
        first_seed: int = 0,
    ) -> None:
        wanted = task or name.partition("/")[2].removesuffix("-v0")
        if wanted not in TASKS:
            raise UnknownName("tabletop task", wanted, TASKS, hint=f"There are: {', '.join(TASKS)}")
        _check("steps", steps, tuple(STEPS))
        _check("difficulty", difficulty, DIFFICULTIES)
        _check_numbers(resolution, episodes, first_seed)
        self.id = name
        self.rules = TASKS[wanted]
        self.max_steps = self.rules.oracle_steps + STEPS[steps]
        self.max_invalid_actions = MAX_INVALID_ACTIONS
        self.resolution = (resolution[0], resolution[1])
        self._tasks = TaskSet(name, wanted, difficulty, episodes, first_seed)
        self._described = described
        self._masks = masks
        self._cameras = {view: _camera(view, *self.resolution) for view in VIEWS}
        self._setup: Setup | None = None
        self._record: Record | None = None
        self._scene = Scene(())
        self._steps = 0
        self._invalid = 0
        self.observation_space = _observation_space(self.resolution, described)  # type: ignore[assignment]
        self.action_space = spaces.Discrete(len(prompt.LIBRARY))  # type: ignore[assignment]
        self.pose_space = pose_space()

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

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, Info]:
        """Start ``options["task"]``, or the first task. The scene depends on the task alone.

        Raises:
            ConfigError: the task is none of this environment's.
        """
        super().reset(seed=seed)
        task: Task = (options or {}).get("task") or self._tasks[0]
        if task.spec.get("task") not in (None, self.rules.name):
            raise ConfigError(
                f"task '{task.id}' is a task of {task.env}: {self.id} cannot run it.",
                hint=f"Take a task of: journeyman list tasks {self.id}",
            )
        self._setup = read_spec(task, self.id)
        self._record = Record(self.rules, self._setup)
        self._scene = self._setup.scene
        self._steps = self._invalid = 0
        return self._observation(), self._info(True, "")

    def step(self, action: Action | int) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out one skill. What cannot be read moves nothing and counts as invalid.

        Raises:
            ConfigError: no episode is running.
        """
        try:
            asked = read(action)
        except BadArguments as problem:
            return self._refuse(str(problem))
        return self._execute(asked)

    def step_poses(
        self,
        pose0_position: Sequence[float] | NDArray[Any],
        pose0_rotation: Sequence[float] | NDArray[Any],
        pose1_position: Sequence[float] | NDArray[Any],
        pose1_rotation: Sequence[float] | NDArray[Any],
    ) -> tuple[Observation, float, bool, bool, Info]:
        """Carry out VIMA-Bench's own action: pick at the first pose, place at the second.

        Positions are [x, y] in metres, rotations quaternions (x, y, z, w); of these only the turn
        about the vertical axis counts, and of the two turns only the difference. What cannot be
        read moves nothing and counts as invalid.

        Raises:
            ConfigError: no episode is running.
        """
        try:
            pick = location("pose0_position", pose0_position)
            place = location("pose1_position", pose1_position)
            before = yaw_deg("pose0_rotation", pose0_rotation)
            turn_deg = yaw_deg("pose1_rotation", pose1_rotation) - before
        except BadArguments as problem:
            return self._refuse(str(problem))
        return self._execute(PickPlace(pick, place, turn_deg))

    def _execute(self, asked: PickPlace) -> tuple[Observation, float, bool, bool, Info]:
        record = self._running()
        self._steps += 1
        self._scene = record.execute(self._scene, asked, self._steps)
        return self._result(True, prompt.EXECUTED)

    def _refuse(self, why: str) -> tuple[Observation, float, bool, bool, Info]:
        record = self._running()
        self._steps += 1
        self._invalid += 1
        record.refuse(self._steps)
        return self._result(False, prompt.refused(why))

    def _running(self) -> Record:
        if self._record is None:
            raise ConfigError("step before reset: no episode is running.", hint="Call reset first.")
        return self._record

    def _result(self, success: bool, feedback: str) -> tuple[Observation, float, bool, bool, Info]:
        judged = self._running().judgement
        over = bool(judged.failure) or self._steps >= self.max_steps
        over = over or self._invalid >= self.max_invalid_actions
        info = self._info(success, feedback)
        done = judged.success
        return self._observation(), float(done), done, over and not done, info

    def _observation(self) -> Observation:
        assert self._setup is not None
        setup, scene, cameras = self._setup, self._scene, self._cameras
        if self._described:
            return Observation(described(setup, scene))

        @cache
        def picture(view: str) -> Any:
            from journeyman.envs.tabletop.render import draw

            return draw(scene, cameras[view])

        views: dict[str, Draw] = {"front": lambda: picture("front").rgb}
        for name, shown in setup.pictures.items():
            views[PROMPT + name] = partial(_prompt_picture, shown, cameras["top"])
        if self._masks:
            views["masks"] = lambda: picture("top").masks
            views["masks/front"] = lambda: picture("front").masks
            for name, shown in setup.pictures.items():
                if isinstance(shown, Scene):
                    views[f"masks/{PROMPT}{name}"] = partial(_prompt_masks, shown, cameras["top"])
        ground = cameras["top"].ground
        return Observation(prompt.seen(cameras["top"]), lambda: picture("top").rgb, views, ground)

    def _info(self, success: bool, feedback: str) -> Info:
        judged = self._running().judgement
        return {
            "task_success": judged.success,
            "task_progress": judged.progress,
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


def _observation_space(resolution: tuple[int, int], described: bool) -> spaces.Dict:
    parts: dict[str, spaces.Space[Any]] = {
        "text": spaces.Text(max_length=20_000, charset=string.printable)
    }
    if not described:
        for view in ("image", "front"):
            parts[view] = spaces.Box(0, 255, (*resolution, 3), np.uint8)
    return spaces.Dict(parts)


def _prompt_picture(shown: ObjectPicture | Scene, camera: Camera) -> NDArray[np.uint8]:
    from journeyman.envs.tabletop.render import draw, draw_object

    if isinstance(shown, ObjectPicture):
        return draw_object(shown.shape, shown.texture, camera)
    return draw(shown, camera).rgb


def _prompt_masks(shown: Scene, camera: Camera) -> NDArray[np.uint8]:
    from journeyman.envs.tabletop.render import draw

    return draw(shown, camera).masks


def _camera(view: str, height_px: int, width_px: int) -> Camera:
    return Camera("top" if view == "top" else "front", height_px, width_px)


def _check(key: str, given: str, known: Sequence[str]) -> None:
    if given not in known:
        raise ConfigError(f"{key}: '{given}' is none of {', '.join(known)}.")


def _check_numbers(resolution: tuple[int, int], episodes: int, first_seed: int) -> None:
    if len(resolution) != 2 or not all(
        isinstance(side, int) and 8 <= side <= 4096 for side in resolution
    ):
        raise ConfigError(f"resolution: {resolution} is no (height, width) from 8 to 4096 pixels.")
    if episodes < 1:
        raise ConfigError(f"episodes: {episodes} is below 1.")
    if first_seed < 0:
        raise ConfigError(f"first_seed: {first_seed} is below 0.")
