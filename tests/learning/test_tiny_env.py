"""The world that the other tests stand on keeps the environments' contract."""

from __future__ import annotations

import pytest

from journeyman.core.protocols import EmbodiedEnv
from tests.support.tiny_env import ID, START, TinyEnv, tiny_tasks


def test_it_is_an_environment_with_eleven_tasks_of_unique_ids_and_words() -> None:
    env = TinyEnv()
    assert isinstance(env, EmbodiedEnv)
    assert len({t.id for t in env.tasks}) == len({t.instruction for t in env.tasks}) == 11


@pytest.mark.parametrize("task", tiny_tasks(), ids=lambda task: task.id)
def test_no_goal_is_met_at_the_start_and_each_demonstration_meets_its_goal(task: object) -> None:
    env = TinyEnv()
    _, info = env.reset(options={"task": task})
    assert not info["task_success"]
    for name in task.demonstration:  # type: ignore[attr-defined]
        assert not info["task_success"]
        *_, info = env.step(ID[name])
        assert info["last_action_success"], info["env_feedback"]
    assert info["task_success"] and info["task_progress"] == 1.0


def test_what_is_in_the_closed_chest_is_not_seen() -> None:
    env = TinyEnv()
    env.reset()
    shut, *_ = env.step(ID["go to the chest"])
    assert START["key"] == "chest" and "key" not in shut.text
    opened, *_ = env.step(ID["open the chest"])
    assert "key" in opened.text
