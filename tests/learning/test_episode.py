"""The episode loop against EmbodiedBench's rules."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from journeyman.core.errors import ConfigError, ModelUnavailable, SimulatorFault
from journeyman.core.events import Events, Planned, Recalled, Stepped
from journeyman.core.values import (
    Action,
    ActionLibrary,
    Delta,
    Experience,
    History,
    Lesson,
    Lessons,
    Observation,
    Plan,
    TaskView,
)
from journeyman.learning import Rollout, run_episode
from journeyman.methods.prompting import NO_MORE_PLANS
from tests.support.hand_memory import HandMemory
from tests.support.tiny_env import ACTIONS, ID, TinyEnv

BAD = Plan(error="no JSON object")
DONE = Plan()
TO_SHELF = ("pick up the ball", "go to the shelf", "put down the thing in hand")
"""From the start (before the table) to the goal of the first task."""


def plan(*names: str) -> Plan:
    return Plan(tuple(ACTIONS[ID[name]] for name in names), language_plan=" ".join(names))


class Given:
    """A method whose plans are given; keeps what it was shown."""

    id = "planned"

    def __init__(self, plans: Sequence[Plan], unavailable_at: int | None = None) -> None:
        self.plans = list(plans)
        self.unavailable_at = unavailable_at
        self.shown: list[tuple[str, History, Lessons]] = []
        self.lessons = Lessons((Lesson("S1", "a lesson"),), "a plan", 7)

    def recall(self, task: TaskView, obs: Observation, memory: Any) -> Lessons:
        self.recalled = (task, obs)
        return self.lessons

    def act(
        self, obs: Observation, library: ActionLibrary, lessons: Lessons, history: History
    ) -> Plan:
        self.shown.append((obs.text, history, lessons))
        if len(self.shown) - 1 == self.unavailable_at:
            raise ModelUnavailable("the model is down.")
        return self.plans.pop(0)

    def reflect(self, experience: Experience, memory: Any) -> Delta:
        raise AssertionError("reflection is no part of an episode")


def run(*plans: Plan, env: TinyEnv | None = None) -> tuple[Rollout, Given]:
    method = Given(plans)
    world = env or TinyEnv()
    rollout = run_episode(world, world.tasks[0], method, HandMemory(), Events())
    assert not method.plans, "all plans were asked for"
    return rollout, method


class TestReplanning:
    def test_a_plan_is_carried_out_action_by_action_and_the_next_asked_for_at_its_end(self) -> None:
        rollout, method = run(plan(TO_SHELF[0]), plan(*TO_SHELF[1:]))
        assert [s.action.name for s in rollout.trajectory.steps] == list(TO_SHELF)
        assert [s.plan for s in rollout.trajectory.steps] == [0, 1, 1]
        assert [len(history.steps) for _, history, _ in method.shown] == [0, 1]
        assert rollout.outcome.planner_steps == 2

    def test_at_the_first_invalid_action_the_rest_of_the_plan_is_dropped(self) -> None:
        hasty = plan("open the chest", "go to the shelf", "go to the table")
        rollout, method = run(hasty, plan(*TO_SHELF))
        first, *others = rollout.trajectory.steps
        assert not first.success and first.feedback.startswith("Last action is invalid. ")
        assert [s.action.name for s in others] == list(TO_SHELF)
        assert method.shown[1][1].steps == (first,)
        assert rollout.outcome.num_invalid_actions == 1

    def test_the_planner_sees_the_newest_observation_and_the_lessons_each_time(self) -> None:
        rollout, method = run(plan("pick up the ball"), plan(*TO_SHELF[1:]))
        texts = [text for text, _, _ in method.shown]
        assert texts[0] == rollout.trajectory.first_observation.text
        assert texts[1] == rollout.trajectory.steps[0].observation.text != texts[0]
        assert all(lessons is method.lessons for *_, lessons in method.shown)

    def test_recall_comes_first_and_is_given_the_view_of_the_task(self) -> None:
        rollout, method = run(plan(*TO_SHELF))
        task, obs = method.recalled
        assert task == TaskView(TinyEnv().tasks[0].instruction)
        assert obs is rollout.trajectory.first_observation
        assert rollout.lessons is method.lessons


class TestEnds:
    def test_success_ends_it_at_once_in_the_midst_of_a_plan(self) -> None:
        rollout, _ = run(plan(*TO_SHELF, "go to the chest", "open the chest"))
        assert rollout.trajectory.ended == "success" and rollout.trajectory.success
        assert len(rollout.trajectory.steps) == 3
        assert rollout.outcome.task_success and rollout.outcome.task_progress == 1.0

    def test_an_empty_plan_ends_it(self) -> None:
        rollout, _ = run(plan("pick up the ball"), DONE)
        assert rollout.trajectory.ended == "empty_plan"
        outcome = rollout.outcome
        assert outcome.empty_plan and not outcome.task_success and outcome.task_progress == 0.5

    def test_the_limit_on_plans_ends_it_by_its_own_name(self) -> None:
        rollout, _ = run(plan("pick up the ball"), NO_MORE_PLANS)
        assert rollout.trajectory.ended == "plan_limit"
        assert not rollout.outcome.empty_plan and not rollout.outcome.task_success

    def test_the_step_limit_ends_it_in_the_midst_of_a_plan(self) -> None:
        there_and_back = plan(*["go to the shelf", "go to the table"] * 10)
        rollout, _ = run(there_and_back)
        assert rollout.trajectory.ended == "max_steps"
        assert rollout.outcome.num_steps == TinyEnv().max_steps == 12
        assert not rollout.outcome.empty_plan

    def test_the_step_limit_ends_it_though_the_environment_would_go_on(self) -> None:
        class Endless(TinyEnv):
            def step(self, action: Action | int) -> Any:
                obs, reward, terminated, _, info = super().step(action)
                return obs, reward, terminated, False, info

        there_and_back = plan(*["go to the shelf", "go to the table"] * 10)
        rollout, _ = run(there_and_back, env=Endless())
        assert rollout.trajectory.ended == "max_steps" and rollout.outcome.num_steps == 12

    def test_success_at_the_last_allowed_step_is_a_success(self) -> None:
        rollout, _ = run(plan(*TO_SHELF), env=TinyEnv(max_steps=3))
        assert rollout.trajectory.ended == "success"

    def test_an_environment_that_stops_for_a_reason_of_its_own_used_up_no_steps(self) -> None:
        class Fire(TinyEnv):
            def step(self, action: Action | int) -> Any:
                obs, reward, terminated, _, info = super().step(action)
                return obs, reward, terminated, True, info

        rollout, _ = run(plan("go to the shelf", "go to the table"), env=Fire())
        assert rollout.trajectory.ended == "truncated" and rollout.outcome.num_steps == 1

    def test_ten_invalid_actions_end_it(self) -> None:
        rollout, _ = run(*[plan("open the chest")] * 10)
        assert rollout.trajectory.ended == "max_invalid_actions"
        assert rollout.outcome.num_steps == rollout.outcome.num_invalid_actions == 10

    def test_ten_unusable_replies_end_it_without_a_step(self) -> None:
        rollout, _ = run(*[BAD] * 10)
        assert rollout.trajectory.ended == "max_invalid_actions"
        outcome = rollout.outcome
        assert outcome.num_steps == 0 and outcome.reward == 0.0
        assert outcome.planner_output_error == outcome.num_invalid_actions == 10
        assert outcome.planner_steps == 10

    @pytest.mark.parametrize("last", [BAD, plan("open the chest")], ids=["a reply", "an action"])
    def test_bad_replies_and_invalid_actions_count_together(self, last: Plan) -> None:
        """Five of each, whichever comes tenth; the valid actions between them do not count."""
        mixed = [BAD, plan("open the chest"), plan("go to the shelf"), BAD, BAD, BAD]
        rest = [plan("open the chest")] * 4 if last is BAD else [BAD, *[plan("open the chest")] * 3]
        rollout, _ = run(*mixed, *rest, last)
        assert rollout.trajectory.ended == "max_invalid_actions"
        assert rollout.outcome.num_invalid_actions == 10
        assert rollout.outcome.planner_output_error == 5

    def test_the_counts_start_anew_with_each_episode(self) -> None:
        env = TinyEnv()
        run(*[BAD] * 9, plan(*TO_SHELF), env=env)
        rollout, _ = run(*[BAD] * 9, plan(*TO_SHELF), env=env)
        assert rollout.trajectory.success and rollout.outcome.num_invalid_actions == 9

    def test_a_task_that_is_done_before_it_starts_is_a_success_without_a_plan(self) -> None:
        done = replace(TinyEnv().tasks[0], spec={"goal": {"thing": "ball", "place": "table"}})
        rollout, method = run(env=TinyEnv(tasks=[done]))
        assert rollout.trajectory.ended == "success" and method.shown == []
        assert rollout.outcome.planner_steps == 0


class TestBadReplies:
    def test_an_unusable_reply_uses_no_step_and_leaves_no_trace_in_the_history(self) -> None:
        rollout, method = run(BAD, plan(*TO_SHELF[:1]), BAD, plan(*TO_SHELF[1:]))
        assert [len(history.steps) for _, history, _ in method.shown] == [0, 0, 1, 1]
        assert [s.index for s in rollout.trajectory.steps] == [0, 1, 2]
        assert rollout.outcome.num_steps == 3 and rollout.outcome.planner_output_error == 2
        assert rollout.outcome.planner_steps == 4

    def test_it_stays_among_the_plans_for_reflection_to_read(self) -> None:
        rollout, _ = run(BAD, plan(*TO_SHELF))
        assert rollout.trajectory.plans == (BAD, plan(*TO_SHELF))
        assert [s.plan for s in rollout.trajectory.steps] == [1, 1, 1]


def test_the_reward_is_the_mean_over_the_steps() -> None:
    rollout, _ = run(plan("go to the shelf"), plan("go to the table"), plan(*TO_SHELF))
    assert rollout.outcome.reward == pytest.approx(1 / 5)


def test_what_happens_is_told_in_order() -> None:
    heard: list[Any] = []
    events = Events()
    events.subscribe(heard.append)
    env = TinyEnv()
    method = Given([BAD, plan(*TO_SHELF)])
    run_episode(env, env.tasks[0], method, HandMemory(), events)
    assert [type(e) for e in heard] == [Recalled, Planned, Planned, Stepped, Stepped, Stepped]


def test_the_seed_reaches_the_environment() -> None:
    env = TinyEnv()
    run_episode(env, env.tasks[2], Given([DONE]), HandMemory(), Events(), seed=41)
    assert env.resets == [(env.tasks[2].id, 41)]


class TestFaults:
    def test_an_exception_in_a_step_is_a_fault_of_the_simulator(self) -> None:
        with pytest.raises(SimulatorFault, match=r"'tiny/tidy-v0' failed: RuntimeError: the arm"):
            run(plan(*TO_SHELF), env=TinyEnv(fail_at=1))

    @pytest.mark.parametrize("method", ["reset", "library"])
    def test_so_is_one_in_reset_or_in_the_library(
        self, method: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def fail(*args: Any, **kwargs: Any) -> Any:
            raise KeyError("object")

        env = TinyEnv()
        monkeypatch.setattr(env, method, fail)
        with pytest.raises(SimulatorFault, match="KeyError: 'object'") as caught:
            run_episode(env, env.tasks[0], Given([DONE]), HandMemory(), Events())
        assert isinstance(caught.value.__cause__, KeyError)
        assert "journeyman check tiny/tidy-v0" in caught.value.hint

    def test_an_error_that_the_user_can_mend_stays_what_it_is(self) -> None:
        class Misused(TinyEnv):
            def step(self, action: Action | int) -> Any:
                raise ConfigError("no such room.")

        with pytest.raises(ConfigError, match="no such room"):
            run(plan(*TO_SHELF), env=Misused())

    def test_a_model_that_does_not_answer_ends_the_episode_without_an_outcome(self) -> None:
        env = TinyEnv()
        method = Given([plan("go to the shelf"), DONE], unavailable_at=1)
        with pytest.raises(ModelUnavailable):
            run_episode(env, env.tasks[0], method, HandMemory(), Events())
        assert env.made_steps == 1

    def test_a_bug_of_the_method_is_not_hidden(self) -> None:
        class Buggy(Given):
            def act(self, *args: Any) -> Plan:
                raise ZeroDivisionError

        env = TinyEnv()
        with pytest.raises(ZeroDivisionError):
            run_episode(env, env.tasks[0], Buggy([]), HandMemory(), Events())


def test_pictures_are_drawn_only_when_looked_at() -> None:
    env = TinyEnv(draw=True)
    rollout = run_episode(env, env.tasks[0], Given([DONE]), HandMemory(), Events())
    image = rollout.trajectory.first_observation.image
    assert image is not None and image.shape == (4, 4, 3) and image.dtype == np.uint8
