"""What lies on the real table, as a scene and goals of the tabletop: for words, never for verdicts.

Shapes and textures have the same names in both; outlines are the tabletop's own. Verdicts are
VIMABench's: the tabletop's rules only say in words why an episode failed.
"""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

from journeyman.envs.adapters.vimabench.simulation import Lying, Result, Simulation, yaw_deg
from journeyman.envs.tabletop.judging import Record
from journeyman.envs.tabletop.kinematics import rest_height
from journeyman.envs.tabletop.scene import Body, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks import TASKS, Goal, Judgement, Setup

NEAR_BASE_M = 0.015
"""A goal is in the base whose origin is so near (a bowl's lies 1 cm off its middle)."""


def setup_of(simulation: Simulation) -> Setup:
    """The running episode as the tabletop would have it, at reset."""
    bodies = [_body(simulation, thing) for thing in simulation.lying()]
    fixed = [body for body in bodies if body.fixed]
    bodies = [
        body if body.fixed else replace(body, bottom_m=rest_height(body, fixed)) for body in bodies
    ]
    task = simulation.task
    goals = [_goal(goal, fixed, task) for goal in task._all_goals if not oracle_only(goal)]
    return Setup(
        instruction=simulation.prompt,
        pictures={},
        scene=Scene(tuple(bodies)),
        goals=tuple(goals),
        distractors=tuple(int(thing[0]) for thing in task.distractors or ()),
        blocker=_blocker(task),
    )


def scene_now(setup: Setup, simulation: Simulation) -> Scene:
    """The scene of ``setup`` with everything where it lies on the real table now."""
    now = {thing.id: thing for thing in simulation.lying()}
    return replace(
        setup.scene,
        bodies=tuple(
            body
            if body.fixed
            else body.at(
                _pose(now[body.id]),
                max(0.0, now[body.id].z - body.height_m / 2),
            )
            for body in setup.scene.bodies
        ),
    )


def met_goals(setup: Setup, simulation: Simulation) -> frozenset[int]:
    """Indices of the goals that VIMABench has ticked off."""
    task = simulation.task
    asked = [goal for goal in task._all_goals if not oracle_only(goal)]
    left = {id(goal) for goal in task.goals}
    return frozenset(index for index, goal in enumerate(asked) if id(goal) not in left)


def oracle_only(goal: Any) -> bool:
    """Whether VIMABench asks it of its oracle and of nobody else."""
    return isinstance(goal[6], dict) and bool(goal[6]["oracle_only"])


class RealRecord(Record):
    """The record of an episode on the real table: its verdicts, our words."""

    def observe(self, simulation: Simulation, result: Result, step: int) -> Scene:
        """Note what an action came to; the scene after it."""
        scene = scene_now(self.setup, simulation)
        if result.gripped is None:
            self._mishaps.append(f"missed pick in step {step}")
        elif result.gripped not in self._wanted:
            self._mishaps.append(f"wrong object moved in step {step}")
        before = self.judgement.met
        met, total = met_goals(self.setup, simulation), len(self.setup.goals)
        failure = ""
        if result.timed_out:
            failure = "motion timed out: the arm could not get there"
        elif result.failure:
            told = (
                "" if len(before) == total else self.rules.judge(self.setup, scene, before).failure
            )
            failure = told or "failed: by a rule of VIMABench that the tabletop does not share"
        progress = 1.0 if result.success else len(met) / total
        if failure and len(met) == total:
            progress = total / (total + 1)
        self.judgement = Judgement(met, progress, result.success, failure)
        for index in sorted(met - before):
            self._measured[index] = self._measure(index, scene)
        return scene


def record_of(simulation: Simulation) -> RealRecord:
    """A record of the episode that has just begun.

    VIMABench may draw a scene in which a goal is met already; it then counts as met.
    """
    record = RealRecord(TASKS[simulation.task_name], setup_of(simulation))
    met = met_goals(record.setup, simulation)
    record.judgement = Judgement(met, len(met) / len(record.setup.goals))
    return record


def _body(simulation: Simulation, thing: Lying) -> Body:
    shape = SHAPES[thing.shape]
    size_m = shape.size_m
    if thing.shape == "container":
        size_m = simulation.box_m(thing.id)
    return Body(
        thing.id, thing.shape, thing.texture, _pose(thing), size_m, shape.height_m, thing.fixed
    )


def _pose(thing: Lying) -> Pose:
    return Pose(thing.x, thing.y, thing.yaw_deg)


def _goal(goal: Any, fixed: list[Body], task: Any) -> Goal:
    (thing, _), (place, turned) = goal[0][0], goal[2][0]
    x, y = float(place[0]), float(place[1])
    near = [b.id for b in fixed if math.hypot(b.pose.x - x, b.pose.y - y) < NEAR_BASE_M]
    angle = getattr(task, "sampled_angle_of_rotation", None)
    turn_deg = None if angle is None else -float(round(math.degrees(angle)))
    return Goal(int(thing), Pose(x, y, yaw_deg(turned)), near[0] if near else None, turn_deg)


def _blocker(task: Any) -> tuple[int, Pose] | None:
    """The distractor that lies on a target, and where VIMABench's oracle would move it."""
    for goal in task._all_goals:
        if oracle_only(goal):
            place, turned = goal[2][0]
            return int(goal[0][0][0]), Pose(float(place[0]), float(place[1]), yaw_deg(turned))
    return None
