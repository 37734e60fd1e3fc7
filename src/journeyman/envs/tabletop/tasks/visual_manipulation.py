"""Task 1: put the pictured object into the pictured base."""

from __future__ import annotations

from itertools import product

from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.tasks.base import Goal, Judgement, ObjectPicture, Setup, TabletopTask
from journeyman.envs.tabletop.tasks.drawing import Draw


class VisualManipulation(TabletopTask):
    """One base, one object, one distractor: another pair of a shape and a texture of either kind.

    Fails at once where the distractor comes within 0.10 m of the base's centre, or the object
    within 0.10 m of the distractor's, or the object's centre leaves the workspace.
    """

    name = "visual_manipulation"

    def sample(self, draw: Draw) -> Setup:
        pools = draw.pools
        base = draw.put(draw.one(pools.bases), draw.one(pools.base_textures))
        dragged = draw.put(draw.one(pools.dragged), draw.one(pools.dragged_textures))
        used = {(body.shape, body.texture) for body in (base, dragged)}
        shapes, textures = pools.dragged + pools.bases, pools.dragged_textures + pools.base_textures
        shape, texture = draw.one([pair for pair in product(shapes, textures) if pair not in used])
        original = dragged if shape in pools.dragged else base
        if draw.difficulty != "easy":
            unlike = [body.texture for body in (base, dragged) if body.shape == shape]
            texture = draw.texture(textures, original.texture, unlike)
        distractor = draw.put(shape, texture)
        return Setup(
            instruction="Put the {object} into the {base}.",
            pictures={
                "object": ObjectPicture(dragged.shape, dragged.texture),
                "base": ObjectPicture(base.shape, base.texture),
            },
            scene=draw.scene(),
            goals=(Goal(dragged.id, base.pose, base.id),),
            distractors=(distractor.id,),
        )

    def judge(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        return self.judge_single(setup, scene, met)
