"""Task 6: put the object into one base, then another, then back into its own."""

from __future__ import annotations

from itertools import product

from journeyman.envs.tabletop.scene import Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks.base import Goal, Judgement, ObjectPicture, Setup, TabletopTask
from journeyman.envs.tabletop.tasks.drawing import Draw

PLACES = tuple(product((0.375, 0.625), (-0.25, 0.0, 0.25)))
"""Centres of the grid of six bases, two rows of three."""

NOT_IN_A_GRID = ("pan",)
"""VIMA-Bench leaves it out of this task at L3."""


class PickInOrderThenRestore(TabletopTask):
    """Six bases of one shape in a grid, each of another texture; the object lies in one of them.

    Three goals in strict order, each within 0.05 m. Reaching the second base before the first
    fails the episode; the four other bases do not.
    """

    name = "pick_in_order_then_restore"
    oracle_steps = 4
    tolerance_m = 0.05

    def sample(self, draw: Draw) -> Setup:
        pools = draw.pools
        places = draw.several(PLACES, len(PLACES))
        shape = draw.one([name for name in pools.bases if name not in NOT_IN_A_GRID])
        size_m = draw.size(shape)
        textures = draw.several(pools.base_textures, 3)
        while len(textures) < len(places):
            like = textures[len(textures) % 3]
            textures.append(draw.texture(pools.base_textures, like, textures))
        bases = [
            draw.put(shape, texture, Pose(x, y), size_m=size_m)
            for texture, (x, y) in zip(textures, places, strict=True)
        ]
        origin, first, second = bases[:3]
        dragged = draw.put(
            draw.one(pools.dragged),
            draw.one(pools.dragged_textures),
            origin.pose,
            bottom_m=SHAPES[shape].floor_m,
        )
        return Setup(
            instruction=(
                "Put {object} into {base_1} then {base_2}. "
                "Finally restore it into its original container."
            ),
            pictures={
                "object": ObjectPicture(dragged.shape, dragged.texture),
                "base_1": ObjectPicture(first.shape, first.texture),
                "base_2": ObjectPicture(second.shape, second.texture),
            },
            scene=draw.scene(),
            goals=tuple(Goal(dragged.id, base.pose, base.id) for base in (first, second, origin)),
        )

    def judge(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        goals = setup.goals
        following = len(met)
        if self.is_met(goals[following], scene):
            met = met | {following}
            following += 1
        progress = len(met) / len(goals)
        if following == len(goals):
            return Judgement(met, progress, success=True)
        early = range(following + 1, len(goals) - 1)  # the last, where it came from, is no mistake
        if any(self.is_met(goals[index], scene) for index in early):
            failure = "wrong order: the second base was reached before the first"
            return Judgement(met, progress, failure=failure)
        return Judgement(met, progress, failure=self.outside(setup, scene, [following]))
