"""Both methods on both worlds, by configuration alone; the models are scripted."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from journeyman import api
from journeyman.core.episode import Episode
from journeyman.core.events import EpisodeEnded, Events
from journeyman.core.messages import Message
from journeyman.core.values import ActionLibrary
from journeyman.envs.household import HouseholdEnv
from journeyman.envs.tabletop import TabletopEnv
from journeyman.learning import Identity, learn
from journeyman.memory import StrategyPool
from journeyman.methods.eeagent import EEAgent
from journeyman.methods.elite import Elite
from journeyman.models.embedders import HashingEmbedder
from tests.methods.eeagent.seer import Seer, call, match
from tests.support.scripted import ScriptedModel, asked_for, section


def attempt(method: Any, env: Any, folder: Path, task: int = 0) -> Episode:
    ended: list[Episode] = []
    events = Events()
    events.subscribe(lambda e: ended.append(e.episode) if isinstance(e, EpisodeEnded) else None)
    with StrategyPool.open(folder / "pool.db", embedder=HashingEmbedder(dim=8)) as pool:
        learn([(env, env.tasks[task])], method, pool, events, Identity())
    return ended[-1]


@pytest.mark.parametrize("task", ["visual_manipulation", "rotate", "rearrange"])
def test_eeagent_solves_the_tabletop_by_its_tools(task: str, tmp_path: Path) -> None:
    """The model knows mean colours and nothing of the scene."""
    env = TabletopEnv(f"tabletop/{task}-v0", masks=True)
    method = EEAgent(Seer(), segmenter="ground_truth")
    assert attempt(method, env, tmp_path).outcome.task_success


def test_eeagent_works_in_a_household_seen_in_words(tmp_path: Path) -> None:
    env = HouseholdEnv("household/base-v0")
    task = env.tasks[0]
    assert task.demonstration is not None
    calls = [{"name": name} for name in task.demonstration]
    seer = Seer(
        sees_images=False,
        interpret=[
            call("extract_env_entities"),
            call("semantic_match", description="the first thing"),
            '{"interpretation": "It is in view."}',
        ],
        semantic_match=json.dumps(match(1)),
        plan=json.dumps({"plan": "the expert's", "actions": calls}),
    )
    episode = attempt(EEAgent(seer), env, tmp_path)
    assert episode.outcome.task_success
    [prompt] = seer.prompts("plan")
    assert '"the first thing" is Entity 1' in section(prompt, "Environment")
    assert '"name": "find a Pillow"' in section(prompt, "Examples")
    assert "PickPlace" not in section(prompt, "Examples")


def test_elite_plans_skills_with_arguments_on_the_tabletop(tmp_path: Path) -> None:
    env = TabletopEnv("tabletop/rearrange-v0")
    task = env.tasks[0]
    actions = [env.library().read(text) for text in task.demonstration or ()]

    def reply(messages: Sequence[Message], schema: Mapping[str, Any]) -> str:
        said: dict[str, Any] = {
            "CoarsePlanReply": {"coarse_plan": ["look", "move", "check"]},
            "SuccessReply": {"success_patterns": []},
            "CallsPlanReply": {
                "reasoning_and_reflection": "",
                "language_plan": "move them",
                "executable_plan": [
                    {"action_id": a.id, "action_name": a.name, "arguments": a.arguments}
                    for a in actions
                    if a is not None
                ],
            },
        }
        return json.dumps(said[asked_for(schema)])

    model = ScriptedModel(reply, sees_images=True)
    episode = attempt(Elite(model), env, tmp_path)
    assert episode.outcome.task_success
    coarse, plan, distil = (messages[0] for messages, _ in model.calls)
    assert next(part for part in coarse.content if isinstance(part, str)) == "Picture {scene}:"
    assert "arguments of PickPlace: {" in section(plan.text, "Actions")
    assert f"Step 0, action id 0, {actions[0]}, env feedback" in distil.text


def test_worlds_without_parameters_are_asked_as_before() -> None:
    from journeyman.methods.elite.planner import arguments_text

    assert arguments_text(ActionLibrary(())) == ""


def test_evaluation_without_memory_is_the_same_agents_vanilla_form(tmp_path: Path) -> None:
    """By the command line's own way; the stand-in's replies are of no matter here."""
    run = api.learn(
        "eeagent",
        "tabletop/rotate-v0",
        tasks=1,
        settings={"max_retries": 0},
        out=tmp_path / "run",
    )
    bare = api.evaluate(run, memory=False, tasks=1)
    assert (bare.spec.method, bare.spec.settings["strategy"]) == ("eeagent", "vanilla")


def test_the_simulators_masks_are_had_by_the_environments_name(tmp_path: Path) -> None:
    settings = {"segmenter": "ground_truth", "max_retries": 0}
    run = api.learn(
        "eeagent", "tabletop-masks/rotate-v0", tasks=2, settings=settings, out=tmp_path / "run"
    )
    env = api.make("tabletop-masks/rotate-v0")
    tasks = {task.id: task for task in env.tasks}
    for episode in run.episodes:
        obs, _ = env.reset(options={"task": tasks[episode.task.id]})
        there = [int((obs["masks"] == body).sum()) for body in np.unique(obs["masks"]) if body > 1]
        entities = episode.trajectory.plans[0].working["entities"]
        assert sorted(entity["area"] for entity in entities) == sorted(there)
