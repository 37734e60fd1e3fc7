"""What the six tasks share: what an episode is, how scenes are sampled, how progress is judged."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import ClassVar, TypeVar

import numpy as np

from journeyman.core.errors import SimulatorFault
from journeyman.envs.tabletop.kinematics import (
    Point,
    angle_between_deg,
    distance_m,
    hull,
    overlap,
    radius_m,
)
from journeyman.envs.tabletop.levels import Pools, pools
from journeyman.envs.tabletop.scene import X_BOUNDS, Y_BOUNDS, Body, Light, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.textures import LOOKALIKES, TEXTURES

T = TypeVar("T")

FIRST_ID = 2
"""Ids 0 and 1 are the outside and the table."""

APART_M = 0.105
"""Centres of things that are sampled lie at least so far apart: beyond the 0.10 m rule."""

SIZES_M: Mapping[str, tuple[float, float]] = {
    "container": (0.15, 0.17),
    "pentagon": (0.128, 0.144),
    "hexagon": (0.128, 0.144),
    "star": (0.128, 0.144),
}
"""Shapes whose size VIMA-Bench draws anew for each episode."""

ALIKE: Mapping[str, float] = {"easy": 0.0, "medium": 0.5, "hard": 1.0}
"""How often a distractor's texture is a look-alike of what it distracts from, by difficulty."""


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


class Unplaceable(Exception):
    """No room for one more thing; the whole scene is drawn anew."""


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


@dataclass
class Draw:
    """Draws one episode: names from the level's pools, poses in free space.

    Args:
        random: The episode's own stream.
        level: ``L1`` to ``L3``.
        difficulty: See `ALIKE` and `light`.
    """

    random: np.random.Generator
    level: str
    difficulty: str = "easy"
    bodies: list[Body] = field(default_factory=list)

    @property
    def pools(self) -> Pools:
        return pools(self.level)

    def one(self, choices: Sequence[T]) -> T:
        return choices[int(self.random.integers(len(choices)))]

    def several(self, choices: Sequence[T], count: int) -> list[T]:
        """``count`` different ones, in random order."""
        order = self.random.permutation(len(choices))[:count]
        return [choices[int(i)] for i in order]

    def chance(self, share: float) -> bool:
        return bool(self.random.random() < share)

    def size(self, shape: str) -> float:
        low, high = SIZES_M.get(shape, (SHAPES[shape].size_m,) * 2)
        return low if low == high else float(self.random.uniform(low, high))

    def texture(self, choices: Sequence[str], like: str, unlike: Sequence[str] = ()) -> str:
        """A distractor's texture: of ``choices``, or a look-alike of ``like`` where it is harder.

        Never one of ``unlike``. An easy episode draws no number for it, as in the original.
        """
        if ALIKE[self.difficulty] > 0 and self.chance(ALIKE[self.difficulty]):
            alike = [name for name in LOOKALIKES.get(like, ()) if name not in unlike]
            if alike:
                return self.one(alike)
        return self.one([name for name in choices if name not in unlike])

    def put(self, shape: str, texture: str, pose: Pose | None = None, **given: float) -> Body:
        """One more body on the table, at a free pose where none is given.

        Raises:
            Unplaceable: there is no room.
        """
        size_m = given.get("size_m", 0.0) or self.size(shape)
        body = Body(
            id=FIRST_ID + len(self.bodies),
            shape=shape,
            texture=texture,
            pose=pose or self.free_pose(shape, size_m),
            size_m=size_m,
            height_m=SHAPES[shape].height_m,
            fixed=SHAPES[shape].role == "base",
            bottom_m=given.get("bottom_m", 0.0),
        )
        self.bodies.append(body)
        return body

    def free_pose(
        self, shape: str, size_m: float, clear_of: Sequence[tuple[Pose, float]] = ()
    ) -> Pose:
        """A uniform pose among those free, any yaw.

        Free is where a square about the centre, as wide as the diagonal of the shape's box, lies
        within the workspace and meets no hull of a body, no centre is nearer than `APART_M`, and
        each pose of ``clear_of`` is at least its distance away. (VIMA-Bench erodes the free pixels
        of a height map by the same square; we reject samples instead.)

        Raises:
            Unplaceable: none found in 300 tries.
        """
        half = half_width_m(shape, size_m)
        low_x, high_x = X_BOUNDS[0] + half, X_BOUNDS[1] - half
        low_y, high_y = Y_BOUNDS[0] + half, Y_BOUNDS[1] - half
        numbers = self.random.random((300, 3)).tolist()
        for u, v, w in numbers:
            x, y = low_x + u * (high_x - low_x), low_y + v * (high_y - low_y)
            if all(math.hypot(x - pose.x, y - pose.y) >= least for pose, least in clear_of) and all(
                _clear(x, y, half, body) for body in self.bodies
            ):
                return Pose(x, y, 360.0 * w - 180.0)
        raise Unplaceable

    def light(self) -> Light:
        """The light by difficulty: even, then brighter, darker, sloped, tinted and noisy."""
        if self.difficulty == "easy":
            return Light()
        strength = 1.0 if self.difficulty == "medium" else 2.0
        gain, slope, *tint = self.random.uniform(-1.0, 1.0, 5)
        red, green, blue = (float(1 + 0.05 * strength * t) for t in tint)
        return Light(
            gain=float(1 + 0.12 * strength * gain),
            slope=float(0.1 * strength * slope),
            tint=(red, green, blue),
            noise=3.0 * strength,
            seed=int(self.random.integers(2**31)),
        )

    def scene(self) -> Scene:
        return Scene(tuple(self.bodies), self.light())


