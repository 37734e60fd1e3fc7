"""The one episode loop: recall, then plan and act until the episode ends."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from journeyman.core.errors import JourneymanError, SimulatorFault
from journeyman.core.events import Events, Planned, Recalled, Stepped
from journeyman.core.protocols import EmbodiedEnv, MemoryView, Method
from journeyman.core.values import (
    Action,
    History,
    Lessons,
    Observation,
    Outcome,
    Plan,
    Step,
    Task,
    Trajectory,
)
from journeyman.methods.prompting import NO_MORE_PLANS


@dataclass(frozen=True)
class Rollout:
    """What one episode gave: ``outcome`` is for the record, the rest for reflection."""

    lessons: Lessons
    trajectory: Trajectory
    outcome: Outcome


def run_episode(
    env: EmbodiedEnv,
    task: Task,
    method: Method,
    memory: MemoryView,
    events: Events,
    *,
    seed: int = 0,
) -> Rollout:
    """Attempt ``task`` once.

    A plan is executed action by action until one is invalid or the plan ends; then the method is
    asked again. EmbodiedBench's rules: a reply that is no plan counts as one invalid action and
    uses no step; an empty plan ends the episode (`plan_limit` where it is the planner's limit that
    was reached); so do success, the environment's step limit and
    its limit on invalid actions, both kinds counted together.

    Raises:
        Fault: the model or the simulator failed; the episode is no outcome.
    """
    view = task.view()
    with _simulator(env):
        obs, info = env.reset(seed=seed, options={"task": task})
    lessons = method.recall(view, obs, memory)
    events.emit(Recalled(lessons))
    first = obs
    plans: list[Plan] = []
    steps: list[Step] = []
    rewards: list[float] = []
    bad_replies = 0
    ended = "success" if info["task_success"] else ""
    while not ended:
        with _simulator(env):
            library = env.library()
        plan = method.act(obs, library, lessons, History(view, tuple(plans), tuple(steps)))
        plans.append(plan)
        events.emit(Planned(plan))
        if plan.error is not None:
            bad_replies += 1
            if bad_replies + info["num_invalid_actions"] >= env.max_invalid_actions:
                ended = "max_invalid_actions"
        elif not plan.actions:
            ended = ended_by(plan)
        for action in plan.actions:
            obs, reward, info, ended = _act(env, action, len(steps) + 1, bad_replies)
            rewards.append(reward)
            step = Step(
                len(steps),
                action,
                info["last_action_success"],
                info["env_feedback"],
                obs,
                len(plans) - 1,
            )
            steps.append(step)
            events.emit(Stepped(step))
            if ended or not step.success:
                break
    success = bool(info["task_success"])
    trajectory = Trajectory(task.instruction, first, tuple(plans), tuple(steps), success, ended)
    outcome = Outcome(
        task_success=success,
        task_progress=float(info["task_progress"]),
        num_steps=len(steps),
        num_invalid_actions=int(info["num_invalid_actions"]) + bad_replies,
        planner_steps=len(plans),
        planner_output_error=bad_replies,
        empty_plan=ended == "empty_plan",
        reward=sum(rewards) / len(rewards) if rewards else 0.0,
        failure_reason="" if success else str(getattr(env, "failure_reason", "")),
    )
    return Rollout(lessons, trajectory, outcome)


def ended_by(plan: Plan) -> str:
    """What ended an episode whose last plan, ``plan``, has no actions."""
    return "plan_limit" if plan == NO_MORE_PLANS else "empty_plan"


def _act(
    env: EmbodiedEnv, action: Action, number: int, bad_replies: int
) -> tuple[Observation, float, dict[str, Any], str]:
    with _simulator(env):
        obs, reward, terminated, truncated, info = env.step(action)
    ended = ""
    if info["task_success"]:
        ended = "success"
    elif bad_replies + info["num_invalid_actions"] >= env.max_invalid_actions:
        ended = "max_invalid_actions"
    elif number >= env.max_steps:
        ended = "max_steps"
    elif terminated or truncated:
        ended = "truncated"
    return obs, float(reward), info, ended


@contextmanager
def _simulator(env: EmbodiedEnv) -> Iterator[None]:
    """What an environment raises is a fault of the simulator, never an outcome."""
    try:
        yield
    except JourneymanError:
        raise
    except Exception as error:
        raise SimulatorFault(
            f"the environment '{env.id}' failed: {type(error).__name__}: {error}",
            hint=f"Check it with: journeyman check {env.id}",
        ) from error
