"""The record of one episode: what was done, how it stands, why it failed, stricter measures."""

from __future__ import annotations

from typing import Any

from journeyman.envs.tabletop.kinematics import angle_between_deg, distance_m, is_inside, pick_place
from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.skills import PickPlace
from journeyman.envs.tabletop.tasks import Judgement, Setup, TabletopTask


class Record:
    """One running episode. It changes with every action; the scenes themselves never do."""

    def __init__(self, rules: TabletopTask, setup: Setup) -> None:
        self.rules = rules
        self.setup = setup
        self.judgement = Judgement(frozenset(), 0.0)
        self._mishaps: list[str] = []
        self._measured: dict[int, dict[str, Any]] = {}
        self._wanted = {goal.body for goal in setup.goals}
        if setup.blocker is not None:
            self._wanted.add(setup.blocker[0])

    def execute(self, scene: Scene, asked: PickPlace, step: int) -> Scene:
        """The scene after the action, judged."""
        move = pick_place(scene, asked.pick, asked.place, asked.turn_deg)
        if move.gripped is None:
            self._mishaps.append(f"missed pick in step {step}")
        elif move.gripped not in self._wanted:
            self._mishaps.append(f"wrong object moved in step {step}")
        before = self.judgement.met
        self.judgement = self.rules.judge(self.setup, move.scene, before)
        for index in sorted(self.judgement.met - before):
            self._measured[index] = self._measure(index, move.scene)
        return move.scene

    def refuse(self, step: int) -> None:
        """An action that could not be read."""
        self._mishaps.append(f"invalid action in step {step}")

    def reason(self, scene: Scene, steps: int, max_steps: int) -> str:
        """Why the episode is no success, beginning with a fixed word or two; empty if it is one."""
        if self.judgement.success:
            return ""
        goals = self.setup.goals
        missing = [index for index in range(len(goals)) if index not in self.judgement.met]
        gaps = [f"goal {i + 1} of {len(goals)}: {self.rules.gap(goals[i], scene)}" for i in missing]
        first = self.judgement.failure
        if not first:
            first = "out of steps" if steps >= max_steps else "unfinished"
        return "; ".join([first, *self._mishaps, *gaps])

    def analysis(self, scene: Scene) -> dict[str, Any]:
        """Measures beside the benchmark's, each goal's taken when it was met, else now.

        Returns:
            ``position_error_m`` and ``orientation_error_deg`` (the largest over the goals, the
            shape's symmetry counted), ``success_with_orientation`` (success, and every yaw within
            15 degrees) and, where goals are bases, ``success_inside`` (success, and every centre
            within the hull of its base).
        """
        measured = [
            self._measured.get(index) or self._measure(index, scene)
            for index in range(len(self.setup.goals))
        ]
        success = self.judgement.success
        turned = max(part["orientation_error_deg"] for part in measured)
        found: dict[str, Any] = {
            "position_error_m": max(part["position_error_m"] for part in measured),
            "orientation_error_deg": turned,
            "success_with_orientation": success and turned < self.rules.tolerance_deg,
        }
        inside = [part["inside"] for part in measured if part["inside"] is not None]
        if inside:
            found["success_inside"] = success and all(inside)
        return found

    def _measure(self, index: int, scene: Scene) -> dict[str, Any]:
        goal = self.setup.goals[index]
        body = scene.body(goal.body)
        symmetry_deg = SHAPES[body.shape].symmetry_deg
        return {
            "position_error_m": distance_m(body.pose, goal.pose),
            "orientation_error_deg": angle_between_deg(
                body.pose.yaw_deg, goal.pose.yaw_deg, symmetry_deg
            ),
            "inside": None if goal.base is None else is_inside(body, scene.body(goal.base)),
        }
