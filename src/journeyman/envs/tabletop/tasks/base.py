"""What the six tasks share: what an episode is and how progress is judged."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar

from journeyman.envs.tabletop.kinematics import angle_between_deg, distance_m
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS, Body, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks.drawing import Draw


@dataclass(frozen=True, slots=True)
class ObjectPicture:
    """A picture in the instruction of one thing alone."""

    shape: str
    texture: str


@dataclass(frozen=True, slots=True)
class Goal:
    """Where the centre of a body has to get; ``base`` is the id of the base there, if any.

    ``turn_deg`` is the turn that was asked for where the yaw counts, else None.
    """

    body: int
    pose: Pose
    base: int | None = None
    turn_deg: float | None = None


@dataclass(frozen=True)
class Setup:
    """One episode: what is told, what is there, what has to be reached.

    Attributes:
        instruction: With a ``{name}`` for each picture.
        pictures: What each name's picture shows.
        scene: At reset.
        goals: In the order of the demonstration.
        distractors: Ids of the things that must not be taken for others.
        blocker: Id and free place of the distractor that lies on a goal, if one does.
    """

    instruction: str
    pictures: Mapping[str, ObjectPicture | Scene]
    scene: Scene
    goals: tuple[Goal, ...]
    distractors: tuple[int, ...] = ()
    blocker: tuple[int, Pose] | None = None


@dataclass(frozen=True, slots=True)
class Judgement:
    """How an episode stands after a step.

    Attributes:
        met: Indices of the goals met so far; a goal once met stays met, as in VIMA-Bench.
        progress: Share of the conditions that hold.
        success: The task is done.
        failure: Why it can no longer be done; empty while it can.
    """

    met: frozenset[int]
    progress: float
    success: bool = False
    failure: str = ""


class TabletopTask(ABC):
    """One of the six tasks: how its episodes are drawn and when they are done.

    Attributes:
        name: VIMA-Bench's.
        oracle_steps: VIMA-Bench's limit for its oracle.
        tolerance_m: A goal is met where the centre is nearer to its place than this.
        tolerance_deg: The same for its yaw, where that counts.
    """

    name: ClassVar[str]
    oracle_steps: ClassVar[int] = 3
    tolerance_m: ClassVar[float] = 0.10
    tolerance_deg: ClassVar[float] = 15.0

    @abstractmethod
    def sample(self, draw: Draw) -> Setup:
        """An episode. `Unplaceable` where its things found no room."""

    @abstractmethod
    def judge(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        """How the episode stands in ``scene``, ``met`` being the goals met before."""

    def is_met(self, goal: Goal, scene: Scene) -> bool:
        body = scene.body(goal.body)
        if not distance_m(body.pose, goal.pose) < self.tolerance_m:
            return False
        if goal.turn_deg is None:
            return True
        symmetry_deg = SHAPES[body.shape].symmetry_deg
        off = angle_between_deg(body.pose.yaw_deg, goal.pose.yaw_deg, symmetry_deg)
        return off < self.tolerance_deg

    def gap(self, goal: Goal, scene: Scene) -> str:
        """In words for the record, what is missing from ``goal``."""
        body = scene.body(goal.body)
        away = distance_m(body.pose, goal.pose)
        if away >= self.tolerance_m:
            return f"position off by {away:.2f} m"
        off = angle_between_deg(body.pose.yaw_deg, goal.pose.yaw_deg)
        return f"angle off by {off:.0f} degrees"

    def confusion(self, setup: Setup, scene: Scene) -> str:
        """Why the episode fails by a distractor; empty where it does not.

        It does where a distractor lies within the tolerance of a goal's place, or a thing to be
        moved within that of a distractor (VIMA-Bench's distractor check).
        """
        for distractor in setup.distractors:
            pose = scene.body(distractor).pose
            for goal in setup.goals:
                if distance_m(pose, goal.pose) < self.tolerance_m:
                    moved = pose != setup.scene.body(distractor).pose
                    return (
                        "wrong object: a distractor was put at a goal"
                        if moved
                        else "blocker left: a distractor still lies at a goal"
                    )
                if self.taken_for(scene.body(goal.body), scene.body(distractor)):
                    return "wrong place: the object lies at a distractor"
        return ""

    def taken_for(self, body: Body, distractor: Body) -> bool:
        """Whether ``body`` was put where ``distractor`` lies."""
        return distance_m(body.pose, distractor.pose) < self.tolerance_m

    def outside(self, setup: Setup, scene: Scene, goals: Sequence[int]) -> str:
        """Why the episode fails by a thing of ``goals`` being off the workspace; or empty."""
        for index in goals:
            pose = scene.body(setup.goals[index].body).pose
            if not (X_BOUNDS[0] <= pose.x <= X_BOUNDS[1] and Y_BOUNDS[0] <= pose.y <= Y_BOUNDS[1]):
                return "out of bounds: the object's centre left the workspace"
        return ""

    def judge_single(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        """The rule of the tasks with one goal: distractors and bounds count after every step."""
        if self.is_met(setup.goals[0], scene):
            met = met | {0}
        progress = float(bool(met))
        confused = self.confusion(setup, scene)
        if confused:
            return Judgement(met, progress / 2, failure=confused)
        if met:
            return Judgement(met, progress, success=True)
        return Judgement(met, progress, failure=self.outside(setup, scene, [0]))
