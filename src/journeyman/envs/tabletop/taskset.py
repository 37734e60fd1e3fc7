"""The episodes of one task as a list of `Task`: each made from its own seed when looked at."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from functools import lru_cache
from typing import Any, overload

from journeyman.core.errors import ConfigError
from journeyman.core.seeding import stream
from journeyman.core.values import Task
from journeyman.envs.tabletop.levels import DIFFICULTIES, EPISODES_A_LEVEL, LEVELS
from journeyman.envs.tabletop.oracle import demonstration
from journeyman.envs.tabletop.tasks import TASKS, Setup
from journeyman.envs.tabletop.tasks.sampling import sample


@lru_cache(maxsize=2048)
def setup_of(task: str, level: str, seed: int, difficulty: str = "easy") -> Setup:
    """The episode that the four name; the same in every process."""
    random = stream(seed, "tabletop", task, level, difficulty)
    return sample(TASKS[task], random, level, difficulty)


def read_spec(task: Task, env: str) -> Setup:
    """The episode of ``task``.

    Raises:
        ConfigError: it is no task of the tabletop, or of another one of its tasks.
    """
    spec = task.spec
    known = spec.get("task") in TASKS and spec.get("level") in LEVELS
    known = known and isinstance(spec.get("seed"), int)
    known = known and spec.get("difficulty", "easy") in DIFFICULTIES
    if not known:
        raise ConfigError(
            f"task '{task.id}' of {task.env} has no task, level and seed: {env} cannot run it.",
            hint=f"Take a task of: journeyman list tasks {env}",
        )
    return setup_of(spec["task"], spec["level"], spec["seed"], spec.get("difficulty", "easy"))


class Episodes(Sequence[Task]):
    """As many episodes of each level, L1 first; a task is made when it is looked at.

    Args:
        env: The environment id.
        name: The task's.
        episodes: Of each level.
    """

    def __init__(self, env: str, name: str, episodes: int) -> None:
        self.env = env
        self.name = name
        self.episodes = episodes
        self._made: dict[int, Task] = {}

    def __len__(self) -> int:
        return self.episodes * len(LEVELS)

    @overload
    def __getitem__(self, index: int) -> Task: ...
    @overload
    def __getitem__(self, index: slice) -> tuple[Task, ...]: ...
    def __getitem__(self, index: int | slice) -> Task | tuple[Task, ...]:
        if isinstance(index, slice):
            return tuple(self[i] for i in range(*index.indices(len(self))))
        number = range(len(self))[index]
        if number not in self._made:
            level, episode = divmod(number, self.episodes)
            self._made[number] = self._make(LEVELS[level], episode)
        return self._made[number]

    @abstractmethod
    def _make(self, level: str, episode: int) -> Task:
        """The task of the level's episode of that number, from 0."""


class TaskSet(Episodes):
    """The tabletop's episodes.

    Args:
        difficulty: Goes into every task's specification.
        first_seed: Of each level's first episode; the following ones count up.
    """

    def __init__(
        self,
        env: str,
        name: str,
        difficulty: str = "easy",
        episodes: int = EPISODES_A_LEVEL,
        first_seed: int = 0,
    ) -> None:
        super().__init__(env, name, episodes)
        self.difficulty = difficulty
        self.first_seed = first_seed

    def _make(self, level: str, episode: int) -> Task:
        seed = self.first_seed + episode
        setup = setup_of(self.name, level, seed, self.difficulty)
        spec: dict[str, Any] = {"seed": seed, "level": level, "task": self.name}
        if self.difficulty != "easy":
            spec["difficulty"] = self.difficulty
        return Task(
            id=f"{self.name}-{level}-{seed:04d}",
            env=self.env,
            subset=level,
            instruction=setup.instruction,
            spec=spec,
            demonstration=tuple(str(action) for action in demonstration(setup)),
        )
