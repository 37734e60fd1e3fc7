"""Task 3: rotate the pictured object by an angle, clockwise."""

from __future__ import annotations

from dataclasses import replace

from journeyman.envs.tabletop.kinematics import angle_between_deg, wrapped_deg
from journeyman.envs.tabletop.scene import Body, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks.base import Goal, Judgement, ObjectPicture, Setup, TabletopTask
from journeyman.envs.tabletop.tasks.drawing import Draw

ANGLES_DEG = (30, 60, 90, 120, 150)
"""Clockwise seen from above: the yaw decreases."""


class Rotate(TabletopTask):
    """Only shapes that no rotation maps onto themselves; one distractor of another texture.

    The yaw has to come within 15 degrees and the centre to stay within 0.10 m. Fails at once where
    the distractor comes within 0.10 m of the object's place, or the object lies within 0.10 m of
    the distractor at nearly its yaw, or leaves the workspace.
    """

    name = "rotate"

    def sample(self, draw: Draw) -> Setup:
        pools = draw.pools
        shapes = [name for name in pools.dragged if SHAPES[name].symmetry_deg >= 360.0]
        angle_deg = draw.one(ANGLES_DEG)
        dragged = draw.put(draw.one(shapes), draw.one(pools.textures))
        texture = draw.texture(pools.textures, dragged.texture, [dragged.texture])
        distractor = draw.put(draw.one(shapes), texture)
        target = replace(dragged.pose, yaw_deg=wrapped_deg(dragged.pose.yaw_deg - angle_deg))
        return Setup(
            instruction=f"Rotate the {{object}} {angle_deg} degrees.",
            pictures={"object": ObjectPicture(dragged.shape, dragged.texture)},
            scene=draw.scene(),
            goals=(Goal(dragged.id, target, turn_deg=-angle_deg),),
            distractors=(distractor.id,),
        )

    def judge(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        return self.judge_single(setup, scene, met)

    def taken_for(self, body: Body, distractor: Body) -> bool:
        off = angle_between_deg(body.pose.yaw_deg, distractor.pose.yaw_deg)
        return super().taken_for(body, distractor) and off < self.tolerance_deg
