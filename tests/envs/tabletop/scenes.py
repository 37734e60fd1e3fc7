"""Scenes and actions written by hand, for the tests of the tabletop."""

from __future__ import annotations

from typing import Any

from journeyman.core.values import Action
from journeyman.envs.tabletop import TabletopEnv
from journeyman.envs.tabletop.scene import Body, Pose, Scene
from journeyman.envs.tabletop.shapes import SHAPES
from journeyman.envs.tabletop.tasks import Setup


def body(number: int, shape: str, x: float, y: float, yaw_deg: float = 0.0, **more: Any) -> Body:
    cut = SHAPES[shape]
    given = {"texture": "red", "bottom_m": 0.0, "fixed": cut.role == "base", **more}
    pose = Pose(x, y, yaw_deg)
    return Body(number, shape, given["texture"], pose, cut.size_m, cut.height_m, given["fixed"],
                given["bottom_m"])  # fmt: skip


def table(*bodies: Body) -> Scene:
    return Scene(bodies)


def put(pick: Any, place: Any) -> Action:
    """Pick and place at points or poses."""
    arguments = {"pick_location": _point(pick), "place_location": _point(place)}
    return Action(0, "PickPlace", arguments)


def turn(pick: Any, angle_deg: float) -> Action:
    return Action(1, "PickRotate", {"pick_location": _point(pick), "angle_deg": angle_deg})


def _point(given: Any) -> list[float]:
    if isinstance(given, Body):
        given = given.pose
    return [given.x, given.y] if isinstance(given, Pose) else list(given)


def started(task: str, wanted: Any = None, **settings: Any) -> tuple[TabletopEnv, Setup]:
    """An environment at the first episode whose setup is ``wanted``, and that setup."""
    from journeyman.envs.tabletop.taskset import read_spec

    env = TabletopEnv(f"tabletop/{task}-v0", **settings)
    for found in env.tasks:
        setup = read_spec(found, env.id)
        if wanted is None or wanted(setup):
            env.reset(options={"task": found})
            return env, setup
    raise AssertionError("no such episode")
