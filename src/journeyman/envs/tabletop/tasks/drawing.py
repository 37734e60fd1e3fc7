"""How scenes are drawn at random: names from a level's pools, poses in free space, ids, light."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import TypeVar

import numpy as np

from journeyman.envs.tabletop.kinematics import Point, hull, overlap, radius_m
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


class Unplaceable(Exception):
    """No room for one more thing; the whole scene is drawn anew."""


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


def words(texture: str) -> str:
    return TEXTURES[texture].words
