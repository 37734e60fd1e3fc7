"""Task 4: rearrange the objects to the pictured scene."""

from __future__ import annotations

from journeyman.envs.tabletop.kinematics import bodies_overlap
from journeyman.envs.tabletop.scene import Body, Light, Pose, Scene
from journeyman.envs.tabletop.tasks.base import Goal, Judgement, Setup, TabletopTask
from journeyman.envs.tabletop.tasks.drawing import APART_M, Draw, Unplaceable

COUNTS = (1, 2, 3)
SHARES = (0.4, 0.4, 0.2)
"""How often there are so many objects to move."""

CONFLICT_SHARE = 0.5
"""How often the distractor, which there is with one object, lies on the object's target."""


class Rearrange(TabletopTask):
    """One to three objects; with one of them a distractor, which half the time blocks the target.

    Done when every object has been within 0.10 m of its target, in any order. Only then are
    distractors looked at: one within 0.10 m of a target, or of an object, fails the episode.
    Orientation is not judged.
    """

    name = "rearrange"
    oracle_steps = 5
    instruction = "Rearrange to this {scene}."

    def sample(self, draw: Draw) -> Setup:
        pools = draw.pools
        count = int(draw.random.choice(COUNTS, p=SHARES))
        for _ in range(count):
            draw.put(draw.one(pools.dragged), draw.one(pools.textures))
        placed = list(draw.bodies)
        pictured = Scene(tuple(placed), Light())

        for index in reversed(range(count)):
            body = placed[index]
            pose = draw.free_pose(body.shape, body.size_m, _off_targets(placed, body.size_m))
            draw.bodies[index] = body.at(pose)

        distractors: tuple[int, ...] = ()
        blocker = None
        if count == 1:
            distractor, clear = self._distractor(draw, placed[0])
            distractors = (distractor.id,)
            blocker = None if clear is None else (distractor.id, clear)
        return Setup(
            instruction=self.instruction,
            pictures={"scene": pictured},
            scene=draw.scene(),
            goals=self.goals(placed, draw.bodies[:count], draw),
            distractors=distractors,
            blocker=blocker,
        )

    def _distractor(self, draw: Draw, placed: Body) -> tuple[Body, Pose | None]:
        """The distractor on the table and, where it lies on the target, a free place for it."""
        shape = draw.one([name for name in draw.pools.dragged if name != placed.shape])
        texture = draw.texture(every_texture(), placed.texture)
        size_m = draw.size(shape)
        conflict = draw.chance(CONFLICT_SHARE)
        free = draw.free_pose(shape, size_m, _off_targets([placed], size_m))
        if not conflict:
            return draw.put(shape, texture, free, size_m=size_m), None
        others = list(draw.bodies)
        body = draw.put(shape, texture, placed.pose, size_m=size_m)
        if any(bodies_overlap(body, other) for other in others):
            raise Unplaceable
        return body, free

    def goals(self, placed: list[Body], start: list[Body], draw: Draw) -> tuple[Goal, ...]:
        return tuple(Goal(body.id, body.pose) for body in placed)

    def judge(self, setup: Setup, scene: Scene, met: frozenset[int]) -> Judgement:
        """The goals of the running phase; distractors once all phases are done."""
        phases = self.phases(len(setup.goals))
        phase = next(p for p in phases if not met.issuperset(p))
        met = met | {index for index in phase if self.is_met(setup.goals[index], scene)}
        missing = [index for index in range(len(setup.goals)) if index not in met]
        progress = len(met) / len(setup.goals)
        if missing:
            return Judgement(met, progress, failure=self.outside(setup, scene, missing))
        confused = self.confusion(setup, scene)
        if confused:
            total = len(setup.goals)
            return Judgement(met, total / (total + 1), failure=confused)
        return Judgement(met, progress, success=True)

    def phases(self, goals: int) -> list[range]:
        """Indices of the goals that count together, phase after phase."""
        return [range(goals)]


def every_texture() -> tuple[str, ...]:
    """A rearrangement's distractor takes any texture, at every level, as in VIMA-Bench."""
    from journeyman.envs.tabletop.textures import TEXTURES

    return tuple(TEXTURES)


def _off_targets(placed: list[Body], size_m: float) -> list[tuple[Pose, float]]:
    """How far a thing of ``size_m`` keeps from each target so that it does not block it."""
    return [(b.pose, max((b.size_m + size_m) / 2 + 0.01, APART_M)) for b in placed]