def half_width_m(shape: str, size_m: float) -> float:
    """Half the diagonal of the shape's box, or its reach from the centre where that is more."""
    outline = SHAPES[shape].outline
    width, depth = outline.max(axis=0) - outline.min(axis=0)
    diagonal = math.hypot(width, depth) * size_m / SHAPES[shape].size_m
    return max(diagonal / 2, radius_m(shape, size_m))


def _clear(x: float, y: float, half: float, body: Body) -> bool:
    """Whether the square of this half width about (x, y) keeps clear of ``body``."""
    away = math.hypot(x - body.pose.x, y - body.pose.y)
    if away < APART_M:
        return False
    if away >= half * math.sqrt(2) + radius_m(body.shape, body.size_m):
        return True
    square: tuple[Point, ...] = (
        (x - half, y - half),
        (x + half, y - half),
        (x + half, y + half),
        (x - half, y + half),
    )
    return not overlap(square, hull(body))


def renumbered(setup: Setup, random: np.random.Generator) -> Setup:
    """The episode with ids in random order: what was drawn first is what the task is about."""
    scene, new = _shuffled(setup.scene, random)
    return replace(
        setup,
        scene=scene,
        pictures={
            name: _shuffled(shown, random)[0] if isinstance(shown, Scene) else shown
            for name, shown in setup.pictures.items()
        },
        goals=tuple(
            replace(goal, body=new[goal.body], base=None if goal.base is None else new[goal.base])
            for goal in setup.goals
        ),
        distractors=tuple(new[body] for body in setup.distractors),
        blocker=None if setup.blocker is None else (new[setup.blocker[0]], setup.blocker[1]),
    )


def _shuffled(scene: Scene, random: np.random.Generator) -> tuple[Scene, dict[int, int]]:
    """The scene with other ids, and each old id's new one."""
    order = random.permutation(len(scene.bodies))
    new = {body.id: FIRST_ID + int(i) for body, i in zip(scene.bodies, order, strict=True)}
    bodies = sorted((replace(b, id=new[b.id]) for b in scene.bodies), key=lambda b: b.id)
    return replace(scene, bodies=tuple(bodies)), new


def words(texture: str) -> str:
    return TEXTURES[texture].words


def sample(task: TabletopTask, random: np.random.Generator, level: str, difficulty: str) -> Setup:
    """An episode of ``task``: scenes without room are drawn anew from the same stream.

    Raises:
        SimulatorFault: a hundred in a row had no room.
    """
    for _ in range(100):
        try:
            return renumbered(task.sample(Draw(random, level, difficulty)), random)
        except Unplaceable:
            continue
    raise SimulatorFault(f"{task.name} at {level}: no scene with room for its things was found.")
