"""An episode from its stream: drawn until its things have room, then numbered at random."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from journeyman.core.errors import SimulatorFault
from journeyman.envs.tabletop.scene import Scene
from journeyman.envs.tabletop.tasks.base import Setup, TabletopTask
from journeyman.envs.tabletop.tasks.drawing import FIRST_ID, Draw, Unplaceable


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
