from dataclasses import replace
from types import SimpleNamespace

import pytest

from journeyman.core.values import Action, ActionLibrary, Observation
from journeyman.envs.check import check_env, check_experts
from tests.envs.household.kitchen import HandEnv, task

SOLVE = ("find a Fork", "pick up the Fork", "find a Sink", "put down the object in hand")


def test_a_sound_environment_has_no_problems():
    assert check_env(HandEnv(task(demonstration=SOLVE))) == []


def test_missing_attributes_are_named_and_nothing_is_played():
    problems = check_env(SimpleNamespace(id="", max_steps=30, reset=None, step=print, close=print))
    assert problems == [
        "attribute 'id' is missing or no text.",
        "attribute 'max_invalid_actions' is missing or no positive integer.",
        "method 'reset' is missing.",
        "method 'library' is missing.",
        "attribute 'tasks' is missing or empty.",
    ]


def test_task_sets_need_unique_ids_and_instructions():
    env = HandEnv(task(), task(), replace(task(), id="b", instruction=" "))
    assert check_env(env) == [
        "task id 'hand-000' occurs twice.",
        "task 'b': the instruction is empty.",
    ]


class InfoEnv(HandEnv):
    """The info of every step is changed by ``change``."""

    def __init__(self, change):
        super().__init__()
        self.change = change

    def step(self, action):
        *rest, info = super().step(action)
        self.change(info)
        return (*rest, info)


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda info: info.pop("env_feedback"), "info has no 'env_feedback'"),
        (lambda info: info.update(env_feedback=""), "'env_feedback' is empty"),
        (lambda info: info.update(goal="Fork"), "info has keys beyond the schema: goal"),
        (lambda info: info.update(task_success=0), "info 'task_success' is no bool"),
        (lambda info: info.update(task_progress=1.5), "'task_progress' is outside 0 to 1"),
        (lambda info: info.update(num_invalid_actions=99), "is not the count of failed actions"),
        (lambda info: info.update(task_success=True), "'terminated' and 'task_success' differ"),
    ],
)
def test_info_must_follow_the_schema(change, problem):
    problems = check_env(InfoEnv(change))
    assert any(problem in text for text in problems), problems


class Endless(HandEnv):
    def step(self, action):
        obs, reward, *_, info = super().step(action)
        return obs, reward, False, False, info


def test_an_episode_must_end_at_its_limits():
    assert any("goes on past its limits" in problem for problem in check_env(Endless()))


class Moody(HandEnv):
    resets = 0

    def reset(self, **options):
        self.resets += 1
        obs, info = super().reset(**options)
        return Observation(f"{obs.text} {self.resets}"), info


def test_the_same_seed_must_give_the_same_episode():
    [problem] = check_env(Moody())
    assert "two episodes with the same seed and actions differ at step 0" in problem


class Listed(HandEnv):
    def __init__(self, library):
        super().__init__()
        self.given = library

    def library(self):
        return self.given


def test_the_library_must_be_numbered_in_order_with_role_and_rules():
    gap = ActionLibrary((Action(0, "find a Fork"), Action(2, "find a Fork")))
    problems = check_env(Listed(gap))
    assert "task 'hand-000': the action library's ids are not 0, 1, 2, ... in order." in problems
    assert "task 'hand-000': the action library has a name twice." in problems
    assert "task 'hand-000': the action library has no role or no rules." in problems


def test_what_an_environment_raises_is_a_problem_and_not_a_crash():
    class Broken(HandEnv):
        def reset(self, **options):
            raise RuntimeError("no renderer")

    assert check_env(Broken()) == ["task 'hand-000': RuntimeError: no renderer"]


def test_an_observation_and_its_picture_must_have_the_right_shape():
    class Flat(HandEnv):
        def reset(self, **options):
            obs, info = super().reset(**options)
            return Observation(obs.text, lambda: "a picture"), info

    class Plain(HandEnv):
        def reset(self, **options):
            obs, info = super().reset(**options)
            return {"text": obs.text}, info

    assert any("the image is not (height, width, 3) uint8" in p for p in check_env(Flat()))
    assert any("is no journeyman Observation" in p for p in check_env(Plain()))


def test_a_task_whose_goal_is_met_at_reset_is_a_problem():
    problems = check_env(HandEnv(task(parent_target="CounterTop")))
    assert "task 'hand-000': its goal is met at reset." in problems


def test_problems_that_the_environment_found_itself_are_passed_on():
    env = HandEnv()
    env.problems = ("task 'x': there is no Fork in its scene.",)
    assert check_env(env) == ["task 'x': there is no Fork in its scene."]


def test_experts_are_replayed_and_failures_say_why():
    tasks = [
        task(demonstration=SOLVE),
        task(),
        task(demonstration=("find a Fork", "wash the Fork")),
        task(demonstration=("find a Fridge", "pick up the Fork")),
    ]
    results = check_experts(HandEnv(*tasks))
    assert [result["success"] for result in results] == [True, False, False, False]
    assert [result["reason"] for result in results] == [
        "",
        "it has no demonstration",
        "step 2: 'wash the Fork' is not in the action library",
        "it ends at progress 0.00; step 2 'pick up the Fork' gave: Last action is invalid. Fork is "
        "not visible because it is in CounterTop_2. Go there to pick the object instead.",
    ]


def test_experts_can_be_asked_for_some_tasks_only():
    env = HandEnv(task(demonstration=SOLVE))
    assert check_experts(env, []) == []
    assert check_experts(env, env.tasks[:1]) == [
        {"task": "hand-000", "success": True, "reason": ""}
    ]
