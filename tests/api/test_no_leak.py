"""Canaries: what no agent may know is planted everywhere, and no prompt of any method has it.

A method sees the instruction, what the robot perceives, the feedback, and afterwards whether it
succeeded. Goals, progress, task ids, the simulator's own information and (but for the distiller of
the supervised setting) the demonstration must never reach a model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from journeyman import api
from journeyman.core.messages import Completion, Message
from journeyman.core.registry import registry
from journeyman.core.values import Task
from journeyman.envs.household.vocab import HIDES_CONTENTS
from journeyman.memory import StrategyPool
from journeyman.models.embedders import HashingEmbedder
from journeyman.models.loading import load_model
from journeyman.models.roles import ModelRoles
from tests.support.scripted import RecordingModel, TidyModel, asked_for, section
from tests.support.tiny_env import TinyEnv

CANARY = "zyxcanary"
PROGRESS = 0.7310585786
"""What the environment says is done of each task, in every observation's info."""

METHODS = [e.name for e in registry().entries("method") if e.name != "eeagent"]
"""EEAgent, with prompts and a world of its own, has this test beside its others."""

HOUSEHOLD = "household/base-v0"


class Planted:
    """An environment whose every task and info holds canaries; the rest is the real one's."""

    def __init__(self, env: Any) -> None:
        self.env = env
        self.tasks = tuple(planted(task) for task in env.tasks)
        self.goal: Any = None

    def __getattr__(self, name: str) -> Any:
        return getattr(self.env, name)

    def reset(self, *, seed: int | None = None, options: dict[str, Any]) -> Any:
        obs, info = self.env.reset(seed=seed, options=options)
        return obs, self._info(info)

    def step(self, action: Any) -> Any:
        obs, reward, terminated, truncated, info = self.env.step(action)
        return obs, reward, terminated, truncated, self._info(info)

    def _info(self, info: Mapping[str, Any]) -> dict[str, Any]:
        extra = {"goal": f"{CANARY}-info", "failure_reason": f"{CANARY}-reason", "mask": CANARY}
        return {**info, "task_progress": PROGRESS, **extra}


def planted(task: Task) -> Task:
    return replace(
        task,
        id=f"{CANARY}-id-{task.id}",
        subset=f"{CANARY}-subset",
        spec={**task.spec, "note": f"{CANARY}-spec"},
        demonstration=tuple(f"{CANARY}-demo {name}" for name in task.demonstration or ()),
    )


class Watch(RecordingModel):
    """Records every prompt, and what was hidden from view when it was written."""

    def __init__(self, model: Any, env: Planted) -> None:
        super().__init__(model)
        self.env = env
        self.seen: list[tuple[str, str, frozenset[str]]] = []

    def complete(self, messages: Sequence[Message], **options: Any) -> Completion:
        role = asked_for(options.get("schema") or {})
        self.seen.append((role, "\n".join(m.text for m in messages), hidden(self.env.env)))
        return super().complete(messages, **options)


def hidden(env: Any) -> frozenset[str]:
    """Words for things of which every instance is behind a closed door now."""
    if isinstance(env, TinyEnv):
        shut = not env.chest_open
        return frozenset(t for t, place in env.where.items() if shut and place == "chest")
    state = env.simulator.state

    def shut_in(thing: str) -> bool:
        parent = state.parent[thing]
        while parent is not None:
            if state.type[parent] in HIDES_CONTENTS and parent not in state.open:
                return True
            parent = state.parent[parent]
        return False

    inside = {state.type[thing] for thing in state.type if shut_in(thing)}
    return frozenset(inside - {state.type[t] for t in state.type if not shut_in(t)})


def run(method: str, world: str, supervised: bool, folder: Path) -> tuple[Planted, Watch]:
    env = Planted(TinyEnv() if world == "tiny" else api.make(world))
    model = TidyModel() if world == "tiny" else load_model("stand-in")
    watch = Watch(model, env)
    with StrategyPool.open(folder / "pool.db", embedder=HashingEmbedder()) as pool:
        made = api.make_method(method, ModelRoles(watch))
        done = api.learn(made, env, pool, out=folder / "run", supervised=supervised)  # type: ignore[arg-type]
        assert done.status == "complete" and len(done.summaries) == len(env.tasks)
    return env, watch


@pytest.fixture(
    scope="module",
    params=[
        pytest.param((method, world, supervised), id=f"{method}-{world.split('/')[0]}-{setting}")
        for method in METHODS
        for world in ("tiny", HOUSEHOLD)
        for supervised, setting in ((False, "online"), (True, "supervised"))
        if not (supervised and method == "base")
    ],
)
def watched(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[tuple[Planted, Watch, bool]]:
    method, world, supervised = request.param
    folder = tmp_path_factory.mktemp("leak")
    yield (*run(method, world, supervised, folder), supervised)


Watched = tuple[Planted, Watch, bool]


def test_no_prompt_has_a_canary_but_the_supervised_distillers_demonstration(
    watched: Watched,
) -> None:
    _, watch, supervised = watched
    assert watch.seen
    shown_to_distil = 0
    for _, prompt, _ in watch.seen:
        if supervised and "## Demonstration" in prompt:
            shown_to_distil += 1
            shown = section(prompt, "Demonstration")
            assert shown.startswith(f"{CANARY}-demo ")
            prompt = prompt.replace(shown, "")
        assert CANARY not in prompt
    assert bool(shown_to_distil) == supervised


def test_no_prompt_speaks_of_progress(watched: Watched) -> None:
    for _, prompt, _ in watched[1].seen:
        assert "task_progress" not in prompt
        assert str(PROGRESS)[:6] not in prompt and "73.1" not in prompt and "73 %" not in prompt


def test_no_prompt_has_the_goal_as_the_environment_keeps_it(watched: Watched) -> None:
    env, watch, _ = watched
    goals = [task.spec["goal"] for task in env.env.tasks]
    told = {json.dumps(goal) for goal in goals} | {str(goal) for goal in goals}
    told |= {str(goal["task_type"]) for goal in goals if "task_type" in goal}
    for _, prompt, _ in watch.seen:
        assert not any(text in prompt for text in told)


def test_no_prompt_has_ids_of_tasks_scenes_or_the_simulators_objects(watched: Watched) -> None:
    env, watch, _ = watched
    ids = {task.id for task in env.env.tasks}
    for _, prompt, _ in watch.seen:
        assert not any(name in prompt for name in ids)
        assert not re.search(r"[A-Za-z]+\|[+-]?\d", prompt), "an object id"


def test_no_prompt_has_the_experts_way_as_a_sequence(watched: Watched) -> None:
    env, watch, supervised = watched
    ways = {task.demonstration for task in env.env.tasks if len(task.demonstration) > 2}
    forms = {form for way in ways for form in ("\n".join(way), json.dumps(way), str(list(way)))}
    assert forms
    for _, prompt, _ in watch.seen:
        if supervised and "## Demonstration" in prompt:
            continue
        assert not any(form in prompt for form in forms)


def test_what_is_behind_a_closed_door_is_not_in_the_observation(watched: Watched) -> None:
    checked = 0
    for role, prompt, names in watched[1].seen:
        if role not in ("CoarsePlanReply", "PlanReply"):
            continue
        observation = section(prompt, "Observation")
        for name in names:
            assert not re.search(rf"\b{name}\b", observation), observation
            checked += 1
    assert checked > 10, "something was hidden"
