"""Task 5: rearrange the objects to the pictured scene, then bring them back."""

from __future__ import annotations

from journeyman.envs.tabletop.scene import Body
from journeyman.envs.tabletop.tasks.base import Goal
from journeyman.envs.tabletop.tasks.drawing import Draw
from journeyman.envs.tabletop.tasks.rearrange import Rearrange


class RearrangeThenRestore(Rearrange):
    """First as `Rearrange`; then every object back within 0.10 m of its start, in any order.

    What is back counts only once all were rearranged. A blocker's return is not judged, and the
    episode ends as soon as the objects are back; distractors, looked at then, must keep off the
    targets and the starts.
    """

    name = "rearrange_then_restore"
    oracle_steps = 8
    instruction = "Rearrange objects to this setup {scene} and then restore."

    def goals(self, placed: list[Body], start: list[Body], draw: Draw) -> tuple[Goal, ...]:
        back = draw.several(start, len(start))
        return tuple(Goal(body.id, body.pose) for body in (*placed, *back))

    def phases(self, goals: int) -> list[range]:
        return [range(goals // 2), range(goals // 2, goals)]
