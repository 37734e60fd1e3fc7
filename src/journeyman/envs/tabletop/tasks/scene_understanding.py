"""Task 2: put the object of a texture that a scene's picture shows into the base of another."""

from __future__ import annotations

from journeyman.envs.tabletop.scene import Light, Scene
from journeyman.envs.tabletop.tasks.base import Goal, Judgement, Setup, TabletopTask
from journeyman.envs.tabletop.tasks.drawing import Draw, words


class SceneUnderstanding(TabletopTask):
    """The two textures are words; which of two things of one texture is meant, the picture tells.

    The scene's picture holds the object and another thing of another texture, at poses of its own.
    The distractor on the table has, one time in two, the object's texture and another shape, else
    the base's shape and another texture. Fails as `VisualManipulation` does.
    """

    name = "scene_understanding"

    def sample(self, draw: Draw) -> Setup:
        pools = draw.pools
        textures = pools.dragged_textures + pools.base_textures
        base = draw.put(draw.one(pools.bases), draw.one(pools.base_textures))
        dragged = draw.put(draw.one(pools.dragged), draw.one(pools.dragged_textures))

        pictured = Draw(draw.random, draw.level)
        pictured.put(dragged.shape, dragged.texture, size_m=dragged.size_m)
        other = draw.texture(textures, dragged.texture, [dragged.texture])
        pictured.put(draw.one(pools.dragged + pools.bases), other)

        if draw.chance(0.5):
            shape = draw.one([shape for shape in pools.dragged if shape != dragged.shape])
            distractor = draw.put(shape, dragged.texture)
        else:
            texture = draw.texture(textures, base.texture, [base.texture])
            distractor = draw.put(base.shape, texture)
        return Setup(
            instruction=(
                f"Put the {words(dragged.texture)} object in {{scene}} "
                f"into the {words(base.texture)} object."
            ),
            pictures={"scene": Scene(tuple(pictured.bodies), Light())},
            scene=draw.scene(),
            goals=(Goal(dragged.id, base.pose, base.id),),
            distractors=(distractor.id,),
        )

    def judge(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        return self.judge_single(setup, scene, met)
