"""The base model: ELITE's planner and prompt without recall and reflection."""

from __future__ import annotations

import pytest

from journeyman.core.errors import ConfigError
from journeyman.core.values import (
    Delta,
    Experience,
    History,
    Lessons,
    Observation,
    TaskView,
    Trajectory,
)
from journeyman.methods.baselines.base import BaseModel
from journeyman.methods.elite import Elite
from tests.support.hand_memory import HandMemory, strategy
from tests.support.scripted import ScriptedModel, plan_reply
from tests.support.tiny_env import LIBRARY

TASK = TaskView("Put the ball in the chest.")
OBS = Observation("At the table: ball.")


def test_it_plans_with_elites_prompt_and_neither_recalls_nor_reflects() -> None:
    base, elite = ScriptedModel([plan_reply(0)]), ScriptedModel([plan_reply(0)])
    memory = HandMemory([strategy(1, "a lesson")], [[1.0]])
    lessons = BaseModel(base).recall(TASK, OBS, memory)
    assert lessons == Lessons(memory_version=7)
    BaseModel(base).act(OBS, LIBRARY, lessons, History(TASK))
    Elite(elite).act(OBS, LIBRARY, Lessons(), History(TASK))
    assert base.prompts == elite.prompts
    trajectory = Trajectory(TASK.instruction, OBS, (), (), True, "success")
    assert BaseModel(base).reflect(Experience(TASK, (trajectory,)), memory) == Delta(7)
    assert len(base.calls) == 1


def test_an_unknown_observation_mode_is_refused() -> None:
    with pytest.raises(ConfigError, match=r"^observation: "):
        BaseModel(ScriptedModel(), observation="images")
