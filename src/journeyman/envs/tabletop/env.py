"""The tabletop as a gymnasium environment under VIMA-Bench's rules."""

from __future__ import annotations

import string
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from journeyman.core.errors import ConfigError
from journeyman.core.protocols import Info
from journeyman.core.values import PROMPT, Draw, Observation, Task
from journeyman.envs.tabletop import prompt
from journeyman.envs.tabletop.camera import Camera
from journeyman.envs.tabletop.describe import described
from journeyman.envs.tabletop.judging import Record
from journeyman.envs.tabletop.levels import DIFFICULTIES, EPISODES_A_LEVEL
from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.skills import PickPlace
from journeyman.envs.tabletop.table_env import TableEnv, check_choice
from journeyman.envs.tabletop.tasks import ObjectPicture
from journeyman.envs.tabletop.taskset import TaskSet, read_spec

VIEWS = ("top", "front")


class TabletopEnv(TableEnv):
    """One of the six tasks: an episode ends with success, with a failure, or out of steps.

    Observations have ``text`` (how to read the pictures, nothing of the scene), ``image`` (the top
    view), ``front``, and ``prompt/NAME`` for each ``{NAME}`` in the instruction. Steps, reward and
    what is only for the record are `TableEnv`'s.

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
        super().__init__(name, wanted, steps, episodes)
        check_choice("difficulty", difficulty, DIFFICULTIES)
        _check_numbers(resolution, first_seed)
        self.resolution = (resolution[0], resolution[1])
        self._tasks = TaskSet(name, wanted, difficulty, episodes, first_seed)
        self._described = described
        self._masks = masks
        self._cameras = {view: _camera(view, *self.resolution) for view in VIEWS}
        self.observation_space = _observation_space(self.resolution, described)  # type: ignore[assignment]

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
        return self._begin(Record(self.rules, read_spec(task, self.id)))

    def _carry_out(self, asked: PickPlace, step: int) -> Scene:
        return self._running().execute(self._scene, asked, step)

    def _observation(self) -> Observation:
        setup, scene, cameras = self._running().setup, self._scene, self._cameras
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


def _check_numbers(resolution: tuple[int, int], first_seed: int) -> None:
    if len(resolution) != 2 or not all(
        isinstance(side, int) and 8 <= side <= 4096 for side in resolution
    ):
        raise ConfigError(f"resolution: {resolution} is no (height, width) from 8 to 4096 pixels.")
    if first_seed < 0:
        raise ConfigError(f"first_seed: {first_seed} is below 0.")
