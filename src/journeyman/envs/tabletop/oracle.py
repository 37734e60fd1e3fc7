"""What solves a task: the demonstration that each task carries, found from the scene's truth."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from journeyman.core.values import Action
from journeyman.envs.tabletop.kinematics import Point, pick_place
from journeyman.envs.tabletop.scene import Pose, Scene
from journeyman.envs.tabletop.skills import PICK_PLACE, PICK_ROTATE, read
from journeyman.envs.tabletop.tasks import Setup


def demonstration(setup: Setup) -> tuple[Action, ...]:
    """The actions that solve the episode: the blocker out of the way first, then goal by goal."""
    return tuple(_plan(setup))


def _plan(setup: Setup) -> Iterator[Action]:
    scene = setup.scene
    if setup.blocker is not None:
        body, free = setup.blocker
        action = move(scene, body, free)
        yield action
        scene = after(scene, action)
    for goal in setup.goals:
        if goal.turn_deg is not None:
            pick = _point(scene.body(goal.body).pose)
            arguments = {"pick_location": list(pick), "angle_deg": -goal.turn_deg}
            action = replace(PICK_ROTATE, arguments=arguments)
        else:
            action = move(scene, goal.body, goal.pose)
        yield action
        scene = after(scene, action)


def move(scene: Scene, body: int, to: Pose) -> Action:
    """Grip ``body`` by its centre and put the centre at ``to``."""
    pick, place = _point(scene.body(body).pose), _point(to)
    arguments = {"pick_location": list(pick), "place_location": list(place)}
    return replace(PICK_PLACE, arguments=arguments)


def after(scene: Scene, action: Action) -> Scene:
    """The scene once ``action`` was carried out."""
    asked = read(action)
    return pick_place(scene, asked.pick, asked.place, asked.turn_deg).scene


def _point(pose: Pose) -> Point:
    """A tenth of a millimetre is as exact as the oracle speaks."""
    return round(pose.x, 4), round(pose.y, 4)
