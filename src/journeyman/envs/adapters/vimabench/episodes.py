"""Which episodes there are: seeds and instructions of each level, before anything is simulated."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import ModuleType
from typing import Any

from journeyman.core.errors import ConfigError
from journeyman.core.seeding import digest
from journeyman.core.values import Task
from journeyman.envs.adapters.vimabench.simulation import LEVELS, partition
from journeyman.envs.tabletop.levels import EPISODES_A_LEVEL
from journeyman.envs.tabletop.taskset import Episodes

RENAMED: Mapping[str, str] = {
    "dragged_obj": "object",
    "dragged_obj_1": "object",
    "base_obj": "base",
    "base_obj_1": "base_1",
    "base_obj_2": "base_2",
}
"""VIMABench's names of the pictures and the tabletop's; ``scene`` is both's."""


def sentence(prompt: str) -> str:
    """VIMABench's prompt with its pictures named as the tabletop names them."""
    return re.sub(r"\{(\w+)\}", lambda found: "{" + renamed(found[1]) + "}", prompt)


def renamed(picture: str) -> str:
    return RENAMED.get(picture, picture)


def seed_of(task: str, level: str, number: int) -> int:
    """The seed of a level's episode ``number``; those of other tasks and levels are unrelated."""
    return digest("vimabench", task, level, number) % 2**31


class Instructions:
    """What an episode's instruction will be, drawn by VIMABench's task from the episode's seed.

    VIMABench words it while it sets up the scene, which takes a second; the words hang on the
    first numbers of the task's generator alone, which are drawn here in the same order.
    """

    def __init__(self, bench: ModuleType, task: str) -> None:
        self._bench = bench
        self._name = task
        self._tasks: dict[str, Any] = {}

    def of(self, level: str, seed: int) -> str:
        task = self._task(level)
        task.set_seed(seed)
        if hasattr(task, "_reset_prompt"):
            task._reset_prompt()
        prompt = str(task.prompt_template)
        if self._name == "scene_understanding":
            base = dragged = None
            while base == dragged:
                base = task.rng.choice(task.possible_base_obj_texture).value
                dragged = task.rng.choice(task.possible_dragged_obj_texture).value
            prompt = prompt.replace("{dragged_texture}", str(dragged.name))  # type: ignore[union-attr]
            prompt = prompt.replace("{base_texture}", str(base.name))  # type: ignore[union-attr]
        return sentence(prompt)

    def _task(self, level: str) -> Any:
        if level not in self._tasks:
            kinds: Mapping[str, Any] = self._bench.tasks.ALL_TASKS
            kind = next(kinds[key] for key in kinds if key.partition("/")[2] == self._name)
            task = kind(**partition(self._bench, self._name, level))
            task.set_difficulty("easy")
            self._tasks[level] = task
        return self._tasks[level]


class TaskSet(Episodes):
    """VIMABench's episodes; ``instructions`` are theirs."""

    def __init__(
        self, env: str, name: str, instructions: Instructions, episodes: int = EPISODES_A_LEVEL
    ) -> None:
        super().__init__(env, name, episodes)
        self._instructions = instructions

    def _make(self, level: str, episode: int) -> Task:
        seed = seed_of(self.name, level, episode)
        return Task(
            id=f"{self.name}-{level}-{episode:04d}",
            env=self.env,
            subset=level,
            instruction=self._instructions.of(level, seed),
            spec={"seed": seed, "level": level, "task": self.name},
        )


def level_and_seed(task: Task, env: str, name: str) -> tuple[str, int]:
    """Which episode ``task`` is.

    Raises:
        ConfigError: it is none of this environment's.
    """
    spec = task.spec
    known = spec.get("task") == name and spec.get("level") in LEVELS
    if not known or not isinstance(spec.get("seed"), int) or task.env.startswith("tabletop"):
        raise ConfigError(
            f"task '{task.id}' of {task.env} is no episode of {env}.",
            hint=f"Take a task of: journeyman list tasks {env}",
        )
    return spec["level"], spec["seed"]
