"""Whole episodes of all six tasks, with EEAgent."""

import pytest

import journeyman as jm
from journeyman.api import make_method
from journeyman.core.values import History, Lessons, TaskView
from tests.models.standin_tabletop.rendering import model

TASKS = (
    "visual_manipulation",
    "scene_understanding",
    "rotate",
    "rearrange",
    "rearrange_then_restore",
    "pick_in_order_then_restore",
)


def solved(env, task, asked):
    method = make_method("eeagent", asked, strategy="vanilla")
    obs, _ = env.reset(seed=0, options={"task": task})
    plan = method.act(obs, env.library(), Lessons(), History(TaskView(task.instruction)))
    assert plan.error is None and plan.working["problem"] is None
    for action in plan.actions:
        _, _, terminated, truncated, info = env.step(action)
        if terminated or truncated:
            return bool(info["task_success"])
    return False


@pytest.mark.parametrize("name", TASKS)
def test_the_expert_solves_most_tasks_with_its_own_eyes(name):
    env = jm.make(f"tabletop/{name}-v0")
    assert sum(solved(env, task, model("expert")) for task in list(env.tasks)[:5]) >= 4


@pytest.mark.parametrize("name", TASKS)
def test_the_default_makes_usable_replies_whatever_it_lacks(name):
    env = jm.make(f"tabletop/{name}-v0")
    found = [solved(env, env.tasks[seed], model("default", seed)) for seed in range(3)]
    assert len(found) == 3


def test_a_run_that_names_no_model_gets_the_one_of_its_environment(tmp_path):
    run = jm.learn("eeagent", "tabletop/visual_manipulation-v0", tasks=2, out=tmp_path / "run")
    assert run.spec.model == "stand-in-tabletop"
    assert run.folder.header["models"]["default"] == model("default").id
    assert run.status == "complete" and run.memory.version > 0
